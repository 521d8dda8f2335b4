"""Everything that might do the work: from the catalog, from the person's own list, from what they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.currency import to_usd
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, System, colocation_rates, gpu, gpus, resale, systems
from rackrent.catalog.judge import judged
from rackrent.catalog.names import resolve_gpu
from rackrent.catalog.providers import Provider, egress_tiers, provider
from rackrent.costing.own import RESALE_SEGMENTS, Hardware
from rackrent.costing.rent import Rental
from rackrent.costing.resale import gpu_resale_usd
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH
from rackrent.workload.model import HaveMachine, Quote, Workload

STALE_DAYS = 365


@dataclass(frozen=True)
class Candidate:
    """A way to get machines of one type, not yet costed.

    Exactly one of `hardware` and `rental` is set. `lead` is the wait for the first GPU (weeks, as an assumption
    key) for what must be bought. `against` are reasons that hold whatever the workload.
    """

    id: str
    kind: str
    provider: str
    name: str
    region: str
    term: str
    gpu: Gpu
    gpus: float
    memory_gb: float | None
    price: Fact | None
    country: str | None = None
    hardware: Hardware | None = None
    rental: Rental | None = None
    colocation: Fact | None = None
    provider_facts: Provider | None = None
    lead: Literal["lead_time_parts", "lead_time_server"] | None = None
    wait_hours: float = 0.0
    wall_limit_hours: float | None = None
    gpu_hours_cap: float | None = None
    machines_have: int | None = None
    against: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def slug(text: str) -> str:
    """Return `text` as a part of an option id: lower case, no spaces or slashes."""
    return "-".join(text.lower().replace("/", " ").split())


def candidates(catalog: Catalog, workload: Workload) -> list[Candidate]:
    """Return every candidate that the workload's `consider` does not leave out."""
    consider = workload.consider
    cards = {resolve_gpu(name, list(gpus(catalog))) for name in consider.gpus}
    found = [
        *_bought(catalog, workload),
        *_have(catalog, workload),
        *_offered(catalog, workload),
        *_quoted(catalog, workload),
        *_campus(catalog, workload),
    ]
    excluded = {p.casefold() for p in consider.exclude_providers}
    wanted = {p.casefold() for p in consider.providers}
    return [
        c
        for c in found
        if (not consider.kinds or c.kind in consider.kinds)
        and (not cards or c.gpu.gpu in cards)
        and (not consider.terms or c.term == "own" or c.term in consider.terms)
        and (c.term == "own" or not wanted or c.provider.casefold() in wanted)
        and c.provider.casefold() not in excluded
    ]


def _bought(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
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
        card = _gpu_named(catalog, machine.gpu)
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
            load_kw=_given(f"{field_name}.power_kw", machine.power_kw, "kw"),
            idle_kw=_given_watts(f"{field_name}.idle_watts", machine.idle_watts),
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


def _have(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    for index, machine in enumerate(workload.have):
        card = _gpu_named(catalog, machine.gpu)
        field_name = f"have[{index}]"
        now = resale_today(catalog, machine, index)
        hardware = Hardware(
            card,
            machine.gpus,
            None,
            now.value if now is not None else None,
            load_kw=_given(f"{field_name}.power_kw", machine.power_kw, "kw"),
            idle_kw=_given_watts(f"{field_name}.idle_watts", machine.idle_watts),
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
        )


def resale_today(catalog: Catalog, machine: HaveMachine, index: int) -> Fact | None:
    """Return what one machine you have would sell for today (its GPUs, lower quartile), USD; None if unknown."""
    if machine.resale_usd is not None:
        return Fact.from_workload(f"have[{index}].resale_usd", machine.resale_usd, "usd")
    card = _gpu_named(catalog, machine.gpu)
    if card.launch_price_usd is None or card.launch_date is None or card.segment is None:
        return None
    curve = resale(catalog, RESALE_SEGMENTS[card.segment])
    age = (catalog.as_of - card.launch_date).days / 365.25
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


def _offered(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Offers of the catalog: of each machine type and term only the cheapest permitted region."""
    rows = judged(catalog)
    residency = workload.requirements.residency
    if residency:
        # A place that is unknown stays in, to be listed as not fulfilling; forbidden places make way for permitted ones.
        rows = rows.with_columns(_permitted=pl.col("country").is_in(residency).fill_null(value=False))
    else:
        rows = rows.with_columns(_permitted=pl.lit(value=True))
    best = rows.sort(
        ["_permitted", "rankable", "usd_per_hour"],
        descending=[True, True, False],
        nulls_last=True,
        maintain_order=True,
    ).unique(
        ["kind", "provider", "instance_type", "gpu", "term", "payment"], keep="first", maintain_order=True
    )
    providers: dict[str, Provider | None] = {}
    for row in best.iter_rows(named=True):
        card = gpu(catalog, row["gpu"])
        if card is None:
            continue
        name = row["provider"]
        if name not in providers:
            providers[name] = provider(catalog, name)
        yield _from_offer(catalog, row, card, providers[name])


def _from_offer(catalog: Catalog, row: dict[str, Any], card: Gpu, seller: Provider | None) -> Candidate:
    price = Fact(
        "catalog", "offers", row["offer_id"], row["usd_per_hour_running"], "usd_per_machine_hour",
        catalog.cite(row["source"]), row["observed_on"], row["confidence"], note=row["note"] or "",
    )  # fmt: skip
    storage = None
    if row["storage_usd_gb_month"] is not None:
        storage = Fact(
            "catalog", "offers", row["offer_id"], row["storage_usd_gb_month"], "usd_per_gb_month",
            catalog.cite(row["source"]), row["observed_on"], row["confidence"],
        )  # fmt: skip
    elif seller is not None:
        storage = seller.storage
    against = () if row["rankable"] else (reason_not_ranked(row),)
    warnings = [_("its price is of {day}").format(day=row["observed_on"].isoformat())] if row["stale"] else []
    if card.vendor == "AMD":
        warnings.append(_("AMD card: check that your software runs on ROCm"))
    return Candidate(
        id=row["offer_id"],
        kind=row["kind"],
        provider=row["provider"],
        name=row["instance_type"],
        region=row["region"],
        term=row["term"],
        gpu=card,
        gpus=row["gpu_count"] or 0.0,
        memory_gb=row["gpu_memory_gb"] or card.memory_gb,
        price=price,
        country=row["country"],
        rental=Rental(
            row["term"],
            price,
            row["upfront_usd"] or 0.0,
            row["minimum_months"] or 0.0,
            seller,
            storage,
            egress_tiers(catalog, row["provider"], row["region"]),
        ),
        provider_facts=seller,
        against=against,
        warnings=tuple(warnings),
    )


def reason_not_ranked(row: dict[str, Any]) -> str:
    """Say why an offer is shown but not ranked."""
    if row["floor"]:
        return _("lowest ask of a market: a floor, not a price")
    if row["doubt"]:
        return _("doubtful: {why}").format(why=_(row["doubt"]))
    if row["stale"]:
        return _("price of {day} is too old while fresher ones exist").format(
            day=row["observed_on"].isoformat()
        )
    return _("price unknown")


def _quoted(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    for index, quote in enumerate(workload.quotes):
        card = _gpu_named(catalog, quote.gpu)
        price = _quote_price(catalog, quote, index)
        seller = provider(catalog, quote.provider)
        storage = _given(
            f"quotes[{index}].storage_usd_gb_month", quote.storage_usd_gb_month, "usd_per_gb_month"
        )
        rate = to_usd(catalog, quote.upfront, quote.currency or "USD", catalog.as_of)
        yield Candidate(
            id=f"{quote.kind}/{slug(quote.provider)}/{slug(quote.name)}/{slug(quote.region)}/{quote.term}",
            kind=quote.kind,
            provider=quote.provider,
            name=quote.name,
            region=quote.region,
            term=quote.term,
            gpu=card,
            gpus=quote.gpus,
            memory_gb=card.memory_gb,
            price=price,
            country=quote.country,
            rental=Rental(
                quote.term, price, rate.value or 0.0, quote.minimum_months, seller,
                storage or (seller.storage if seller else None), egress_tiers(catalog, quote.provider, quote.region),
            ),
            provider_facts=seller,
        )  # fmt: skip


def _quote_price(catalog: Catalog, quote: Quote, index: int) -> Fact:
    """Price of a quote as USD a machine-hour: node prices are used as they are given."""
    if quote.usd_per_machine_hour is not None:
        usd = quote.usd_per_machine_hour
    elif quote.usd_per_gpu_hour is not None:
        usd = quote.usd_per_gpu_hour * quote.gpus
    else:
        converted = to_usd(catalog, quote.amount, quote.currency, catalog.as_of)
        usd = converted.known / (HOURS_PER_MONTH if quote.per == "machine_month" else 1.0)
    usd += (quote.usd_per_vcpu_hour or 0.0) * (quote.vcpus or 0.0)
    key = f"quotes[{index}]"
    return Fact(
        "catalog",
        "offers",
        key,
        usd,
        "usd_per_machine_hour",
        _("quote of {who}").format(who=quote.provider),
        catalog.as_of,
        "high",
    )


def _campus(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    for index, cluster in enumerate(workload.campus):
        card = _gpu_named(catalog, cluster.gpu)
        usd = cluster.usd_per_gpu_hour * cluster.gpus_per_node
        key = f"campus[{index}].usd_per_gpu_hour"
        price = Fact(
            "catalog",
            "offers",
            key,
            usd,
            "usd_per_machine_hour",
            _("your institution"),
            catalog.as_of,
            "high",
        )
        storage = _given(
            f"campus[{index}].storage_usd_gb_month", cluster.storage_usd_gb_month, "usd_per_gb_month"
        )
        yield Candidate(
            id=f"campus/{slug(cluster.name)}/{slug(card.gpu)}/campus/on_demand",
            kind="campus",
            provider=cluster.name,
            name=card.gpu,
            region="campus",
            term="on_demand",
            gpu=card,
            gpus=cluster.gpus_per_node,
            memory_gb=card.memory_gb,
            price=price,
            country=workload.location.country,
            rental=Rental("on_demand", price, storage=storage, egress=()),
            wait_hours=cluster.wait_hours,
            wall_limit_hours=cluster.wall_time_limit_hours,
            gpu_hours_cap=cluster.gpu_hours_per_month_max,
        )


def _gpu_named(catalog: Catalog, name: str) -> Gpu:
    """Return the GPU a person named; BadInput with the nearest name if it is unknown."""
    found = gpu(catalog, resolve_gpu(name, list(gpus(catalog))))
    assert found is not None
    return found


def _given(field_name: str, value: float | None, unit: str) -> Fact | None:
    return None if value is None else Fact.from_workload(field_name, value, unit)


def _given_watts(field_name: str, watts: float | None) -> Fact | None:
    return None if watts is None else Fact.from_workload(field_name, watts / 1_000.0, "kw")
