"""The data itself: electricity, carbon, PUE, taxes, policies."""

from datetime import date

import polars as pl
import pytest

from rackrent.catalog.catalog import load
from rackrent.catalog.places import country_points, electricity

CATALOG = load(as_of=date(2026, 11, 30))
TABLES = {
    "electricity": ("country", "region", "customer", "valid_from"),
    "carbon": ("level", "code", "valid_from"),
    "pue": ("site", "valid_from"),
    "taxes": ("country", "valid_from"),
    "policies": ("topic", "place", "item", "valid_from"),
    "points": ("country", "zone", "valid_from"),
}


@pytest.mark.parametrize("table", TABLES)
def test_keys_are_unique_and_sources_exist(table):
    rows = CATALOG.all_rows(table)
    assert rows.select(TABLES[table]).is_unique().all()
    assert set(rows["source"]) <= set(CATALOG.sources)
    assert rows["observed_on"].null_count() == 0


def test_electricity_is_plausible_in_dollars():
    places = CATALOG.known_by("electricity", ("country", "region", "customer"))
    for row in places.iter_rows(named=True):
        price = electricity(CATALOG, row["country"], row["region"], row["customer"]).fact.value
        assert 0.02 <= price <= 1.0, row


def test_what_is_not_a_price_is_left_out():
    assert CATALOG.all_rows("electricity").filter(pl.col("amount") <= 0.01).is_empty()
    assert CATALOG.all_rows("electricity").filter(pl.col("country") == "IRN").is_empty()


def test_the_tax_basis_of_european_prices_is_kept():
    eurostat = CATALOG.all_rows("electricity").filter(pl.col("source") == "eurostat-nrg-pc")
    bases = dict(eurostat.group_by("customer").agg(pl.col("tax_basis").unique()).iter_rows())
    assert bases == {"household": ["incl"], "business": ["excl"], "industrial": ["excl"]}


def test_one_price_at_a_time():
    for place, rows in CATALOG.all_rows("electricity").group_by("country", "region", "customer"):
        spans = rows.sort("valid_from")
        assert spans["valid_to"].to_list()[:-1] == spans["valid_from"].to_list()[1:], place
        assert spans["valid_to"].to_list()[-1] is None, place


def test_countries_are_iso_codes():
    for table in ("electricity", "taxes"):
        assert CATALOG.all_rows(table).filter(~pl.col("country").str.contains(r"^[A-Z]{3}$")).is_empty()


def test_carbon_is_plausible():
    assert (
        CATALOG.all_rows("carbon").filter(~pl.col("g_per_kwh").is_between(0, 1500, closed="right")).is_empty()
    )


def test_pue_is_at_least_one():
    assert CATALOG.all_rows("pue").filter(~pl.col("pue").is_between(1, 2.5)).is_empty()


def test_tax_rates_are_shares():
    assert CATALOG.all_rows("taxes").filter(~pl.col("rate").is_between(0, 0.3)).is_empty()


def test_home_circuits_are_those_of_a_home():
    circuits = CATALOG.all_rows("policies").filter(pl.col("topic") == "home_circuit")
    assert circuits.filter(~pl.col("value").is_between(0.9, 6)).is_empty()
    assert set(circuits["unit"]) == {"kW"}


def test_points_of_countries_are_on_the_globe_and_known_places_are_where_they_are():
    points = country_points(CATALOG)
    assert len(points) > 240 and all(len(country) == 2 for country in points)
    assert all(abs(lat) <= 90 and abs(lon) <= 180 for places in points.values() for lat, lon in places)
    assert points["DE"][0] == (52.5, 13.3667)
    assert points["BR"][0][0] < 0 and len(points["US"]) == 29
