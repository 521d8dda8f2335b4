"""Turning the prices of a feed into the price of an offer: one whole machine, in one unit of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class FeedPrice:
    """What a feed says of one machine type: prices in one currency, None where it says nothing.

    `on_demand` and `reserved` (whole, not interruptible) are what it calls so; `minimum` is a lowest price: a floor.
    """

    on_demand: float | None = None
    reserved: float | None = None
    minimum: float | None = None


@dataclass(frozen=True, slots=True)
class OfferPrice:
    """The price of an offer: `amount` None is unknown; `floor` says that it is only a lowest ask."""

    amount: float | None
    floor: bool = False
    warning: str = ""


def machine_price(
    amount: float | None, gpu_count: float | None, quoted_per: Literal["machine", "gpu"]
) -> float | None:
    """Return the price of the whole machine from a price that is quoted for the machine or for one GPU.

    >>> machine_price(1.28, 8, "machine"), machine_price(0.16, 8, "gpu")
    (1.28, 1.28)
    >>> machine_price(0.16, None, "gpu") is None
    True
    """
    amount = known_price(amount).amount
    if amount is None or quoted_per == "machine":
        return amount
    return None if gpu_count is None else amount * gpu_count


def per_gpu(amount: float | None, gpu_count: float | None) -> float | None:
    """Return the price of one GPU of a machine; unknown where the price or the count is.

    >>> per_gpu(1.28, 8)
    0.16
    """
    return None if amount is None or not gpu_count else amount / gpu_count


def known_price(amount: float | None) -> OfferPrice:
    """Return a price as it is; one that is missing, zero or negative is unknown, with a warning.

    >>> known_price(0.0).amount is None
    True
    """
    if amount is None:
        return OfferPrice(None, warning=_("the feed has no price for it"))
    if amount <= 0:
        return OfferPrice(
            None, warning=_("the feed says {amount:g}, which is not a price").format(amount=amount)
        )
    return OfferPrice(amount)


def on_demand_price(feed: FeedPrice) -> OfferPrice:
    """Return what the machine costs on demand.

    Some feeds put the price at which a machine is one's own under "reserved", beside the minimum bid. A minimum
    is a floor, not a price, and is taken only where there is nothing else.

    >>> on_demand_price(FeedPrice(reserved=3.45, minimum=0.01))
    OfferPrice(amount=3.45, floor=False, warning='')
    """
    for amount in (feed.on_demand, feed.reserved):
        price = known_price(amount)
        if price.amount is not None:
            return price
    floor = known_price(feed.minimum)
    return OfferPrice(floor.amount, floor=floor.amount is not None, warning=floor.warning)


def assembled_price(*parts: float | None) -> float | None:
    """Return the price of a machine sold in parts: its host, its GPUs, and what the type forces on you.

    If one part is unknown the whole is.

    >>> assembled_price(10, 80, 2)
    92
    """
    total: float = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def half_upfront(
    effective: float, minimum_months: float, *, hours_per_month: float = HOURS_PER_MONTH
) -> tuple[float, float]:
    """Return (running price an hour, paid up front) of a partial up-front whose split nobody publishes.

    Half and half is an assumption.

    >>> [round(part, 3) for part in half_upfront(1.99, 12)]
    [0.995, 8716.2]
    """
    return effective / 2, effective / 2 * minimum_months * hours_per_month


def convert_month(per_month: float, *, from_hours: float, to_hours: float) -> float:
    """Return a price a month of one length as the price of a month of another: one hour costs the same.

    >>> convert_month(720, from_hours=720, to_hours=730)
    730.0
    """
    return per_month * to_hours / from_hours
