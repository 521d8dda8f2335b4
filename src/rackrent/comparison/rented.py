"""Machines one would rent: offers of the catalog, quotes, and the clusters of one's institution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.currency import to_usd
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpu
from rackrent.catalog.judge import judged
from rackrent.catalog.providers import Tier, egress_tiers, provider
from rackrent.comparison.candidate import Candidate, cores_of, given, gpu_named, slug
from rackrent.costing.rent import Rental
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.units import HOURS_PER_MONTH
from rackrent.workload.machines import Quote
from rackrent.workload.model import Workload

OLD_DAYS = 180
"""A price older than this is shown with its day."""


def offers_at_best(catalog: Catalog, workload: Workload) -> pl.DataFrame:
    """Return the judged offers the workload considers: of each machine type and term the cheapest permitted region."""
    rows = judged(catalog)
    consider = workload.consider
    if consider.kinds:
        rows = rows.filter(pl.col("kind").is_in(consider.kinds))
    if consider.gpus:
        rows = rows.filter(pl.col("gpu").is_in([gpu_named(catalog, name).gpu for name in consider.gpus]))
    if consider.terms:
        rows = rows.filter(pl.col("term").is_in(consider.terms))
    seller = pl.col("provider").str.to_lowercase()
    if consider.providers:
        rows = rows.filter(seller.is_in([p.lower() for p in consider.providers]))
    rows = rows.filter(~seller.is_in([p.lower() for p in consider.exclude_providers]))
    residency = workload.requirements.residency
    # A place that is unknown stays in, to be listed as not fulfilling; forbidden places make way for permitted ones.
    permitted = pl.col("country").is_in(residency).fill_null(value=False) if residency else pl.lit(value=True)
    order = ["_permitted", "rankable", "usd_per_hour", "offer_id"]
    kind_of_offer = [
        "kind",
        "provider",
        "instance_type",
        "gpu",
        "gpu_count",
        "term",
        "payment",
        "minimum_months",
    ]
    return (
        rows.with_columns(_permitted=permitted)
        .sort(order, descending=[True, True, False, False], nulls_last=True)
        .unique(kind_of_offer, keep="first", maintain_order=True)
    )


def offers_of(catalog: Catalog, workload: Workload, providers: frozenset[str]) -> list[Candidate]:
    """Return the considered offers of some providers (names in lower case) as candidates."""
    if not providers:
        return []
    rows = offers_at_best(catalog, workload)
    rows = rows.filter(pl.col("provider").str.to_lowercase().is_in(list(providers)))
    return [from_offer(catalog, row) for row in rows.iter_rows(named=True)]


def from_offer(catalog: Catalog, row: dict[str, Any]) -> Candidate:
    """Return the candidate that one row of `offers_at_best` makes."""
    card = gpu(catalog, row["gpu"])
    assert card is not None
    seller = provider(catalog, row["provider"])
    price = Fact(
        "catalog", "offers", row["offer_id"], row["usd_per_hour_running"], "usd_per_machine_hour",
        catalog.cite(row["source"]), row["observed_on"], row["confidence"],
        note="; ".join(n for n in (row["note"], _rate_note(catalog, row["currency"])) if n),
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
    old = row["age_days"] > OLD_DAYS
    warnings = [_("its price is of {day}").format(day=row["observed_on"].isoformat())] if old else []
    if row["conflict_usd_per_hour"] is not None:
        text = _("its source also gives {usd} an hour for it: the lower price is used")
        warnings.append(text.format(usd=format_usd(row["conflict_usd_per_hour"])))
    if row["unanswered"]:
        warnings.append(
            _("its price is of {day}: its source failed when last refreshed").format(
                day=row["observed_on"].isoformat()
            )
        )
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
        cores=cores_of(row["vcpus"]),
        network_gbps=row["network_gbps"],
        against=against,
        warnings=tuple(warnings),
    )


def _rate_note(catalog: Catalog, currency: str | None) -> str:
    """The exchange rate a price was converted with; empty for dollars."""
    return "" if currency in (None, "USD") else to_usd(catalog, 1.0, currency, catalog.as_of).note


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


def quoted(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Offers made to the person: like any other."""
    for index, quote in enumerate(workload.quotes):
        card = gpu_named(catalog, quote.gpu)
        price = _quote_price(catalog, quote, index)
        seller = provider(catalog, quote.provider)
        storage = given(
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
            cores=cores_of(quote.vcpus),
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
        note=_rate_note(catalog, quote.currency),
    )


def campus(catalog: Catalog, workload: Workload) -> Iterator[Candidate]:
    """Clusters of the person's institution."""
    for index, cluster in enumerate(workload.campus):
        card = gpu_named(catalog, cluster.gpu)
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
        free = Fact.from_workload(
            f"campus[{index}]", 0.0, "usd_per_gb", _("data stays within your institution")
        )
        inside = Tier(0.0, None, 0.0, None, free)
        storage = given(
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
            rental=Rental("on_demand", price, storage=storage, egress=(inside,)),
            wait_hours=cluster.wait_hours,
            wall_limit_hours=cluster.wall_time_limit_hours,
            gpu_hours_cap=cluster.gpu_hours_per_month_max,
        )
