"""The atom of every result: one stream of dated money, with who pays it and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.fact import Fact
from rackrent.i18n import N_

Payer = Literal["funding", "institution"]
TaxBasis = Literal["excl", "incl", "tax", "none"]
"""Whether VAT is outside the figure, inside it, the figure itself, or does not apply."""

CATEGORIES = {
    "hardware": N_("hardware"),
    "shipping": N_("shipping"),
    "assembly": N_("assembly"),
    "administration": N_("administration"),
    "power": N_("electricity"),
    "cooling": N_("cooling"),
    "circuit": N_("circuits"),
    "space": N_("space"),
    "colocation": N_("colocation"),
    "connectivity": N_("connectivity"),
    "opportunity": N_("sale of the machine you have"),
    "repairs": N_("repairs"),
    "resale": N_("resale"),
    "disposal": N_("disposal"),
    "rent": N_("rent"),
    "commitment": N_("commitment"),
    "idle": N_("idle hours"),
    "startup": N_("start-up time"),
    "rounding": N_("rounding up to billed units"),
    "rework": N_("interruption rework"),
    "storage": N_("storage"),
    "egress": N_("data out"),
    "upload": N_("data in"),
    "exit": N_("exit cost"),
    "credit": N_("credits"),
    "waiting": N_("waiting"),
    "tax": N_("tax"),
    "indirect": N_("indirect cost"),
}
"""Closed list of categories and their English names."""
RENTAL_PRICE = frozenset({"rent", "commitment", "idle", "startup", "rounding", "rework"})
"""Categories that are proportional to the rental price."""
HARDWARE_PRICE = frozenset({"hardware", "shipping", "repairs"})
"""Categories that are proportional to the price of the machine (its resale value is not)."""


@dataclass(frozen=True, slots=True)
class CostStream:
    """Money of one category over the horizon.

    `usd` has shape (horizon_months + 1,): entry 0 is paid at the start, entry m at the end of month m.
    Costs are positive, income negative. `formula` says in words and numbers how it was computed; `facts` are
    the figures it rests on.
    """

    category: str
    usd: NDArray[np.float64]
    formula: str
    facts: tuple[Fact, ...]
    payer: Payer = "funding"
    tax_basis: TaxBasis = "none"
    shares: tuple[tuple[str, float], ...] = ()
    """For assumptions of which only a part of the stream moves: key and that part (1 where not named)."""
    spread: tuple[float, float, float] | None = None
    """For a sale: what it brings at the lower quartile, the median and the upper quartile, USD."""
    mind: str = ""
    """What a reader should mind about it, if anything."""
    per_use: bool = False
    """Whether the stream is proportional to the hours worked (the machines staying the same)."""

    @property
    def total_usd(self) -> float:
        """Sum over the horizon, USD."""
        return float(self.usd.sum())


def at_start(usd: float, horizon_months: int) -> NDArray[np.float64]:
    """Return a stream of `usd` paid once at the start."""
    out = np.zeros(horizon_months + 1)
    out[0] = usd
    return out


def at_end(usd: float, horizon_months: int) -> NDArray[np.float64]:
    """Return a stream of `usd` paid once at the end of the horizon."""
    out = np.zeros(horizon_months + 1)
    out[-1] = usd
    return out


def monthly(usd_per_month: float | NDArray[np.float64], horizon_months: int) -> NDArray[np.float64]:
    """Return a stream of `usd_per_month` (a number, or one number a month) at the end of each month."""
    out = np.zeros(horizon_months + 1)
    out[1:] = usd_per_month
    return out
