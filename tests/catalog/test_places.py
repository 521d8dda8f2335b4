"""What a place decides."""

from datetime import date

import pytest

from rackrent.catalog.catalog import load
from rackrent.catalog.places import carbon, circuit_kw, electricity, policy, pue, tax_rate

TODAY = load(as_of=date(2026, 11, 30))
IN_2018 = load(as_of=date(2018, 9, 1))


def test_a_state_has_its_own_price():
    tariff = electricity(TODAY, "USA", "California", "household")
    assert tariff.fact.value == pytest.approx(0.2951)
    assert (tariff.region, tariff.tax_basis) == ("California", "excl")


def test_a_region_without_a_price_gets_its_countrys_and_says_so():
    tariff = electricity(TODAY, "USA", "Guam", "household")
    assert tariff.region is None
    assert "Guam" in tariff.fact.note


def test_a_national_price_made_of_states_is_marked_low():
    fact = electricity(TODAY, "USA", None, "business").fact
    assert fact.confidence == "low"
    assert "mean of 50 states" in fact.note


def test_euros_are_converted_and_the_amount_kept():
    tariff = electricity(TODAY, "DEU", None, "household")
    assert 0.39 < tariff.fact.value < 0.55
    assert "0.3943 EUR/kWh" in tariff.fact.note
    assert tariff.tax_basis == "incl"
    assert electricity(TODAY, "DEU", None, "business").tax_basis == "excl"


def test_an_industrial_customer_without_a_price_gets_that_of_business():
    tariff = electricity(TODAY, "CAN", None, "industrial")
    assert tariff.customer == "business"
    assert "business" in tariff.fact.note


def test_a_price_of_later_says_so():
    assert "known only later" in electricity(IN_2018, "USA", "California", "household").fact.note


@pytest.mark.parametrize("country", ["CHN", "JPN", "IND", "KOR", "TWN", "IRN", "XXX"])
def test_where_nothing_is_published_electricity_is_unknown(country):
    assert electricity(TODAY, country, None, "household") is None


def test_carbon_takes_the_smallest_place_known():
    assert carbon(TODAY, "USA", "California").value < carbon(TODAY, "USA", "Wyoming").value
    assert carbon(TODAY, "USA", "CA") == carbon(TODAY, "USA", "california")
    assert carbon(TODAY, "CHN", "Beijing").value == pytest.approx(555.4)
    assert carbon(TODAY, "SWE", "SE3").value < 50
    assert "Bavaria" in carbon(TODAY, "DEU", "Bavaria").note
    assert carbon(TODAY, "XXX") is None


def test_regions_of_other_clouds_are_not_mistaken_for_googles():
    google = carbon(TODAY, "USA", None, "gcp:us-central1")
    assert google.key == "cloud_region/gcp:us-central1"
    assert carbon(TODAY, "USA", None, "us-central1").key == "country/USA"


@pytest.mark.parametrize(
    ("site", "value"),
    [
        ("home", 1.0),
        ("home_air_conditioned", 1.33),
        ("AWS", 1.15),
        ("GCP", 1.10),
        ("Azure", 1.18),
        ("colocation", 1.42),
    ],
)
def test_pue_of_sites_and_operators(site, value):
    assert pue(TODAY, site).value == pytest.approx(value)


def test_an_operator_that_publishes_none_gets_the_industrys():
    fact = pue(TODAY, "RunPod")
    assert fact.value == pytest.approx(1.56)
    assert "RunPod" in fact.note


def test_tax_is_known_or_unknown():
    assert tax_rate(TODAY, "DEU").value == pytest.approx(0.19)
    assert tax_rate(TODAY, "GBR").value == pytest.approx(0.20)
    assert tax_rate(TODAY, "XXX") is None


def test_a_home_circuit_is_the_weakest_of_the_country():
    fact = circuit_kw(TODAY, "USA")
    assert fact.value == pytest.approx(1.44)
    assert "5.76 kW" in fact.note
    assert circuit_kw(TODAY, "DEU").value == pytest.approx(2.944), "80 % of a 16 A plug for days on end"
    assert circuit_kw(TODAY, "XXX") is None


@pytest.mark.brief("A7")
def test_the_geforce_licence_is_a_rule_with_a_link():
    rule = policy(TODAY, "licence", "world", "geforce_datacentre")
    assert rule.link.startswith("https://")
    assert rule.fact.source == "geforce-licence-2018"
    assert policy(TODAY, "licence", "world", "nothing") is None


def test_a_grants_threshold_has_a_figure():
    rule = policy(TODAY, "grant", "USA", "equipment_threshold")
    assert rule.value == 10_000
