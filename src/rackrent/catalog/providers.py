"""Providers: their rules, and what data out costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider and its rules; None is unknown, and an empty `certificates` means that none is evidenced.

    `stopped` says what a stopped machine costs: its disk, the full price, nothing, or that it cannot be
    stopped. `stopped_disk_factor` is the disk's rate while stopped over its rate while running.
    """

    name: str
    jurisdiction: str | None
    billing_s: float | None
    minimum_s: float | None
    stopped: str | None
    stopped_disk_factor: float | None
    stopped_fact: Fact
    billing_fact: Fact
    storage: Fact | None
    spot_notice_s: float | None
    hosts: str | None
    isolation: str | None
    certificates: tuple[str, ...]
    baa: str
    baa_covers_gpu: str
    dpa: str
    quota: str | None
    evidence: Mapping[str, str]
    source: str
    observed_on: date
    confidence: str
    note: str

    def fact(self, field: str) -> Fact:
        """Return where the text field `field` was read, as a fact without a figure; remembered is low."""
        where = self.evidence.get(field, "")
        confidence = "low" if where in ("", "memory") else self.confidence
        key = f"{self.name}/{field}"
        return Fact(
            "catalog", "providers", key, None, "", self.source, self.observed_on, confidence, note=where
        )


class Tier(NamedTuple):
    """One tier of data out: USD per GB (None: unknown) from `from_gb` to `to_gb` (None: no end) a month.

    Volume counts from 0; the first `free_gb` of it (None: not stated) are not billed.
    """

    from_gb: float
    to_gb: float | None
    usd_per_gb: float | None
    free_gb: float | None
    fact: Fact


def provider(catalog: Catalog, name: str) -> Provider | None:
    """Return the provider of that name (case ignored), or None where the catalog knows nothing of it."""
    rows = catalog.once("providers by name", lambda: _by_name(catalog))
    row = rows.get(name.strip().casefold())
    return None if row is None else _provider(row)


def egress_tiers(catalog: Catalog, provider: str, region: str | None = None) -> list[Tier]:
    """Return the tiers of data out of a provider in a region, else of its default; empty where unknown.

    Tiers start at 0, meet without gaps, and held on the day of the catalog; where only later ones are known
    those are used and their facts say so.
    """
    tables = catalog.once("egress by place", lambda: _egress_tables(catalog))
    by_region = tables.get(provider.strip().casefold(), {})
    rows = by_region.get((region or "").casefold()) or by_region.get("")
    return [_tier(row) for row in rows or []]


def _by_name(catalog: Catalog) -> dict[str, dict[str, Any]]:
    rows = catalog.known_by("providers", ("provider",)).to_dicts()
    return {row["provider"].casefold(): row for row in rows}


def _provider(row: dict[str, Any]) -> Provider:
    evidence = dict(part.split(": ", 1) for part in (row["field_evidence"] or "").split("; ") if ": " in part)
    name, rate = row["provider"], row["storage_usd_gb_month"]
    storage = None
    if rate is not None:
        storage = fact_of("providers", f"{name}/storage_usd_gb_month", row, rate, "usd_per_gb_month")
    return Provider(
        name=name,
        jurisdiction=row["jurisdiction"],
        billing_s=row["billing_s"],
        minimum_s=row["minimum_s"],
        stopped=row["stopped"],
        stopped_disk_factor=row["stopped_disk_factor"],
        stopped_fact=fact_of("providers", f"{name}/stopped", row, row["stopped_disk_factor"], "share"),
        billing_fact=fact_of("providers", f"{name}/billing_s", row, row["billing_s"], "seconds"),
        storage=storage,
        spot_notice_s=row["spot_notice_s"],
        hosts=row["hosts"],
        isolation=row["isolation"],
        certificates=tuple((row["certificates"] or "").split(";")) if row["certificates"] else (),
        baa=row["baa"] or "unknown",
        baa_covers_gpu=row["baa_covers_gpu"] or "unknown",
        dpa=row["dpa"] or "unknown",
        quota=row["quota"],
        evidence=evidence,
        source=row["source"],
        observed_on=row["observed_on"],
        confidence=row["confidence"],
        note=row["note"] or "",
    )


def _egress_tables(catalog: Catalog) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Provider -> region ("" for the default) -> rows in order, all folded."""
    out: dict[str, dict[str, list[dict[str, Any]]]] = {}
    tables: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in catalog.all_rows("egress").sort("from_gb", maintain_order=True).iter_rows(named=True):
        tables.setdefault((row["provider"].casefold(), row["region"].casefold()), []).append(row)
    for (provider, region), rows in tables.items():
        chosen = _of_the_day(rows, catalog.as_of)
        if not chosen:
            continue
        regions = out.setdefault(provider, {})
        regions[region] = chosen
        if chosen[0]["default"]:
            regions[""] = chosen
    return out


def _of_the_day(rows: list[dict[str, Any]], day: date) -> list[dict[str, Any]]:
    """The tier table that held on the day; else the first later one, marked `known_later`."""
    live = [r for r in rows if r["valid_to"] is None or r["valid_to"] > day]
    starts = {r["valid_from"] for r in live}
    past = {start for start in starts if start <= day}
    start = max(past) if past else min(starts, default=None)
    return [r | {"known_later": not past} for r in live if r["valid_from"] == start]


def _tier(row: dict[str, Any]) -> Tier:
    key = f"{row['provider']}/{row['region']}/{row['from_gb']:g}"
    note = _("the first {gb:g} GB a month are free").format(gb=row["free_gb"]) if row["free_gb"] else ""
    fact = fact_of("egress", key, row, row["usd_per_gb"], "usd_per_gb", note=note)
    return Tier(row["from_gb"], row["to_gb"], row["usd_per_gb"], row["free_gb"], fact)
