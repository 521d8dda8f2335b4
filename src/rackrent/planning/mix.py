"""The cheapest mix of owned, committed and rented machines over time.

Whole machines are decided month by month. Within a month the cheapest hours come first, so all that the demand of a
pool does to the cost is in `served(c)`, the work that a capacity c does: concave, piecewise linear, from the
load-duration curve. With layers of hourly cost `v1 <= v2 <= ...` and reach `c1 <= c2 <= ...` (running sums of
capacity) the month costs `v_last total - sum (v[i+1] - v[i]) served(c[i])`. Where spot may serve a share of each hour
(see `merit`), `served` is that share of all and what the capacity serves of the rest. Each `served(c[i])` is one column under
the lines it has needed so far: the program stays small, and lines are added where a solution lies above the curve
until the plan, priced exactly, is within the gap of the bound. Machines are whole, so where all of a reach come in
multiples of one size the lines join the curve's points at those multiples: tighter than tangents, and nearly whole
by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor

import numpy as np
from numpy.typing import NDArray

from rackrent.errors import NothingFeasible
from rackrent.i18n import gettext as _
from rackrent.planning.evaluate import Decisions, Outcome, evaluate
from rackrent.planning.highs import Columns, Model, Rows
from rackrent.planning.load_duration import LoadDuration
from rackrent.planning.merit import merit_order
from rackrent.planning.supply import Committed, Owned, Question

GAP = 1e-4
FIRST_LINES = (0.0, 0.3, 0.6, 0.9)
"""Where the curve is touched before anything is known, as shares of the hours from the quietest."""
ROUNDS_MAX = 60
CLOSE = 1e-7
"""A column this close above the curve, relative to all of the month's work, lies on it."""
CORNER = 1e-6
"""A capacity this close to a whole number of machines is one."""


@dataclass(frozen=True)
class Mix:
    """The best plan found: decisions, what they lead to, and the bound (USD) that no plan's present value is below."""

    question: Question
    decisions: Decisions
    outcome: Outcome
    bound_usd: float

    @property
    def gap(self) -> float:
        """Return how far, relatively, the plan may be from the best one."""
        cost = self.outcome.present_value_usd
        return (cost - self.bound_usd) / max(abs(cost), 1e-9)


def best_mix(question: Question, *, gap: float = GAP) -> Mix:
    """Return the cheapest mix by present value, to the relative `gap`.

    Raises NothingFeasible where no plan serves every hour within the limits.
    """
    program = _Program(question)
    model = Model(program.columns, program.rows)
    for _round in range(ROUNDS_MAX):
        cuts = program.lines_above(model.solve().values)
        if not cuts.lower:
            break
        model.add_rows(cuts)
    model.require_whole(gap=gap / 4)
    best: tuple[Decisions, Outcome] | None = None
    bound = -np.inf
    for _round in range(ROUNDS_MAX):
        found = model.solve()
        bound = max(bound, found.bound + program.constant)
        decisions = program.decisions(found.values)
        outcome = evaluate(question, decisions, program.curves)
        if not outcome.broken and (best is None or outcome.present_value_usd < best[1].present_value_usd):
            best = decisions, outcome
        if best is not None:
            cost = best[1].present_value_usd
            if cost - bound <= gap * abs(cost) + 1e-6:
                break
        cuts = program.lines_above(found.values)
        if not cuts.lower:
            break
        model.add_rows(cuts)
    if best is None:
        raise NothingFeasible(_("No plan serves the demand within these limits."))
    return Mix(question, *best, min(bound, best[1].present_value_usd))


@dataclass(frozen=True)
class _Reach:
    """One column `served(c)`: the capacity c as terms and a constant, and the curve it lies under (of what the shares
    up to there leave).

    `step` is the size of which every term is a multiple; None where there is none.
    """

    column: int
    terms: dict[int, float]
    constant: float
    curve: LoadDuration
    step: float | None

    def lines(self, at: float) -> set[tuple[float, float]]:
        """Return the lines (slope, value at 0) that bound the column at a capacity; at a corner, both."""
        curve = self.curve
        if self.step is None:
            right = float(curve.hours_above(at))
            left = float(curve.hours - np.searchsorted(curve.ascending, at, side="left"))
            value = float(curve.served(at))
            return {(slope, value - slope * at) for slope in (left, right)}
        place = (at - self.constant) / self.step
        corners = {max(0, floor(place - CORNER)), max(0, floor(place + CORNER))}
        found = set()
        for corner in corners:
            start = self.constant + corner * self.step
            low, high = curve.served([start, start + self.step]).tolist()
            slope = (high - low) / self.step
            found.add((slope, low - slope * start))
        return found


@dataclass
class _Program:
    """The columns and rows of a question."""

    question: Question
    columns: Columns = field(default_factory=Columns)
    rows: Rows = field(default_factory=Rows)
    constant: float = 0.0

    def __post_init__(self) -> None:
        question, months = self.question, self.question.months
        self.curves = question.curves()
        self.discount = question.discount
        self.bought: dict[str, NDArray[np.int64]] = {}
        self.sold: dict[str, NDArray[np.int64]] = {}
        self.begun: dict[str, NDArray[np.int64]] = {}
        self.there: dict[str, NDArray[np.int64]] = {}
        self.reaches: list[_Reach] = []
        # What each month costs besides capital: terms and a constant, for the limit on monthly money.
        self.running: list[dict[int, float]] = [{} for _ in range(months)]
        self.running_constant = np.zeros(months)
        for machine in question.owned:
            self._own(machine)
        for commitment in question.committed:
            self._commit(commitment)
        for pool in question.pools:
            for month in range(months):
                self._serve(pool.name, month)
        self._limit()

    def _own(self, m: Owned) -> None:
        question, months, d = self.question, self.question.months, self.discount
        price, resale = question.monthly(m.price_usd), question.monthly(m.resale_usd, extra=1)
        most = max(m.now, question.useful(m) if m.most is None else m.most)
        in_time = np.arange(months) + m.lead_months < months
        bought = self.columns.add(price * d[:-1], upper=np.where(in_time, most, 0.0), whole=True)
        sold = self.columns.add(-resale[:-1] * d[:-1], upper=float(most), whole=True)
        cost = m.usd_per_month * d[1:]
        cost[-1] -= resale[-1] * d[-1]
        there = self.columns.add(cost, upper=float(most))
        for month in range(months):
            terms = [(there[month], 1.0), (sold[month], 1.0)]
            if month:
                terms.append((there[month - 1], -1.0))
            if month >= m.lead_months:
                terms.append((bought[month - m.lead_months], -1.0))
            start = 0.0 if month else float(m.now)
            self.rows.add(terms, start, start)
            self.running[month][int(there[month])] = m.usd_per_month
        self.bought[m.name], self.sold[m.name], self.there[m.name] = bought, sold, there

    def _commit(self, c: Committed) -> None:
        question, months, d = self.question, self.question.months, self.discount
        upfront, fee = question.monthly(c.upfront_usd), question.monthly(c.usd_per_month)
        paid = np.concatenate([[0.0], np.cumsum(d[1:])])
        ends = np.arange(months) + c.term_months
        owed = np.maximum(ends - months, 0) * d[-1]
        cost = upfront * d[:-1] + fee * (paid[np.minimum(ends, months)] - paid[:-1] + owed)
        most = float(question.useful(c) if c.most is None else min(c.most, question.useful(c)))
        begun = self.columns.add(cost, upper=most, whole=True)
        there = self.columns.add(np.zeros(months), upper=most)
        for month in range(months):
            terms = [(there[month], 1.0), (begun[month], -1.0)]
            if month:
                terms.append((there[month - 1], -1.0))
            if month >= c.term_months:
                terms.append((begun[month - c.term_months], 1.0))
            self.rows.add(terms, 0.0, 0.0)
            for later in range(month, min(month + c.term_months, months)):
                self.running[later][int(begun[month])] = float(fee[month])
        self.begun[c.name], self.there[c.name] = begun, there

    def _serve(self, pool: str, month: int) -> None:
        curve = self.curves[pool][month]
        layers = merit_order(self.question, pool, month)
        if not layers:
            raise NothingFeasible(_("Nothing can serve the pool {pool}.").format(pool=pool))
        terms: dict[int, float] = {}
        constant = share = 0.0
        for place, layer in enumerate(layers):
            if layer.capacity is None:
                terms[int(self.there[layer.supply.name][month])] = layer.supply.work
            else:
                constant += layer.capacity
            share = min(1.0, share + layer.share)
            rest = curve.beyond(share)
            if place + 1 == len(layers):
                if layer.capacity != np.inf:
                    self.rows.add(terms.items(), rest.peak - constant, np.inf)
                self._pay(month, layer.usd_per_work_hour * curve.total)
                return
            step = layers[place + 1].usd_per_work_hour - layer.usd_per_work_hour
            if step > 0:
                self._pay(month, -step * share * curve.total)
                column = int(self.columns.add(-step * self.discount[month + 1], upper=rest.total))
                step_size = _common_step(list(terms.values()))
                self.reaches.append(_Reach(column, dict(terms), constant, rest, step_size))
                self.running[month][column] = -step
                at = {float(rest.ascending[int(part * (rest.hours - 1))]) for part in FIRST_LINES}
                lines = {line for c in at for line in self.reaches[-1].lines(max(c, constant))}
                for slope, start in sorted(lines):
                    _bound(self.rows, self.reaches[-1], slope, start)

    def _pay(self, month: int, usd: float) -> None:
        """Count what a month costs whatever is decided."""
        self.constant += usd * float(self.discount[month + 1])
        self.running_constant[month] += usd

    def _limit(self) -> None:
        limits, question = self.question.limits, self.question
        if limits.upfront_usd is not None:
            terms = [
                (int(column), usd)
                for m in question.owned
                for column, usd in zip(self.bought[m.name], question.monthly(m.price_usd), strict=True)
            ] + [
                (int(column), usd)
                for c in question.committed
                for column, usd in zip(self.begun[c.name], question.monthly(c.upfront_usd), strict=True)
            ]
            self.rows.add(terms, -np.inf, limits.upfront_usd)
        for month in range(question.months):
            if limits.monthly_usd is not None:
                most = limits.monthly_usd - self.running_constant[month]
                self.rows.add(self.running[month].items(), -np.inf, most)
            if limits.kw is not None:
                kw = [(int(self.there[m.name][month]), m.kw) for m in question.owned]
                self.rows.add(kw, -np.inf, limits.kw)
            if limits.rack_units is not None:
                space = [(int(self.there[m.name][month]), m.rack_units) for m in question.owned]
                self.rows.add(space, -np.inf, limits.rack_units)

    def lines_above(self, values: NDArray[np.float64]) -> Rows:
        """Return the lines that a solution lies above."""
        rows = Rows()
        for reach in self.reaches:
            at = reach.constant + sum(max(0.0, values[c]) * work for c, work in reach.terms.items())
            for slope, start in sorted(reach.lines(at)):
                if values[reach.column] > start + slope * at + CLOSE * max(reach.curve.total, 1.0):
                    _bound(rows, reach, slope, start)
        return rows

    def decisions(self, values: NDArray[np.float64]) -> Decisions:
        """Return the whole decisions of a solution."""

        def whole(columns: dict[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
            return {name: np.rint(values[at]).astype(np.int64) for name, at in columns.items()}

        return Decisions(whole(self.bought), whole(self.sold), whole(self.begun))


def _bound(rows: Rows, reach: _Reach, slope: float, start: float) -> None:
    terms = [(reach.column, 1.0), *((c, -slope * work) for c, work in reach.terms.items() if slope)]
    rows.add(terms, -np.inf, start + slope * reach.constant)


def _common_step(works: list[float]) -> float | None:
    """Return the smallest of `works` if the others are multiples of it; None where they are not, or there are none."""
    if not works:
        return None
    step = min(works)
    return step if all(abs(w / step - round(w / step)) < CORNER for w in works) else None
