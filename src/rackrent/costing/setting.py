"""What holds for every option of one comparison: the workload, the day, and the figures both sides share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.assumptions import assumption
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpu_meant
from rackrent.catalog.places import Customer, Tariff, circuit_kw, electricity, pue, tax_rate
from rackrent.costing.energy import TimeOfUse
from rackrent.workload.demand import monthly_work
from rackrent.workload.model import Workload

CUSTOMER: dict[str, Customer] = {
    "home": "household",
    "office": "business",
    "server_room": "business",
    "colocation": "business",
}


@dataclass
class Setting:
    """One workload on one day. Figures are looked up once and remembered.

    `used` collects every assumption that a cost rested on, so that a result can show them.
    """

    workload: Workload
    catalog: Catalog
    used: dict[str, Fact] = field(default_factory=dict)

    @property
    def horizon(self) -> int:
        """Months looked at."""
        return self.workload.horizon_months

    @cached_property
    def work(self) -> NDArray[np.float64]:
        """Reference GPU-hours of work in each month, shape (horizon,)."""
        return monthly_work(self.workload.demand, self.workload.gpus, self.horizon)

    @cached_property
    def reference_gpu(self) -> str | None:
        """Canonical name of the GPU on which hours are counted; None where an hour counts the same on all."""
        name = self.workload.demand.reference_gpu
        return None if name is None else gpu_meant(self.catalog, name)

    def assume(self, key: str) -> Fact:
        """Return the assumption `key`: the person's own figure if they gave one, else the catalog's."""
        if key not in self.used:
            self.used[key] = assumption(self.catalog, key, self.workload.assumptions)
        return self.used[key]

    @cached_property
    def hour(self) -> Fact:
        """Value of an hour of people's time, USD."""
        given = self.workload.people.usd_per_hour
        if not self.workload.people.count_time:
            return Fact.from_workload("people.count_time", 0.0, "usd_per_hour", "time is not counted")
        if given is not None:
            return Fact.from_workload("people.usd_per_hour", given, "usd_per_hour")
        return self.assume("hourly_rate")

    def tariff(self, site: str) -> Tariff | None:
        """Electricity price at `site`; None where it is unknown."""
        own, where = self.workload.own.usd_per_kwh, self.workload.location
        field, bands = "own.usd_per_kwh", self.time_of_use
        if bands is not None:
            field, own = "own.time_of_use", bands.average_usd_per_kwh
        if own is not None:
            fact = Fact.from_workload(field, own, "usd_per_kwh")
            return Tariff(fact, "incl", where.country, where.region, CUSTOMER[site])
        return electricity(self.catalog, where.country, where.region, CUSTOMER[site])

    @cached_property
    def time_of_use(self) -> TimeOfUse | None:
        """The person's tariff by band; None where their price is the same at all hours, or not given."""
        bands = self.workload.own.time_of_use
        if bands is None:
            return None
        return TimeOfUse(bands.peak_usd_per_kwh, bands.off_peak_usd_per_kwh, bands.peak_hours_per_day)

    def pue(self, site: str) -> Fact:
        """Energy into the site per energy into the machines."""
        if site in ("home", "office") and self.workload.location.air_conditioned:
            return pue(self.catalog, f"{site}_air_conditioned")
        return pue(self.catalog, site)

    @cached_property
    def tax(self) -> Fact:
        """Tax that is really paid on purchases, as a share: nil where it is recovered or unknown (said so)."""
        tax = self.workload.tax
        if tax.recoverable:
            return Fact.from_workload("tax.recoverable", 0.0, "share", "you get it back")
        if tax.rate is not None:
            return Fact.from_workload("tax.rate", tax.rate, "share")
        known = tax_rate(self.catalog, self.workload.location.country)
        if known is not None and known.value is not None:
            return known
        return Fact.from_workload("tax.rate", 0.0, "share", "no rate known for this country: none is added")

    @cached_property
    def included_tax(self) -> float:
        """Rate of the tax inside prices that include it and that you get back, as a share (else 0)."""
        tax = self.workload.tax
        if not tax.recoverable:
            return 0.0
        if tax.rate is not None:
            return tax.rate
        known = tax_rate(self.catalog, self.workload.location.country)
        return known.value or 0.0 if known is not None else 0.0

    def circuit(self, site: str) -> Fact | None:
        """Continuous power of the circuit at `site`, kW; None where no limit is known."""
        given = self.workload.own.circuit_kw
        if given is not None:
            return Fact.from_workload("own.circuit_kw", given, "kw")
        return None if site == "server_room" else circuit_kw(self.catalog, self.workload.location.country)

    @cached_property
    def sessions_per_month(self) -> Fact:
        """How often a rented machine is started: once a run, else an assumption."""
        runs = self.workload.demand.jobs_per_month
        if runs is not None:
            return Fact.from_workload("demand.jobs_per_month", runs, "starts per month")
        return self.assume("sessions_per_month")
