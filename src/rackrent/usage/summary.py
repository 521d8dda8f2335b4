"""The page that says what was used: hours by pool, GPU and account, load, waits, cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.i18n import gettext as _
from rackrent.units import DAYS_PER_YEAR
from rackrent.usage.demand import Demanded, demand_of
from rackrent.usage.model import Usage
from rackrent.usage.waits import Busy, busy_pools, queue

QUANTILES = (1.0, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.0)


@dataclass(frozen=True)
class Summary:
    """Everything `usage summary` shows."""

    usage: Usage
    pools: pl.DataFrame
    accounts: pl.DataFrame
    money: pl.DataFrame
    load: Mapping[float, float]
    waits: pl.DataFrame
    busy: tuple[Busy, ...]
    work: Demanded | None
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what `usage summary --json` prints."""
        usage, window = self.usage, self.usage.window
        return {
            "files": [{"file": name, "format": kind} for name, kind in usage.formats],
            "window": None if window is None else {
                "start": window[0].isoformat(), "end": window[1].isoformat(), "days": days(usage),
            },
            "gpu_hours": usage.gpu_hours,
            "jobs": usage.jobs.height,
            "billed_usd": usage.billed_usd,
            "effective_usd": usage.effective_usd,
            "pools": self.pools.to_dicts(),
            "accounts": self.accounts.to_dicts(),
            "charges": self.money.to_dicts(),
            "gpus_in_use": [{"share_of_hours": 1 - q, "gpus": gpus} for q, gpus in self.load.items()],
            "queue": self.waits.to_dicts(),
            "censored": [b.pool for b in self.busy if b.censored],
            "work": None if self.work is None else {
                "reference_gpu": self.work.reference_gpu, "reference_hours": self.work.reference_hours,
                "reference_hours_per_month": self.work.hours_per_month, "gpu_hours_not_converted": self.work.unknown_hours,
            },
            "rows_unreadable": usage.rows_unreadable,
            "warnings": list(self.warnings),
        }  # fmt: skip


def summarise(
    usage: Usage, rates: Mapping[str, float] | None = None, reference: str | None = None
) -> Summary:
    """Return the summary. `rates` are the hours of the `reference` GPU that one hour of a GPU is worth."""
    pools = (
        usage.hourly.group_by("pool", "gpu")
        .agg(
            gpu_hours=pl.col("gpus_in_use").sum(),
            gpu_hours_paid=_known("gpu_hours_paid"), gpu_hours_used=_known("gpu_hours_used"),
            peak_gpus=pl.col("gpus_in_use").max(), effective_usd=_known("effective_usd"),
        )
        .sort("gpu_hours", descending=True)
    )  # fmt: skip
    by_job = usage.jobs.group_by("account").agg(
        jobs=pl.len(),
        gpu_hours=pl.col("gpu_hours").sum(),
        jobs_of_unknown_gpus=pl.col("gpus").is_null().sum(),
    )
    by_bill = (
        usage.charges.filter(~pl.col("source").is_in(usage.jobs["source"].unique().implode()))
        .group_by("account")
        .agg(pl.col("gpu_hours").sum(), effective_usd=_known("effective_usd"))
    )
    accounts = pl.concat([by_job, by_bill], how="diagonal").sort(
        "gpu_hours", "account", descending=[True, False]
    )
    money = (
        usage.charges.group_by("kind", "gpu")
        .agg(pl.col("rows").sum(), pl.col("gpu_hours").sum(), billed_usd=_known("billed_usd"), effective_usd=_known("effective_usd"))
        .sort("kind", "gpu", nulls_last=True)
    )  # fmt: skip
    busy = tuple(busy_pools(usage))
    work = demand_of(usage, rates, reference) if rates and reference else None
    warnings = [*usage.warnings, *(b.sentence() for b in busy if b.censored)]
    if usage.window is not None and (n := days(usage)) < DAYS_PER_YEAR - 1:
        warnings.append(
            _("{days:.0f} days of history, not a year: nothing here is scaled to one").format(days=n)
            if n >= 2
            else _("{hours:.0f} hours of history, not a year: nothing here is scaled to one").format(
                hours=n * 24
            )
        )
    return Summary(
        usage,
        pools,
        accounts,
        money,
        load_quantiles(usage),
        queue(usage),
        busy,
        work,
        tuple(dict.fromkeys(warnings)),
    )


def days(usage: Usage) -> float:
    """Return how long the window of the usage is."""
    assert usage.window is not None
    start, end = usage.window
    return (end - start).total_seconds() / 86_400


def load_duration(usage: Usage) -> NDArray[np.float64]:
    """Return GPUs in use in each hour of the window, most first; hours in which nothing ran count as nothing."""
    if usage.window is None:
        return np.zeros(0)
    start, end = usage.window
    total = usage.hourly.group_by("hour_utc").agg(pl.col("gpus_in_use").sum())["gpus_in_use"].to_numpy()
    out = np.zeros(round((end - start).total_seconds() / 3600))
    out[: len(total)] = np.sort(total)[::-1]
    return np.sort(out)[::-1]


def load_quantiles(usage: Usage) -> dict[float, float]:
    """Return the GPUs in use at some points of the load-duration curve: 0.5 is the median hour."""
    load = load_duration(usage)
    return {q: float(np.quantile(load, q)) for q in QUANTILES} if len(load) else {}


def _known(column: str) -> pl.Expr:
    return pl.when(pl.col(column).null_count() == 0).then(pl.col(column).sum())
