"""The workload: what must be computed and under which conditions.

One model for the YAML file, Python, and later the form and the URL. Everything but `demand` has a default;
defaults lean against owning (see DEFAULTS in `docs/workload.md`). Field names carry their unit.
"""

from __future__ import annotations

from typing import Literal

from pydantic import (
    Field,
    model_validator,
)

from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH, MONTHS_PER_YEAR
from rackrent.workload.base import Country, Day, Discount, Growth, Model, Share, Usd
from rackrent.workload.lending import Lending, TimeOfUseTariff
from rackrent.workload.machines import Campus, Credit, HaveMachine, OwnMachine, Quote
from rackrent.workload.program import Benchmark, Input, Network

GPUS_MAX = 100_000
"""More GPUs than anyone who reads this rents; bounds what a demand may be."""


class Range(Model):
    """A figure that is not known exactly."""

    low: float = Field(description="low end")
    likely: float = Field(description="what is used")
    high: float = Field(description="high end")

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        if not self.low <= self.likely <= self.high:
            raise ValueError(
                _("needs low <= likely <= high, not {low:g}, {likely:g}, {high:g}").format(
                    low=self.low, likely=self.likely, high=self.high
                )
            )
        return self


class Demand(Model):
    """How much work there is: say it one way only."""

    gpu_hours_per_month: float | None = Field(
        None,
        gt=0,
        le=GPUS_MAX * HOURS_PER_MONTH,
        description="GPU-hours a month on the reference GPU (all GPUs together)",
    )
    gpu_hours_total: float | None = Field(
        None,
        gt=0,
        le=1e10,
        description="GPU-hours on the reference GPU over the whole horizon, spread evenly unless it grows or comes in bursts",
    )
    jobs_per_month: float | None = Field(
        None, gt=0, le=1e7, description="runs a month (with `hours_per_job`)"
    )
    hours_per_job: float | None = Field(
        None, gt=0, le=87_600, description="hours one run takes on `gpus` reference GPUs"
    )
    utilisation: float | None = Field(
        None,
        gt=0,
        le=1,
        description="share of all hours that `gpus` reference GPUs would be busy (0.2 is 146 h a month each)",
    )
    usage: str | None = Field(None, description="path of a usage file to take the demand from")
    reference_gpu: str | None = Field(
        None,
        description="GPU on which the hours are counted; without it an hour counts the same on every GPU",
    )
    growth_per_year: Growth = Field(0.0, description="growth of the demand a year, as a share")
    busy_months_per_year: float = Field(
        12, gt=0, le=12, description="the year's work is done in this many months (12: steady; 2: bursts)"
    )

    @model_validator(mode="after")
    def _one_way(self) -> Demand:
        ways = {
            "gpu_hours_per_month": self.gpu_hours_per_month is not None,
            "gpu_hours_total": self.gpu_hours_total is not None,
            "jobs_per_month with hours_per_job": self.jobs_per_month is not None
            or self.hours_per_job is not None,
            "utilisation": self.utilisation is not None,
            "usage": self.usage is not None,
        }
        given = [name for name, there in ways.items() if there]
        if len(given) != 1:
            said = ", ".join(given) if given else _("nothing")
            raise ValueError(
                _("says {said}; it needs exactly one of {ways}").format(said=said, ways=", ".join(ways))
            )
        if (self.jobs_per_month is None) != (self.hours_per_job is None):
            raise ValueError(_("needs jobs_per_month and hours_per_job together"))
        return self

    @model_validator(mode="after")
    def _possible(self) -> Demand:
        if self.utilisation is not None and self.utilisation * MONTHS_PER_YEAR > self.busy_months_per_year:
            raise ValueError(
                _(
                    "says utilisation {share:g} all in {months:g} months of the year, which is more hours than these "
                    "months have; it must be at most {most:.3g}"
                ).format(
                    share=self.utilisation,
                    months=self.busy_months_per_year,
                    most=self.busy_months_per_year / MONTHS_PER_YEAR,
                )
            )
        if self.jobs_per_month and self.hours_per_job:
            hours = self.jobs_per_month * self.hours_per_job
            if hours > GPUS_MAX * HOURS_PER_MONTH:
                raise ValueError(
                    _("asks for {hours:,.0f} hours of runs a month; it must be at most {most:,.0f}").format(
                        hours=hours, most=GPUS_MAX * HOURS_PER_MONTH
                    )
                )
        return self


class Data(Model):
    """Data that must be where the GPU is."""

    storage_gb: float = Field(
        0, ge=0, le=1e9, description="kept on disk beside a rented GPU all the time, GB"
    )
    egress_gb_per_month: float = Field(
        0, ge=0, le=1e9, description="moved out of a rented place each month, GB"
    )
    upload_gb: float = Field(0, ge=0, le=1e9, description="moved to a rented place once at the start, GB")
    upload_mbps: float = Field(100, gt=0, le=1e6, description="speed of your line upwards, Mbit/s")


class Location(Model):
    """Where you are: decides electricity, carbon, tax and what an own machine costs to house."""

    country: Country = Field("USA", description="ISO 3166 alpha-3 code")
    region: str | None = Field(None, description="state or province, in English")
    site: Literal["home", "office", "server_room"] = Field(
        "home", description="where an own machine would stand"
    )
    air_conditioned: bool = Field(False, description="whether its heat must be removed by air conditioning")


class Requirements(Model):
    """What an option must fulfil. Unknown counts as not fulfilled."""

    residency: list[Country] = Field([], description="countries in which data may be; empty: anywhere")
    certificates: list[str] = Field(
        [], description="certificates the provider must evidence, such as 'ISO 27001' or 'HIPAA'"
    )
    signed_agreements: list[str] = Field(
        [], description="providers with whom you have signed the agreement (HIPAA, GDPR)"
    )
    no_third_party_hosts: bool = Field(False, description="machines of strangers are out")
    dedicated_hardware: bool = Field(False, description="nobody else on the machine")
    first_gpu_within_days: float | None = Field(
        None, ge=0, le=3650, description="longest wait for the first GPU, days"
    )


class People(Model):
    """What people's time is worth."""

    usd_per_hour: float | None = Field(
        None, ge=0, le=10_000, description="cost of an hour; default: assumption hourly_rate"
    )
    count_time: bool = Field(True, description="whether administration and assembly time are counted as cost")


class Funding(Model):
    """Whose money it is and what it may buy."""

    name: str = Field("your budget", description="name of the money")
    may_buy: Literal["capital", "services", "both"] = Field("both", description="what it may be spent on")
    budget_usd: Usd | None = Field(None, description="most that may be spent over the horizon, USD")
    upfront_max_usd: Usd | None = Field(None, description="most that may be spent at the start, USD")
    spend_by: Day | None = Field(None, description="last day on which the money may be spent")
    indirect_rate_equipment: float = Field(
        0, ge=0, le=2, description="indirect-cost rate on equipment, as a share"
    )
    indirect_rate_services: float = Field(
        0, ge=0, le=2, description="indirect-cost rate on services, as a share"
    )
    equipment_threshold_usd: Usd | None = Field(
        None, description="below this price a machine counts as supplies and bears the services rate, USD"
    )
    power_paid_by: Literal["funding", "institution"] = Field(
        "funding", description="who pays electricity, cooling and space"
    )
    time_paid_by: Literal["funding", "institution"] = Field(
        "funding", description="who pays administration and assembly time"
    )
    resale_kept_by: Literal["funding", "institution"] = Field(
        "funding", description="who keeps the money from selling the machine"
    )


class Tax(Model):
    """Value-added or sales tax."""

    rate: float | None = Field(
        None, ge=0, le=1, description="rate as a share; default: the country's standard rate, where known"
    )
    recoverable: bool = Field(False, description="whether you get it back")


class Own(Model):
    """How an own machine is counted."""

    usd_per_kwh: float | None = Field(
        None,
        ge=0,
        le=2,
        description="your electricity price, USD per kWh, tax included; default: from the catalog",
    )
    time_of_use: TimeOfUseTariff | None = Field(
        None,
        description="peak and off-peak prices, in place of one: work is costed at their mean over the day, lending by band",
    )
    resale: Literal["curve", "straight_line", "declining_balance", "none"] = Field(
        "curve",
        description="what it is worth when sold at the end: observed curve, straight line to zero, declining balance, nothing",
    )
    useful_life_months: float = Field(
        36, gt=0, le=240, description="life for straight line and declining balance, months"
    )
    powered_when_idle: bool = Field(True, description="whether it stays on at idle watts")
    machines: list[OwnMachine] = Field([], description="machines to consider besides the catalog's")
    circuit_kw: float | None = Field(
        None,
        gt=0,
        le=1_000,
        description="power your circuit gives continuously, kW; default: the country's usual one",
    )

    @model_validator(mode="after")
    def _one_tariff(self) -> Own:
        if self.usd_per_kwh is not None and self.time_of_use is not None:
            raise ValueError(_("gives usd_per_kwh and time_of_use; it needs one of them"))
        return self


class Consider(Model):
    """Which options to look at."""

    kinds: list[
        Literal[
            "own_build",
            "own_prebuilt",
            "own_existing",
            "colocation",
            "bare_metal",
            "cloud",
            "marketplace",
            "exchange",
            "campus",
        ]
    ] = Field([], description="kinds of option; empty: all")
    gpus: list[str] = Field([], description="GPUs; empty: all that fit")
    providers: list[str] = Field([], description="providers; empty: all")
    exclude_providers: list[str] = Field([], description="providers left out")
    terms: list[Literal["on_demand", "reserved_1y", "reserved_3y", "spot", "interruptible", "monthly"]] = (
        Field([], description="rental terms; empty: all")
    )


class Workload(Model):
    """What must be computed, for whom, and under which conditions."""

    name: str = Field("workload", min_length=1, max_length=120, description="title of the comparison")
    as_of: Day | None = Field(None, description="day whose prices are used; default: today")
    demand: Demand = Field(description="how much work there is")
    task: Literal[
        "generic",
        "cnn_training",
        "segmentation",
        "transformer_finetune",
        "transformer_pretrain",
        "diffusion",
        "inference",
    ] = Field("generic", description="kind of work; decides which benchmarks count")
    precision: Literal["fp32", "fp16", "bf16", "fp8"] = Field("fp16", description="number format")
    gpus: int = Field(1, ge=1, le=4096, description="GPUs that one run needs at once (gang size)")
    gpu_memory_gb: float = Field(0, ge=0, le=1_000, description="memory one GPU must have, GB")
    model: Network | None = Field(
        None, description="the network and how it is trained: what it takes of a GPU's memory"
    )
    input: Input | None = Field(
        None, description="how samples reach the GPU; without it the GPU is never kept waiting"
    )
    benchmarks: list[Benchmark] = Field(
        [], description="rates you measured on your own program; they outweigh all others"
    )
    jobs_at_once: int = Field(1, ge=1, le=100_000, description="runs that may go side by side")
    multi_node: bool = Field(False, description="whether one run may spread over several machines")
    horizon_months: int = Field(36, ge=1, le=240, description="time looked at, months")
    deadline_days: float | None = Field(
        None, gt=0, le=10_000, description="all work must be done this many days after the start"
    )
    longest_run_days: float = Field(
        7, gt=0, le=3_650, description="longest wall-clock time one run may take, days"
    )
    waiting_usd_per_day: float = Field(
        0, ge=0, le=1e6, description="value of a day of waiting for results, USD"
    )
    interruptible: bool = Field(False, description="whether runs survive being interrupted")
    checkpoint_minutes: float = Field(5, gt=0, le=1_440, description="time to write one checkpoint, minutes")
    between_runs: Literal["auto", "stop", "end"] = Field(
        "auto",
        description="what happens to a rented machine between runs: stopped, ended, or ended only where stopping bills in full",
    )
    idle_waste: Share | None = Field(
        None, description="share of rented hours that nobody uses; default: assumption idle_waste"
    )
    discount_rate: Discount = Field(0.05, description="discount rate a year, as a share")
    location: Location = Field(Location(), description="where you are")
    data: Data = Field(Data(), description="data that must be moved and kept")
    requirements: Requirements = Field(Requirements(), description="what an option must fulfil")
    people: People = Field(People(), description="people's time")
    own: Own = Field(Own(), description="how own machines are counted")
    have: list[HaveMachine] = Field([], description="machines you already own")
    lending: Lending | None = Field(
        None, description="on what terms idle hours would be lent out; never counted in the comparison"
    )
    campus: list[Campus] = Field([], description="clusters of your institution")
    credits: list[Credit] = Field([], description="credits you hold")
    quotes: list[Quote] = Field([], description="offers made to you")
    funding: Funding | None = Field(None, description="whose money it is; default: your own")
    tax: Tax = Field(Tax(), description="value-added or sales tax")
    consider: Consider = Field(Consider(), description="which options to look at")
    assumptions: dict[str, float | Range] = Field({}, description="your own figures for assumptions, by key")
    ranges: dict[str, Range] = Field(
        {}, description="filled in for you: the figures you wrote as low / likely / high, by path"
    )

    @model_validator(mode="after")
    def _off_peak_of_a_tariff(self) -> Workload:
        if self.lending is not None and self.lending.only_off_peak and self.own.time_of_use is None:
            raise ValueError(
                _("has lending.only_off_peak, which needs own.time_of_use: the hours that are off-peak")
            )
        return self

    @model_validator(mode="after")
    def _counted_on_a_gpu(self) -> Workload:
        if self.demand.reference_gpu is None:
            for name in ("input", "benchmarks"):
                if getattr(self, name):
                    raise ValueError(
                        _(
                            "gives {name}, which needs demand.reference_gpu: the GPU your hours are counted on"
                        ).format(name=name)
                    )
        return self
