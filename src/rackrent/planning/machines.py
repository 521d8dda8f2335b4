"""Machines to own in a plan, bought or had already, from the cost streams that a comparison shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rackrent.building.ready import COUNTS, ready_builds
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, System, gpu, gpu_meant, resale, systems
from rackrent.catalog.judge import STALE_DAYS
from rackrent.costing.own import RESALE_SEGMENTS, Hardware, busy_kw, own_streams, unknowns
from rackrent.costing.resale import gpu_resale_usd
from rackrent.costing.setting import Setting
from rackrent.costing.use import Use
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.supply import Committed, Owned, Rented
from rackrent.units import DAYS_PER_YEAR, HOURS_PER_MONTH, WATTS_PER_KW, WEEKS_PER_MONTH
from rackrent.workload.machines import HaveMachine

SHARING = 4
"""Machines that share a line and a cooler, in the cost of one."""
ENDING = frozenset({"resale", "disposal"})
HAD = "own_existing"
"""Kind of a machine that is owned already, in its id."""

Speeds = Mapping[str, tuple[float, str]]
"""GPU to its speed against the pool's own, and how that is known."""


@dataclass(frozen=True)
class Named:
    """Where a supply comes from: catalog id, product, GPU, its speed against the pool's GPU and how that is known."""

    supply: Owned | Committed | Rented
    id: str
    product: str
    gpu: str
    speed: float
    basis: str
    term: str

    @property
    def had(self) -> bool:
        """Whether it is owned already."""
        return self.id.startswith(f"{HAD}/")


def machines_to_buy(setting: Setting, pool: str, gang: int, speeds: Speeds) -> list[Named]:
    """Return one machine of each size in GPUs: that with the lowest cost of owning over the horizon for its work."""
    best: dict[int, tuple[float, Named]] = {}
    built = ready_builds(setting.catalog, (n for n in COUNTS if n >= gang))
    known = [*systems(setting.catalog), *(r.system for r in built)]
    for system in known:
        if system.gpu not in speeds or system.gpu_count < gang or _outdated(system, known, setting):
            continue
        speed, basis = speeds[system.gpu]
        machine = _bought(setting, system, pool, speed)
        if machine is None:
            continue
        price, sold = float(np.max(machine.price_usd)), float(np.asarray(machine.resale_usd)[-1])
        per_work = (price - sold + machine.usd_per_month * setting.horizon) / machine.work
        if system.gpu_count not in best or per_work < best[system.gpu_count][0]:
            id = f"{system.kind}/{system.id}"
            named = Named(machine, id, system.product, system.gpu, speed, basis, "own")
            best[system.gpu_count] = per_work, named
    return [best[size][1] for size in sorted(best)]


def machine_had(setting: Setting, index: int, pool: str, speeds: Speeds) -> Named:
    """Return machine `index` of the workload's `have` in a pool: its price is spent, its power and care are not.

    It may be sold at the start of any month, for what it fetches then; more of it cannot be bought. Raises BadInput
    where its upkeep cannot be known.
    """
    machine = setting.workload.have[index]
    card = _card(setting, machine)
    worth = _worth(setting.catalog, machine, card, index)
    field = f"have[{index}]"
    hardware = Hardware(
        card, machine.gpus, None, worth.value if worth is not None else None,
        load_kw=None if machine.power_kw is None else Fact.from_workload(f"{field}.power_kw", machine.power_kw, "kw"),
        idle_kw=None if machine.idle_watts is None else Fact.from_workload(f"{field}.idle_watts", machine.idle_watts / WATTS_PER_KW, "kw"),
        yours=True, resale_now=worth,
    )  # fmt: skip
    site, months = setting.workload.location.site, setting.horizon
    why = unknowns(hardware, _use(months, 0.0, gpus=machine.gpus), setting, site)
    if why:
        raise BadInput(_("{field}: {why}").format(field=f"{field} ({machine.name})", why="; ".join(why)))
    standing, per_gpu_hour, kw = _upkeep(setting, hardware, machine.gpus)
    ending = [-_ending(setting, hardware, machine.gpus, m) for m in range(1, months + 1)]
    today = 0.0 if worth is None else worth.known * (1 - setting.assume("resale_selling_cost").known)
    today -= setting.assume("disposal").known
    speed, basis = speeds[card.gpu]
    owned = Owned(
        name=f"{pool}: {field} {machine.name}", pool=pool, gpus=machine.gpus, work_per_gpu=speed, price_usd=0.0,
        resale_usd=np.array([today, *ending]), usd_per_month=float(standing[1:].min()), usd_per_gpu_hour=per_gpu_hour,
        kw=kw, rack_units=1.0, now=machine.machines,
        # What would come only after the end cannot be bought.
        lead_months=months,
    )  # fmt: skip
    return Named(owned, f"{HAD}/{index}", machine.name, card.gpu, speed, basis, "own")


def serves(setting: Setting, index: int, gang: int, speeds: Speeds) -> bool:
    """Return whether machine `index` of `have` can do the work of a pool: large enough, and its speed known."""
    machine = setting.workload.have[index]
    return machine.gpus >= gang and _card(setting, machine).gpu in speeds


def _card(setting: Setting, machine: HaveMachine) -> Gpu:
    card = gpu(setting.catalog, gpu_meant(setting.catalog, machine.gpu))
    assert card is not None
    return card


def _worth(catalog: Catalog, machine: HaveMachine, card: Gpu, index: int) -> Fact | None:
    """What one would sell for today, USD: as the person says, else its GPUs on the curve; None if unknown."""
    if machine.resale_usd is not None:
        return Fact.from_workload(f"have[{index}].resale_usd", machine.resale_usd, "usd")
    if card.launch_price_usd is None or card.launch_date is None or card.segment is None:
        return None
    curve = resale(catalog, RESALE_SEGMENTS[card.segment])
    age = (catalog.as_of - card.launch_date).days / DAYS_PER_YEAR
    points = (curve.age_years, curve.low, curve.median, curve.high)
    value = gpu_resale_usd(*points, card.launch_price_usd, card.launch_price_usd, age)
    if value.beyond_data:
        return None
    first = curve.facts[0]
    usd = machine.gpus * float(value.low)
    return Fact(
        "catalog", first.table, first.key, usd, "usd", first.source, first.observed_on, first.confidence
    )


def _outdated(system: System, known: list[System], setting: Setting) -> bool:
    """Whether a price is over a year old while one of its kind over a year fresher exists."""
    seen = system.price.observed_on
    newest = max(
        (s.price.observed_on for s in known if s.kind == system.kind and s.price.observed_on), default=None
    )
    if seen is None or newest is None:
        return False
    return (setting.catalog.as_of - seen).days > STALE_DAYS and (newest - seen).days > STALE_DAYS


def _bought(setting: Setting, system: System, pool: str, speed: float) -> Owned | None:
    """What owning one costs, from the cost streams of owning some; None where a figure is not known."""
    card = gpu(setting.catalog, system.gpu)
    if card is None or system.price.value is None:
        return None
    hardware = Hardware(
        card, system.gpu_count, system.price, system.gpu_price.value if system.gpu_price else None,
        rated_kw=system.power, assembled_by_you=system.kind == "own_build",
    )  # fmt: skip
    months, site = setting.horizon, setting.workload.location.site
    if unknowns(hardware, _use(months, 0.0, gpus=system.gpu_count), setting, site):
        return None
    standing, per_gpu_hour, kw = _upkeep(setting, hardware, system.gpu_count)
    # What the first month costs above the others (setting the machine up) is paid once, like the price.
    every_month = float(standing[1:].min())
    price = float(standing.sum() - every_month * months)
    ending = np.array([-_ending(setting, hardware, system.gpu_count, m) for m in range(1, months + 1)])
    sold = np.minimum(np.concatenate([ending[:1], ending]), price)
    lead = setting.assume("lead_time_parts" if system.kind == "own_build" else "lead_time_server").known
    return Owned(
        name=f"{pool}: own {system.product}", pool=pool, gpus=system.gpu_count, work_per_gpu=speed, price_usd=price,
        resale_usd=sold, usd_per_month=every_month, usd_per_gpu_hour=per_gpu_hour, kw=kw, rack_units=1.0,
        lead_months=ceil(lead / WEEKS_PER_MONTH),
    )  # fmt: skip


def _upkeep(setting: Setting, hardware: Hardware, count: int) -> tuple[NDArray[np.float64], float, float]:
    """What one machine costs standing, USD by entry; what a busy GPU adds, USD an hour; what it draws busy, kW."""
    months, site = setting.horizon, setting.workload.location.site
    use = partial(_use, months, gpus=count)
    idle, busy = (own_streams(hardware, use(hours), setting, site=site) for hours in (0.0, HOURS_PER_MONTH))
    standing = sum((s.usd for s in idle if s.category not in ENDING), np.zeros(months + 1)) / SHARING
    of_use = (sum(s.usd.sum() for s in busy) - sum(s.usd.sum() for s in idle)) / SHARING
    load = busy_kw(hardware, count, setting)
    per_gpu_hour = max(0.0, float(of_use)) / (months * HOURS_PER_MONTH * count)
    return standing, per_gpu_hour, load[0] if load is not None else 0.0


def _use(months: int, hours: float, *, gpus: int) -> Use:
    return Use(SHARING, np.full(months, SHARING * hours), float(gpus), float(months), 0.0, None)


def _ending(setting: Setting, hardware: Hardware, count: int, months: int) -> float:
    """What the end costs after so many months (a sale is income, so mostly negative), USD a machine."""
    work = setting.workload.model_copy(update={"horizon_months": months})
    streams = own_streams(
        hardware, _use(months, 0.0, gpus=count), Setting(work, setting.catalog), site=work.location.site
    )
    return float(sum(s.usd.sum() for s in streams if s.category in ENDING)) / SHARING
