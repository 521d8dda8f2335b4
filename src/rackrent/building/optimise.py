"""Choose the parts: most work under a budget, cheapest, or most work for the money. Every answer passes the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rackrent.building.check import check, grown
from rackrent.building.requirements import BuildRequirements
from rackrent.building.solve import UNPRICED_USD, Found, Program, program, solve
from rackrent.catalog.components import Component

Row = tuple[float, float, Mapping[int, float]]
NEARLY = 1e-9
MOST_ROUNDS = 30
"""Bound of the search for the best ratio (it ends after a few steps) and of the answers a checker may reject."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best machine found, and whether it is proven to be (else the relative gap)."""

    found: Found
    proven: bool
    gap: float


def optimise(
    parts: Sequence[Component], wanted: BuildRequirements, speeds: Mapping[str, float]
) -> Optimum | None:
    """Return the best machine for the requirements, or None where there is none.

    `speeds` is work per hour by GPU. Ties go to the lower price (with what wishes add to it); whatever the order of `parts`, the
    answer is the same.
    """
    rows = program(parts, wanted, speeds)
    return None if rows is None else optimum(rows, wanted)


def optimum(rows: Program, wanted: BuildRequirements) -> Optimum | None:
    """Return the best choice of a program, or None where there is none."""
    barred: list[Row] = []
    for _round in range(MOST_ROUNDS):
        found = _best(rows, wanted, barred)
        if found is None:
            return None
        if _passes(found.found, wanted):
            return found
        # The checker is separate code: should it know better, this choice is barred and the next best is looked for.
        ids = {id(o) for o in found.found.chosen}
        barred.append((-1e30, len(ids) - 1.0, {i: 1.0 for i, o in enumerate(rows.choices) if id(o) in ids}))
    return None


def _passes(found: Found, wanted: BuildRequirements) -> bool:
    machine = found.machine
    later = [grown(machine, wanted.most)] if wanted.most > wanted.gpus else []
    return not any(check(m).refusals for m in (machine, *later))


def _best(rows: Program, wanted: BuildRequirements, barred: Sequence[Row]) -> Optimum | None:
    cost = [o.usd + o.wish_usd + UNPRICED_USD * o.unpriced for o in rows.choices]
    work = {i: (rows.choices[i].rate or 0.0) * rows.choices[i].item.quantity for i in rows.by_kind["gpu"]}
    extra = list(barred)
    if wanted.budget is not None:
        extra.append((-1e30, wanted.budget, {i: o.usd for i, o in enumerate(rows.choices) if o.usd}))
    if wanted.aim == "cheapest":
        return _optimum(solve(rows, cost, extra=extra))
    if wanted.aim == "most_work":
        first = solve(rows, [-work.get(i, 0.0) for i in range(len(cost))], extra=extra)
        if first is None:
            return None
        second = solve(rows, cost, extra=[*extra, (first.rate * (1 - NEARLY), 1e30, work)])
        return _optimum(second or first, first)
    return _ratio(rows, cost, work, extra)


def _ratio(rows: Program, cost: list[float], work: Mapping[int, float], extra: list[Row]) -> Optimum | None:
    """Return the machine of most work for the money (Dinkelbach: Management Science 13, 1967)."""
    best = solve(rows, cost, extra=extra)
    for _round in range(MOST_ROUNDS):
        if best is None:
            return None
        ratio = _work_per_usd(best)
        gain = [ratio * c - work.get(i, 0.0) for i, c in enumerate(cost)]
        better = solve(rows, gain, extra=extra)
        if better is None or _work_per_usd(better) <= ratio * (1 + NEARLY):
            return _optimum(best, *([better] if better else []))
        best = better
    return _optimum(best)


def _work_per_usd(found: Found) -> float:
    return found.rate / sum(o.usd + o.wish_usd + UNPRICED_USD * o.unpriced for o in found.chosen)


def _optimum(found: Found | None, *others: Found) -> Optimum | None:
    if found is None:
        return None
    solves = (found, *others)
    return Optimum(found, all(s.proven for s in solves), max(s.gap for s in solves))
