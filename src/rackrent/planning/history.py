"""From hours of use to pools of demand: which hours are known, how large the jobs are, what stands for the future."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.supply import HOURS
from rackrent.usage.model import CHARGES, HOURLY, JOBS, Usage, empty, shaped
from rackrent.usage.waits import busy_pools

HOURS_OF_A_WEEK = 168
UNNAMED = "all"


class Used(Protocol):
    """What is read of a usage: hours (hour_utc, pool, gpu, gpus_in_use; effective_usd) and jobs (pool, gpu, gpus)."""

    @property
    def hourly(self) -> pl.DataFrame:
        """Return one row per hour, pool and GPU."""

    @property
    def jobs(self) -> pl.DataFrame:
        """Return one row per job."""

    @property
    def warnings(self) -> Sequence[str]:
        """Return what a reader of the figures should know: rows that could not be read, demand that is hidden."""


@dataclass(frozen=True)
class PastPool:
    """GPUs in use by the hour over the whole window, on one kind of GPU.

    `gang` GPUs is its largest job; 1 where nobody says (`gang_known`).
    """

    name: str
    gpu: str
    gpus: NDArray[np.float64]
    gang: int
    gang_known: bool = True

    @property
    def key(self) -> str:
        """Return what tells it from the other pools: two kinds of GPU may stand in one of the same name."""
        return _key(self.name, self.gpu)


@dataclass(frozen=True)
class History:
    """The pools of a usage over one window. `paid_usd` is what it cost; None where a bill does not say for all.

    `jobs` are those of these pools (columns of `usage.model.JOBS`, `pool` the key of a pool); `censored` says of which
    pools the hours hide demand; `gpu_named_in_vain` that a GPU was named for hours that all say theirs.
    """

    pools: tuple[PastPool, ...]
    first: datetime
    hours: int
    paid_usd: float | None
    jobs: pl.DataFrame
    censored: tuple[str, ...] = ()
    gpu_named_in_vain: bool = False

    def repeated(
        self, pool: PastPool, months: int, *, start: int = 0, end: int | None = None
    ) -> NDArray[np.float64]:
        """Return the hours of a part of the window, over and over for so many months.

        Where there are weeks it is whole weeks that are repeated, so that a Monday follows a Sunday.
        """
        part = pool.gpus[start:end]
        whole = part.size - part.size % HOURS_OF_A_WEEK
        return np.resize(part[:whole] if whole else part, months * HOURS)


def history_of(usage: Used, *, gpu: str | None = None, gang: int | None = None) -> History:
    """Return the history that a plan rests on.

    `gpu` names the GPU of hours that do not say theirs, `gang` the largest job where no jobs are known or to
    override them. Hours of the window without a row had no use; an hour whose use is unknown is refused. Raises
    BadInput.
    """
    hourly = usage.hourly
    if hourly.is_empty():
        why = "; ".join(usage.warnings) or _("no row says when GPUs were in use")
        raise BadInput(_("There is no hour of use in these files to make a plan from: {why}").format(why=why))
    unknown = hourly.filter(pl.col("gpus_in_use").is_null())
    if not unknown.is_empty():
        raise BadInput(
            _("In {n} hours the GPUs in use are unknown: leave the hours or the pool out.").format(
                n=unknown.height
            )
        )
    named = hourly.with_columns(
        pl.col("gpu").fill_null(pl.lit(gpu, dtype=pl.String)), pl.col("pool").fill_null(pl.lit(UNNAMED))
    )
    nameless = named.filter(pl.col("gpu").is_null())
    if not nameless.is_empty():
        raise BadInput(
            _("The files do not say which GPU the pool {pool} has; say it with --gpu.").format(
                pool=repr(nameless["pool"][0])
            )
        )
    jobs = _keyed(shaped(usage.jobs, JOBS), gpu)
    first, last = named["hour_utc"].min(), named["hour_utc"].max()
    assert isinstance(first, datetime) and isinstance(last, datetime)
    hours = int((last - first).total_seconds()) // 3600 + 1
    pools = []
    for (pool, card), rows in named.sort("pool", "gpu").group_by("pool", "gpu", maintain_order=True):
        place = ((rows["hour_utc"] - first).dt.total_seconds() // 3600).to_numpy()
        used = np.zeros(hours)
        np.add.at(used, place, rows["gpus_in_use"].to_numpy())
        if used.max() > 0:
            largest = gang or _largest(jobs, _key(str(pool), str(card)))
            pools.append(PastPool(str(pool), str(card), used, largest or 1, largest is not None))
    if not pools:
        raise BadInput(_("No GPU was in use in these files: there is nothing to plan for."))
    cost = hourly["effective_usd"] if "effective_usd" in hourly.columns else pl.Series([None])
    paid = None if cost.null_count() else float(cost.sum())
    full = Usage(shaped(usage.jobs, JOBS), shaped(hourly, HOURLY), empty(CHARGES))
    censored = tuple(pool.sentence() for pool in busy_pools(full) if pool.censored)
    in_vain = gpu is not None and not hourly["gpu"].null_count()
    return History(tuple(pools), first, hours, paid, jobs, censored, in_vain)


def _key(pool: str, gpu: str) -> str:
    return f"{pool} ({gpu})"


def _keyed(jobs: pl.DataFrame, gpu: str | None) -> pl.DataFrame:
    """The jobs with the key of their pool; null where they do not say their GPU and nobody else does."""
    pool = pl.col("pool").fill_null(UNNAMED)
    card = pl.col("gpu").fill_null(pl.lit(gpu, dtype=pl.String))
    return jobs.with_columns(pool=pl.format("{} ({})", pool, card))


def _largest(jobs: pl.DataFrame, key: str) -> int | None:
    most = jobs.filter(pl.col("pool") == key)["gpus"].max()
    return max(1, int(np.ceil(float(most)))) if isinstance(most, int | float) else None
