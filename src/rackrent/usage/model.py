"""What was really used, as three tables: jobs, hours, charges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl

Schema = Mapping[str, Any]
UTC_TIME = pl.Datetime("us", "UTC")
Window = tuple[datetime | None, datetime | None]
"""From a time on, up to another; None: open."""

JOBS: Schema = {
    "job": pl.String,
    "submitted": UTC_TIME,
    "eligible": UTC_TIME,
    "started": UTC_TIME,
    "ended": UTC_TIME,
    "gpus": pl.Float64,
    "gpu": pl.String,
    "pool": pl.String,
    "account": pl.String,
    "person": pl.String,
    "gpu_hours": pl.Float64,
    "gpu_hours_used": pl.Float64,
    "source": pl.String,
}
"""Columns of `Usage.jobs`: one row is one attempt that held `gpus` GPUs at once (its gang size) from `started` to
`ended`. `gpus` null: the site does not say; `gpu` is the canonical name, null where unknown; `gpu_hours` is what
it held, `gpu_hours_used` what of that was active (null: not measured)."""

HOURLY: Schema = {
    "hour_utc": UTC_TIME,
    "pool": pl.String,
    "gpu": pl.String,
    "gpus_in_use": pl.Float64,
    "gpu_hours_paid": pl.Float64,
    "gpu_hours_used": pl.Float64,
    "billed_usd": pl.Float64,
    "effective_usd": pl.Float64,
    "source": pl.String,
}
"""Columns of `Usage.hourly`: one row per hour, pool and GPU. `gpus_in_use` is the mean over the hour of GPUs that
jobs held (for a bill: that were rented); `gpu_hours_paid` what stood there, wanted or not; `gpu_hours_used` what
was active, where that was measured. Null is unknown."""

CHARGES: Schema = {
    "source": pl.String,
    "account": pl.String,
    "pool": pl.String,
    "instance_type": pl.String,
    "gpu": pl.String,
    "kind": pl.String,
    "rows": pl.Int64,
    "gpu_hours": pl.Float64,
    "currency": pl.String,
    "billed": pl.Float64,
    "billed_usd": pl.Float64,
    "effective_usd": pl.Float64,
    "effective_as_given_usd": pl.Float64,
}
"""Columns of `Usage.charges`: all the money of a bill, also what is no GPU. `kind` is usage | unused | purchase |
credit | adjustment | tax. `billed` is in `currency`; dollars are null where no rate is known."""


@dataclass(frozen=True)
class Usage:
    """What was really used. `jobs`, `hourly` and `charges` are Polars frames (see JOBS, HOURLY, CHARGES).

    `formats` says how each file was read, `rows_unreadable` how many rows could not be, `warnings` what a reader
    of the figures must know, one sentence each.
    """

    jobs: pl.DataFrame
    hourly: pl.DataFrame
    charges: pl.DataFrame
    warnings: tuple[str, ...] = ()
    formats: tuple[tuple[str, str], ...] = ()
    rows_unreadable: int = 0

    @property
    def gpu_hours(self) -> float:
        """GPU-hours held by jobs, or rented where only a bill says so. Hours on unlike GPUs are added as they are."""
        return float(self.hourly["gpus_in_use"].sum())

    @property
    def billed_usd(self) -> float | None:
        """Cash on the bills; None where there are none, or not all can be read in dollars."""
        return _known_sum(self.charges["billed_usd"])

    @property
    def effective_usd(self) -> float | None:
        """Cost of what was used, commitments spread over their time; None where it is not known."""
        return _known_sum(self.charges["effective_usd"])

    @property
    def window(self) -> tuple[datetime, datetime] | None:
        """First hour and the end of the last one, UTC; None where nothing was used."""
        if self.hourly.is_empty():
            return None
        first, last = self.hourly["hour_utc"].min(), self.hourly["hour_utc"].max()
        assert isinstance(first, datetime) and isinstance(last, datetime)
        return first, last + timedelta(hours=1)

    def with_warnings(self, *sentences: str) -> Usage:
        """Return this with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))


@dataclass(frozen=True)
class Reading:
    """What one file holds. `jobs` may overlap those of another file; `hourly` holds what was given by the hour;
    `local_times` says that times in it carry no offset.

    `hours_given`: the hours of `jobs` are in `hourly` already, and are not made from them.
    """

    source: str
    format: str
    jobs: pl.DataFrame = field(default_factory=lambda: empty(JOBS))
    hourly: pl.DataFrame = field(default_factory=lambda: empty(HOURLY))
    charges: pl.DataFrame = field(default_factory=lambda: empty(CHARGES))
    warnings: tuple[str, ...] = ()
    unreadable: int = 0
    hours_given: bool = False
    local_times: bool = False


def empty(schema: Schema) -> pl.DataFrame:
    """Return a frame with these columns and no rows."""
    return pl.DataFrame(schema=schema)


def shaped(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return `frame` with exactly the columns of `schema`; what it lacks is null."""
    columns = [
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in schema.items()
    ]
    return frame.select(columns) if frame.width else empty(schema)


def _known_sum(column: pl.Series) -> float | None:
    return None if column.is_empty() or column.null_count() else float(column.sum())
