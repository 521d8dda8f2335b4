"""What a place decides: electricity, carbon, the site's overhead, tax, circuits, rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.currency import to_usd
from rackrent.catalog.fact import Fact
from rackrent.i18n import gettext as _

Customer = Literal["household", "business", "industrial"]

OPERATORS = {
    "aws": "AWS",
    "amazon": "AWS",
    "gcp": "Google",
    "google": "Google",
    "google cloud": "Google",
    "azure": "Microsoft",
    "microsoft": "Microsoft",
    "oci": "Oracle",
    "oracle": "Oracle",
}
"""Provider names, folded, to the operator that publishes its PUE."""
INDUSTRY = "industry_average"


@dataclass(frozen=True, slots=True)
class Tariff:
    """An average electricity price: `fact` in USD per kWh, and what it includes."""

    fact: Fact
    tax_basis: Literal["incl", "excl", "unknown"]
    country: str
    region: str | None
    customer: Customer


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule in our words, with its figure where it has one."""

    topic: str
    place: str
    item: str
    text: str
    value: float | None
    unit: str
    link: str
    fact: Fact


def electricity(catalog: Catalog, country: str, region: str | None, customer: Customer) -> Tariff | None:
    """Return the average price of electricity of a customer class in a place, or None where none is known.

    A region without a price of its own gets its country's; an industrial customer without one gets the price
    of business. Either is said in the note. `country` is ISO alpha-3, `region` a state or province in English.
    """
    by_place = catalog.once(f"electricity in {country}", lambda: _tariffs(catalog, country))
    places = [(region or "").casefold(), ""]
    customers: list[Customer] = ["industrial", "business"] if customer == "industrial" else [customer]
    found = next(((p, c) for c in customers for p in places if (p, c) in by_place), None)
    if found is None:
        return None
    row = by_place[found]
    notes = []
    if region and not row["region"]:
        notes.append(
            _("no price for {region}: that of {country} is used").format(region=region, country=country)
        )
    if row["customer"] != customer:
        notes.append(_("no industrial price: that of business is used"))
    fact = fact_of("electricity", _key(row, "country", "region", "customer"), row, row["amount"], "USD/kWh")
    if row["currency"] != "USD":
        rate = to_usd(catalog, row["amount"], row["currency"], catalog.as_of)
        notes.append(f"{row['amount']:g} {row['currency']}/kWh; {rate.note}".rstrip("; "))
        fact = replace(fact, value=rate.value)
    return Tariff(_with(fact, notes), row["tax_basis"], country, row["region"], row["customer"])


def _tariffs(catalog: Catalog, country: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of a country by region (small letters, "" for all of it) and customer."""
    rows = catalog.known_by("electricity", ("country", "region", "customer")).filter(
        pl.col("country") == country
    )
    return {((r["region"] or "").casefold(), r["customer"]): r for r in rows.iter_rows(named=True)}


def carbon(
    catalog: Catalog, country: str | None, region: str | None = None, cloud_region: str | None = None
) -> Fact | None:
    """Return grams of CO2 per kWh of a place, or None where it is unknown.

    `cloud_region` is "gcp:us-central1": only regions of Google Cloud are published, and other clouds reuse the
    same words for other places. Then a US state (name or code), Chinese province or Nordic zone; then the country.
    """
    rows = catalog.once("carbon by place", lambda: _by_place(catalog))
    wanted = [("cloud_region", cloud_region)]
    if country == "USA":
        wanted.append(("us_state", region))
    elif country == "CHN":
        wanted.append(("cn_province", region))
    else:
        wanted.append(("zone", region))
    wanted.append(("country", country))
    for level, place in wanted:
        row = rows.get((level, place.casefold())) if place else None
        if row:
            notes = []
            if region and level == "country":
                notes.append(
                    _("no figure for {region}: that of {country} is used").format(
                        region=region, country=country
                    )
                )
            fact = fact_of("carbon", _key(row, "level", "code"), row, row["g_per_kwh"], "g/kWh")
            return _with(fact, notes)
    return None


def country_points(catalog: Catalog) -> dict[str, tuple[tuple[float, float], ...]]:
    """Return places of each country as (degrees north, degrees east), one a time zone; countries are ISO alpha-2."""

    def read() -> dict[str, tuple[tuple[float, float], ...]]:
        found: dict[str, tuple[tuple[float, float], ...]] = {}
        for row in (
            catalog.known_by("points", ("country", "zone")).sort("country", "zone").iter_rows(named=True)
        ):
            found[row["country"]] = (*found.get(row["country"], ()), (row["latitude"], row["longitude"]))
        return found

    return catalog.once("points by country", read)


def pue(catalog: Catalog, site: str) -> Fact:
    """Return the PUE of a site: home, home_air_conditioned, office, office_air_conditioned, server_room,
    colocation, or a cloud operator by name; the industry's average for operators that publish none.
    """
    rows = {r["site"]: r for r in catalog.known_by("pue", ("site",)).iter_rows(named=True)}
    own = OPERATORS.get(site.casefold(), site)
    row = rows.get(own, rows[INDUSTRY])
    fact = fact_of("pue", row["site"], row, row["pue"], "kWh/kWh")
    if own in rows:
        return fact
    return _with(fact, [_("{site} publishes none: the industry's average is used").format(site=site)])


def tax_rate(catalog: Catalog, country: str) -> Fact | None:
    """Return the standard VAT or sales tax of a country as a share (0.19), or None where it is unknown."""
    rows = catalog.known_by("taxes", ("country",)).filter(pl.col("country") == country)
    if rows.is_empty():
        return None
    row = rows.row(0, named=True)
    return fact_of("taxes", country, row, row["rate"], "share")


def policy(catalog: Catalog, topic: str, place: str, item: str) -> Policy | None:
    """Return a rule, for example ("licence", "world", "geforce_datacentre"), or None where there is none."""
    rows = catalog.known_by("policies", ("topic", "place", "item")).filter(
        (pl.col("topic") == topic) & (pl.col("place") == place) & (pl.col("item") == item)
    )
    return None if rows.is_empty() else _policy(rows.row(0, named=True))


def circuit_kw(catalog: Catalog, country: str) -> Fact | None:
    """Return what a home circuit of a country carries for days on end, kW; the weakest where there are several."""
    rows = catalog.known_by("policies", ("topic", "place", "item")).filter(
        (pl.col("topic") == "home_circuit") & (pl.col("place") == country)
    )
    if rows.is_empty():
        return None
    circuits = [_policy(row) for row in rows.sort("value").iter_rows(named=True)]
    others = ", ".join(f"{c.item}: {c.value:g} kW" for c in circuits[1:])
    return _with(circuits[0].fact, [circuits[0].item, others])


def _by_place(catalog: Catalog) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (r["level"], word.casefold()): r
        for r in catalog.known_by("carbon", ("level", "code")).iter_rows(named=True)
        for word in (r["code"], r["name"] or r["code"])
    }


def _policy(row: Mapping[str, Any]) -> Policy:
    unit = row["unit"] or ""
    fact = fact_of("policies", _key(row, "topic", "place", "item"), row, row["value"], unit)
    return Policy(
        row["topic"],
        row["place"],
        row["item"],
        row["text"] or "",
        row["value"],
        unit,
        row["link"] or "",
        fact,
    )


def _key(row: Mapping[str, Any], *columns: str) -> str:
    return "/".join(row[c] for c in columns if row[c])


def _with(fact: Fact, notes: list[str]) -> Fact:
    return replace(fact, note="; ".join(n for n in (fact.note, *notes) if n))
