"""How far to trust a plan: run on hours it has not seen, and made for a future that is not known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackrent.errors import NothingFeasible
from rackrent.planning.evaluate import Decisions, evaluate, nothing
from rackrent.planning.mix import best_mix
from rackrent.planning.regret import least_regret, states
from rackrent.planning.supply import Question
from rackrent.units import MONTHS_PER_YEAR, Interval

DOUBT_GAP = 1e-3
"""States of the world are not known to a part in ten thousand: their plans need not be."""


@dataclass(frozen=True)
class OutOfSample:
    """A plan made from the first half of the window, run on the second; savings against renting by the hour, shares.

    `hindsight_share` is the part of what a plan that knew the second half would have saved that this one did not.
    """

    in_sample_saving: float
    saving: float
    hindsight_saving: float
    hindsight_share: float | None
    broken: tuple[str, ...]


@dataclass(frozen=True)
class Doubt:
    """The plan when growth and rents are not known (shares a year), costs in USD of present value.

    `decisions` are those of least expected regret, `expected_regret_usd` theirs and `plan_regret_usd` that of the plan
    made for the likely growth and today's rents (inf where it breaks a limit in some state). `usd` are the least and
    the most that the plan costs in the states it survives. `same`: no other plan is regretted noticeably less.
    """

    growth_per_year: Interval
    rent_change_per_year: Interval
    decisions: Decisions
    expected_regret_usd: float
    plan_regret_usd: float
    usd: tuple[float, float]
    same: bool


def rented_only(question: Question, names: set[str]) -> Question:
    """Return the question of who keeps what there is and rents the rest, by the supplies of these names alone."""
    return Question(
        question.pools, tuple(m for m in question.owned if m.now), (),
        tuple(r for r in question.rented if r.name in names), annual_rate=question.annual_rate,
    )  # fmt: skip


def rented_usd(question: Question, names: set[str]) -> float:
    """Return the present value of keeping what there is and renting the rest, USD."""
    now = rented_only(question, names)
    return evaluate(now, nothing(now)).present_value_usd


def out_of_sample(first: Question, second: Question, names: set[str]) -> OutOfSample | None:
    """Make a plan from the first half and run it on the second; `names` are the supplies of who rents by the hour.

    None where a half had no use, or no plan of its own within the limits.
    """
    rented = [rented_usd(q, names) for q in (first, second)]
    if min(rented) <= 0:
        return None
    try:
        made, best = best_mix(first), best_mix(second)
    except NothingFeasible:
        return None
    carried = evaluate(second, made.decisions)
    saved, most = rented[1] - carried.present_value_usd, rented[1] - best.outcome.present_value_usd
    return OutOfSample(
        1.0 - made.outcome.present_value_usd / rented[0], saved / rented[1], most / rented[1],
        1.0 - saved / most if most > 1e-6 * rented[1] else None, carried.broken,
    )  # fmt: skip


def growth_interval(likely: float, spread: Interval, months: int) -> Interval:
    """Return the growth a year with which demand ends at `spread` times what `likely` growth leads to.

    >>> round(growth_interval(0.0, Interval(0.5, 1.0, 2.0), 24).high, 6)
    0.414214
    """
    power = MONTHS_PER_YEAR / max(MONTHS_PER_YEAR, months)
    low, high = ((1.0 + likely) * times**power - 1.0 for times in (spread.low, spread.high))
    return Interval(low, likely, high)


def doubt_of(question: Question, plan: Decisions, growth: Interval, rents: Interval) -> Doubt | None:
    """Return the plan of least expected regret beside `plan`; `question` has the demand before growth.

    None where every plan breaks a limit in some state.
    """
    worlds, weights = states(question, growth, rents)
    try:
        found = least_regret(worlds, weights, plan, gap=DOUBT_GAP)
    except NothingFeasible:
        return None
    own = found.usd[-1]
    regret = float((own - found.best_usd) @ weights)
    survived = own[np.isfinite(own)]
    likely = float(found.best_usd @ weights)
    return Doubt(
        growth, rents, found.decisions, found.expected_regret_usd, regret,
        (float(survived.min()), float(survived.max())) if survived.size else (np.inf, np.inf),
        bool(regret - found.expected_regret_usd <= DOUBT_GAP * abs(likely)),
    )  # fmt: skip
