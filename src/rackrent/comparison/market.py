"""All offers of the market at once: which can do the work, and their present value.

Fifty thousand offers are priced as columns; an `Option` with its lines is made only for those that are looked at.
Both go through the same arithmetic (`costing.rental`) and the same reasons, and a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.comparison.candidate import Candidate
from rackrent.comparison.delivered import speed_of
from rackrent.comparison.evaluate import shared_by_offers
from rackrent.comparison.feasibility import machine_reasons, seller_reasons, shape_for
from rackrent.comparison.rented import from_offer, offers_at_best
from rackrent.costing.finance import npv
from rackrent.costing.rent import (
    INTERRUPTED_TERMS,
    data_out_usd,
    disk_factor,
    habits_of,
    least_hours,
    leaving_usd,
    stopped_in_full,
    term_months,
    unit_hours,
)
from rackrent.costing.rental import PARTS, PER_USE_PARTS, Rentals, rental_money
from rackrent.costing.setting import Setting
from rackrent.units import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH

Floats = NDArray[np.float64]
CHUNK = 4_096
"""Offers costed at once: what fits in the processor's cache."""
SELLER = ("kind", "provider", "country", "term")
MACHINE = ("gpu", "gpu_count", "gpu_memory_gb", "vcpus", "network_gbps")
"""Columns that decide what the work needs of a machine and how fast it is."""


@dataclass
class Market:
    """The offers a workload considers, costed. Arrays have one entry an offer, in the order of `rows`.

    `npv_usd` is for everyone and `npv_on_budget_usd` for the funding, NaN where the offer is not `feasible`;
    `payable` says whether the funding may pay it. `part_npv` has shape (offers, PARTS): the present value of each
    part with its tax. `headroom` is the multiple of the demand that the machines could still do in the busiest month.
    """

    setting: Setting
    rows: pl.DataFrame
    feasible: NDArray[np.bool_]
    payable: NDArray[np.bool_]
    npv_usd: Floats
    npv_on_budget_usd: Floats
    part_npv: Floats
    term_months: NDArray[np.int64]
    headroom: Floats

    def candidate(self, index: int) -> Candidate:
        """Return the candidate that offer `index` makes."""
        return from_offer(self.setting.catalog, self.rows.row(index, named=True))

    @cached_property
    def ids(self) -> list[str]:
        """Option id of each offer."""
        return self.rows["offer_id"].to_list()

    def moves_with(self, index: int) -> tuple[str, bool, int]:
        """Return what decides by what an offer's parts are multiplied: GPU, whether it is shared, months of a term."""
        return self._gpus[index], self.kinds[index] != "bare_metal", int(self.term_months[index])

    @cached_property
    def _gpus(self) -> list[str]:
        return self.rows["gpu"].to_list()

    @cached_property
    def per_use_npv(self) -> Floats:
        """The part of each offer's present value that grows with the hours worked, USD."""
        usd: Floats = self.part_npv[:, [PARTS.index(p) for p in PER_USE_PARTS]].sum(axis=1)
        return usd

    @cached_property
    def kinds(self) -> list[str]:
        """Kind of each offer."""
        return self.rows["kind"].to_list()

    @cached_property
    def terms(self) -> list[str]:
        """Rental term of each offer."""
        return self.rows["term"].to_list()


def price_market(setting: Setting, *, without: frozenset[str] = frozenset()) -> Market:
    """Return every offer the workload considers, costed; providers in `without` (lower case) are left out."""
    rows = offers_at_best(setting.catalog, setting.workload)
    if without:
        rows = rows.filter(~pl.col("provider").str.to_lowercase().is_in(list(without)))
    return _Pricing(setting, rows).run()


class _Pricing:
    """The steps from rows to present values: load what the rows need, decide, cost in chunks."""

    def __init__(self, setting: Setting, rows: pl.DataFrame) -> None:
        self.setting, self.rows, self.w = setting, rows, setting.workload
        self.catalog = setting.catalog
        self.shared = shared_by_offers(setting)
        self.habits = habits_of(setting)
        self._groups: dict[tuple[str, ...], tuple[NDArray[np.int64], list[Candidate]]] = {}

    def run(self) -> Market:
        """Price every row."""
        rentals, feasible = self._rentals()
        n = self.rows.height
        out = {name: np.full(n, np.nan) for name in ("npv", "budget", "upfront", "total", "late")}
        parts = np.full((n, len(PARTS)), np.nan)
        chosen = np.flatnonzero(feasible)
        for start in range(0, len(chosen), CHUNK):
            at = chosen[start : start + CHUNK]
            self._cost(rentals, at, out, parts)
        payable = feasible & self._payable(out)
        busiest = rentals.busy_hours.max(axis=1, initial=0.0)
        hours = rentals.machines * HOURS_PER_MONTH
        headroom = np.divide(hours, busiest, out=np.full(n, np.inf), where=busiest > 0)
        return Market(
            self.setting,
            self.rows,
            feasible,
            payable,
            out["npv"],
            out["budget"],
            parts,
            rentals.term_months,
            headroom,
        )

    def _rentals(self) -> tuple[Rentals, NDArray[np.bool_]]:
        w, rows = self.w, self.rows
        seller_ok = self._by(SELLER, lambda c: 0.0 if seller_reasons(c, w) else 1.0) == 1.0
        machine_ok = self._by(MACHINE, lambda c: 0.0 if machine_reasons(c, w) else 1.0) == 1.0
        ratio = self._by(MACHINE, lambda c: speed_of(c, self.setting).ratio)
        share = self._by(MACHINE, lambda c: shape.machine_share if (shape := shape_for(c, w)) else None)
        feasible = rows["rankable"].to_numpy() & seller_ok & machine_ok & ~np.isnan(ratio) & ~np.isnan(share)
        scale = np.where(feasible, share / ratio / w.gpus, 0.0)
        busy = np.multiply.outer(scale, self.setting.work)
        terms = self._by(("term", "minimum_months"), self._term).astype(np.int64)
        machines, enough = self._machines(busy, np.nan_to_num(share), metered=terms == 0)
        feasible &= enough & self._in_time(busy, machines, ratio)
        data = w.data
        stored = self._storage()
        monthly_out = self._by(("provider", "region"), lambda c: self._out(c, data.egress_gb_per_month))
        exit_out = self._by(("provider", "region"), self._leaving)
        for needed in (stored, monthly_out, exit_out):
            feasible &= ~np.isnan(needed)
        feasible &= self._stopping_known()
        seller = ("provider",)
        return Rentals(
            rows["usd_per_hour_running"].fill_null(np.nan).to_numpy(),
            rows["upfront_usd"].fill_null(0.0).to_numpy(),
            terms,
            rows["term"].is_in(list(INTERRUPTED_TERMS)).to_numpy(),
            self._by(seller, lambda c: float(stopped_in_full(c.provider_facts, self.setting))) == 1.0,
            self._by(seller, lambda c: unit_hours(c.provider_facts)),
            self._by(seller, lambda c: least_hours(c.provider_facts)),
            stored,
            self._by(seller, lambda c: disk_factor(c.provider_facts, self.setting)),
            monthly_out,
            exit_out,
            machines,
            busy,
        ), feasible

    def _by(self, columns: tuple[str, ...], value: Callable[[Candidate], float | None]) -> Floats:
        """Return `value` of a candidate for every row; it is asked once for each combination of `columns`."""
        if columns not in self._groups:
            marked = self.rows.with_row_index("_row").with_columns(
                _group=pl.struct(columns).rank("dense").cast(pl.Int64) - 1
            )
            first = marked.unique("_group", keep="first").sort("_group")["_row"]
            candidates = [from_offer(self.catalog, self.rows.row(i, named=True)) for i in first]
            self._groups[columns] = (marked["_group"].to_numpy(), candidates)
        group, candidates = self._groups[columns]
        values = [value(c) for c in candidates]
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)[group]

    def _term(self, candidate: Candidate) -> float:
        assert candidate.rental is not None
        return float(term_months(candidate.rental.term, candidate.rental.minimum_months))

    def _out(self, candidate: Candidate, gb: float) -> float:
        assert candidate.rental is not None
        return data_out_usd(candidate.rental.egress, gb)

    def _leaving(self, candidate: Candidate) -> float:
        assert candidate.rental is not None
        return leaving_usd(candidate.rental.egress, self.setting)

    def _stopping_known(self) -> NDArray[np.bool_]:
        """Whether it is known what a stopped machine costs, where machines are kept stopped."""
        if self.w.between_runs != "stop":
            return np.ones(self.rows.height, dtype=bool)
        known = self._by(
            ("provider",),
            lambda c: float(c.provider_facts is not None and c.provider_facts.stopped is not None),
        )
        ok: NDArray[np.bool_] = (known == 1.0) | (self._by(("term", "minimum_months"), self._term) > 0)
        return ok

    def _storage(self) -> Floats:
        """What the kept data costs a month at each offer: the row's own rate, else its provider's."""
        gb = self.w.data.storage_gb
        if gb == 0:
            return np.zeros(self.rows.height)
        sellers = self._by(
            ("provider",),
            lambda c: (
                c.provider_facts.storage.value if c.provider_facts and c.provider_facts.storage else None
            ),
        )
        own = self.rows["storage_usd_gb_month"].fill_null(np.nan).to_numpy()
        return gb * np.where(np.isnan(own), sellers, own)

    def _machines(
        self, busy: Floats, share: Floats, *, metered: NDArray[np.bool_]
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """How many machines are used, and whether the runs that may go at once are enough for the busiest month."""
        needed = np.maximum(1.0, np.ceil(busy.max(axis=1, initial=0.0) / HOURS_PER_MONTH - 1e-9))
        at_most = np.maximum(1.0, np.ceil(self.w.jobs_at_once * share))
        return np.where(metered, at_most, np.minimum(needed, at_most)), needed <= at_most

    def _in_time(self, busy: Floats, machines: Floats, ratio: Floats) -> NDArray[np.bool_]:
        w = self.w
        ok = np.ones(len(busy), dtype=bool)
        if w.demand.hours_per_job is not None:
            ok &= w.demand.hours_per_job / ratio <= w.longest_run_days * HOURS_PER_DAY
        if w.deadline_days is not None:
            done = np.full(len(busy), self.shared.start_month)
            for month in range(busy.shape[1]):
                hours = busy[:, month]
                later = np.maximum(done, float(month)) + hours / (machines * HOURS_PER_MONTH)
                done = np.where(hours > 0, later, done)
            ok &= done * DAYS_PER_MONTH <= w.deadline_days
        within = w.requirements.first_gpu_within_days
        if within is not None:
            ok &= self.shared.start_month * DAYS_PER_MONTH <= within
        return ok

    def _cost(self, rentals: Rentals, at: NDArray[np.intp], out: dict[str, Floats], parts: Floats) -> None:
        """Cost the offers `at` and write their figures into `out` and `parts`."""
        setting, rate = self.setting, self.w.discount_rate
        chunk = Rentals(*(getattr(rentals, f)[at] for f in Rentals.__dataclass_fields__))
        money = rental_money(chunk, self.habits)
        taxed = 1.0 + (setting.tax.value or 0.0)
        for k, part in enumerate(PARTS):
            parts[at, k] = npv(money[part], rate) * taxed
        out["npv"][at] = parts[at].sum(axis=1) + self.shared.npv_usd
        funding = self.w.funding
        if funding is None:
            out["budget"][at] = out["npv"][at]
            return
        bill = sum((money[p] for p in PARTS), np.zeros_like(money["rent"])) * taxed
        bill += sum((money[p] for p in PARTS), np.zeros_like(bill)) * funding.indirect_rate_services
        bill += self.shared.on_budget_usd
        out["budget"][at] = npv(bill, rate)
        out["total"][at], out["upfront"][at] = bill.sum(axis=1), bill[:, 0]
        if funding.spend_by is not None:
            last = (funding.spend_by - self.catalog.as_of).days / DAYS_PER_MONTH
            out["late"][at] = np.maximum(bill, 0.0)[:, np.arange(bill.shape[1]) > last].sum(axis=1)

    def _payable(self, out: dict[str, Floats]) -> NDArray[np.bool_]:
        funding = self.w.funding
        ok = np.ones(self.rows.height, dtype=bool)
        if funding is None:
            return ok
        if funding.may_buy == "capital":
            return ~ok
        if funding.budget_usd is not None:
            ok &= ~(out["total"] > funding.budget_usd)
        if funding.upfront_max_usd is not None:
            ok &= ~(out["upfront"] > funding.upfront_max_usd)
        if funding.spend_by is not None:
            ok &= ~(out["late"] > 0)
        return ok
