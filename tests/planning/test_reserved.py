"""The reserved level: published figures, and no level is cheaper."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.errors import BadInput
from rackrent.planning import best_wait_months, load_duration, reserved_cost, reserved_level, reserved_savings
from rackrent.planning.reserved import SAMPLE, order_statistic

SHARED = Path(os.environ.get("RACKRENT_SHARED", Path(__file__).parents[3] / "shared"))
HELIOS = SHARED / "data" / "helios_earth_2020-05_hourly_gpus.csv"
needs_helios = pytest.mark.skipif(not HELIOS.exists(), reason="the Helios hours are not here")


def earth():
    return pl.read_csv(HELIOS)["earth_all"].round(0).to_numpy()


@needs_helios
@pytest.mark.case("reserved-level")
@pytest.mark.parametrize(
    ("ratio", "level", "share"), [(0.45, 604, 0.5262), (0.6, 565, 0.6798), (0.8, 504, 0.8678)]
)
def test_helios_levels(ratio, level, share):
    found = reserved_savings(earth(), reserved_to_on_demand=ratio)
    assert found.level == level
    assert found.share == pytest.approx(share, abs=5e-5)


@needs_helios
@pytest.mark.case("out-of-sample")
def test_the_level_of_the_first_half_costs_more_in_the_second():
    first, second = np.split(earth(), 2)
    level = reserved_level(first, reserved_to_on_demand=0.6)
    applied = reserved_savings(second, reserved_to_on_demand=0.6, level=level)
    hindsight = reserved_savings(second, reserved_to_on_demand=0.6)
    assert applied.cost / hindsight.cost - 1 == pytest.approx(0.047, abs=5e-4)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=30),
    st.integers(0, 120).map(lambda percent: percent / 100),
)
def test_no_whole_level_is_cheaper(demand, ratio):
    level = reserved_level(demand, reserved_to_on_demand=ratio)
    costs = reserved_cost(demand, np.arange(11), reserved_to_on_demand=ratio)
    best = costs.min()
    assert reserved_cost(demand, level, reserved_to_on_demand=ratio) == pytest.approx(best)
    assert level == np.flatnonzero(np.isclose(costs, best))[0], "the smallest of the cheapest"


def test_a_rounding_error_is_not_an_hour():
    hours = np.arange(100)
    assert reserved_level(hours, reserved_to_on_demand=0.29) == 70
    assert reserved_level(hours, reserved_to_on_demand=0.2899999) == 71


def test_a_reservation_dearer_than_on_demand_is_never_made():
    assert reserved_level([4, 4, 4], reserved_to_on_demand=1.0) == 0
    assert reserved_level([4, 4, 4], reserved_to_on_demand=1.2) == 0


def test_without_demand_there_is_no_share():
    assert reserved_savings([0, 0], reserved_to_on_demand=0.5).share is None


@pytest.mark.parametrize(
    ("demand", "said"),
    [
        ([], "at least one hour"),
        ([1.0, float("nan")], "unknown in hour 1"),
        ([1.0, None], "unknown in hour 1"),
        ([3.0, -1.0], "is -1 in hour 1"),
        ([[1.0]], "one number for each hour"),
        (["x"], "one number for each hour"),
    ],
)
def test_bad_demand_is_one_sentence(demand, said):
    with pytest.raises(BadInput, match=said):
        reserved_level(demand, reserved_to_on_demand=0.5)


@pytest.mark.parametrize("ratio", [-0.1, float("nan"), float("inf")])
def test_a_bad_ratio_is_refused(ratio):
    with pytest.raises(BadInput, match="must be 0 or more"):
        reserved_level([1], reserved_to_on_demand=ratio)


@given(st.lists(st.floats(0, 50), min_size=1, max_size=40), st.floats(0, 60))
def test_a_capacity_serves_the_lower_of_demand_and_itself(demand, capacity):
    curve = load_duration(demand)
    assert curve.served(capacity) == pytest.approx(np.minimum(demand, capacity).sum())
    assert curve.hours_above(capacity) == (np.asarray(demand) > capacity).sum()
    assert curve.served(curve.peak) == pytest.approx(curve.total)


def test_the_curve_falls_from_the_peak():
    curve = load_duration([5, 1, 3]).curve(3)
    assert curve.tolist() == [[0.0, 5.0], [0.5, 3.0], [1.0, 1.0]]


@pytest.mark.case("when-to-wait")
def test_waiting_pays_above_a_threshold():
    threshold = 18 / np.log(2)
    assert threshold == pytest.approx(25.97, abs=0.005)
    assert best_wait_months(threshold * 0.999, doubling_months=18) == 0
    waits = np.linspace(0, 60, 60_001)
    done = waits + 60 * 2 ** (-waits / 18)
    assert best_wait_months(60, doubling_months=18) == pytest.approx(waits[done.argmin()], abs=1e-3)


def test_waiting_for_nothing_is_refused():
    with pytest.raises(BadInput, match="above 0 months"):
        best_wait_months(0, doubling_months=18)


@pytest.mark.parametrize("share", [0.0, 0.003, 0.5, 0.999])
@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).gamma(2.0, 200.0, 9 * SAMPLE),
        np.random.default_rng(2).integers(0, 3, 9 * SAMPLE).astype(float),
        np.repeat([1.0, 2.0, 3.0], 3 * SAMPLE),
        np.where(np.arange(9 * SAMPLE) < 40, 0.0, 7.0),  # a few hours that a sample misses
    ],
    ids=["spread", "few values", "sorted", "rare"],
)
def test_selection_from_a_sample_is_exact(values, share):
    place = int(share * values.size)
    assert order_statistic(values, place) == np.sort(values)[place]
