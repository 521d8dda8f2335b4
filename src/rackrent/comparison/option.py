"""One way of getting the work done, costed: its money, its time, its energy, and why it may be out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.fact import Fact
from rackrent.comparison.candidate import Candidate
from rackrent.costing.finance import npv
from rackrent.costing.rent import term_months
from rackrent.costing.streams import CostStream
from rackrent.costing.use import Use
from rackrent.speed import Speed
from rackrent.units import HOURS_PER_MONTH

OWNED_KINDS = frozenset({"own_build", "own_prebuilt", "own_existing", "colocation"})


@dataclass(frozen=True)
class CashFlow:
    """One dated payment of one stream; `line` is its number in the option's `cash_flows`."""

    line: int
    month: int
    usd: float
    stream: CostStream

    def to_dict(self) -> dict[str, Any]:
        """Return the payment as the contract names it."""
        first = self.stream.facts[0] if self.stream.facts else None
        return {
            "month": self.month,
            "category": self.stream.category,
            "usd": self.usd,
            "payer": self.stream.payer,
            "tax_basis": self.stream.tax_basis,
            "source": f"{first.table}/{first.key}" if first else None,
        }


@dataclass(frozen=True)
class Option:
    """One option of a comparison.

    `reasons` says why it cannot do the work (empty if it can); `reasons_on_budget` why the funding cannot pay it.
    Costs are positive, income negative. All money figures are None where the option could not be costed.
    """

    id: str
    kind: str
    provider: str
    name: str
    region: str
    term: str
    gpu: str
    gpu_count: float
    price: Fact | None
    discount_rate: float
    speed: Speed | None = None
    use: Use | None = None
    streams: tuple[CostStream, ...] = ()
    reasons: tuple[str, ...] = ()
    reasons_on_budget: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    energy_kwh: float | None = None
    co2_use_kg: float | None = None
    co2_embodied_kg: float | None = None
    noise_dba: float | None = None
    candidate: Candidate | None = None

    @property
    def feasible(self) -> bool:
        """Whether it can do the work and its cost is known."""
        return not self.reasons

    @property
    def owned(self) -> bool:
        """Whether the machine is yours."""
        return self.kind in OWNED_KINDS

    @property
    def effective_price_usd(self) -> float | None:
        """Price of the machine: an hour with what is paid up front spread over its term, or the price to buy it."""
        price = self.price.value if self.price is not None else None
        rental = self.candidate.rental if self.candidate is not None else None
        if price is None or rental is None or not self.term_months:
            return price
        return price + rental.upfront_usd / (self.term_months * HOURS_PER_MONTH)

    @property
    def term_months(self) -> int:
        """Months of one term that are paid whatever is used; 0 where there is none."""
        rental = self.candidate.rental if self.candidate is not None else None
        return 0 if rental is None else term_months(rental.term, rental.minimum_months)

    @cached_property
    def monthly_usd(self) -> NDArray[np.float64]:
        """Cash of each month, shape (horizon + 1,), whoever pays."""
        return np.sum([s.usd for s in self.streams], axis=0) if self.streams else np.zeros(0)

    @cached_property
    def monthly_on_budget_usd(self) -> NDArray[np.float64]:
        """Cash of each month that the funding pays, shape (horizon + 1,)."""
        paid = [s.usd for s in self.streams if s.payer == "funding"]
        return np.sum(paid, axis=0) if paid else np.zeros_like(self.monthly_usd)

    @cached_property
    def total_usd(self) -> float:
        """Sum of all cash flows, USD."""
        return float(self.monthly_usd.sum())

    @cached_property
    def npv_usd(self) -> float:
        """Present value of all cash flows, USD."""
        return float(npv(self.monthly_usd, self.discount_rate))

    @cached_property
    def npv_on_budget_usd(self) -> float:
        """Present value of what the funding pays, USD."""
        return float(npv(self.monthly_on_budget_usd, self.discount_rate))

    @cached_property
    def npv_per_use_usd(self) -> float:
        """The part of the present value that grows with the hours worked (machines staying the same), USD."""
        parts = [s.usd for s in self.streams if s.per_use]
        return float(npv(np.sum(parts, axis=0), self.discount_rate)) if parts else 0.0

    @property
    def upfront_usd(self) -> float:
        """Cash needed at the start, USD."""
        return float(self.monthly_usd[0])

    @property
    def totals_by_payer(self) -> dict[str, float]:
        """Total for each payer, USD."""
        totals: dict[str, float] = {}
        for s in self.streams:
            totals[s.payer] = totals.get(s.payer, 0.0) + s.total_usd
        return totals

    @property
    def co2_kg(self) -> float | None:
        """CO2 of use and of making the hardware, kg; None if either is unknown."""
        if self.co2_use_kg is None or self.co2_embodied_kg is None:
            return None
        return self.co2_use_kg + self.co2_embodied_kg

    @property
    def usd_per_gpu_hour(self) -> float | None:
        """Total cost per hour that one of its GPUs works, USD; None if it does no work."""
        hours = self.use.gpus_busy * float(self.use.busy_hours.sum()) if self.use else 0.0
        return self.total_usd / hours if hours else None

    @property
    def usd_per_unit_work(self) -> float | None:
        """Total cost per GPU-hour of the reference GPU, USD; None if it does no work."""
        if self.use is None or self.speed is None or self.speed.ratio is None:
            return None
        work = self.use.gpus_busy * float(self.use.busy_hours.sum()) * self.speed.ratio
        return self.total_usd / work if work else None

    @cached_property
    def cash_flows(self) -> list[CashFlow]:
        """Every payment, stream by stream, month by month; payments of nothing are left out."""
        flows: list[CashFlow] = []
        for stream in self.streams:
            for month in np.flatnonzero(stream.usd):
                flows.append(CashFlow(len(flows), int(month), float(stream.usd[month]), stream))
        return flows

    def with_reasons(self, *reasons: str) -> Option:
        """Return the option with more reasons against it."""
        return replace(self, reasons=(*self.reasons, *reasons))
