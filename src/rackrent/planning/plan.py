"""The plan: what to own, reserve and rent for the work of a history, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpus
from rackrent.catalog.names import resolve_gpu
from rackrent.costing.rent import MINUTES_PER_HOUR
from rackrent.costing.setting import Setting
from rackrent.errors import NothingFeasible
from rackrent.i18n import gettext as _
from rackrent.planning.history import History, Used, history_of
from rackrent.planning.machines import Named, machine_had, serves
from rackrent.planning.market import speeds_for, supplies_of
from rackrent.planning.mix import Mix, best_mix
from rackrent.planning.notes import notes_of
from rackrent.planning.policies import PolicyRun, run_policies
from rackrent.planning.queues import Queues, queues_of
from rackrent.planning.replay import Node
from rackrent.planning.request import PlanRequest
from rackrent.planning.supply import HOURS, Committed, Limits, Owned, Pool, Question, Rented
from rackrent.planning.tested import (
    Doubt,
    OutOfSample,
    doubt_of,
    growth_interval,
    out_of_sample,
    rented_usd,
)
from rackrent.planning.told import told
from rackrent.units import Interval
from rackrent.workload.read import workload_from

POLICY_POOLS_MOST = 6
"""The online rules are run for the pools with the most hours."""


@dataclass(frozen=True)
class Plan:
    """The cheapest mix found, beside what is done now. Present values in USD.

    `rented_usd` is the cost of keeping what there is and renting the rest on demand, `now_usd` that of what is done
    now: the bill paid (`now_is_billed`), else the same as `rented_usd`. `saved_in_window_usd` is what the plan would
    have saved in the time of the history.
    """

    request: PlanRequest
    history: History
    options: tuple[Named, ...]
    mix: Mix
    rented_usd: float
    now_usd: float
    now_is_billed: bool
    saved_in_window_usd: float
    out_of_sample: OutOfSample | None
    queues: Queues | None
    policies: tuple[PolicyRun, ...]
    doubt: Doubt | None
    notes: tuple[str, ...]
    assumptions: tuple[Fact, ...]
    as_of: date

    @property
    def present_value_usd(self) -> float:
        """Return what the plan costs."""
        return self.mix.outcome.present_value_usd

    @property
    def saving(self) -> float:
        """Return what it saves against renting everything by the hour, as a share."""
        return 1.0 - self.present_value_usd / self.rented_usd

    @property
    def saving_now(self) -> float:
        """Return what it saves against what is done now, as a share."""
        return 1.0 - self.present_value_usd / self.now_usd

    @property
    def upfront_usd(self) -> float:
        """Return all that is paid for machines and up front for terms."""
        return float(self.mix.outcome.capital.sum())

    @property
    def monthly_usd(self) -> tuple[float, float]:
        """Return the mean and the highest of the other payments of a month."""
        running = self.mix.outcome.running[1:]
        return float(running.mean()), float(running.max())

    @property
    def kw(self) -> float:
        """Return what all own machines draw at most, busy, kW."""
        there = self.mix.outcome.machines
        owned = self.mix.question.owned
        return float(sum((m.kw * there[m.name] for m in owned), np.zeros(self.request.months)).max())

    def machines(self, option: Named) -> int:
        """Return how many machines of an option the plan has at once at most; 0 for what is rented by the hour."""
        there = self.mix.outcome.machines.get(option.supply.name)
        return 0 if there is None else int(there.max())

    def served_share(self, option: Named) -> float:
        """Return the share of all work that an option does."""
        served = self.mix.outcome.served
        return float(served[option.supply.name].sum()) / self.work

    @cached_property
    def work(self) -> float:
        """Return all of the work, in hours of the pools' own GPUs."""
        return sum(float(work.sum()) for work in self.mix.outcome.served.values())

    def actions(self) -> list[tuple[int, str, Named, int]]:
        """Return what to do: month, "buy", "sell" or "sign", the option, and how many machines; first things first."""
        made, found = self.mix.decisions, []
        for what, by_name in (("buy", made.bought), ("sell", made.sold), ("sign", made.begun)):
            for o in self.options:
                counts = by_name.get(o.supply.name, np.zeros(0, dtype=np.int64))
                found += [(int(m), what, o, int(counts[m])) for m in np.flatnonzero(counts)]
        return sorted(found, key=lambda action: action[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return told(self)


def plan_for(usage: Used, catalog: Catalog, request: PlanRequest) -> Plan:
    """Return the cheapest way of doing again what was done, over the months asked for.

    Raises BadInput where the usage or the request makes no plan, NothingFeasible where no machine fits the jobs or no
    plan the limits.
    """
    known = list(gpus(catalog))
    gpu = resolve_gpu(request.gpu, known) if request.gpu is not None else None
    history = history_of(usage, gpu=gpu, gang=request.gang)
    setting = _setting(request, catalog)
    options, unfit = _options(setting, history, known, request)
    asked = _Asked(request, history, tuple(options), setting.workload.discount_rate)
    hourly = {o.supply.name for o in options if o.term == "on_demand"}
    whole = asked.question()
    mix = _best_within(whole, request)
    rented = rented_usd(whole, hourly)
    billed = _billed_usd(history, whole)
    now = rented if billed is None else billed
    half = history.hours // 2
    tested = (
        out_of_sample(asked.question(end=half), asked.question(start=half), hourly)
        if history.hours > 1
        else None
    )
    bought = [
        o
        for o in options
        if o.supply.name in mix.decisions.bought and mix.decisions.bought[o.supply.name].any()
    ]
    machines = sum(int(mix.decisions.bought[o.supply.name].sum()) for o in bought)
    startup_hours = setting.assume("startup_minutes").known / MINUTES_PER_HOUR
    month = request.months // 2
    queues = queues_of(
        history.jobs, _nodes(history, options, mix, month), month=month, startup_hours=startup_hours
    )
    policies: tuple[PolicyRun, ...] = ()
    doubt = None
    if request.doubts:
        policies = _policies(history, options, whole)
        doubt = doubt_of(
            asked.question(growth=0.0), mix.decisions,
            growth_interval(request.growth_per_year, _interval(setting, "demand_spread"), request.months),
            _interval(setting, "price_change_per_year"),
        )  # fmt: skip
    return Plan(
        request, history, tuple(options), mix, rented, now, billed is not None,
        _saved_in_window(asked, mix, now, whole), tested, queues, policies, doubt,
        (*notes_of(setting, history, request, options, bought, machines, unfit, has_doubt=doubt is not None), *usage.warnings),
        tuple(setting.used.values()), catalog.as_of,
    )  # fmt: skip


def _best_within(question: Question, request: PlanRequest) -> Mix:
    try:
        return best_mix(question)
    except NothingFeasible:
        if not request.limited:
            raise
        names = ("upfront_usd", "monthly_usd", "kw", "machines")
        set_to = ", ".join(f"{n} {getattr(request, n):,g}" for n in names if getattr(request, n) is not None)
        raise NothingFeasible(
            _(
                "No plan serves the demand within these limits ({limits}): raise one, or leave part of the work out."
            ).format(limits=set_to)
        ) from None


def pool_key(number: int, pool: str) -> str:
    """Return the name of a pool in the program: two kinds of GPU may stand in one of the same name."""
    return f"{number + 1} {pool}"


@dataclass(frozen=True)
class _Asked:
    """What stays when the same plan is asked of another part of the history."""

    request: PlanRequest
    history: History
    options: tuple[Named, ...]
    rate: float

    def question(self, *, start: int = 0, end: int | None = None, growth: float | None = None) -> Question:
        request, history = self.request, self.history
        supplies = [o.supply for o in self.options]
        yearly = 1.0 + (request.growth_per_year if growth is None else growth)
        grown = yearly ** (np.arange(request.months * HOURS) // HOURS / 12)
        return Question(
            tuple(
                Pool(
                    pool_key(n, p.name), history.repeated(p, request.months, start=start, end=end) * grown, p.gang
                )
                for n, p in enumerate(history.pools)
            ),
            tuple(s for s in supplies if isinstance(s, Owned)),
            tuple(s for s in supplies if isinstance(s, Committed)),
            tuple(s for s in supplies if isinstance(s, Rented)),
            Limits(request.upfront_usd, request.monthly_usd, request.kw, request.machines),
            self.rate,
        )  # fmt: skip


def _setting(request: PlanRequest, catalog: Catalog) -> Setting:
    work = workload_from(
        {
            "demand": {"gpu_hours_per_month": 1}, "horizon_months": request.months, "task": request.task,
            "precision": request.precision, "location": {"country": request.country, "site": request.site},
            "interruptible": request.interruptible > 0, "checkpoint_minutes": request.checkpoint_minutes,
        },
        "plan",
    )  # fmt: skip
    if request.yours is not None:
        taken = {name: getattr(request.yours, name) for name in ("have", "own", "people", "assumptions")}
        work = work.model_copy(update=taken)
    return Setting(work, catalog)


def _options(
    setting: Setting, history: History, known: list[str], request: PlanRequest
) -> tuple[list[Named], list[str]]:
    """The ways of serving each pool, and the names of machines had that can serve none."""
    options: list[Named] = []
    speeds = [speeds_for(setting, resolve_gpu(past.gpu, known)) for past in history.pools]
    for number, past in enumerate(history.pools):
        found = supplies_of(
            setting, pool_key(number, past.name), past.gang, speeds[number], interruptible=request.interruptible,
            upfront_limited=request.upfront_usd is not None,
        )  # fmt: skip
        if not any(o.term == "on_demand" for o in found):
            raise NothingFeasible(
                _(
                    "No machine for rent by the hour runs jobs of {gang} x {gpu} at once (pool {pool}); if its jobs may "
                    "spread over machines, say how many GPUs they need in one with --gang."
                ).format(gang=past.gang, gpu=past.gpu, pool=past.name)
            )
        options += found
    unfit = []
    busiest_first = sorted(range(len(history.pools)), key=lambda n: -history.pools[n].gpus.sum())
    for index, machine in enumerate(setting.workload.have):
        fits = [n for n in busiest_first if serves(setting, index, history.pools[n].gang, speeds[n])]
        if not fits:
            unfit.append(machine.name)
            continue
        same = [
            n for n in fits if resolve_gpu(history.pools[n].gpu, known) == resolve_gpu(machine.gpu, known)
        ]
        at = (same or fits)[0]
        options.insert(0, machine_had(setting, index, pool_key(at, history.pools[at].name), speeds[at]))
    return options, unfit


def _billed_usd(history: History, question: Question) -> float | None:
    """What the demand costs at the price that was paid for a GPU-hour, present value, with what the machines there
    are cost on top; None where no bill says."""
    if history.paid_usd is None or history.paid_usd <= 0:
        return None
    each = history.paid_usd / sum(float(pool.gpus.sum()) for pool in history.pools)
    by_month = sum(
        (pool.demand.reshape(-1, HOURS).sum(axis=1) for pool in question.pools), np.zeros(question.months)
    )
    kept = sum(
        m.now * (m.usd_per_month * question.discount[1:].sum() - question.monthly(m.resale_usd, extra=1)[-1] * question.discount[-1])
        for m in question.owned
    )  # fmt: skip
    return float(each * by_month @ question.discount[1:] + kept)


def _saved_in_window(asked: _Asked, mix: Mix, now_usd: float, whole: Question) -> float:
    """What the plan saves in the time of the history: its share of the months looked at, without growth."""
    hours = asked.request.months * HOURS
    if asked.request.growth_per_year:
        still = asked.question(growth=0.0)
        grown = sum(float(p.demand.sum()) for p in whole.pools)
        now_usd *= sum(float(p.demand.sum()) for p in still.pools) / grown
        try:
            mix = best_mix(still)
        except NothingFeasible:
            return (now_usd - mix.outcome.present_value_usd) * asked.history.hours / hours
    return (now_usd - mix.outcome.present_value_usd) * asked.history.hours / hours


def _nodes(history: History, options: Sequence[Named], mix: Mix, month: int) -> dict[str, Sequence[Node]]:
    """The machines of each pool in one month of the plan."""
    found: dict[str, Sequence[Node]] = {}
    for number, past in enumerate(history.pools):
        key = pool_key(number, past.name)
        of_pool = [o for o in options if o.supply.pool == key and o.supply.name in mix.outcome.machines]
        found[past.key] = [
            Node(float(o.supply.gpus), o.speed)
            for o in of_pool
            for _n in range(int(mix.outcome.machines[o.supply.name][month]))
        ]
    return found


def _policies(history: History, options: Sequence[Named], question: Question) -> tuple[PolicyRun, ...]:
    found = []
    largest = sorted(enumerate(history.pools), key=lambda item: -item[1].gpus.sum())[:POLICY_POOLS_MOST]
    for number, past in largest:
        key = pool_key(number, past.name)
        of_pool = [o for o in options if o.supply.pool == key]
        hourly = next(o.supply for o in of_pool if o.term == "on_demand")
        terms = [(o, o.supply) for o in of_pool if isinstance(o.supply, Committed)]
        demand: NDArray[np.float64] = question.pools[number].demand
        assert isinstance(hourly, Rented)
        runs = (
            run_policies(past.name, option.id, demand, supply, hourly)
            for option, supply in terms
            if supply.term_months <= question.months
        )
        # The shortest term that can pay at all: of longer ones a history says less.
        found += [run for run in runs if run is not None][:1]
    return tuple(found)


def _interval(setting: Setting, key: str) -> Interval:
    fact = setting.assume(key)
    low, high = fact.low, fact.high
    return Interval(fact.known if low is None else low, fact.known, fact.known if high is None else high)
