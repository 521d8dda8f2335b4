"""Which of a few options wins at other amounts of work and over other horizons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rackrent.comparison.evaluate import evaluate
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.costing.setting import Setting
from rackrent.units import HOURS_PER_MONTH
from rackrent.workload.model import Demand, Workload

SHARES = (0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
HORIZONS = (12, 24, 36, 60)
SCALED = ("gpu_hours_per_month", "gpu_hours_total", "utilisation", "jobs_per_month")
"""The fields of a demand that say how much work there is: each is proportional to it."""
NEAR = 0.15
"""A share within this part of the question's own gives way to it."""


@dataclass(frozen=True)
class Winner:
    """The cheapest option (present value) for `share` of the hours of the GPUs asked for, over `months`.

    `share` is of all hours of `gpus` x `jobs_at_once` reference GPUs. `next_*` is the second cheapest. None where
    none of the options can do it. `asked` marks the question itself.
    """

    share: float
    months: int
    asked: bool
    option: str | None = None
    npv_usd: float | None = None
    next_option: str | None = None
    next_npv_usd: float | None = None


def share_asked(setting: Setting) -> float:
    """Return the share of all hours that the GPUs asked for would work, were they reference GPUs."""
    w = setting.workload
    return float(setting.work.mean()) / (w.gpus * w.jobs_at_once * HOURS_PER_MONTH)


def winners(
    comparison: Comparison,
    options: Sequence[Option],
    shares: Sequence[float] = SHARES,
    horizons: Sequence[int] = HORIZONS,
) -> tuple[Winner, ...]:
    """Return the winner among `options` at each share and horizon, and at those of the question itself.

    Everything else stays as it is in the question: prices, machines, terms. Growth and bursts keep their shape.
    Options without a candidate are left out. Empty where the question holds no work.
    """
    setting = comparison.setting
    now = share_asked(setting)
    if now <= 0:
        return ()
    columns = sorted({now, *(s for s in shares if abs(s - now) > NEAR * now)})
    rows = sorted({setting.horizon, *horizons})
    return tuple(_winner(setting, options, now, share, months) for months in rows for share in columns)


def _winner(setting: Setting, options: Sequence[Option], now: float, share: float, months: int) -> Winner:
    asked = share == now and months == setting.horizon
    workload = _put(setting.workload, share / now, months)
    # What was looked up for the question holds here too: assumptions do not depend on how much work there is.
    there = Setting(workload, setting.catalog, dict(setting.used))
    costed = (evaluate(o.candidate, there) for o in options if o.candidate is not None)
    ranked = sorted((o for o in costed if o.feasible), key=lambda o: (o.npv_usd, o.id))
    if not ranked:
        return Winner(share, months, asked)
    second = ranked[1] if len(ranked) > 1 else None
    return Winner(
        share,
        months,
        asked,
        ranked[0].id,
        ranked[0].npv_usd,
        second.id if second else None,
        second.npv_usd if second else None,
    )


def _put(workload: Workload, multiple: float, months: int) -> Workload:
    """Return the question with `multiple` times the work a month, over `months`."""
    demand: Demand = workload.demand
    factors = dict.fromkeys(SCALED, multiple)
    factors["gpu_hours_total"] *= months / workload.horizon_months
    scaled = {
        name: getattr(demand, name) * factor
        for name, factor in factors.items()
        if getattr(demand, name) is not None
    }
    return workload.model_copy(update={"demand": demand.model_copy(update=scaled), "horizon_months": months})
