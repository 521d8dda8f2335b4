"""Where the answer turns: in time, in use, in price."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rackrent.comparison.option import OWNED_KINDS, Option
from rackrent.comparison.ranking import Ranking
from rackrent.costing.finance import npv
from rackrent.costing.payback import break_even_month
from rackrent.costing.streams import HARDWARE_PRICE, RENTAL_PRICE
from rackrent.units import HOURS_PER_MONTH

Floats = NDArray[np.float64]
LEAST_MULTIPLE, MOST_MULTIPLE, GRID = 1e-3, 1e3, 1_201
"""Multiples of the demand that are looked at: six decades in steps of about 1 %."""
ROWS = 1_024
"""Options looked at together."""


def break_even_months(option: Option, alternatives: list[Option]) -> dict[str, float | None]:
    """Return, for each other option, the month in which `option` has cost no more in cash; None if never.

    Two rented options start level, with nothing paid: that alone is no break-even.
    """
    return {
        other.id: break_even_month(option.monthly_usd, other.monthly_usd, level_start=False)
        for other in alternatives
        if other.id != option.id
    }


class Sides:
    """The lowest present value of what is owned and of what is rented, at multiples of the demand.

    The machines stay the same; an option whose machines would be too few has no value there (infinite).
    `multiples`, `owned_usd` and `rented_usd` have shape (GRID,).
    """

    def __init__(self, ranking: Ranking) -> None:
        self.multiples: Floats = np.geomspace(LEAST_MULTIPLE, MOST_MULTIPLE, GRID)
        self.best_owned = ranking.first(owned=True)
        labels = (ranking.kind_and_term(i)[0] for i in range(len(ranking)))
        self._kinds = {kind in OWNED_KINDS for kind in labels}
        singles = [e for e in ranking.entries[: ranking.feasible_count] if isinstance(e, Option)]
        market, rows = ranking.market, np.flatnonzero(ranking.market.feasible)
        offers = (market.npv_usd[rows], market.per_use_npv[rows], market.headroom[rows])
        self.owned_usd = self._least(*_lines(o for o in singles if o.owned))
        rented = self._least(*_lines(o for o in singles if not o.owned))
        self.rented_usd = np.minimum(rented, self._least(*offers))

    def looked_at(self, *, owned: bool) -> bool:
        """Whether any option of a side was looked at, feasible or not."""
        return owned in self._kinds

    def of(self, option: Option) -> Floats:
        """Return an option's present value at each multiple, USD."""
        return self._least(*_lines([option]))

    def crossings(self, lead: Floats) -> list[float]:
        """Return the multiples at which `lead` (GRID,) changes its sign, ascending; infinite leads have none."""
        with np.errstate(invalid="ignore"):
            turned = np.sign(lead[1:]) != np.sign(lead[:-1])
        at = np.flatnonzero(turned & np.isfinite(lead[1:]) & np.isfinite(lead[:-1]))
        # Between two close multiples both sides are straight lines.
        share = lead[at] / (lead[at] - lead[at + 1])
        found: list[float] = (
            self.multiples[at] + share * (self.multiples[at + 1] - self.multiples[at])
        ).tolist()
        return found

    def _least(self, npv_usd: Floats, per_use_usd: Floats, most: Floats) -> Floats:
        lowest = np.full(GRID, np.inf)
        for start in range(0, len(npv_usd), ROWS):
            rows = slice(start, start + ROWS)
            usd = npv_usd[rows, np.newaxis] + per_use_usd[rows, np.newaxis] * (self.multiples - 1.0)
            usd[self.multiples > most[rows, np.newaxis] * (1 + 1e-9)] = np.inf
            np.minimum(lowest, usd.min(axis=0), out=lowest)
        return lowest


def _lines(options: Iterable[Option]) -> tuple[Floats, Floats, Floats]:
    """Present value, what of it grows with use, and the multiple of the demand the machines can still do."""
    figures = [(o.npv_usd, o.npv_per_use_usd, headroom(o)) for o in options]
    npv_usd, per_use, most = np.array(figures, dtype=np.float64).reshape(-1, 3).T
    return npv_usd, per_use, most


def headroom(option: Option) -> float:
    """Return the multiple of the demand that the option's machines could still do in the busiest month."""
    assert option.use is not None
    busiest = float(option.use.busy_hours.max(initial=0.0))
    return option.use.machines * HOURS_PER_MONTH / busiest if busiest else np.inf


def break_even_utilisation(option: Option, sides: Sides) -> float | None:
    """Return the share of hours of an owned machine at which `option` and the best of the other side cost the same.

    The other side is all owned options for a rented one and the other way round: at another use another of them
    may be the best. The machine is `option` itself if it is owned, else the best owned one. Of several such
    shares it is the one closest to today's use; None if there is none within the hours there are.
    """
    owned = option if option.owned else sides.best_owned
    if owned is None or owned.use is None:
        return None
    other = sides.rented_usd if option.owned else sides.owned_usd
    with np.errstate(invalid="ignore"):
        crossings = sides.crossings(other - sides.of(option))
    if not crossings:
        return None
    return min(crossings, key=lambda m: abs(np.log(m))) * owned.use.utilisation


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
