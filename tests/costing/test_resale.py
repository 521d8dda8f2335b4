"""Used hardware: what the curve shows and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.costing import gpu_resale_usd
from rackrent.errors import BadInput
from rackrent.units import Interval

AGES = [1.0, 2.0, 3.0, 4.0, 5.0]
LOW = [0.697, 0.579, 0.531, 0.396, 0.302]
MEDIAN = [0.845, 0.796, 0.58, 0.428, 0.319]
HIGH = [0.971, 0.85, 0.609, 0.496, 0.339]
CURVE = (AGES, LOW, MEDIAN, HIGH)


@pytest.mark.case("F3")
def test_nothing_is_claimed_past_the_data():
    """Launched 2022-10 at $1,599, bought 2026-11 at $2,990, sold 2029-11: 7.1 years from launch."""
    sold = gpu_resale_usd(*CURVE, 1_599, 2_990, 7.1)
    assert sold.beyond_data
    assert (float(sold.low), float(sold.likely)) == (0, 0)
    assert round(float(sold.high)) == 510


@pytest.mark.case("F3")
@pytest.mark.parametrize(("quantile", "usd"), [("low", 849), ("median", 927), ("high", 974)])
def test_bought_at_launch_and_sold_at_three(quantile, usd):
    sold = gpu_resale_usd(*CURVE, 1_599, 1_599, 3.0, quantile=quantile)
    assert not sold.beyond_data
    assert round(float(sold.likely)) == usd


def test_the_default_is_the_lower_quartile():
    sold = gpu_resale_usd(*CURVE, 1_599, 1_599, 3.0)
    assert sold.likely == sold.low == pytest.approx(849.07, abs=0.005)


def test_selling_costs_come_off():
    sold = gpu_resale_usd(*CURVE, 1_599, 1_599, 3.0).after_selling(Interval(0.10, 0.125, 0.15))
    assert sold.low == pytest.approx(1_599 * 0.531 * 0.85)
    assert sold.likely == pytest.approx(1_599 * 0.531 * 0.875)
    assert sold.high == pytest.approx(1_599 * 0.609 * 0.90)


def test_linear_between_points_and_flat_before_the_first():
    sold = gpu_resale_usd(*CURVE, 1_000, 1_000, [0.0, 1.0, 2.5, 5.0])
    assert sold.low == pytest.approx([697, 697, 555, 302])
    assert sold.beyond_data.tolist() == [False, False, False, False]


@given(st.floats(1, 1e5), st.floats(1, 1e5), st.floats(0, 15))
def test_never_above_what_was_paid_and_in_order(launch, paid, age):
    sold = gpu_resale_usd(*CURVE, launch, paid, age)
    assert 0 <= sold.low <= sold.likely <= sold.high <= paid
    assert sold.beyond_data == (age > 5)
    assert np.all(sold.high <= launch)


def test_an_age_before_launch_is_refused():
    with pytest.raises(BadInput, match="from its launch"):
        gpu_resale_usd(*CURVE, 1_599, 1_599, -0.1)
