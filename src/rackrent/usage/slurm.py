"""Slurm accounting: what `sacct -P` and `sacct --json` print."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import polars as pl

from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.usage.complaints import refusal, unreadable_lines
from rackrent.usage.lines import split_lines
from rackrent.usage.model import JOBS, Reading, shaped
from rackrent.usage.times import NEVER, duration_s, epoch, lacks_offset, moment
from rackrent.usage.tres import gpu_type_of_tres, gpus_of_tres, named

NEEDED = ("JobID", "State", "Start", "Elapsed", "AllocTRES")
ASK = "sacct -aP -o JobIDRaw,JobID,User,Account,Partition,State,Submit,Eligible,Start,End,Elapsed,AllocTRES"
READ = ("JobID", "JobIDRaw", "Cluster", "Submit", "Eligible", "Start", "End", "Elapsed", "AllocTRES", "Partition", "Account", "User")  # fmt: skip


def read_text(raw: bytes, source: str, zone: str) -> Reading:
    """Read `sacct -P`; times without an offset are local in `zone`. Raises BadInput naming a missing column."""
    table = split_lines(raw, "|", (*READ, "State"))
    frame = table.frame
    if "JobID" not in frame.columns and "JobIDRaw" in frame.columns:
        frame = frame.rename({"JobIDRaw": "JobID"})
    lacking = [name for name in NEEDED if name not in frame.columns]
    if lacking:
        raise refusal(
            source,
            _("column {names} is missing; ask for it: {ask}").format(names=", ".join(lacking), ask=ASK),
        )
    steps = pl.col("JobID").str.contains(".", literal=True)
    frame = frame.filter(~steps.fill_null(False))
    frame = frame.select(pl.col(name).fill_null("") for name in READ if name in frame.columns)
    elapsed = duration_s(pl.col("Elapsed"))
    start = moment(pl.col("Start"), zone)
    if zone != "UTC" and "End" in frame.columns:
        # In the hour that clocks pass twice, the end says which pass the start was of.
        later, end = moment(pl.col("Start"), zone, late=True), moment(pl.col("End"), zone, late=True)
        start = pl.when((end - later).dt.total_seconds() == elapsed).then(later).otherwise(start)
    id = "JobIDRaw" if "JobIDRaw" in frame.columns else "JobID"
    tres = pl.col("AllocTRES")
    read = frame.select(
        job=pl.concat_str([pl.col("Cluster"), pl.col(id)], separator="/") if "Cluster" in frame.columns else pl.col(id),
        submitted=_time(frame, "Submit", zone),
        eligible=_time(frame, "Eligible", zone),
        started=start,
        elapsed_s=elapsed,
        never=pl.col("Start").is_in(NEVER),
        gpus=gpus_of_tres(tres),
        gpu=gpu_type_of_tres(tres),
        pool=_word(frame, "Partition"),
        account=_word(frame, "Account"),
        person=_word(frame, "User"),
    )  # fmt: skip
    found = attempts(read, source, "sacct", unreadable_lines(table.bad_lines), len(table.bad_lines))
    return replace(found, local_times=lacks_offset(frame, "Start"))


def read_json(raw: bytes, source: str) -> Reading:
    """Read `sacct --json`, of Slurm 21.08 and of 23 and later. Its times are seconds since 1970."""
    try:
        jobs = json.loads(raw)["jobs"]
    except (ValueError, KeyError, TypeError) as error:
        raise refusal(
            source, _("this is not the whole output of sacct --json ({error})").format(error=error)
        ) from None
    rows, broken = [], 0
    for job in jobs:
        try:
            rows.append(_json_row(job))
        except (KeyError, TypeError, ValueError, AttributeError):
            broken += 1
    schema = {
        "job": pl.String, "submitted": pl.Float64, "eligible": pl.Float64, "started": pl.Float64, "elapsed_s": pl.Float64,
        "gpus": pl.Float64, "gpu": pl.String, "pool": pl.String, "account": pl.String, "person": pl.String,
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(never=pl.col("started") <= 0)
    frame = frame.with_columns(epoch(pl.col(name)) for name in ("submitted", "eligible", "started"))
    said = (
        [ngettext("{n} job could not be read", "{n} jobs could not be read", broken).format(n=broken)]
        if broken
        else []
    )
    return attempts(frame, source, "sacct-json", said, broken)


def attempts(read: pl.DataFrame, source: str, format: str, said: list[str], bad: int) -> Reading:
    """Return the attempts that held GPUs. `read` has the columns of JOBS it knows, `elapsed_s` and `never` (the job
    never started). A job that never started held nothing; one whose times cannot be read is counted."""
    ran = read.filter(~pl.col("never") & (pl.col("elapsed_s").is_null() | (pl.col("elapsed_s") != 0)))
    broken = pl.col("started").is_null() | pl.col("elapsed_s").is_null() | (pl.col("elapsed_s") < 0)
    readable, negative = ran.filter(~broken), ran.filter(pl.col("elapsed_s") < 0).height
    unreadable = ran.height - readable.height
    if negative:
        said.append(
            ngettext("{n} job has a negative elapsed time and is left out", "{n} jobs have a negative elapsed time and are left out", negative)
            .format(n=negative)
        )  # fmt: skip
    if times := unreadable - negative:
        said.append(
            ngettext("{n} job has a start or elapsed time that cannot be read and is left out", "{n} jobs have a start or elapsed time that cannot be read and are left out", times)
            .format(n=times)
        )  # fmt: skip
    unsaid = pl.col("gpus").is_null() & pl.col("pool").str.to_lowercase().str.contains("gpu").fill_null(False)
    held = readable.filter((pl.col("gpus") > 0) | unsaid).with_columns(
        ended=pl.col("started") + pl.duration(microseconds=(pl.col("elapsed_s") * 1e6).cast(pl.Int64)),
        gpu_hours=pl.col("gpus") * pl.col("elapsed_s") / 3600,
        gpu=named(readable.filter((pl.col("gpus") > 0) | unsaid)["gpu"]),
        source=pl.lit(source),
    )
    return Reading(
        source, format, shaped(held, JOBS), warnings=tuple(said), unreadable=unreadable + bad
    )  # fmt: skip


def _time(frame: pl.DataFrame, name: str, zone: str) -> pl.Expr:
    return moment(pl.col(name), zone) if name in frame.columns else pl.lit(None)


def _word(frame: pl.DataFrame, name: str) -> pl.Expr:
    return pl.col(name).replace("", None) if name in frame.columns else pl.lit(None, dtype=pl.String)


def _json_row(job: dict[str, Any]) -> list[Any]:
    time, held = job["time"], job["tres"]["allocated"]
    total, typed = None, {}
    for entry in held:
        kind, name = entry["type"], entry.get("name") or ""
        if kind == "gres" and name == "gpu":
            total = float(_number(entry["count"]))
        elif kind == "gres" and name.startswith("gpu:"):
            typed[name.removeprefix("gpu:")] = float(_number(entry["count"]))
    gpus = total if total is not None else sum(typed.values()) if typed else None
    gpu = next(iter(typed)) if len(typed) == 1 else None
    cluster = job.get("cluster")
    id = str(job["job_id"])
    return [
        f"{cluster}/{id}" if cluster else id,
        *(float(_number(time.get(name, 0))) for name in ("submission", "eligible", "start", "elapsed")),
        gpus, gpu,
        *(job.get(name) or None for name in ("partition", "account", "user")),
    ]  # fmt: skip


def _number(value: Any) -> float:
    """Slurm 21.08 writes a number; 23 and later `{"set": true, "infinite": false, "number": 2880}`."""
    if isinstance(value, dict):
        return float(value["number"]) if value.get("set") and not value.get("infinite") else 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return value
