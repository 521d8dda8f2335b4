"""Machines, clusters, credits and offers that a person brings along."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from rackrent.i18n import gettext as _
from rackrent.units import WATTS_PER_KW
from rackrent.workload.base import Country, Day, Model, Usd


class Powered(Model):
    """A machine whose power a person states: slips between W and kW are caught here."""

    gpu: str = Field(description="GPU name")
    gpus: int = Field(1, ge=1, le=1024, description="GPUs in it")
    power_kw: float | None = Field(None, gt=0, description="power under load of the whole machine, kW")
    idle_watts: float | None = Field(None, ge=0, le=20_000, description="power when idle, W")
    cpu_cores: float | None = Field(
        None, gt=0, le=10_000, description="processor cores in it (matter where `input` is given)"
    )

    @field_validator("power_kw")
    @classmethod
    def _kilowatts(cls, value: float | None, info: ValidationInfo) -> float | None:
        most = 2 + 2.5 * info.data.get("gpus", 1)
        if value is not None and value > most:
            if value / WATTS_PER_KW <= most:
                message = _("is {kw:g}: that is a lot for one machine; did you mean {right:g} ({kw:g} W)?")
            else:
                message = _("is {kw:g}; for a machine with this many GPUs it must be at most {most:g} kW")
            raise ValueError(message.format(kw=value, right=value / WATTS_PER_KW, most=most))
        return value

    @field_validator("idle_watts")
    @classmethod
    def _watts(cls, value: float | None, info: ValidationInfo) -> float | None:
        if value is not None and 0 < value < 1:
            raise ValueError(
                _("is {watts:g}, but it is in watts: did you mean {right:g} ({watts:g} kW)?").format(
                    watts=value, right=value * WATTS_PER_KW
                )
            )
        load_kw = info.data.get("power_kw")
        if value is not None and load_kw is not None and value > load_kw * WATTS_PER_KW:
            raise ValueError(
                _("is {watts:g}, more than the machine draws under load (power_kw is {kw:g})").format(
                    watts=value, kw=load_kw
                )
            )
        return value


class OwnMachine(Powered):
    """A machine you could buy: a build or an offer that the catalog does not know."""

    name: str = Field(min_length=1, max_length=80, description="name to show")
    price_usd: Usd = Field(description="price of the whole machine before tax, USD")
    gpu_price_usd: Usd | None = Field(None, description="part of the price that is the GPUs, USD")
    rack: bool = Field(False, description="whether it fits a rack: it is then looked at in a colocation too")
    kind: Literal["own_build", "own_prebuilt"] = Field(
        "own_build", description="built by you or bought ready"
    )


class HaveMachine(Powered):
    """A machine you already own: its price is spent; its power and care are not."""

    name: str = Field("own machine", min_length=1, max_length=80, description="name to show")
    resale_usd: Usd | None = Field(
        None, description="what it would sell for today, USD; null: from the resale curve, else unknown"
    )
    machines: int = Field(1, ge=1, le=10_000, description="how many of them")


class Campus(Model):
    """A cluster of your institution."""

    name: str = Field("campus cluster", description="name to show")
    gpu: str = Field(description="GPU name")
    gpus_per_node: int = Field(1, ge=1, le=64, description="GPUs in one node")
    usd_per_gpu_hour: float = Field(0, ge=0, le=1_000, description="what you are charged, USD per GPU-hour")
    wait_hours: float = Field(0, ge=0, le=8_760, description="typical wait before a job starts, hours")
    wall_time_limit_hours: float | None = Field(
        None, gt=0, le=87_600, description="longest run allowed, hours"
    )
    gpu_hours_per_month_max: float | None = Field(
        None, gt=0, description="allocation: GPU-hours a month at most"
    )
    storage_usd_gb_month: float = Field(
        0, ge=0, le=10, description="what its storage costs you, USD per GB-month"
    )


class Credit(Model):
    """Credits that a provider gave you."""

    provider: str = Field(description="provider's name")
    usd: Usd = Field(description="value left, USD")
    expires: Day | None = Field(None, description="last day")


class Quote(Model):
    """An offer made to you; treated like any other offer."""

    provider: str = Field(min_length=1, description="who offers")
    name: str = Field("quote", min_length=1, max_length=80, description="machine type")
    gpu: str = Field(description="GPU name")
    gpus: int = Field(1, ge=1, le=1024, description="GPUs in the machine")
    usd_per_machine_hour: float | None = Field(
        None, gt=0, le=100_000, description="price of the whole machine, USD an hour"
    )
    usd_per_gpu_hour: float | None = Field(None, gt=0, le=1_000, description="price of one GPU, USD an hour")
    vcpus: float | None = Field(
        None,
        gt=0,
        le=10_000,
        description="virtual CPUs (billed if usd_per_vcpu_hour is given; half of them count as cores)",
    )
    usd_per_vcpu_hour: float | None = Field(
        None, ge=0, le=100, description="price of one vCPU, USD an hour, on top"
    )
    amount: float | None = Field(
        None, gt=0, le=1e9, description="price in `currency` per `per`, in place of the usd_ fields"
    )
    currency: str | None = Field(None, pattern=r"^[A-Z]{3}$", description="currency of `amount`")
    per: Literal["machine_hour", "machine_month"] = Field("machine_hour", description="what `amount` buys")
    term: Literal["on_demand", "reserved_1y", "reserved_3y", "spot", "interruptible", "monthly"] = Field(
        "on_demand", description="rental term"
    )
    upfront: float = Field(
        0, ge=0, le=1e9, description="paid at the start of each term, in the quote's currency"
    )
    minimum_months: float = Field(0, ge=0, le=120, description="shortest time that must be paid, months")
    kind: Literal["cloud", "marketplace", "bare_metal"] = Field("cloud", description="kind of option")
    region: str = Field("quoted", description="where")
    country: Country | None = Field(None, description="country of the machine")
    storage_usd_gb_month: float | None = Field(
        None, ge=0, le=10, description="attached storage, USD per GB-month"
    )

    @model_validator(mode="after")
    def _priced_once(self) -> Quote:
        ways = [self.usd_per_machine_hour, self.usd_per_gpu_hour, self.amount]
        if sum(w is not None for w in ways) != 1:
            raise ValueError(
                _("needs exactly one of {ways}").format(ways="usd_per_machine_hour, usd_per_gpu_hour, amount")
            )
        if self.amount is not None and self.currency is None:
            raise ValueError(_("gives an amount without a currency; add for example 'currency: EUR'"))
        if self.minimum_months and self.term in ("on_demand", "spot", "interruptible"):
            raise ValueError(
                _("has minimum_months, which needs a term that is paid by the month or reserved")
            )
        return self
