"""The ways of serving a pool that a catalog knows: machines to buy, terms to sign, GPUs by the hour."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
import polars as pl

from rackrent.building.ready import COUNTS, ready_builds
from rackrent.catalog.hardware import System, gpu, gpus, systems
from rackrent.catalog.judge import STALE_DAYS, judged
from rackrent.costing.own import Hardware, busy_kw, own_streams, unknowns
from rackrent.costing.setting import Setting
from rackrent.costing.use import Use
from rackrent.planning.supply import Committed, Owned, Rented
from rackrent.speed.relative import relative_speed
from rackrent.units import HOURS_PER_MONTH, WEEKS_PER_MONTH

TERMS = {"reserved_1y": 12, "reserved_3y": 36}
"""Term on the wire to months."""
SHARING = 4
"""Machines that share a line and a cooler, in the cost of one."""
ENDING = frozenset({"resale", "disposal"})


@dataclass(frozen=True)
class Named:
    """Where a supply comes from: catalog id, GPU, its speed against the pool's GPU and how that is known."""

    supply: Owned | Committed | Rented
    id: str
    gpu: str
    speed: float
    basis: str
    term: str


def supplies_of(setting: Setting, pool: str, gpu_name: str, gang: int) -> list[Named]:
    """Return what can serve the jobs of a pool: on each term the cheapest for the work, and machines of each size.

    GPUs with at least the memory of the pool's own count, at their speed on the task of `setting`; those whose speed
    or price is not known, and machines with fewer GPUs than `gang`, do not.
    """
    speeds = _speeds(setting, gpu_name)
    return [*_owned(setting, pool, gang, speeds), *_offered(setting, pool, gang, speeds)]


def _speeds(setting: Setting, gpu_name: str) -> dict[str, tuple[float, str]]:
    """GPU to its speed against the pool's own and the basis of that."""
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


def _owned(setting: Setting, pool: str, gang: int, speeds: dict[str, tuple[float, str]]) -> list[Named]:
    """One machine of each size in GPUs: that with the lowest cost of owning over the horizon for its work."""
    best: dict[int, tuple[float, Named]] = {}
    built = ready_builds(setting.catalog, (n for n in COUNTS if n >= gang))
    known = [*systems(setting.catalog), *(r.system for r in built)]
    for system in known:
        if system.gpu not in speeds or system.gpu_count < gang or _outdated(system, known, setting):
            continue
        speed, basis = speeds[system.gpu]
        machine = _machine(setting, system, pool, speed)
        if machine is None:
            continue
        price, resale = float(np.max(machine.price_usd)), float(np.asarray(machine.resale_usd)[-1])
        per_work = (price - resale + machine.usd_per_month * setting.horizon) / machine.work
        if system.gpu_count not in best or per_work < best[system.gpu_count][0]:
            named = Named(machine, f"{system.kind}/{system.id}", system.gpu, speed, basis, "own")
            best[system.gpu_count] = per_work, named
    return [best[size][1] for size in sorted(best)]


def _outdated(system: System, known: list[System], setting: Setting) -> bool:
    """Whether a price is over a year old while one of its kind over a year fresher exists."""
    seen = system.price.observed_on
    newest = max(
        (s.price.observed_on for s in known if s.kind == system.kind and s.price.observed_on), default=None
    )
    if seen is None or newest is None:
        return False
    return (setting.catalog.as_of - seen).days > STALE_DAYS and (newest - seen).days > STALE_DAYS


def _machine(setting: Setting, system: System, pool: str, speed: float) -> Owned | None:
    """What owning one costs, from the cost streams of owning some; None where a figure is not known."""
    card = gpu(setting.catalog, system.gpu)
    if card is None or system.price.value is None:
        return None
    hardware = Hardware(
        card, system.gpu_count, system.price, system.gpu_price.value if system.gpu_price else None,
        rated_kw=system.power, assembled_by_you=system.kind == "own_build",
    )  # fmt: skip
    use = partial(_use, gpus=system.gpu_count)
    months, site = setting.horizon, setting.workload.location.site
    if unknowns(hardware, use(months, 0.0), setting, site):
        return None
    idle, busy = (
        own_streams(hardware, use(months, hours), setting, site=site) for hours in (0.0, HOURS_PER_MONTH)
    )
    standing = sum((s.usd for s in idle if s.category not in ENDING), np.zeros(months + 1)) / SHARING
    of_use = (sum(s.usd.sum() for s in busy) - sum(s.usd.sum() for s in idle)) / SHARING
    # What the first month costs above the others (setting the machine up) is paid once, like the price.
    every_month = float(standing[1:].min())
    price = float(standing.sum() - every_month * months)
    resale = np.array([-_ending(setting, hardware, use(m, 0.0), site, m) for m in range(1, months + 1)])
    resale = np.minimum(np.concatenate([resale[:1], resale]), price)
    lead = setting.assume("lead_time_parts" if system.kind == "own_build" else "lead_time_server").known
    load = busy_kw(hardware, system.gpu_count, setting)
    return Owned(
        name=f"{pool}: own {system.product}", pool=pool, gpus=system.gpu_count, work_per_gpu=speed, price_usd=price,
        resale_usd=resale, usd_per_month=every_month,
        usd_per_gpu_hour=max(0.0, float(of_use)) / (months * HOURS_PER_MONTH * system.gpu_count),
        kw=load[0] if load is not None else 0.0, rack_units=1.0, lead_months=ceil(lead / WEEKS_PER_MONTH),
    )  # fmt: skip


def _use(months: int, hours: float, *, gpus: int) -> Use:
    return Use(SHARING, np.full(months, SHARING * hours), float(gpus), float(months), 0.0, None)


def _ending(setting: Setting, hardware: Hardware, use: Use, site: str, months: int) -> float:
    """What the end costs after so many months (a sale is income, so mostly negative), USD a machine."""
    work = setting.workload.model_copy(update={"horizon_months": months})
    streams = own_streams(hardware, use, Setting(work, setting.catalog), site=site)
    return float(sum(s.usd.sum() for s in streams if s.category in ENDING)) / SHARING


def _offered(setting: Setting, pool: str, gang: int, speeds: dict[str, tuple[float, str]]) -> list[Named]:
    """The cheapest offer for its work on each term that is paid for whole, and by the hour."""
    offers = judged(setting.catalog).filter(
        pl.col("rankable")
        & pl.col("gpu").is_in(list(speeds))
        & (pl.col("gpu_count") >= gang)
        & pl.col("term").is_in([*TERMS, "on_demand"])
        & pl.col("kind").is_in(["cloud", "bare_metal", "marketplace"])
    )
    known = pl.DataFrame(
        {"gpu": list(speeds), "speed": [s for s, _basis in speeds.values()]},
        schema={"gpu": pl.String, "speed": pl.Float64},
    )
    ranked = offers.join(known, on="gpu").with_columns(per_work=pl.col("usd_per_gpu_hour") / pl.col("speed"))
    ranked = ranked.sort("per_work", "offer_id")
    found = []
    for term in ("reserved_1y", "reserved_3y", "on_demand"):
        of_term = ranked.filter(pl.col("term") == term)
        if of_term.is_empty():
            continue
        row = of_term.row(0, named=True)
        speed, basis = speeds[row["gpu"]]
        name, count = f"{pool}: {row['offer_id']}", int(row["gpu_count"])
        supply: Committed | Rented
        if term in TERMS:
            supply = Committed(
                name=name, pool=pool, gpus=count, work_per_gpu=speed, term_months=TERMS[term],
                upfront_usd=row["upfront_usd"] or 0.0, usd_per_month=row["usd_per_hour_running"] * HOURS_PER_MONTH,
            )  # fmt: skip
        else:
            hour = row["usd_per_gpu_hour"]
            supply = Rented(name=name, pool=pool, gpus=count, work_per_gpu=speed, usd_per_gpu_hour=hour)
        found.append(Named(supply, row["offer_id"], row["gpu"], speed, basis, term))
    return found
