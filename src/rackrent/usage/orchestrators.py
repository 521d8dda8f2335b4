"""What SkyPilot and dstack say they ran: rented machines, from launch to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import polars as pl

from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.usage.complaints import parsed_json, refusal
from rackrent.usage.hours import per_hour
from rackrent.usage.model import CHARGES, HOURLY, JOBS, Reading, shaped
from rackrent.usage.times import epoch
from rackrent.usage.tres import named

COLUMNS = {
    "job": pl.String, "submitted": pl.Float64, "started": pl.Float64, "ended": pl.Float64, "gpus": pl.Float64,
    "gpu": pl.String, "pool": pl.String, "account": pl.String, "person": pl.String, "usd": pl.Float64,
}  # fmt: skip
Row = tuple[Any, ...]


def read(raw: bytes, source: str, kind: str) -> Reading:
    """Read SkyPilot's cost report (`sky.cost_report()` as JSON) or dstack's runs (`dstack ps --all --json`).

    Times are seconds since 1970 or carry their offset. A machine that still runs is left out and counted: the file
    does not say until when. Raises BadInput.
    """
    value = parsed_json(raw, source)
    items = value
    for key in ("runs", "clusters", "data"):
        if isinstance(items, dict) and key in items:
            items = items[key]
    if not isinstance(items, list):
        raise refusal(source, _("a list of clusters or runs is expected"))
    rows_of: Callable[[dict[str, Any]], Iterator[Row]] = _skypilot if kind == "skypilot" else _dstack
    rows: list[Row] = []
    bad = 0
    for item in items:
        try:
            rows += rows_of(item)
        except (KeyError, TypeError, ValueError, AttributeError):
            bad += 1
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    if frame.is_empty() and bad:
        raise refusal(source, _("none of its entries can be read as {kind}").format(kind=kind))
    return _reading(frame, source, kind, bad)


def _reading(frame: pl.DataFrame, source: str, kind: str, bad: int) -> Reading:
    said = []
    if bad:
        said.append(
            ngettext("{n} entry could not be read", "{n} entries could not be read", bad).format(n=bad)
        )
    running = frame.filter(pl.col("ended").is_null())
    if running.height:
        said.append(
            ngettext("{n} machine still runs; the file does not say until when, and it is left out", "{n} machines still run; the file does not say until when, and they are left out", running.height)
            .format(n=running.height)
        )  # fmt: skip
    done = frame.filter((pl.col("ended") > pl.col("started")) & (pl.col("gpus") > 0))
    jobs = done.with_columns(
        gpu_hours=pl.col("gpus") * (pl.col("ended") - pl.col("started")) / 3600,
        submitted=epoch(pl.col("submitted")), started=epoch(pl.col("started")), ended=epoch(pl.col("ended")),
        gpu=named(done["gpu"]), source=pl.lit(source),
    )  # fmt: skip
    amounts = {
        "gpus_in_use": "gpu_hours",
        "gpu_hours_paid": "gpu_hours",
        "billed_usd": "usd",
        "effective_usd": "usd",
    }
    hourly = per_hour(jobs, amounts).with_columns(source=pl.lit(source))
    charges = jobs.group_by("account", "pool", "gpu", maintain_order=True).agg(
        rows=pl.len(), gpu_hours=pl.col("gpu_hours").sum(), billed=_sum_known("usd")
    )
    charges = charges.with_columns(
        source=pl.lit(source), kind=pl.lit("usage"), currency=pl.lit("USD"), billed_usd="billed",
        effective_usd="billed", effective_as_given_usd="billed",
    )  # fmt: skip
    return Reading(
        source, kind, shaped(jobs, JOBS), shaped(hourly, HOURLY), shaped(charges, CHARGES), tuple(said), bad, hours_given=True
    )  # fmt: skip


def _sum_known(column: str) -> pl.Expr:
    return pl.when(pl.col(column).null_count() == 0).then(pl.col(column).sum())


def _skypilot(item: dict[str, Any]) -> Iterator[Row]:
    """One row per interval of use. The cost of a cluster is shared out by time."""
    nodes = float(item.get("num_nodes") or 1)
    gpu, gpus = _accelerators(item)
    spans = item.get("usage_intervals") or [[item["launched_at"], item["launched_at"] + item["duration"]]]
    whole = sum(float(end) - float(start) for start, end in spans if end is not None)
    cost = item.get("total_cost", item.get("cost"))
    for n, (start, end) in enumerate(spans):
        usd = None
        if isinstance(cost, int | float) and end is not None and whole > 0:
            usd = float(cost) * (float(end) - float(start)) / whole
        yield (
            f"{item['name']}/{n}", None, float(start), None if end is None else float(end), gpus * nodes, gpu,
            item.get("cloud") or "skypilot", item.get("workspace"), item.get("user_name") or item.get("user_hash"), usd,
        )  # fmt: skip


def _accelerators(item: dict[str, Any]) -> tuple[str | None, float]:
    resources = item.get("resources")
    held = resources.get("accelerators") if isinstance(resources, dict) else item.get("accelerators")
    if isinstance(held, str):
        name, _colon, count = held.partition(":")
        held = {name: float(count or 1)}
    if not held:
        return None, 0.0
    ((name, count),) = held.items()
    return str(name), float(count)


def _dstack(run: dict[str, Any]) -> Iterator[Row]:
    for job in run["jobs"]:
        for n, sub in enumerate(job["job_submissions"]):
            machine = sub.get("job_provisioning_data")
            if not machine:
                continue
            cards = machine["instance_type"]["resources"]["gpus"]
            start, end = _seconds(sub["submitted_at"]), _seconds(sub.get("finished_at"))
            usd = None if end is None or start is None else float(machine["price"]) * (end - start) / 3600
            yield (
                f"{run['id']}/{job.get('job_spec', {}).get('job_num', 0)}/{n}", start, start, end, float(len(cards)),
                cards[0]["name"] if cards else None, machine["backend"], run.get("project_name"), run.get("user"), usd,
            )  # fmt: skip


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    return datetime.fromisoformat(text).timestamp()
