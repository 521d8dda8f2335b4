"""How long jobs wait, and whether a full pool hides demand."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rackrent.i18n import gettext as _
from rackrent.usage.model import Usage

BUSY_FROM = 0.90
"""Share of its GPUs in use from which a pool counts as full."""
WAIT_FROM_HOURS = 1.0
"""Median wait from which a full pool hides demand: people send less than they would."""


@dataclass(frozen=True)
class Busy:
    """How full a pool was. `of_paid`: measured against what stands there; else against its own peak."""

    pool: str | None
    gpu_hours: float
    utilisation: float | None
    of_paid: bool
    median_wait_hours: float | None
    peak_gpus: float

    @property
    def censored(self) -> bool:
        """Whether what ran is less than what was wanted."""
        return (
            self.utilisation is not None
            and self.median_wait_hours is not None
            and self.utilisation >= BUSY_FROM
            and self.median_wait_hours >= WAIT_FROM_HOURS
        )

    def sentence(self) -> str:
        """Say it as a warning."""
        said = _("{pool}: {busy:.0f} % busy, median wait {wait:.0f} h: demand is censored").format(
            pool=self.pool or _("unnamed pool"),
            busy=100 * (self.utilisation or 0),
            wait=self.median_wait_hours or 0,
        )
        if self.of_paid:
            return said
        return said + _(" (busy against the most ever in use; say how many GPUs stand there with --capacity)")


def with_wait(jobs: pl.DataFrame) -> pl.DataFrame:
    """Return the jobs with `wait_hours`, from eligible (submitted where that is not known) to start."""
    wait = (pl.col("started") - pl.coalesce("eligible", "submitted")).dt.total_seconds() / 3600
    return jobs.with_columns(wait_hours=pl.when(wait >= 0).then(wait))


def queue(usage: Usage) -> pl.DataFrame:
    """Return the wait by pool and gang size: pool, gpus, jobs, median_wait_hours, p90_wait_hours."""
    waited = with_wait(usage.jobs).filter(pl.col("wait_hours").is_not_null())
    return (
        waited.group_by("pool", "gpus")
        .agg(
            jobs=pl.len(),
            median_wait_hours=pl.col("wait_hours").median(),
            p90_wait_hours=pl.col("wait_hours").quantile(0.9, "linear"),
        )
        .sort("pool", "gpus", nulls_last=True)
    )


def busy_pools(usage: Usage) -> list[Busy]:
    """Return how full each pool was, by name."""
    waits = dict(with_wait(usage.jobs).group_by("pool").agg(pl.col("wait_hours").median()).iter_rows())
    by_hour = usage.hourly.group_by("pool", "hour_utc").agg(
        pl.col("gpus_in_use").sum(),
        paid=pl.when(pl.col("gpu_hours_paid").null_count() == 0).then(pl.col("gpu_hours_paid").sum()),
    )
    out = []
    for (pool,), rows in by_hour.group_by("pool"):
        used, peak = float(rows["gpus_in_use"].sum()), float(rows["gpus_in_use"].max() or 0.0)  # type: ignore[arg-type]
        of_paid = rows["paid"].null_count() == 0
        stood = float(rows["paid"].sum()) if of_paid else peak * rows.height
        share = used / stood if stood > 0 else None
        out.append(Busy(pool if pool is None else str(pool), used, share, of_paid, waits.get(pool), peak))
    return sorted(out, key=lambda b: b.pool or "")
