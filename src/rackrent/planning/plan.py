"""The plan: what to own, reserve and rent for the work of a history, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpus
from rackrent.catalog.names import resolve_gpu
from rackrent.costing.setting import Setting
from rackrent.errors import BadInput, NothingFeasible
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.planning.evaluate import evaluate, nothing
from rackrent.planning.history import History, Used, history_of
from rackrent.planning.market import Named, supplies_of
from rackrent.planning.mix import Mix, best_mix
from rackrent.planning.supply import HOURS, Committed, Limits, Owned, Pool, Question, Rented
from rackrent.workload.read import workload_from

SHORT_HISTORY_HOURS = 26 * 168
"""Below half a year a history says nothing of seasons."""


@dataclass(frozen=True)
class PlanRequest:
    """What a person can ask of a plan; None: no limit, or as the files say.

    `months` looked ahead; limits in USD, kW and machines owned; `gpu` for hours that do not say theirs; `gang`, the
    largest job; `task` and `precision` decide how fast other GPUs count; `country` and `site` where machines stand.
    """

    months: int = 36
    upfront_usd: float | None = None
    monthly_usd: float | None = None
    kw: float | None = None
    machines: int | None = None
    gpu: str | None = None
    gang: int | None = None
    task: str = "generic"
    precision: str = "fp16"
    country: str = "USA"
    site: str = "server_room"
    growth_per_year: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.months <= 120:
            raise BadInput(_("A plan looks 1 to 120 months ahead, not {months}.").format(months=self.months))
        for name in ("upfront_usd", "monthly_usd", "kw", "machines"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise BadInput(_("The limit {name} must be 0 or more.").format(name=name))
        if not -0.99 <= self.growth_per_year <= 4:
            raise BadInput(_("Growth a year must be between -0.99 and 4."))


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
class Plan:
    """The cheapest mix found, beside renting everything by the hour. Present values in USD."""

    request: PlanRequest
    history: History
    options: tuple[Named, ...]
    mix: Mix
    all_rented_usd: float
    out_of_sample: OutOfSample | None
    notes: tuple[str, ...]
    assumptions: tuple[Fact, ...]

    @property
    def present_value_usd(self) -> float:
        """Return what the plan costs."""
        return self.mix.outcome.present_value_usd

    @property
    def saving(self) -> float:
        """Return what it saves against renting everything by the hour, as a share."""
        return 1.0 - self.present_value_usd / self.all_rented_usd

    def machines(self, option: Named) -> int:
        """Return how many machines of an option the plan has at once at most; 0 for what is rented by the hour."""
        there = self.mix.outcome.machines.get(option.supply.name)
        return 0 if there is None else int(there.max())

    def served_share(self, option: Named) -> float:
        """Return the share of all work that an option does."""
        served = self.mix.outcome.served
        total = sum(float(work.sum()) for work in served.values())
        return float(served[option.supply.name].sum()) / total

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        out = self.out_of_sample
        mix, outcome = self.mix, self.mix.outcome
        return {
            "window": {"first_hour": self.history.first.isoformat(), "hours": self.history.hours},
            "pools": [
                {
                    "pool": p.name, "gpu": p.gpu, "gang": p.gang, "gpu_hours": float(p.gpus.sum()),
                    "mean_gpus": float(p.gpus.mean()), "peak_gpus": float(p.gpus.max()),
                }
                for p in self.history.pools
            ],
            "months": self.request.months,
            "present_value_usd": self.present_value_usd,
            "all_rented_usd": self.all_rented_usd,
            "saving_share": self.saving,
            "gap": mix.gap,
            "paid_in_window_usd": self.history.paid_usd,
            "upfront_usd": float(outcome.capital.sum()),
            "cash_usd_by_month": outcome.cash.tolist(),
            "options": [
                {
                    "id": o.id, "pool": o.supply.pool, "term": o.term, "gpu": o.gpu, "gpus": o.supply.gpus,
                    "speed": o.speed, "speed_basis": o.basis, "machines_most": self.machines(o),
                    "share_of_work": self.served_share(o), "by_month": self._by_month(o),
                }
                for o in self.options
            ],
            "out_of_sample": None if out is None else {
                "in_sample_saving": out.in_sample_saving, "saving": out.saving,
                "hindsight_saving": out.hindsight_saving, "hindsight_share": out.hindsight_share,
                "limits_broken": list(out.broken),
            },
            "notes": list(self.notes),
            "assumptions": [{"key": f.key, "value": f.value, "low": f.low, "high": f.high, "unit": f.unit} for f in self.assumptions],
        }  # fmt: skip

    def _by_month(self, option: Named) -> dict[str, list[int]]:
        name, made = option.supply.name, self.mix.decisions
        if isinstance(option.supply, Owned):
            return {"bought": made.bought[name].tolist(), "sold": made.sold[name].tolist()}
        return {"begun": made.begun[name].tolist()} if isinstance(option.supply, Committed) else {}


def plan_for(usage: Used, catalog: Catalog, request: PlanRequest) -> Plan:
    """Return the cheapest way of doing again what was done, over the months asked for.

    Raises BadInput where the usage or the request makes no plan, NothingFeasible where no machine fits the jobs or no
    plan the limits.
    """
    history = history_of(usage, gpu=request.gpu, gang=request.gang)
    work = workload_from(
        {
            "demand": {"gpu_hours_per_month": 1}, "horizon_months": request.months, "task": request.task,
            "precision": request.precision, "location": {"country": request.country, "site": request.site},
        }
    )  # fmt: skip
    setting = Setting(work, catalog)
    options: list[Named] = []
    known = list(gpus(catalog))
    for number, past in enumerate(history.pools):
        found = supplies_of(setting, pool_key(number, past.name), resolve_gpu(past.gpu, known), past.gang)
        if not any(o.term == "on_demand" for o in found):
            raise NothingFeasible(
                _(
                    "No machine for rent by the hour runs jobs of {gang} x {gpu} at once (pool {pool}); if its jobs may "
                    "spread over machines, say how many GPUs they need in one with --gang."
                ).format(gang=past.gang, gpu=past.gpu, pool=past.name)
            )
        options += found
    rate = work.discount_rate

    def question(start: int, end: int | None) -> Question:
        supplies = [o.supply for o in options]
        growth = (1.0 + request.growth_per_year) ** (np.arange(request.months * HOURS) // HOURS / 12)
        return Question(
            tuple(
                Pool(
                    pool_key(n, p.name),
                    history.repeated(p, request.months, start=start, end=end) * growth,
                    p.gang,
                )
                for n, p in enumerate(history.pools)
            ),
            tuple(s for s in supplies if isinstance(s, Owned)),
            tuple(s for s in supplies if isinstance(s, Committed)),
            tuple(s for s in supplies if isinstance(s, Rented)),
            Limits(request.upfront_usd, request.monthly_usd, request.kw, request.machines),
            rate,
        )

    whole = question(0, None)
    mix = best_mix(whole)
    rented = evaluate(whole, nothing(whole)).present_value_usd
    tested = (
        _out_of_sample(question(0, history.hours // 2), question(history.hours // 2, None))
        if history.hours > 1
        else None
    )
    return Plan(
        request,
        history,
        tuple(options),
        mix,
        rented,
        tested,
        (*_notes(history, request, catalog), *usage.warnings),
        tuple(setting.used.values()),
    )


def pool_key(number: int, pool: str) -> str:
    """Return the name of a pool in the program: two kinds of GPU may stand in one of the same name."""
    return f"{number + 1} {pool}"


def _out_of_sample(first: Question, second: Question) -> OutOfSample | None:
    """None where a half had no use, or no plan of its own within the limits."""
    rented = [evaluate(q, nothing(q)).present_value_usd for q in (first, second)]
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


def _notes(history: History, request: PlanRequest, catalog: Catalog) -> tuple[str, ...]:
    notes = [
        _("It rests on {hours:,} hours from {day}, repeated to fill {months} months, with {growth:.0%} growth a year.").format(
            hours=history.hours, day=history.first.date().isoformat(), months=request.months, growth=request.growth_per_year
        )
    ]  # fmt: skip
    if history.paid_usd is not None:
        total = sum(float(pool.gpus.sum()) for pool in history.pools)
        notes.append(
            _("In that time you paid {usd} for these GPUs, {each} a GPU-hour.").format(
                usd=format_usd(history.paid_usd), each=format_usd(history.paid_usd / total)
            )
        )
    if history.hours < SHORT_HISTORY_HOURS:
        notes.append(_("That is less than half a year: it says nothing of seasons, holidays or deadlines."))
    notes += [
        _(
            "Prices are those of {day} and stay; taxes, storage and data out are left out on both sides."
        ).format(day=catalog.as_of.isoformat()),
        _(
            "An hour of another GPU counts for as many as it is faster; how well jobs fill a faster GPU is not known."
        ),
        _("Spot machines are left out: the history does not say which jobs survive an interruption."),
        _("GPUs are counted by the hour, so a machine rented in part for an hour counts in part."),
    ]
    return tuple(notes)
