"""The ways of serving a pool that a catalog knows: machines to buy, terms to sign, GPUs by the hour."""

from __future__ import annotations

from rackrent.catalog.hardware import gpu, gpus
from rackrent.catalog.judge import judged
from rackrent.costing.rent import INTERRUPTED_TERMS, rework_share
from rackrent.costing.setting import Setting
from rackrent.planning.machines import Named, Speeds, machines_to_buy
from rackrent.planning.supply import Committed, Rented
from rackrent.speed.relative import relative_speed
from rackrent.units import HOURS_PER_MONTH

TERMS = {"reserved_1y": 12, "reserved_3y": 36}
"""Term on the wire to months."""
KINDS = ("cloud", "bare_metal", "marketplace", "exchange")
"""Kinds of offers that are looked at."""


def supplies_of(
    setting: Setting,
    pool: str,
    gang: int,
    speeds: Speeds,
    *,
    interruptible: float = 0.0,
    upfront_limited: bool = False,
) -> list[Named]:
    """Return what can serve the jobs of a pool: on each term the cheapest for the work, and machines of each size.

    Where what may be paid up front is limited, a term is there a second time, as the cheapest with nothing up front.
    `interruptible` is the share of each hour's work that survives an interruption: spot and interruptible offers may
    serve that much, at a price that holds the work done twice. Machines with fewer GPUs than `gang` do not count.
    """
    return [
        *machines_to_buy(setting, pool, gang, speeds),
        *_offered(setting, pool, gang, speeds, interruptible, upfront_limited),
    ]


def speeds_for(setting: Setting, gpu_name: str) -> dict[str, tuple[float, str]]:
    """Return the GPUs that can do the work of `gpu_name`, each with its speed against it and the basis of that.

    They have at least its memory; those whose speed on the task is not known are left out.
    """
    catalog, work = setting.catalog, setting.workload
    own = gpu(catalog, gpu_name)
    least = own.memory_gb if own is not None else None
    found: dict[str, tuple[float, str]] = {}
    for name, card in gpus(catalog).items():
        fits = least is None or (card.memory_gb is not None and card.memory_gb >= least)
        if name == gpu_name:
            found[name] = 1.0, "same GPU"
        elif fits:
            speed = relative_speed(catalog, name, gpu_name, work.task, work.precision)
            if speed.ratio is not None:
                found[name] = speed.ratio, speed.basis
    return found


def _offered(
    setting: Setting, pool: str, gang: int, speeds: Speeds, interruptible: float, upfront_limited: bool
) -> list[Named]:
    """The cheapest offer for its work on each term that is paid for whole, by the hour, and by the hour until taken."""
    import polars as pl

    spot = INTERRUPTED_TERMS if interruptible > 0 else frozenset[str]()
    offers = judged(setting.catalog).filter(
        pl.col("rankable")
        & pl.col("gpu").is_in(list(speeds))
        & (pl.col("gpu_count") >= gang)
        & pl.col("term").is_in([*TERMS, "on_demand", *spot])
        & pl.col("kind").is_in(KINDS)
    )
    known = pl.DataFrame(
        {"gpu": list(speeds), "speed": [s for s, _basis in speeds.values()]},
        schema={"gpu": pl.String, "speed": pl.Float64},
    )
    ranked = offers.join(known, on="gpu").with_columns(per_work=pl.col("usd_per_gpu_hour") / pl.col("speed"))
    ranked = ranked.sort("per_work", "offer_id")
    found = []
    rows = []
    for terms in ({"reserved_1y"}, {"reserved_3y"}, spot, {"on_demand"}):
        of_term = ranked.filter(pl.col("term").is_in(list(terms)))
        cheapest = of_term.head(1)
        rows += cheapest.to_dicts()
        if upfront_limited and cheapest.filter(pl.col("upfront_usd") > 0).height:
            rows += of_term.filter(pl.col("upfront_usd").fill_null(0.0) == 0).head(1).to_dicts()
    for row in rows:
        term = row["term"]
        speed, basis = speeds[row["gpu"]]
        name, count, hour = f"{pool}: {row['offer_id']}", int(row["gpu_count"]), row["usd_per_gpu_hour"]
        supply: Committed | Rented
        if term in TERMS:
            supply = Committed(
                name=name, pool=pool, gpus=count, work_per_gpu=speed, term_months=TERMS[term],
                upfront_usd=row["upfront_usd"] or 0.0, usd_per_month=row["usd_per_hour_running"] * HOURS_PER_MONTH,
            )  # fmt: skip
        elif term in spot:
            hour *= 1.0 + rework_share(setting)
            supply = Rented(
                name=name, pool=pool, gpus=count, work_per_gpu=speed, usd_per_gpu_hour=hour, share_most=interruptible
            )  # fmt: skip
        else:
            supply = Rented(name=name, pool=pool, gpus=count, work_per_gpu=speed, usd_per_gpu_hour=hour)
        product = f"{row['provider']} {row['instance_type']}"
        found.append(Named(supply, row["offer_id"], product, row["gpu"], speed, basis, term))
    return found
