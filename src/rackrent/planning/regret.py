"""Which plan to make when growth and rents are not known: the one that is least regretted on average."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rackrent.errors import NothingFeasible
from rackrent.i18n import gettext as _
from rackrent.planning.evaluate import Decisions, evaluate
from rackrent.planning.mix import GAP, best_mix
from rackrent.planning.supply import HOURS, Question
from rackrent.units import MONTHS_PER_YEAR, Interval

WEIGHTS = (0.25, 0.5, 0.25)
"""Of low, likely and high."""


@dataclass(frozen=True)
class Regretted:
    """The plan of least expected regret, USD of present value.

    `usd` is what each candidate costs in each state and `best_usd` what the best plan of that state costs, shapes
    (candidates, states) and (states,), the best plans of the states first; inf where a candidate breaks a limit or leaves an hour unserved.
    """

    decisions: Decisions
    chosen: int
    expected_regret_usd: float
    usd: NDArray[np.float64]
    best_usd: NDArray[np.float64]
    weights: NDArray[np.float64]


def states(
    question: Question, growth_per_year: Interval, rent_change_per_year: Interval
) -> tuple[list[Question], NDArray[np.float64]]:
    """Return the question in nine states of the world, and their weights (which sum to 1).

    Demand grows and the prices of rented hours change by a share a year, compounded monthly; commitments keep theirs.
    """
    found, weights = [], []
    pairs = [
        list(zip((i.low, i.likely, i.high), WEIGHTS, strict=True))
        for i in (growth_per_year, rent_change_per_year)
    ]
    hours_years = np.arange(question.months * HOURS) // HOURS / MONTHS_PER_YEAR
    months_years = np.arange(question.months) / MONTHS_PER_YEAR
    for (growth, a), (change, b) in product(*pairs):
        pools = tuple(replace(p, demand=p.demand * (1.0 + growth) ** hours_years) for p in question.pools)
        rented = tuple(
            replace(r, usd_per_gpu_hour=question.monthly(r.usd_per_gpu_hour) * (1.0 + change) ** months_years)
            for r in question.rented
        )
        found.append(replace(question, pools=pools, rented=rented))
        weights.append(a * b)
    return found, np.array(weights)


def least_regret(
    questions: list[Question],
    weights: NDArray[np.float64],
    *others: Decisions,
    gap: float = GAP,
) -> Regretted:
    """Return, of the best plans of every state and of `others`, the one whose expected regret over all states is least.

    All states have the same ways of getting GPUs, by name, and months; the best plans are so to the relative `gap`.
    Raises NothingFeasible where each plan breaks a limit in some state.
    """
    plans = [best_mix(question, gap=gap) for question in questions]
    candidates = [*(plan.decisions for plan in plans), *others]
    curves = [question.curves() for question in questions]
    usd = np.empty((len(candidates), len(questions)))
    for row, decisions in enumerate(candidates):
        for column, question in enumerate(questions):
            outcome = evaluate(question, decisions, curves[column])
            usd[row, column] = np.inf if outcome.broken else outcome.present_value_usd
    # Another candidate may be within the gap better than a state's own.
    best = np.minimum([plan.outcome.present_value_usd for plan in plans], usd.min(axis=0))
    regret = (usd - best) @ weights
    chosen = int(np.argmin(regret))
    if not np.isfinite(regret[chosen]):
        raise NothingFeasible(_("No plan keeps the limits in every state of the world looked at."))
    return Regretted(candidates[chosen], chosen, max(0.0, float(regret[chosen])), usd, best, weights)
