"""What who knew the whole history would have reserved, and what a rule for the future makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.demand_check import hourly
from rackrent.planning.highs import Columns, Rows, minimise
from rackrent.planning.load_duration import load_duration
from rackrent.planning.online import OnlineRun, Tariff, reservation_cost, whole
from rackrent.planning.reserved import reserved_level, reserved_savings


def best_in_hindsight(demand: ArrayLike, tariff: Tariff, *, every_hours: int = 1) -> OnlineRun:
    """Return the cheapest reservations for a demand known in advance, started in any hour.

    `demand` is whole GPUs by the hour. With `every_hours` reservations start only so often (a divisor of the term):
    a smaller program, and at most a little dearer. The rows are intervals, so the linear program has whole answers.
    Raises BadInput.
    """
    gpus = whole(demand)
    if every_hours < 1 or tariff.term_hours % every_hours:
        raise BadInput(_("Reservations must start so often that their term is a multiple of it."))
    parts = np.split(gpus, range(every_hours, gpus.size, every_hours))
    term = tariff.term_hours // every_hours
    saved = tariff.on_demand_usd_per_hour - tariff.reserved_usd_per_hour
    columns, rows = Columns(), Rows()
    starts = columns.add(np.full(len(parts), tariff.fee_usd))
    active = columns.add(np.zeros(len(parts)))
    used = columns.add(np.full(len(parts), -saved), upper=np.array([part.sum() for part in parts], float))
    for part, hours in enumerate(parts):
        # active[t] = active[t-1] + start[t] - start[t - term]
        terms = [(active[part], 1.0), (starts[part], -1.0)]
        if part:
            terms.append((active[part - 1], -1.0))
        if part >= term:
            terms.append((starts[part - term], 1.0))
        rows.add(terms, 0.0, 0.0)
        # What so many serve is under each line of the part's load-duration curve.
        curve = load_duration(hours)
        for level in np.unique(np.append(hours[hours > 0], 0))[: -1 if hours.any() else None].tolist():
            slope = float(curve.hours_above(level))
            value = float(curve.served(level)) - slope * level
            rows.add([(used[part], 1.0), (active[part], -slope)], -np.inf, value)
    found = minimise(columns, rows)
    reserved = np.zeros(gpus.size, dtype=np.int64)
    reserved[::every_hours] = np.rint(found.values[starts]).astype(np.int64)
    return OnlineRun(reserved, reservation_cost(gpus, reserved, tariff))


@dataclass(frozen=True, slots=True)
class Backtest:
    """A reserved level carried from one period to the next, costs in GPU-hours at the on-demand price.

    `in_sample_saving` and `out_of_sample_saving` are shares of everything on demand, of the first period with its
    own best level and of the second with the level of the first; `regret` is what the carried level costs more
    than the second period's own best, as a share of it; `hindsight` the share of the second period's best saving
    that needed to know it. None where there is nothing to divide by.
    """

    level: float
    hindsight_level: float
    in_sample_saving: float | None
    out_of_sample_saving: float | None
    best_saving: float | None
    regret: float | None
    hindsight: float | None


def backtest_level(demand: ArrayLike, *, reserved_to_on_demand: float, split: float = 0.5) -> Backtest:
    """Find the best level of the first part of a history and say what it would have saved in the rest.

    `split` is the share of the hours in the first part. Raises BadInput unless both parts have an hour.
    """
    hours = hourly(demand)
    at = int(hours.size * split)
    if not 0 < at < hours.size:
        raise BadInput(_("A history must be split into two parts with at least one hour each."))
    past, after = hours[:at], hours[at:]
    level = reserved_level(past, reserved_to_on_demand=reserved_to_on_demand)
    before = reserved_savings(past, reserved_to_on_demand=reserved_to_on_demand, level=level)
    carried = reserved_savings(after, reserved_to_on_demand=reserved_to_on_demand, level=level)
    best = reserved_savings(after, reserved_to_on_demand=reserved_to_on_demand)
    most = best.all_on_demand - best.cost
    return Backtest(
        level,
        best.level,
        _saving(before.share),
        _saving(carried.share),
        _saving(best.share),
        carried.cost / best.cost - 1.0 if best.cost > 0 else None,
        (carried.cost - best.cost) / most if most > 0 else None,
    )


def _saving(share: float | None) -> float | None:
    return None if share is None else 1.0 - share
