"""The fields of an offer that can be asked for, with their units: what the filter, the order and the documentation know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

from rackrent.exchange.rules.offers import Offer
from rackrent.i18n import N_
from rackrent.i18n import gettext as _

NO_END_MS = 1 << 62
"""`until` of what is lent without an end: later than any day."""


class Type(StrEnum):
    """What the values of a field are."""

    NUMBER = "number"
    USD = "usd"
    DAY = "day"
    FLAG = "flag"
    TEXT = "text"
    GPU = "gpu"
    COUNTRY = "country"
    RENTAL = "rental"

    @property
    def text(self) -> str:
        """Return what a value has to be, for people."""
        return _(_TYPES[self])

    @property
    def ordered(self) -> bool:
        """Return whether values are more or less than others."""
        return self in (Type.NUMBER, Type.USD, Type.DAY)


_TYPES = {
    Type.NUMBER: N_("a number"),
    Type.USD: N_("a number of dollars"),
    Type.DAY: N_("a day such as 2027-01-31"),
    Type.FLAG: N_("true or false"),
    Type.TEXT: N_("a name"),
    Type.GPU: N_("the name of a GPU"),
    Type.COUNTRY: N_("a country code of two letters such as DE"),
    Type.RENTAL: N_("on_demand, interruptible, monthly, reserved_1y or reserved_3y"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field: what its values are, what it means with its unit, and how it is read (None: unknown).

    Dollars are read as integer micro-USD, days as milliseconds since 1970. What has no `read` is not of the offer itself.
    """

    name: str
    type: Type
    meaning: str
    read: Callable[[Offer], Any] | None


def _f(name: str, type: Type, meaning: str, attribute: str = "") -> Field:
    return Field(name, type, meaning, attrgetter(attribute or name))


def _until(offer: Offer) -> int:
    return NO_END_MS if offer.until_ms is None else offer.until_ms


FIELDS: Mapping[str, Field] = {
    f.name: f
    for f in (
        _f("gpu_name", Type.GPU, N_("kind of GPU; a family such as A100_80GB stands for all its forms")),
        _f("num_gpus", Type.NUMBER, N_("number of GPUs")),
        _f("gpu_ram", Type.NUMBER, N_("memory of one GPU, GB")),
        _f("gpu_total_ram", Type.NUMBER, N_("memory of all GPUs, GB")),
        _f("cpu_cores", Type.NUMBER, N_("CPU cores that come with the GPUs")),
        _f("cpu_ram", Type.NUMBER, N_("main memory that comes with the GPUs, GB")),
        _f("disk_space", Type.NUMBER, N_("disk that is free on the machine, GB")),
        _f("inet_up", Type.NUMBER, N_("measured upload of the machine, Mbps")),
        _f("inet_down", Type.NUMBER, N_("measured download of the machine, Mbps")),
        _f("geolocation", Type.COUNTRY, N_("country of the machine, ISO 3166 alpha-2")),
        _f("latitude", Type.NUMBER, N_("degrees north")),
        _f("longitude", Type.NUMBER, N_("degrees east")),
        _f("reliability", Type.NUMBER, N_("share of time in which the machine was heard of, 0 to 1")),
        _f("verified", Type.FLAG, N_("whether the machine has proven what it is; what has not is not listed")),
        _f("rental", Type.RENTAL, N_("term; on_demand unless the filter names another")),
        _f("price", Type.USD, N_("price of the whole offer, USD an hour; for interruptible the least bid that gets it now"), "price_micro_usd"),
        _f("price_per_gpu", Type.USD, N_("price of one GPU, USD an hour"), "price_per_gpu_micro_usd"),
        _f("min_bid", Type.USD, N_("least bid that the lender takes for the whole offer, USD an hour; interruptible only"), "min_bid_micro_usd"),
        _f("storage_cost", Type.USD, N_("price of disk, USD for a GB and month of 730 hours; also while stopped"), "storage_micro_usd_per_gb_month"),
        Field("until", Type.DAY, N_("day until which the machine is lent, UTC; later than any day where there is no end"), _until),
        _f("machine", Type.TEXT, N_("id of the machine")),
        _f("host", Type.TEXT, N_("id of the lender")),
        Field("latency_ms", Type.NUMBER, N_("measured round trip between you and the machine, milliseconds"), None),
    )
}  # fmt: skip
"""Field name to field."""
