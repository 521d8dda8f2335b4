"""Feed prices become offer prices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.catalog.prices import (
    FeedPrice,
    assembled_price,
    convert_month,
    half_upfront,
    known_price,
    machine_price,
    on_demand_price,
    per_gpu,
)


@pytest.mark.case("P2")
@pytest.mark.parametrize("amount", [0.0, -1.0])
def test_a_price_of_zero_is_unknown(amount):
    price = known_price(amount)
    assert price.amount is None
    assert "not a price" in price.warning


@pytest.mark.case("P3")
def test_a_machine_price_is_not_multiplied_by_its_gpus():
    assert machine_price(1.28, 8, "machine") == 1.28
    assert per_gpu(1.28, 8) == pytest.approx(0.16)
    assert machine_price(0.16, 8, "gpu") == pytest.approx(1.28)


def test_a_gpu_price_without_a_count_gives_no_machine_price():
    assert machine_price(0.16, None, "gpu") is None
    assert per_gpu(1.28, None) is None
    assert per_gpu(None, 8) is None


@pytest.mark.case("P7")
def test_a_machine_sold_in_parts_costs_all_of_them():
    assert assembled_price(10, 80, 2) == 92
    assert assembled_price(10, None, 2) is None
    assert assembled_price(10, 80, None) is None


@pytest.mark.case("P8")
def test_no_price_is_unknown_and_says_so():
    price = on_demand_price(FeedPrice())
    assert price.amount is None
    assert not price.floor
    assert price.warning == "the feed has no price for it"


@pytest.mark.case("P9")
def test_a_floor_is_not_a_price():
    assert on_demand_price(FeedPrice(minimum=0.01, reserved=3.45)).amount == 3.45
    assert on_demand_price(FeedPrice(minimum=0.01, reserved=3.45)).floor is False
    assert on_demand_price(FeedPrice(on_demand=0.0, minimum=0.01)).floor is True


@pytest.mark.case("P17")
@given(st.floats(0.01, 1e6), st.sampled_from([672, 720, 730, 744]))
def test_months_of_different_length_are_converted_in_the_open(usd, hours):
    assert convert_month(usd, from_hours=hours, to_hours=730) / 730 == pytest.approx(usd / hours)
    assert convert_month(720, from_hours=720, to_hours=730) == 730


@given(st.floats(0.01, 100), st.sampled_from([12.0, 36.0]))
def test_a_partial_upfront_costs_its_effective_price(effective, months):
    running, upfront = half_upfront(effective, months)
    assert running * months * 730 == pytest.approx(upfront)
    assert running + upfront / (months * 730) == pytest.approx(effective)
