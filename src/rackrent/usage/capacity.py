"""What stands in a pool is paid, used or not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import polars as pl

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.usage.model import HOURLY, Window, shaped

HOUR = timedelta(hours=1)


def with_capacity(
    hours: pl.DataFrame, capacity: Mapping[str, float], window: Window | None = None
) -> pl.DataFrame:
    """Return the hours with `gpu_hours_paid` of the pools in `capacity` (GPUs that stand there), from the start of `window`
    to its end; where one of them is open, from the first hour or to the end of the last of all pools. Of an hour that the
    window cuts (midnight in Kolkata is half past in UTC) its part in the window is paid. Raises BadInput for a pool that is not in the files."""
    pools = set(hours["pool"].drop_nulls())
    if missing := [name for name in capacity if name not in pools]:
        raise BadInput(
            _("there is no pool {name} in these files; they have {known}").format(
                name=repr(missing[0]), known=", ".join(sorted(pools)) or _("none")
            )
        )
    if not capacity:
        return hours
    start, end = window or (None, None)
    first, last = hours["hour_utc"].min(), hours["hour_utc"].max()
    assert isinstance(first, datetime) and isinstance(last, datetime)
    start, end = start or first, end or last + HOUR
    time = pl.datetime_range(
        start.replace(minute=0, second=0, microsecond=0), end, "1h", closed="left", time_unit="us", eager=True
    ).cast(HOURLY["hour_utc"])
    of_pool = hours.group_by("pool").agg(pl.col("gpu").first(), pl.col("source").first())
    grid = (
        pl.DataFrame({"hour_utc": time})
        .join(of_pool.filter(pl.col("pool").is_in(list(capacity))), how="cross")
        .join(hours, on=["hour_utc", "pool"], how="anti")
        .with_columns(gpus_in_use=pl.lit(0.0))
    )
    hours = pl.concat([hours, shaped(grid, HOURLY)])
    size = pl.col("pool").replace_strict(dict(capacity), default=None, return_dtype=pl.Float64)
    # A pool of several models has one size: it is shared out by what is in use, evenly where nothing is.
    in_use = pl.col("gpus_in_use").sum().over("hour_utc", "pool")
    share = (
        pl.when(in_use > 0)
        .then(pl.col("gpus_in_use") / in_use)
        .otherwise(1 / pl.len().over("hour_utc", "pool"))
    )
    within = pl.min_horizontal(pl.col("hour_utc") + HOUR, end) - pl.max_horizontal("hour_utc", start)
    part = (within.dt.total_microseconds() / 3.6e9).clip(lower_bound=0.0)
    return hours.with_columns(gpu_hours_paid=pl.coalesce(size * share * part, "gpu_hours_paid"))
