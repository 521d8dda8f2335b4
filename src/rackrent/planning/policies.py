"""What rules that do not know the future make of a demand, beside who knows it and what the rules promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.planning.hindsight import best_in_hindsight
from rackrent.planning.online import (
    Tariff,
    deterministic_bound,
    expected_randomised_cost,
    randomised_bound,
    run_online,
)
from rackrent.planning.supply import HOURS, Committed, Rented

DRAWS = 16
"""Thresholds of the randomised rule, evenly spaced."""
EVERY_HOURS = HOURS // 5
"""Who knows the future signs at these hours: five times a month, sixty times a year (less than 1 % from any hour)."""


@dataclass(frozen=True)
class PolicyRun:
    """Costs of one demand, USD: all on demand, by the two online rules (the second on average), and in hindsight.

    The bounds are what the rules promise against hindsight. Reservations are of `term_hours`, one GPU at a time.
    """

    pool: str
    option: str
    term_hours: int
    on_demand_usd: float
    deterministic_usd: float
    randomised_usd: float
    hindsight_usd: float
    deterministic_bound: float
    randomised_bound: float


def run_policies(
    pool: str, option: str, demand: NDArray[np.float64], committed: Committed, rented: Rented
) -> PolicyRun | None:
    """Return what the online rules make of a demand by the hour; None where a reservation could never pay.

    Demand is taken in whole GPUs, as a reservation is; a reserved hour costs nothing more when it is used.
    """
    hour = _mean(rented.usd_per_gpu_hour) / rented.work_per_gpu
    fee = (
        _mean(committed.upfront_usd) + _mean(committed.usd_per_month) * committed.term_months
    ) / committed.work
    term_hours = committed.term_months * HOURS
    if fee >= hour * term_hours:
        return None
    tariff, gpus = Tariff(hour, 0.0, fee, term_hours), np.ceil(demand - 1e-9)
    return PolicyRun(
        pool, option, term_hours, float(gpus.sum()) * hour, run_online(gpus, tariff).cost_usd,
        expected_randomised_cost(gpus, tariff, draws=DRAWS),
        best_in_hindsight(gpus, tariff, every_hours=EVERY_HOURS).cost_usd,
        deterministic_bound(tariff.alpha), randomised_bound(tariff.alpha),
    )  # fmt: skip


def _mean(figure: ArrayLike) -> float:
    return float(np.asarray(figure, dtype=np.float64).mean())
