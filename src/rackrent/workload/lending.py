"""What a person says about lending out a machine of theirs, and about a tariff that changes with the hour."""

from __future__ import annotations

from pydantic import Field

from rackrent.workload.base import Model, Share, Usd


class Lending(Model):
    """On what terms the idle hours of an own machine would be lent out. What that brings is shown, never counted."""

    ask_usd_per_gpu_hour: float | None = Field(
        None,
        gt=0,
        le=1_000,
        description="what you ask, USD per GPU-hour; default: the lowest price (not a lowest ask) of a marketplace",
    )
    ask_gpu: str | None = Field(None, description="GPU that the ask is for; none: whatever the machine has")
    occupancy: float = Field(
        0, ge=0, le=1, description="share of the lendable hours that are rented (0: a new market, nobody yet)"
    )
    occupancy_from: str | None = Field(
        None, description="where the occupancy comes from, such as a market's report: shown beside it"
    )
    fee: Share = Field(description="share of what renters pay that the market keeps")
    wear_usd_per_gpu_hour: float | None = Field(
        None,
        ge=0,
        le=100,
        description="wear, USD per GPU-hour rented; default: assumption repair_share, by the hour",
    )
    income_tax_rate: Share | None = Field(
        None, description="rate on the gain, as a share; none: unknown, the income is before income tax"
    )
    payout_minimum_usd: Usd = Field(0, description="least that the market pays out at a time, USD")
    hours_per_day: float = Field(24, gt=0, le=24, description="hours a day in which it may be rented")
    only_off_peak: bool = Field(False, description="only in the off-peak hours of `own.time_of_use`")
    funder_allows: bool = Field(
        False,
        description="whether whoever gave the money of `funding` allows lending; without it lending is off",
    )


class TimeOfUseTariff(Model):
    """A tariff with two bands a day."""

    peak_usd_per_kwh: float = Field(
        ge=0, le=2, description="price in the peak hours, USD per kWh, tax included"
    )
    off_peak_usd_per_kwh: float = Field(
        ge=0, le=2, description="price in all other hours, USD per kWh, tax included"
    )
    peak_hours_per_day: float = Field(gt=0, lt=24, description="hours a day at the peak price")
