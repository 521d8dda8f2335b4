"""How long jobs wait now, and how long they would on the machines of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.planning.replay import Node, Replay, replay
from rackrent.usage.waits import with_wait


@dataclass(frozen=True)
class Spread:
    """Half of the jobs wait no longer than `median_hours`, nine of ten no longer than `p90_hours`."""

    median_hours: float
    p90_hours: float


@dataclass(frozen=True)
class Wait:
    """The wait of the jobs of one pool that need `gpus` at once: now, on the plan, and if it rented nothing.

    `alone` is None where a job would never start without renting; `rented_share` the share of the jobs' GPU-hours that
    would run on rented machines.
    """

    pool: str
    gpus: float
    jobs: int
    now: Spread
    planned: Spread
    alone: Spread | None
    rented_share: float


@dataclass(frozen=True)
class Queues:
    """Waits by pool and gang size, and over all jobs; `month` is the month of the plan whose machines they run on."""

    by_gang: tuple[Wait, ...]
    overall: Wait
    month: int
    startup_hours: float


def queues_of(
    jobs: pl.DataFrame, nodes: dict[str, Sequence[Node]], *, month: int, startup_hours: float
) -> Queues | None:
    """Return the waits of `jobs` (columns of `usage.model.JOBS`; `pool` a key of `nodes`); None without a known wait.

    Each pool is run again on its nodes, once with whatever does not fit rented and once without.
    """
    known = with_wait(jobs).filter(
        pl.col("wait_hours").is_not_null() & (pl.col("gpus") > 0) & (pl.col("ended") > pl.col("started"))
    )
    known = known.filter(pl.col("pool").is_in(list(nodes)))
    if known.is_empty():
        return None
    known = known.with_columns(
        arrived=pl.coalesce("eligible", "submitted").dt.epoch("us") / 3.6e9,
        hours=(pl.col("ended") - pl.col("started")).dt.total_microseconds() / 3.6e9,
    ).sort("arrived", "job")
    runs = []
    for (pool,), rows in known.group_by("pool", maintain_order=True):
        arrived, hours, gpus = (rows[c].to_numpy() for c in ("arrived", "hours", "gpus"))
        planned = replay(arrived, hours, gpus, nodes[str(pool)], rented_after=startup_hours)
        alone = replay(arrived, hours, gpus, nodes[str(pool)])
        runs.append(_with(rows, planned, alone))
    ran = pl.concat(runs)
    waits = [
        _wait(str(pool), float(gang), rows)
        for (pool, gang), rows in ran.sort("pool", "gpus").group_by("pool", "gpus", maintain_order=True)
    ]
    return Queues(tuple(waits), _wait("", 0.0, ran), month, startup_hours)


def _with(rows: pl.DataFrame, planned: Replay, alone: Replay) -> pl.DataFrame:
    return rows.select("pool", "gpus", "wait_hours", work=pl.col("gpus") * pl.col("hours")).with_columns(
        planned=pl.Series(planned.wait_hours), rented=pl.Series(planned.rented), alone=pl.Series(alone.wait_hours)
    )  # fmt: skip


def _wait(pool: str, gang: float, rows: pl.DataFrame) -> Wait:
    alone = rows["alone"].to_numpy()
    work = rows["work"].to_numpy()
    return Wait(
        pool, gang, rows.height, _spread(rows["wait_hours"].to_numpy()), _spread(rows["planned"].to_numpy()),
        None if np.isnan(alone).any() else _spread(alone),
        float(work[rows["rented"].to_numpy()].sum() / work.sum()),
    )  # fmt: skip


def _spread(hours: NDArray[np.float64]) -> Spread:
    return Spread(float(np.median(hours)), float(np.quantile(hours, 0.9)))
