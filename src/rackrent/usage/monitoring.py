"""GPU metrics of DCGM's exporter: a Prometheus range query, or scrapes with timestamps."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl

from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.usage.complaints import parsed_json, refusal
from rackrent.usage.model import HOURLY, JOBS, UTC_TIME, Reading, shaped
from rackrent.usage.tres import named

ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
UTILISATION = "DCGM_FI_DEV_GPU_UTIL"
ACTIVE_FROM = 0.01
"""Share of a sample from which a GPU counts as in use."""
SLICES = 7.0
"""Compute slices of a GPU that MIG can cut."""
LABELS = {
    "uuid": ("UUID", "uuid"), "gpu": ("modelName",), "host": ("Hostname", "hostname", "instance"), "index": ("gpu",),
    "mig": ("GPU_I_ID",), "profile": ("GPU_I_PROFILE",), "pod": ("exported_pod", "pod"),
    "account": ("exported_namespace", "namespace"), "pool": ("cluster", "pool"),
}  # fmt: skip
"""What we take from the labels of a series, by the first that is there."""

Sample = tuple[Any, ...]


def read(raw: bytes, source: str, kind: str) -> Reading:
    """Read samples of GPU activity. A GPU that is watched is paid; it is in use while it does anything.

    On a GPU cut by MIG only the engine's activity exists, by instance: its share of the GPU is its slices of seven.
    A GPU shared by time slicing appears once for each of its pods: it is still one GPU. Raises BadInput.
    """
    if raw.lstrip()[:1] in (b"{", b"["):
        rows, bad = _from_query(raw, source)
    else:
        rows, bad = _from_scrapes(raw.decode("utf-8", "replace"), source)
    names = ["time", "metric", "value", *LABELS]
    schema = dict.fromkeys(names, pl.String) | {"time": pl.Float64, "value": pl.Float64}
    samples = pl.DataFrame(rows, schema=schema, orient="row")
    known = samples.filter(
        (pl.col("metric").is_in([ENGINE, UTILISATION])) & pl.col("value").is_between(0, 100)
    )
    if known.is_empty():
        raise refusal(
            source, _("no sample of {one} or {other} is in it").format(one=ENGINE, other=UTILISATION)
        )
    return _reading(known, source, "prometheus" if kind == "prometheus" else "dcgm", bad)


def _reading(known: pl.DataFrame, source: str, format: str, bad: int) -> Reading:
    card = pl.coalesce(pl.col("uuid"), pl.concat_str("host", "index", separator="/"))
    activity = pl.when(pl.col("metric") == ENGINE).then("value").otherwise(pl.col("value") / 100)
    rows = known.with_columns(
        card=card, activity=activity.clip(0, 1), mig=pl.col("mig").replace("", None),
        pool=pl.coalesce("pool", "host", pl.lit("gpus")),
    )  # fmt: skip
    said = []
    # GPU_UTIL does not exist on MIG, and where both are there the engine's activity is the finer measure.
    rows = rows.filter(pl.col("mig").is_null() | (pl.col("metric") == ENGINE))
    with_engine = pl.col("card").is_in(rows.filter(pl.col("metric") == ENGINE)["card"].unique().implode())
    rows = rows.filter(~with_engine | (pl.col("metric") == ENGINE))
    slices = pl.col("profile").str.extract(r"^(\d)g").cast(pl.Float64) / SLICES
    rows = rows.with_columns(share=pl.when(pl.col("mig").is_null()).then(1.0).otherwise(slices))
    unsaid = rows.filter(pl.col("share").is_null())
    if unsaid.height:
        n = unsaid["card"].n_unique()
        said.append(
            ngettext("{n} GPU cut by MIG does not say its profile: its activity is unknown", "{n} GPUs cut by MIG do not say their profile: their activity is unknown", n).format(n=n)
        )  # fmt: skip
    one = rows.group_by("card", "mig", "time").agg(
        pl.col("activity").max(),
        pl.col("share").first(),
        pl.col("pool").first(),
        pl.col("gpu").drop_nulls().first(),
    )
    whole = one.group_by("card", "time").agg(
        (pl.col("activity") * pl.col("share")).sum().alias("used"),
        pl.when(pl.col("activity") >= ACTIVE_FROM).then("share").otherwise(0.0).sum().alias("in_use"),
        pl.col("share").is_null().any().alias("unknown"), pl.col("pool").first(), pl.col("gpu").drop_nulls().first(),
    ).sort("card", "time")  # fmt: skip
    step = _step(whole)
    whole = whole.with_columns(hour_utc=pl.from_epoch((pl.col("time") * 1e6).cast(pl.Int64), time_unit="us").dt.replace_time_zone("UTC").dt.truncate("1h"))  # fmt: skip
    paid = (pl.len() * step / 3600).clip(upper_bound=1.0)
    seen = ~pl.col("unknown").any()
    by_card = whole.group_by("hour_utc", "card", "pool", "gpu").agg(
        gpu_hours_paid=paid,
        gpus_in_use=pl.when(seen).then(pl.col("in_use").mean().clip(upper_bound=1.0) * paid),
        gpu_hours_used=pl.when(seen).then(pl.col("used").mean().clip(upper_bound=1.0) * paid),
    )
    by_card = by_card.with_columns(gpu=named(by_card["gpu"]))
    sums = [pl.when(pl.col(c).null_count() == 0).then(pl.col(c).sum()).alias(c) for c in ("gpu_hours_paid", "gpus_in_use", "gpu_hours_used")]  # fmt: skip
    hourly = by_card.group_by("hour_utc", "pool", "gpu").agg(sums).with_columns(source=pl.lit(source))
    if bad:
        said.append(
            ngettext("{n} sample could not be read", "{n} samples could not be read", bad).format(n=bad)
        )
    return Reading(
        source, format, jobs=_pods(rows, step, source), hourly=shaped(hourly, HOURLY), warnings=tuple(said),
        unreadable=bad, hours_given=True,
    )  # fmt: skip


def _step(whole: pl.DataFrame) -> float:
    """Seconds between two samples of one GPU: the median, one hour where each has only one."""
    gaps = whole.select(pl.col("time").diff().over("card")).to_series().drop_nulls()
    median = gaps.median() if len(gaps) else None
    return float(median) if isinstance(median, int | float) and median > 0 else 3600.0


def _pods(rows: pl.DataFrame, step: float, source: str) -> pl.DataFrame:
    """What each pod held: its GPUs, from its first to its last sample. A share of a GPU is that share."""
    pods = rows.filter(pl.col("pod").is_not_null() & (pl.col("pod") != "") & pl.col("share").is_not_null())
    if pods.is_empty():
        return shaped(pods, JOBS).clear()
    sharers = pods.group_by("card", "mig", "time").agg(pl.len().alias("sharers"))
    pods = pods.join(sharers, on=["card", "mig", "time"], nulls_equal=True)
    one = pods.group_by("account", "pod", "pool", "time").agg(
        held=(pl.col("share") / pl.col("sharers")).sum(),
        used=(pl.col("activity") * pl.col("share") / pl.col("sharers")).sum(),
        gpu=pl.col("gpu").drop_nulls().first(),
    )
    jobs = one.group_by("account", "pod", "pool").agg(
        started=pl.from_epoch((pl.col("time").min() * 1e6).cast(pl.Int64), time_unit="us").dt.replace_time_zone("UTC"),
        ended=pl.from_epoch(((pl.col("time").max() + step) * 1e6).cast(pl.Int64), time_unit="us").dt.replace_time_zone("UTC"),
        gpus=pl.col("held").max(),
        gpu=pl.col("gpu").drop_nulls().first(),
        gpu_hours=pl.col("held").sum() * step / 3600,
        gpu_hours_used=pl.col("used").sum() * step / 3600,
    )  # fmt: skip
    jobs = jobs.with_columns(
        job=pl.concat_str("account", "pod", separator="/", ignore_nulls=True),
        source=pl.lit(source),
        gpu=named(jobs["gpu"]),
    )
    return shaped(jobs.cast({"started": UTC_TIME, "ended": UTC_TIME}), JOBS)


def _labels(labels: dict[str, str]) -> list[str | None]:
    return [next((labels[n] for n in names if labels.get(n)), None) for names in LABELS.values()]


def _from_query(raw: bytes, source: str) -> tuple[list[Sample], int]:
    answer = parsed_json(raw, source)
    try:
        series = answer["data"]["result"]  # type: ignore[index]
        rows: list[Sample] = []
        bad = 0
        for one in series:
            labels = _labels(one["metric"])
            for time, value in one["values"] if "values" in one else [one["value"]]:
                try:
                    rows.append((float(time), one["metric"].get("__name__", ENGINE), float(value), *labels))
                except (TypeError, ValueError):
                    bad += 1
    except (KeyError, TypeError, ValueError):
        raise refusal(
            source,
            _("this is no answer of Prometheus to a query: it needs data.result with metric and values"),
        ) from None
    return rows, bad


def _from_scrapes(text: str, source: str) -> tuple[list[Sample], int]:
    rows: list[Sample] = []
    bad = untimed = 0
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = re.match(r"(\w+)\{(.*)\}\s+(\S+)(?:\s+(\d+))?\s*$", line)
        if not found:
            bad += 1
        elif not found[4]:
            untimed += found[1] in (ENGINE, UTILISATION)
        else:
            labels = {k: json.loads(f'"{v}"') for k, v in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2])}
            try:
                rows.append((int(found[4]) / 1000, found[1], float(found[3]), *_labels(labels)))
            except ValueError:
                bad += 1
    if untimed and not rows:
        raise refusal(
            source,
            _("its samples have no timestamps; ask Prometheus for a range (query_range) of {metric}").format(
                metric=ENGINE
            ),
        )
    return rows, bad + untimed
