"""Spread what ran from one moment to another over the hours it touched."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

HOUR_US = 3_600_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def per_hour(frame: pl.DataFrame, amounts: Mapping[str, str]) -> pl.DataFrame:
    """Return hour_utc, pool, gpu and one column per amount, dense from the first to the last hour of each group.

    `frame` has started, ended (UTC, ended > started), pool, gpu; `amounts` maps a column of the result to the column
    of `frame` whose amount is spread evenly over the row's time. Sums are kept: nothing is lost or counted twice.
    A group's amount is null where a row of it is null. O(rows + hours).
    """
    names = ["pool", "gpu"]
    out = []
    for key, rows in frame.group_by(names, maintain_order=True):
        start = rows["started"].dt.epoch("us").to_numpy() / HOUR_US
        end = rows["ended"].dt.epoch("us").to_numpy() / HOUR_US
        first = int(np.floor(start.min()))
        hours = int(np.ceil(end.max())) - first
        time = pl.datetime_range(
            EPOCH + timedelta(hours=first), EPOCH + timedelta(hours=first + hours - 1), "1h", time_unit="us", eager=True
        )  # fmt: skip
        columns: dict[str, object] = {
            "hour_utc": time,
            "pool": pl.repeat(key[0], hours, dtype=pl.String, eager=True),
        }
        columns["gpu"] = pl.repeat(key[1], hours, dtype=pl.String, eager=True)
        for name, column in amounts.items():
            if rows[column].null_count():
                columns[name] = pl.repeat(None, hours, dtype=pl.Float64, eager=True)
                continue
            rate = rows[column].to_numpy() / (end - start)
            columns[name] = spread(start - first, end - first, rate, hours)
        out.append(pl.DataFrame(columns))
    if not out:
        schema: dict[str, Any] = {"hour_utc": pl.Datetime("us", "UTC"), "pool": pl.String, "gpu": pl.String}
        return pl.DataFrame(schema=schema | dict.fromkeys(amounts, pl.Float64))
    return pl.concat(out).sort(*names, "hour_utc", nulls_last=True)


def spread(
    start: NDArray[np.float64], end: NDArray[np.float64], rate: NDArray[np.float64], hours: int
) -> NDArray[np.float64]:
    """Return the amount in each of `hours` hours of intervals `start`..`end` (hours, from 0) at `rate` an hour.

    >>> spread(np.array([0.5]), np.array([2.25]), np.array([4.0]), 3)
    array([2., 4., 1.])
    """
    first, last = np.floor(start).astype(np.int64), np.floor(end).astype(np.int64)
    out: NDArray[Any] = np.bincount(first, rate * (np.minimum(end, first + 1) - start), hours + 1)
    longer = last > first
    out += np.bincount(last[longer], (rate * (end - last))[longer], hours + 1)
    begun = np.bincount(first[longer] + 1, rate[longer], hours + 2)
    ended = np.bincount(last[longer], rate[longer], hours + 2)
    whole: NDArray[Any] = np.cumsum(begun - ended)[: hours + 1]
    # A running sum of thousands of starts and ends leaves dust where nothing runs.
    whole[np.abs(whole) < 1e-9 * max(1.0, float(np.abs(rate).sum()))] = 0.0
    result: NDArray[np.float64] = (out + whole)[:hours]
    return result
