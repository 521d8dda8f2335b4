"""What was paid and not used, whose it was, and what stopping it would have saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.usage.model import Usage


@dataclass(frozen=True)
class PoolIdle:
    """One pool (its GPUs taken as alike): hours paid, in use, idle; what that cost; what a stop after N idle minutes would have
    saved. Dollars are None where no price is known."""

    pool: str | None
    gpu: str | None
    paid_hours: float
    in_use_hours: float
    idle_hours: float
    stoppable_hours: float
    cost_usd: float | None
    idle_usd: float | None
    saved_usd: float | None


@dataclass(frozen=True)
class PersonIdle:
    """One person (None: nobody is named): GPU-hours held, of which active, of which not."""

    person: str | None
    held_hours: float
    used_hours: float
    idle_hours: float


@dataclass(frozen=True)
class Idle:
    """What was paid and not used. `unknown_hours` are GPU-hours of which nobody knows what stood there beside them."""

    after_minutes: float
    pools: Sequence[PoolIdle]
    people: Sequence[PersonIdle]
    unknown_hours: float

    def to_dict(self) -> dict[str, Any]:
        """Return what `usage idle --json` prints."""
        return {
            "after_minutes": self.after_minutes,
            "idle_hours": sum(p.idle_hours for p in self.pools),
            "saved_hours": sum(p.stoppable_hours for p in self.pools),
            "saved_usd": _all(p.saved_usd for p in self.pools),
            "gpu_hours_of_unknown_capacity": self.unknown_hours,
            "pools": [vars_of(p) for p in self.pools],
            "people": [vars_of(p) for p in self.people],
        }


def idle(usage: Usage, after_minutes: float = 30, usd_per_gpu_hour: float | None = None) -> Idle:
    """Return the hours paid and not in use. `usd_per_gpu_hour` is the price where the files name none.

    The saving takes GPUs as alike within a pool: the n-th GPU of an hour is idle when fewer than n are in use, and
    is stopped `after_minutes` into each stretch in which it stays idle. Hours in which nobody knows what stood
    there are not guessed at.
    """
    known = usage.hourly.filter(pl.col("gpu_hours_paid").is_not_null() & pl.col("gpus_in_use").is_not_null())
    pools = []
    for (pool,), rows in known.group_by("pool", maintain_order=True):
        gpu = ", ".join(rows["gpu"].drop_nulls().unique().sort().to_list()) or None
        hours = (
            rows.group_by("hour_utc")
            .agg(
                pl.col("gpu_hours_paid").sum(), pl.col("gpus_in_use").sum(),
                usd=pl.when(pl.col("effective_usd").null_count() == 0).then(pl.col("effective_usd").sum()),
            )
            .sort("hour_utc")
        )  # fmt: skip
        pools.append(_pool(pool, gpu, hours, after_minutes, usd_per_gpu_hour))
    measured = usage.jobs.filter(pl.col("gpu_hours_used").is_not_null())
    people = (
        measured.group_by(person=pl.coalesce("person", "account"))
        .agg(pl.col("gpu_hours").sum(), pl.col("gpu_hours_used").sum())
        .sort((pl.col("gpu_hours") - pl.col("gpu_hours_used")), descending=True)
    )
    unknown = usage.hourly.filter(pl.col("gpu_hours_paid").is_null())["gpus_in_use"].sum()
    return Idle(
        after_minutes,
        tuple(sorted(pools, key=lambda p: -p.idle_hours)),
        tuple(PersonIdle(who, held, used, held - used) for who, held, used in people.iter_rows()),
        float(unknown),
    )


def stoppable(idle_gpus: NDArray[np.float64], after_hours: float) -> float:
    """Return the GPU-hours that a stop after `after_hours` of idleness saves, from idle GPUs in consecutive hours.

    >>> stoppable(np.array([1.0, 1.0, 0.0, 2.0]), 0.5)
    2.5
    """
    saved = 0.0
    for layer in range(int(np.ceil(idle_gpus.max(initial=0.0)))):
        height = np.clip(idle_gpus - layer, 0.0, 1.0)
        on = height > 1e-9
        edges = np.flatnonzero(np.diff(np.concatenate(([False], on, [False])).astype(np.int8)))
        total = np.concatenate(([0.0], np.cumsum(height)))
        runs = total[edges[1::2]] - total[edges[::2]]
        saved += float(np.maximum(runs - after_hours, 0.0).sum())
    return saved


def split_price(
    node_usd: float, shares: Mapping[str, float], node: float = 1.0
) -> tuple[dict[str, float], float]:
    """Return what each tenant of a node is charged and what its idle part cost: together always the node's price.

    `shares` are in the unit of `node` (GPUs, GPU-hours). Where they promise more than there is, each is charged its
    part of the whole price and nothing is idle.

    >>> split_price(1.0, dict.fromkeys("abcd", 0.25))
    ({'a': 0.25, 'b': 0.25, 'c': 0.25, 'd': 0.25}, 0.0)
    >>> split_price(1.0, {"a": 0.5})
    ({'a': 0.5}, 0.5)
    """
    whole = max(node, sum(shares.values()))
    charges = {who: node_usd * share / whole for who, share in shares.items()}
    return charges, node_usd - sum(charges.values()) if sum(shares.values()) < whole else 0.0


def charges(usage: Usage, usd_per_gpu_hour: float) -> tuple[dict[str, float], float]:
    """Return what each person is charged for what stood there at a price, and what nobody used. The sum is the
    price of everything paid, always. Jobs without a name are charged to ""."""
    held = usage.jobs.filter(pl.col("gpu_hours").is_not_null())
    by_person = held.group_by(who=pl.coalesce("person", "account", pl.lit(""))).agg(pl.col("gpu_hours").sum())
    paid = float(usage.hourly["gpu_hours_paid"].sum())
    return split_price(paid * usd_per_gpu_hour, dict(by_person.sort("who").iter_rows()), paid)


def vars_of(row: Any) -> dict[str, Any]:
    """Return the fields of a dataclass with slots or without."""
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def _pool(pool: Any, gpu: Any, hours: pl.DataFrame, after_minutes: float, price: float | None) -> PoolIdle:
    first = hours["hour_utc"].min()
    at = ((hours["hour_utc"] - first).dt.total_hours()).to_numpy()
    paid, used = hours["gpu_hours_paid"].to_numpy(), hours["gpus_in_use"].to_numpy()
    spare = np.zeros(int(at[-1]) + 1)
    spare[at] = np.maximum(paid - used, 0.0)
    stopped = stoppable(spare, after_minutes / 60)
    idle_hours = float(spare.sum())
    cost = float(hours["usd"].sum()) if hours["usd"].null_count() == 0 else None
    if cost is None and price is not None:
        cost = price * float(paid.sum())
    each = cost / float(paid.sum()) if cost is not None and paid.sum() > 0 else None
    return PoolIdle(
        pool, gpu, float(paid.sum()), float(np.minimum(used, paid).sum()), idle_hours, stopped, cost,
        None if each is None else each * idle_hours, None if each is None else each * stopped,
    )  # fmt: skip


def _all(values: Any) -> float | None:
    known = list(values)
    return None if not known or any(v is None for v in known) else sum(known)
