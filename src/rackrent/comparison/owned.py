"""Machines one would own: ready-made builds, prebuilt systems, one's own list, and those owned already."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, System, colocation_rates, gpu, resale, systems
from rackrent.comparison.candidate import Candidate, given, given_watts, gpu_named, slug
from rackrent.costing.own import RESALE_SEGMENTS, Hardware
from rackrent.costing.resale import gpu_resale_usd
from rackrent.i18n import gettext as _
from rackrent.units import DAYS_PER_YEAR
from rackrent.workload.model import HaveMachine, Workload

STALE_DAYS = 365


def bought(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Ready-made builds and prebuilt systems at your site, and rack systems in a colocation site."""
    known = systems(catalog)
    newest = {
        s.kind: s.price.observed_on for s in sorted(known, key=lambda s: s.price.observed_on or date.min)
    }
    rate = colocation_rates(catalog, workload.location.country)
    for system in known:
        card = gpu(catalog, system.gpu)
        if card is None:
            continue
        against, warnings = _age(system, newest[system.kind], catalog)
        hardware = Hardware(
            card,
            system.gpu_count,
            system.price,
            system.gpu_price.value if system.gpu_price else None,
            rated_kw=system.power,
            assembled_by_you=system.kind == "own_build",
        )
        common: dict[str, Any] = {
            "provider": system.vendor or _("several sellers"),
            "name": system.product,
            "term": "own",
            "gpu": card,
            "gpus": system.gpu_count,
            "memory_gb": system.gpu_memory_gb or card.memory_gb,
            "price": system.price,
            "country": workload.location.country,
            "hardware": hardware,
            "cores": system.cpu_cores,
            "lead": "lead_time_parts" if system.kind == "own_build" else "lead_time_server",
            "against": against,
        }
        tail = f"{slug(system.vendor or 'any')}/{slug(system.id)}"
        site = workload.location.site
        yield Candidate(
            id=f"{system.kind}/{tail}/{site}/own", kind=system.kind, region=site, warnings=warnings, **common
        )
        if rate is not None and system.form == "rack":
            yield Candidate(
                id=f"colocation/{tail}/{slug(rate.key)}/own",
                kind="colocation",
                region=rate.key,
                colocation=rate,
                warnings=(*warnings, *_geforce(card)),
                **common,
            )
    for index, machine in enumerate(workload.own.machines):
        card = gpu_named(catalog, machine.gpu)
        field_name = f"own.machines[{index}]"
        price = Fact(
            "catalog",
            "systems",
            f"{field_name}.price_usd",
            machine.price_usd,
            "usd",
            _("your own figure"),
            catalog.as_of,
        )
        hardware = Hardware(
            card,
            machine.gpus,
            price,
            machine.gpu_price_usd,
            load_kw=given(f"{field_name}.power_kw", machine.power_kw, "kw"),
            idle_kw=given_watts(f"{field_name}.idle_watts", machine.idle_watts),
            assembled_by_you=machine.kind == "own_build",
        )
        yield Candidate(
            id=f"{machine.kind}/yours/{slug(machine.name)}/{workload.location.site}/own",
            kind=machine.kind,
            provider=_("yours"),
            name=machine.name,
            region=workload.location.site,
            term="own",
            gpu=card,
            gpus=machine.gpus,
            memory_gb=card.memory_gb,
            price=price,
            country=workload.location.country,
            hardware=hardware,
            cores=machine.cpu_cores,
            lead="lead_time_parts" if machine.kind == "own_build" else "lead_time_server",
        )


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
