"""Where the answer turns: in time, in use, in price."""

from __future__ import annotations

import numpy as np

from rackrent.comparison.option import Option
from rackrent.costing.finance import npv
from rackrent.costing.payback import break_even_month

RENTAL_PRICE = frozenset({"rent", "commitment", "idle", "startup", "rework"})
"""Categories that are proportional to the rental price."""
HARDWARE_PRICE = frozenset({"hardware", "shipping", "repairs"})
"""Categories that are proportional to the price of the machine (its resale value is not)."""


def break_even_months(option: Option, alternatives: list[Option]) -> dict[str, float | None]:
    """Return, for each other option, the month in which `option` has cost no more in cash; None if never."""
    return {
        other.id: break_even_month(option.monthly_usd, other.monthly_usd)
        for other in alternatives
        if other.id != option.id
    }


def break_even_demand(option: Option, other: Option) -> float | None:
    """Return the multiple of the demand at which both cost the same in present value; None if there is none.

    The machines stay the same: present value is then `fixed + multiple x per use` for each.
    """
    per_use = option.npv_per_use_usd - other.npv_per_use_usd
    fixed = (option.npv_usd - option.npv_per_use_usd) - (other.npv_usd - other.npv_per_use_usd)
    if abs(per_use) < 1e-9:
        return None
    multiple = -fixed / per_use
    return multiple if multiple > 0 else None


def break_even_utilisation(option: Option, other: Option) -> float | None:
    """Return the share of hours of the owned one's machines at which both cost the same; None if there is none.

    One of the two must be owned. None also where the machines would have to work more hours than there are.
    """
    owned = option if option.owned else other
    multiple = break_even_demand(option, other)
    if multiple is None or owned.use is None:
        return None
    utilisation = multiple * owned.use.utilisation
    return utilisation if utilisation <= 1 else None


def break_even_price(option: Option, other: Option, tax_rate: float) -> float | None:
    """Return the multiple of `option`'s own price at which it costs what `other` does, in present value.

    The price is the rental price of a rented option, that of the machine of an owned one. None where no price
    above nothing would do it.
    """
    categories = HARDWARE_PRICE if option.owned else RENTAL_PRICE
    priced = [s for s in option.streams if s.category in categories]
    if not priced:
        return None
    taxed = np.sum([s.usd * (1 + tax_rate if s.tax_basis == "excl" else 1) for s in priced], axis=0)
    base = float(npv(taxed, option.discount_rate))
    if base <= 0:
        return None
    multiple = 1 + (other.npv_usd - option.npv_usd) / base
    return multiple if multiple > 0 else None
