"""A plain CSV: one row a job, or one row an hour."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from rackrent.errors import nearest
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.usage.complaints import refusal
from rackrent.usage.model import HOURLY, JOBS, Reading, shaped
from rackrent.usage.times import lacks_offset, moment
from rackrent.usage.tres import named

JOB_COLUMNS = ("job", "submitted", "eligible", "started", "ended", "hours", "gpus", "gpucores", "gpu", "pool", "account", "person", "gpu_hours_used")  # fmt: skip
HOUR_COLUMNS = ("hour", "gpus_in_use", "pool", "gpu", "gpu_hours_paid", "gpu_hours_used", "billed_usd", "effective_usd")  # fmt: skip
NUMBERS = ("hours", "gpus", "gpucores", "gpus_in_use", "gpu_hours_paid", "gpu_hours_used", "billed_usd", "effective_usd")  # fmt: skip
KNOWN = tuple(dict.fromkeys((*JOB_COLUMNS, *HOUR_COLUMNS)))


def read(raw: bytes, source: str, zone: str, columns: Mapping[str, str]) -> Reading:
    """Read jobs (started, gpus, and ended or hours) or hours (hour, gpus_in_use). `columns` maps these names to the
    file's own. `gpucores` is a share of one GPU in percent, as HAMi writes it. Raises BadInput naming what is missing."""
    try:
        frame = pl.read_csv(io.BytesIO(raw), infer_schema=False, encoding="utf8-lossy")
    except pl.exceptions.PolarsError:
        raise refusal(source, _("this is no CSV: its rows have different numbers of fields")) from None
    frame = _renamed(frame, source, columns)
    local = lacks_offset(frame, "hour", "submitted", "eligible", "started", "ended")
    if "hour" in frame.columns and "gpus_in_use" in frame.columns:
        return replace(_hours(frame, source, zone), local_times=local)
    if {"started", "gpus"} <= set(frame.columns) and {"ended", "hours"} & set(frame.columns):
        return replace(_jobs(frame, source, zone), local_times=local)
    raise refusal(
        source,
        _(
            "a plain CSV needs the columns started, gpus and ended (or hours), or hour and gpus_in_use; it has {have}; "
            "say which is which with --column gpus=NAME"
        ).format(have=", ".join(frame.columns[:12])),
    )


def _renamed(frame: pl.DataFrame, source: str, columns: Mapping[str, str]) -> pl.DataFrame:
    for ours, theirs in columns.items():
        if ours not in KNOWN:
            raise refusal(
                source,
                _("{name} is no column of ours; they are {known}").format(
                    name=repr(ours), known=", ".join(KNOWN)
                ),
            )
        if theirs not in frame.columns:
            close = nearest(theirs, frame.columns) or frame.columns[:12]
            raise refusal(
                source,
                _("column {name} is missing; it has {have}").format(name=repr(theirs), have=", ".join(close)),
            )
    if "hour_utc" in frame.columns and "hour" not in columns:
        frame = frame.rename({"hour_utc": "hour"}).with_columns(hour=pl.col("hour").str.replace(r"Z?$", "Z"))
    back = {theirs: ours for ours, theirs in columns.items()}
    frame = frame.drop([c for c in back.values() if c in frame.columns and c not in back])
    return frame.rename(back)


MOST = 1e9
"""No hour or bill of one row holds more; what does is as unreadable as words (and so is "nan")."""


def _numbers(frame: pl.DataFrame) -> pl.DataFrame:
    figures = {
        n: pl.col(n).str.strip_chars().cast(pl.Float64, strict=False) for n in NUMBERS if n in frame.columns
    }
    return frame.with_columns(
        pl.when(figure.is_finite() & (figure.abs() <= MOST)).then(figure).alias(name)
        for name, figure in figures.items()
    )


def _left_out(all_rows: int, good: int) -> tuple[str, ...]:
    if not (bad := all_rows - good):
        return ()
    return (
        ngettext("{n} row has a time or a number that cannot be read, or is negative, and is left out", "{n} rows have a time or a number that cannot be read, or is negative, and are left out", bad)
        .format(n=bad),
    )  # fmt: skip


def _jobs(frame: pl.DataFrame, source: str, zone: str) -> Reading:
    rows = _numbers(frame).with_columns(
        moment(pl.col(name), zone).alias(name)
        for name in ("submitted", "eligible", "started", "ended")
        if name in frame.columns
    )
    if "hours" in rows.columns:
        end = pl.col("started") + pl.duration(microseconds=(pl.col("hours") * 3.6e9).cast(pl.Int64))
        rows = rows.with_columns(ended=end)
    if "gpucores" in rows.columns:
        share = pl.when(pl.col("gpucores") > 0).then(pl.col("gpucores") / 100).otherwise(1.0)
        rows = rows.with_columns(gpus=pl.col("gpus") * share.fill_null(1.0))
    good = rows.filter((pl.col("ended") >= pl.col("started")) & (pl.col("gpus") >= 0))
    held = good.filter((pl.col("ended") > pl.col("started")) & (pl.col("gpus") > 0))
    hours = (pl.col("ended") - pl.col("started")).dt.total_microseconds() / 3.6e9
    held = held.with_columns(gpu_hours=pl.col("gpus") * hours, source=pl.lit(source))
    if "job" not in held.columns:
        held = held.with_row_index("job").with_columns(job=pl.format(f"{source}:{{}}", pl.col("job") + 1))
    if "gpu" in held.columns:
        held = held.with_columns(gpu=named(held["gpu"]))
    return Reading(
        source, "csv", shaped(held, JOBS), warnings=_left_out(rows.height, good.height),
        unreadable=rows.height - good.height,
    )  # fmt: skip


def _hours(frame: pl.DataFrame, source: str, zone: str) -> Reading:
    keys = [name for name in ("hour", "pool", "gpu") if name in frame.columns]
    # The hour that clocks pass twice is written twice: the second is the later one.
    again = pl.struct(keys).cum_count().over(keys) == 2
    first, second = moment(pl.col("hour"), zone), moment(pl.col("hour"), zone, late=True)
    rows = _numbers(frame).with_columns(
        hour_utc=pl.when(again).then(second).otherwise(first).dt.truncate("1h")
    )
    good = rows.filter(pl.col("hour_utc").is_not_null() & (pl.col("gpus_in_use") >= 0))
    if "gpu" in good.columns:
        good = good.with_columns(gpu=named(good["gpu"]))
    hourly = shaped(good.with_columns(source=pl.lit(source)), HOURLY)
    twice = hourly.filter(pl.struct("hour_utc", "pool", "gpu").is_duplicated())
    if twice.height:
        raise refusal(
            source,
            _(
                "hour {hour} appears more than once; name the column that tells its rows apart, such as --column pool=NAME"
            ).format(hour=f"{twice['hour_utc'][0]:%Y-%m-%d %H:%M}"),
        )
    return Reading(
        source, "csv", hourly=hourly, warnings=_left_out(rows.height, good.height),
        unreadable=rows.height - good.height,
    )  # fmt: skip
