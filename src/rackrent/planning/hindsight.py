"""What who knew the whole history would have reserved, and what a rule for the future makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.demand_check import hourly
from rackrent.planning.highs import Columns, Rows, minimise
from rackrent.planning.online import OnlineRun, Tariff, reservation_cost, whole
from rackrent.planning.reserved import reserved_level, reserved_savings


def best_in_hindsight(demand: ArrayLike, tariff: Tariff) -> OnlineRun:
    """Return the cheapest reservations for a demand known in advance, started in any hour.

    `demand` is whole GPUs by the hour. The rows are intervals, so the linear program has whole answers.
    """
    gpus = whole(demand)
    n = gpus.size
    saved = tariff.on_demand_usd_per_hour - tariff.reserved_usd_per_hour
    columns, rows = Columns(), Rows()
    starts = columns.add(np.full(n, tariff.fee_usd))
    active = columns.add(np.zeros(n))
    used = columns.add(np.full(n, -saved), upper=gpus.astype(float))
    for hour in range(n):
        # active[t] = active[t-1] + start[t] - start[t - term]
        terms = [(active[hour], 1.0), (starts[hour], -1.0)]
        if hour:
            terms.append((active[hour - 1], -1.0))
        if hour >= tariff.term_hours:
            terms.append((starts[hour - tariff.term_hours], 1.0))
        rows.add(terms, 0.0, 0.0)
        rows.add([(used[hour], 1.0), (active[hour], -1.0)], -np.inf, 0.0)
    found = minimise(columns, rows)
    reserved = np.rint(found.values[starts]).astype(np.int64)
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
