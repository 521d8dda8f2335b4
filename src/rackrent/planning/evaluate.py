"""What a given plan costs on a given demand: every payment, every hour. The optimiser and the backtests use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rackrent.planning.load_duration import LoadDuration
from rackrent.planning.merit import merit_order, served_by_layer
from rackrent.planning.supply import Question

Whole = NDArray[np.int64]
Usd = NDArray[np.float64]


@dataclass(frozen=True)
class Decisions:
    """What is bought, sold and begun at the start of each month, machines by name, each of shape (months,)."""

    bought: Mapping[str, Whole]
    sold: Mapping[str, Whole]
    begun: Mapping[str, Whole]


@dataclass(frozen=True)
class Outcome:
    """What decisions lead to.

    `machines` are those there to work in each month, by name; `served` the reference work each supply does in each
    month; `unserved` the work that nothing could do at the worst hour of any pool. `capital` (prices of machines,
    sums paid up front), `income` (sales, negative) and `running` are streams of USD with months + 1 entries.
    `rent` is the part of `running` that each rented supply takes. `owed` is what terms past the end still cost.
    """

    machines: Mapping[str, Whole]
    served: Mapping[str, Usd]
    unserved: float
    capital: Usd
    income: Usd
    running: Usd
    rent: Mapping[str, Usd]
    owed: float
    present_value_usd: float
    broken: tuple[str, ...]

    @property
    def cash(self) -> Usd:
        """Return all cash by entry, income negative, shape (months + 1,)."""
        cash: Usd = self.capital + self.income + self.running
        cash[-1] += self.owed
        return cash


def nothing(question: Question) -> Decisions:
    """Return the decisions of who buys and signs nothing."""
    none = np.zeros(question.months, dtype=np.int64)
    return Decisions(
        {m.name: none for m in question.owned},
        {m.name: none for m in question.owned},
        {c.name: none for c in question.committed},
    )


def evaluate(
    question: Question, decisions: Decisions, curves: Mapping[str, list[LoadDuration]] | None = None
) -> Outcome:
    """Return what the decisions cost on the demand of the question, whether or not they keep its limits."""
    months, curves = question.months, curves or question.curves()
    machines = machines_there(question, decisions)
    capital, income, running = (np.zeros(months + 1) for _ in range(3))
    owed = 0.0
    for m in question.owned:
        there, sold = machines[m.name], decisions.sold[m.name]
        resale = question.monthly(m.resale_usd, extra=1)
        capital[:months] += question.monthly(m.price_usd) * decisions.bought[m.name]
        income[:months] -= resale[:months] * sold
        income[months] -= resale[months] * there[-1]
        running[1:] += m.usd_per_month * there
    for c in question.committed:
        begun, fee = decisions.begun[c.name], question.monthly(c.usd_per_month)
        capital[:months] += question.monthly(c.upfront_usd) * begun
        for month in np.flatnonzero(begun).tolist():
            end = month + c.term_months
            running[month + 1 : min(end, months) + 1] += fee[month] * begun[month]
            owed += float(fee[month] * begun[month] * max(0, end - months))
    served = {s.name: np.zeros(months) for s in (*question.owned, *question.committed, *question.rented)}
    rent = {r.name: np.zeros(months + 1) for r in question.rented}
    unserved = 0.0
    for pool in question.pools:
        for month in range(months):
            layers = merit_order(question, pool.name, month)
            there_now = {name: int(count[month]) for name, count in machines.items()}
            done, left = served_by_layer(layers, there_now, curves[pool.name][month])
            unserved = max(unserved, left)
            for layer, work in zip(layers, done, strict=True):
                usd = float(work) * layer.usd_per_work_hour
                served[layer.supply.name][month] += work
                running[month + 1] += usd
                if layer.supply.name in rent:
                    rent[layer.supply.name][month + 1] += usd
    cash = capital + income + running
    present = float(cash @ question.discount) + owed * float(question.discount[-1])
    broken = _broken(question, machines, capital, running, unserved)
    return Outcome(machines, served, unserved, capital, income, running, rent, owed, present, broken)


def machines_there(question: Question, decisions: Decisions) -> dict[str, Whole]:
    """Return how many machines of each kind are there to work in each month."""
    months = question.months
    there: dict[str, Whole] = {}
    for m in question.owned:
        bought = decisions.bought[m.name]
        arrived = np.concatenate([np.zeros(m.lead_months, dtype=np.int64), bought])[:months]
        there[m.name] = m.now + np.cumsum(arrived - decisions.sold[m.name])
    for c in question.committed:
        total = np.concatenate([np.zeros(c.term_months, dtype=np.int64), np.cumsum(decisions.begun[c.name])])
        there[c.name] = total[c.term_months :] - total[:months]
    return there


def _broken(
    question: Question, machines: Mapping[str, Whole], capital: Usd, running: Usd, unserved: float
) -> tuple[str, ...]:
    """Return the names of the limits that are not kept; "demand" where an hour is not served."""
    limits = question.limits
    kw = sum((m.kw * machines[m.name] for m in question.owned), np.zeros(question.months))
    space = sum((m.rack_units * machines[m.name] for m in question.owned), np.zeros(question.months))
    peak = max(float(np.max(pool.demand)) for pool in question.pools)
    checks = (
        ("upfront_usd", capital.sum(), limits.upfront_usd),
        ("monthly_usd", running.max(), limits.monthly_usd),
        ("kw", kw.max(), limits.kw),
        ("rack_units", space.max(), limits.rack_units),
    )
    broken = [
        name
        for name, value, limit in checks
        if limit is not None and value > limit + 1e-6 * abs(limit) + 1e-9
    ]
    return (*broken, *(["demand"] if unserved > 1e-9 * max(peak, 1.0) else []))
