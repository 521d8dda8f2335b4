"""Read usage files, whatever they are, into one `Usage`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.usage.capacity import with_capacity
from rackrent.usage.hours import per_hour
from rackrent.usage.model import CHARGES, HOURLY, JOBS, Reading, Usage, Window, shaped
from rackrent.usage.pseudonyms import pseudonymised
from rackrent.usage.sniff import FORMATS, read_files
from rackrent.usage.times import zone_of

Paths = str | Path | Iterable[str | Path]


def load(
    paths: Paths,
    format: str | None = None,
    timezone: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    capacity: Mapping[str, float] | None = None,
    window: Window | None = None,
    pseudonymise: bool = False,
) -> Usage:
    """Read what was really used from one or more files. Overlapping dumps count once.

    `format` names the format of all files (a word of FORMATS); without it each file is looked at. `timezone` is
    that of times written without an offset ("Europe/Berlin"); without it they are taken as UTC, with a warning.
    `columns` maps our names to those of a plain CSV ({"started": "begin"}). `capacity` is the GPUs that stand in a
    pool, which are paid whether used or not. `window` clips everything to [start, end), None where it is open: jobs
    that a dump returns whole because they overlap its own window would be counted in two months. `pseudonymise`
    replaces the names of people, accounts and jobs, the same name by the same pseudonym.

    Raises BadInput in one sentence where a file cannot be read at all; single rows that cannot be are
    counted in `rows_unreadable` and told in `warnings`.
    """
    files = [Path(p) for p in ([paths] if isinstance(paths, str | Path) else paths)]
    if not files:
        raise BadInput(_("no usage file is given"))
    if format is not None and format not in FORMATS:
        raise BadInput(
            _("there is no format {name}; it is one of {known}").format(
                name=repr(format), known=", ".join(FORMATS)
            )
        )
    zone = zone_of(timezone)
    said: list[str] = []
    readings = read_files(_distinct(files, said), format, zone, columns or {})
    if columns and not any(r.format == "csv" for r in readings):
        raise BadInput(
            _("--column names columns of a plain CSV, and none of these files is one ({files})").format(
                files=", ".join(f"{r.source}: {r.format}" for r in readings)
            )
        )
    if timezone is None and any(r.local_times for r in readings):
        said.append(_("times without an offset are taken as UTC; say --timezone if they are local"))
    for r in readings:
        told = (
            list(r.warnings)
            if r.format == "rackrent"
            else [_("{file}: {said}").format(file=r.source, said=w) for w in r.warnings]
        )
        said += told
    if pseudonymise:
        readings = pseudonymised(readings)
    return _together(readings, said, capacity or {}, window)


def _distinct(files: list[Path], said: list[str]) -> list[Path]:
    """Leave out a file given twice."""
    kept: dict[Path, Path] = {}
    for path in files:
        if kept.setdefault(path.resolve(), path) is not path:
            said.append(_("{file} is given twice and counted once").format(file=path))
    return list(kept.values())


def _together(
    readings: list[Reading],
    said: list[str],
    capacity: Mapping[str, float],
    window: Window | None,
) -> Usage:
    jobs = pl.concat(
        [r.jobs.with_columns(hours_given=pl.lit(r.hours_given), file=pl.lit(r.source)) for r in readings]
    )
    once = _once(jobs)
    _check_given(jobs)
    if twice := jobs.height - once.height:
        said.append(
            ngettext("{n} job is in more than one dump and counted once", "{n} jobs are in more than one dump and counted once", twice)
            .format(n=f"{twice:,}")
        )  # fmt: skip
    jobs = _clipped(once, window)
    unknown = jobs.filter(pl.col("gpus").is_null())
    if unknown.height:
        hours = float((unknown["ended"] - unknown["started"]).dt.total_seconds().sum()) / 3600
        said.append(
            ngettext(
                "{n} job ({hours:,.1f} h) ran in a GPU pool without saying how many GPUs it held: its GPU-hours are unknown and not in the sums",
                "{n} jobs ({hours:,.1f} h) ran in a GPU pool without saying how many GPUs they held: their GPU-hours are unknown and not in the sums",
                unknown.height,
            ).format(n=unknown.height, hours=hours)
        )  # fmt: skip
    # Hours without the jobs or charges they are made of are all that was in use in a pool.
    of_pools = [
        r.format in ("csv", "rackrent") and r.jobs.is_empty() and r.charges.is_empty() for r in readings
    ]
    given = _hours_once([r.hourly for r, whole in zip(readings, of_pools, strict=True) if whole], said)
    given += [r.hourly for r, whole in zip(readings, of_pools, strict=True) if not whole]
    hourly = pl.concat([_hourly(jobs), *(_in_window(hours, window) for hours in given)])
    hourly = with_capacity(hourly, capacity, window)
    formats = tuple((r.source, r.format) for r in readings)
    charges = pl.concat([r.charges for r in readings])
    if window is not None and charges.height:
        said.append(_("the money of bills is not clipped to the window; their hours are"))
    return Usage(
        shaped(jobs, JOBS).sort("started", "job"),
        hourly.sort("hour_utc", "pool", "gpu", "source"),
        shaped(charges, CHARGES),
        tuple(dict.fromkeys(said)),
        formats,
        sum(r.unreadable for r in readings),
    )


def _hours_once(given: list[pl.DataFrame], said: list[str]) -> list[pl.DataFrame]:
    """Hours that two files give alike count once; hours on which they differ are refused: nobody can tell whether they
    are of two clusters or one of them is wrong."""
    if len(given) < 2:
        return given
    keys = ["hour_utc", "pool", "gpu"]
    both = pl.concat(given)
    figures = [c for c in both.columns if c != "source"]
    once = both.unique(figures, keep="first", maintain_order=True)
    unlike = once.filter(pl.struct(keys).is_duplicated()).sort("hour_utc")
    if unlike.height:
        hour, pool = unlike["hour_utc"][0], unlike["pool"][0]
        first, other = sorted(
            unlike.filter((pl.col("hour_utc") == hour) & pl.col("pool").eq_missing(pool))["source"]
        )[:2]
        raise BadInput(
            _("{first} and {other} differ on the hour {hour} of the same pool; give each pool a name of its own in a column pool, or only one of the files").format(
                first=first, other=other, hour=f"{hour:%Y-%m-%d %H:%M}"
            )
        )  # fmt: skip
    if twice := both.height - once.height:
        said.append(
            ngettext("{n} hour is in more than one file and counted once", "{n} hours are in more than one file and counted once", twice)
            .format(n=f"{twice:,}")
        )  # fmt: skip
    return [once]


def _check_given(jobs: pl.DataFrame) -> None:
    """Hours that came with their file cannot be taken back where another file has the same job."""
    by_job = jobs.group_by("job", "started").agg(
        pl.len(), pl.col("hours_given").any(), pl.col("file").unique()
    )
    both = by_job.filter((pl.col("len") > 1) & pl.col("hours_given") & (pl.col("file").list.len() > 1))
    if both.height:
        first, other = sorted(both["file"][0])[:2]
        raise BadInput(
            _(
                "{first} and {other} hold the same jobs; give only one of them, or the dumps that they were made from"
            ).format(first=first, other=other)
        )


def _once(jobs: pl.DataFrame) -> pl.DataFrame:
    """One row per attempt: a requeued job has several, told apart by their start. Of a job that was still running
    in an earlier dump the longest reading is kept."""
    if not jobs.select("job", "started").is_duplicated().any():
        return jobs
    return jobs.sort("ended").unique(["job", "started"], keep="last", maintain_order=True)


def _clipped(jobs: pl.DataFrame, window: Window | None) -> pl.DataFrame:
    if window is None:
        return jobs
    start, end = window
    seconds = (pl.col("ended") - pl.col("started")).dt.total_microseconds()
    inside = jobs.with_columns(whole=seconds).with_columns(
        # Of a job cut at its start the wait is of another window.
        *(pl.when(pl.col("started") >= start).then(c).alias(c) for c in ("submitted", "eligible") if start),
        started=pl.max_horizontal("started", pl.lit(start, JOBS["started"])),
        ended=pl.min_horizontal("ended", pl.lit(end, JOBS["ended"])),
    )
    share = seconds / pl.col("whole")
    return (
        inside.filter(pl.col("ended") > pl.col("started"))
        .with_columns(gpu_hours=pl.col("gpu_hours") * share, gpu_hours_used=pl.col("gpu_hours_used") * share)
        .drop("whole")
    )


def _in_window(hourly: pl.DataFrame, window: Window | None) -> pl.DataFrame:
    if window is None:
        return hourly
    start, end = window
    after = pl.lit(True) if start is None else pl.col("hour_utc") >= start
    before = pl.lit(True) if end is None else pl.col("hour_utc") < end
    return hourly.filter(after & before)


def _hourly(jobs: pl.DataFrame) -> pl.DataFrame:
    """The hours of jobs. What is paid is known only where the capacity is."""
    known = jobs.filter(
        ~pl.col("hours_given") & pl.col("gpus").is_not_null() & (pl.col("ended") > pl.col("started"))
    )
    out = []
    for (source,), rows in known.group_by("source", maintain_order=True):
        amounts = {"gpus_in_use": "gpu_hours", "gpu_hours_used": "gpu_hours_used"}
        out.append(per_hour(rows, amounts).with_columns(source=pl.lit(source)))
    return shaped(pl.concat(out) if out else pl.DataFrame(), HOURLY)
