"""GPUs, systems, colocation and resale as the costing reads them."""

from datetime import date

import numpy as np
import pytest

from rackrent.catalog.assumptions import assumption
from rackrent.catalog.catalog import load
from rackrent.catalog.hardware import colocation_rates, gpu, gpu_meant, resale, systems
from rackrent.errors import BadInput

TODAY = load(as_of=date(2026, 11, 30))
IN_2018 = load(as_of=date(2018, 10, 15))


def by_id(catalog):
    return {s.id: s for s in systems(catalog)}


def test_a_gpu_is_its_row_and_a_fact():
    card = gpu(TODAY, "RTX 3090")
    assert (card.memory_gb, card.tdp_w) == (24, 350)
    assert card.fact("tdp_w", "W").key == "RTX 3090.tdp_w"


def test_unknown_and_future_gpus_are_absent():
    assert gpu(TODAY, "RTX 9999") is None
    assert gpu(IN_2018, "RTX 3090") is None
    assert gpu(load(as_of=date(2018, 9, 1)), "RTX 2080 Ti") is None


def test_a_gpu_of_later_is_said_to_be_of_later():
    assert gpu_meant(TODAY, "rtx3090") == "RTX 3090"
    with pytest.raises(BadInput, match=r"^RTX 3090 was not launched by 2018-10-15$"):
        gpu_meant(IN_2018, "rtx3090")
    with pytest.raises(BadInput, match="Unknown GPU 'RTX 3099'"):
        gpu_meant(IN_2018, "RTX 3099")


@pytest.mark.brief("A1")
def test_the_machine_of_2018_is_its_parts():
    build = by_id(IN_2018)["chen-2018-1x-gtx-1080-ti"]
    assert build.price.value == 2989
    assert len(build.parts) == 9
    assert sum(p.quantity * p.price.value for p in build.parts) == 2989
    assert build.gpu_price.value == 699


@pytest.mark.brief("A1")
def test_variants_of_2018():
    found = by_id(IN_2018)
    four = found["chen-2018-4x-gtx-1080-ti"]
    assert (four.gpu_count, four.price.low, four.price.high) == (4, 4400, 5100)
    assert four.price.value == 2989 + 3 * 699
    assert found["chen-2018-1x-rtx-2080-ti"].price.value == pytest.approx(3500, abs=20)


@pytest.mark.brief("A8")
def test_a_prebuilt_machine_of_2018_costs_two_thirds_more():
    found = by_id(IN_2018)
    own, bought = found["chen-2018-1x-gtx-1080-ti"], found["mitxpc-1x-gtx-1080-ti"]
    assert 1 - own.price.value / bought.price.value == pytest.approx(0.40, abs=0.01)


def test_machines_can_be_bought_only_in_their_time():
    assert "chen-2018-1x-gtx-1080-ti" not in by_id(TODAY)
    assert "dgx-b200" not in by_id(IN_2018)
    assert {"dgx-b200", "hgx-h100-8"} <= set(by_id(TODAY))


@pytest.mark.brief("B2")
def test_a_server_at_a_range_is_an_interval():
    server = by_id(TODAY)["hgx-h100-8"]
    assert (server.price.low, server.price.high) == (200_000, 320_000)
    assert server.power.value == 10.2
    dgx = by_id(load(as_of=date(2024, 3, 1)))["dgx-a100-320gb"]
    assert (dgx.price.value, dgx.ram_gb, dgx.disk_gb) == (199_000, 1024, 15_000)


def test_a_price_follows_a_later_one():
    before, after = (by_id(load(as_of=d))["dgx-spark"] for d in (date(2025, 12, 1), date(2026, 7, 1)))
    assert (before.price.value, after.price.value) == (3999, 4699)


def test_euros_are_converted():
    rig = by_id(load(as_of=date(2021, 6, 1)))["wallner-2021-4x-rtx-a6000"]
    assert 28_000 < rig.price.value < 32_000
    assert "25,000 EUR" in rig.price.note


@pytest.mark.parametrize(
    ("day", "rate"),
    [
        (date(2022, 6, 1), 137.86),
        (date(2023, 6, 1), 163.44),
        (date(2025, 3, 1), 184),
        (date(2026, 11, 30), 196),
    ],
)
def test_colocation_rates_of_their_day(day, rate):
    assert colocation_rates(load(as_of=day), "USA").value == rate


def test_colocation_is_unknown_elsewhere_and_before():
    assert colocation_rates(TODAY, "DEU") is None
    assert colocation_rates(IN_2018, "USA") is None


@pytest.mark.case("F3")
def test_the_consumer_curve_at_three_years():
    curve = resale(TODAY, "consumer_gpu")
    at = list(curve.age_years).index(3.0)
    assert (curve.low[at], curve.median[at], curve.high[at]) == (0.531, 0.58, 0.609)
    assert curve.age_years[-1] == 5.0
    assert curve.median[-1] == 0.319


@pytest.mark.parametrize("segment", ["consumer_gpu", "datacenter_gpu", "rest"])
def test_curves_fall_with_age_and_are_ordered(segment):
    curve = resale(TODAY, segment)
    for values in (curve.low, curve.median, curve.high):
        assert np.all(np.diff(values) <= 0)
    assert np.all(curve.low <= curve.median)
    assert np.all(curve.median <= curve.high)
    assert curve.facts


def test_data_centre_cards_are_wide_including_nil():
    curve = resale(TODAY, "datacenter_gpu")
    assert np.all(curve.low == 0)
    assert curve.high[3] / curve.median[3] > 1.5


def test_the_rest_of_a_machine_is_an_assumption_that_can_be_replaced():
    assert resale(TODAY, "rest").median[-1] == assumption(TODAY, "resale_rest_share").value
    assert resale(TODAY, "rest", {"resale_rest_share": 0.3}).median[-1] == 0.3


def test_a_curve_learnt_later_says_so():
    assert "known only later" in resale(IN_2018, "consumer_gpu").facts[0].note
