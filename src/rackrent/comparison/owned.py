"""Machines one would own: builds of the day's parts, published lists, prebuilt systems, one's own list, those owned already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from rackrent.building.ready import COUNTS, ready_builds
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, System, colocation_rates, gpu, resale, systems
from rackrent.comparison.candidate import Candidate, LeadTime, given, given_watts, gpu_named, slug
from rackrent.costing.own import RESALE_SEGMENTS, Hardware
from rackrent.costing.resale import gpu_resale_usd
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.units import DAYS_PER_YEAR, HOURS_PER_MONTH
from rackrent.workload.demand import monthly_work
from rackrent.workload.machines import HaveMachine
from rackrent.workload.model import Workload

STALE_DAYS = 365
MUCH = 0.5
"""Machines of more GPUs are looked at where the busiest month keeps more than this share of the smaller one's busy."""
LEAD_TIMES: dict[str, LeadTime] = {"own_build": "lead_time_parts", "own_prebuilt": "lead_time_server"}


def bought(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Machines one could buy: those of the catalog and the person's own list, at the site or in a colocation."""
    rate = colocation_rates(catalog, workload.location.country)
    for machine, rack in (*_of_catalog(catalog, workload), *_of_person(catalog, workload)):
        site = workload.location.site
        yield replace(machine, id=f"{machine.kind}/{machine.id}/{site}/own", region=site)
        if rate is not None and rack:
            yield replace(
                machine,
                id=f"colocation/{machine.id}/{slug(rate.key)}/own",
                kind="colocation",
                region=rate.key,
                colocation=rate,
                warnings=(*machine.warnings, *_geforce(machine.gpu)),
            )


def _of_catalog(catalog: Catalog, workload: Workload) -> Iterator[tuple[Candidate, bool]]:
    """Builds, published lists and prebuilt systems, and whether each fits a rack. Ids are still without kind and site."""
    built = ready_builds(catalog, counts(workload))
    minded = {r.system.id: r.notes for r in built}
    known = [*systems(catalog), *(r.system for r in built)]
    by_day = sorted(known, key=lambda s: s.price.observed_on or date.min)
    newest = {(s.kind, s.form): s.price.observed_on for s in by_day}
    for system in known:
        card = gpu(catalog, system.gpu)
        if card is None:
            continue
        against, warnings = _age(system, newest[system.kind, system.form], catalog)
        warnings += minded.get(system.id, ())
        if (
            system.price.low is not None
            and system.price.high is not None
            and system.price.low < system.price.high
        ):
            text = _("its price is a range, {low} to {high}")
            warnings += (text.format(low=format_usd(system.price.low), high=format_usd(system.price.high)),)
        hardware = Hardware(
            card,
            system.gpu_count,
            system.price,
            system.gpu_price.value if system.gpu_price else None,
            rated_kw=system.power,
            assembled_by_you=system.kind == "own_build",
            parts=system.parts,
        )
        machine = Candidate(
            id=f"{slug(system.vendor or 'any')}/{slug(system.id)}",
            kind=system.kind,
            provider=system.vendor or _("several sellers"),
            name=system.product,
            region="",
            term="own",
            gpu=card,
            gpus=system.gpu_count,
            memory_gb=system.gpu_memory_gb or card.memory_gb,
            price=system.price,
            country=workload.location.country,
            hardware=hardware,
            cores=system.cpu_cores,
            lead=LEAD_TIMES[system.kind],
            against=against,
            warnings=warnings,
        )
        yield machine, system.form == "rack"


def counts(workload: Workload) -> tuple[int, ...]:
    """Return of how many GPUs a machine would be built for the workload: as many as are needed at once, and more for much work.

    None where builds are not considered or more are needed at once than a machine holds.
    """
    consider = workload.consider
    if consider.kinds and "own_build" not in consider.kinds:
        return ()
    enough = [n for n in COUNTS if n >= workload.gpus] or ([max(COUNTS)] if workload.multi_node else [])
    if not enough:
        return ()
    busy = (
        float(monthly_work(workload.demand, workload.gpus, workload.horizon_months).max()) / HOURS_PER_MONTH
    )
    return tuple(n for n in enough if n == enough[0] or busy > MUCH * enough[0])


def _of_person(catalog: Catalog, workload: Workload) -> Iterator[tuple[Candidate, bool]]:
    """The machines listed under `own.machines`, and whether each fits a rack."""
    for index, machine in enumerate(workload.own.machines):
        card = gpu_named(catalog, machine.gpu)
        field = f"own.machines[{index}]"
        figure, unit, source = f"{field}.price_usd", "usd", _("your own figure")
        price = Fact("catalog", "systems", figure, machine.price_usd, unit, source, catalog.as_of)
        hardware = Hardware(
            card,
            machine.gpus,
            price,
            machine.gpu_price_usd,
            load_kw=given(f"{field}.power_kw", machine.power_kw, "kw"),
            idle_kw=given_watts(f"{field}.idle_watts", machine.idle_watts),
            assembled_by_you=machine.kind == "own_build",
        )
        own = Candidate(
            id=f"yours/{slug(machine.name)}",
            kind=machine.kind,
            provider=_("yours"),
            name=machine.name,
            region="",
            term="own",
            gpu=card,
            gpus=machine.gpus,
            memory_gb=card.memory_gb,
            price=price,
            country=workload.location.country,
            hardware=hardware,
            cores=machine.cpu_cores,
            lead=LEAD_TIMES[machine.kind],
        )
        yield own, machine.rack


def _age(system: System, newest: date | None, catalog: Catalog) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Say what the age of a system's price means: out if much fresher ones of its kind exist, else a warning."""
    seen = system.price.observed_on
    if seen is None or newest is None:
        return (), ()
    age = (catalog.as_of - seen).days
    if age <= STALE_DAYS:
        return (), ()
    if (newest - seen).days > STALE_DAYS:
        return (_("price of {day} is too old while fresher ones exist").format(day=seen.isoformat()),), ()
    return (), (_("its price is of {day}").format(day=seen.isoformat()),)


def _geforce(card: Gpu) -> tuple[str, ...]:
    if card.segment == "consumer" and card.vendor == "NVIDIA":
        return (
            _("GeForce driver licence: not for data centres; read it before you place such a card there"),
        )
    return ()


def yours(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Machines that are owned already: their price is spent."""
    for index, machine in enumerate(workload.have):
        card = gpu_named(catalog, machine.gpu)
        field_name = f"have[{index}]"
        now = resale_today(catalog, machine, index)
        hardware = Hardware(
            card,
            machine.gpus,
            None,
            now.value if now is not None else None,
            load_kw=given(f"{field_name}.power_kw", machine.power_kw, "kw"),
            idle_kw=given_watts(f"{field_name}.idle_watts", machine.idle_watts),
            yours=True,
            resale_now=now,
        )
        yield Candidate(
            id=f"own_existing/yours/{slug(machine.name)}/{workload.location.site}/own",
            kind="own_existing",
            provider=_("yours"),
            name=machine.name,
            region=workload.location.site,
            term="own",
            gpu=card,
            gpus=machine.gpus,
            memory_gb=card.memory_gb,
            price=None,
            country=workload.location.country,
            hardware=hardware,
            machines_have=machine.machines,
            have=index,
            cores=machine.cpu_cores,
        )


def resale_today(catalog: Catalog, machine: HaveMachine, index: int) -> Fact | None:
    """Return what one machine you have would sell for today (its GPUs, lower quartile), USD; None if unknown."""
    if machine.resale_usd is not None:
        return Fact.from_workload(f"have[{index}].resale_usd", machine.resale_usd, "usd")
    card = gpu_named(catalog, machine.gpu)
    if card.launch_price_usd is None or card.launch_date is None or card.segment is None:
        return None
    curve = resale(catalog, RESALE_SEGMENTS[card.segment])
    age = (catalog.as_of - card.launch_date).days / DAYS_PER_YEAR
    value = gpu_resale_usd(
        curve.age_years,
        curve.low,
        curve.median,
        curve.high,
        card.launch_price_usd,
        card.launch_price_usd,
        age,
    )
    if value.beyond_data:
        return None
    first = curve.facts[0]
    return Fact(
        "catalog", first.table, first.key, machine.gpus * float(value.low), "usd", first.source, first.observed_on,
        first.confidence, low=0.0, high=machine.gpus * float(value.high), note=_("lower quartile of the resale curve"),
    )  # fmt: skip
