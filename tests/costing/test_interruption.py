"""Work lost to interruptions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.costing import (
    ObservedFailures,
    daly_interval_hours,
    interruption_overhead,
    interruption_waste,
    monthly_probability_to_rate,
    young_interval_hours,
)
from rackrent.errors import BadInput

mtbfs = st.floats(1, 1e5)
checkpoints = st.floats(0.001, 0.5)
restarts = st.floats(0, 1)


@pytest.mark.case("Llama 3 failures")
def test_llama_3():
    seen = ObservedFailures(interruptions=419, days=54, gpus=16_384)
    assert seen.cluster_mtbf_hours == pytest.approx(3.09, abs=0.005)
    assert seen.gpu_hours_each == pytest.approx(50_677, abs=0.5)
    assert seen.per_100_gpu_years == pytest.approx(17.3, abs=0.05)


@given(st.floats(0, 0.999))
def test_a_month_at_the_rate_has_the_probability(probability):
    rate = monthly_probability_to_rate(probability)
    assert 1 - math.exp(-rate * 730) == pytest.approx(probability, abs=1e-9)


@pytest.mark.parametrize("probability", [-0.1, 1.0, 5, float("nan")])
def test_what_is_no_probability_is_refused(probability):
    with pytest.raises(BadInput, match="below 1"):
        monthly_probability_to_rate(probability)


def test_youngs_interval():
    assert young_interval_hours(24, 5 / 60) == pytest.approx(2.0)


@given(mtbfs, checkpoints, restarts, st.floats(0.5, 2.0))
def test_no_interval_does_much_better_than_dalys(mtbf, checkpoint, restart, factor):
    best = interruption_overhead(mtbf, checkpoint, restart)
    other = interruption_overhead(mtbf, checkpoint, restart, factor * daly_interval_hours(mtbf, checkpoint))
    assert other + 1 >= (best + 1) * 0.9999


def test_by_simulation():
    """Daly's expectation against failures drawn one by one."""
    mtbf, checkpoint, restart, interval = 10.0, 0.1, 0.2, 1.4
    random = np.random.default_rng(7)
    segments, paid = 20_000, 0.0
    for _ in range(segments):
        attempt = interval + checkpoint
        while (failure := random.exponential(mtbf)) < attempt:
            paid += failure
            while (again := random.exponential(mtbf)) < restart:
                paid += again
            paid += restart
        paid += attempt
    expected = interruption_overhead(mtbf, checkpoint, restart, interval)
    assert paid / (segments * interval) - 1 == pytest.approx(float(expected), rel=0.05)


@given(mtbfs, checkpoints, restarts)
def test_fewer_failures_never_waste_more(mtbf, checkpoint, restart):
    often, seldom = interruption_waste(np.array([mtbf, 2 * mtbf]), checkpoint, restart)
    assert 0 < seldom < often < 1


def test_nothing_is_wasted_where_nothing_fails():
    assert interruption_waste(math.inf, 0.1, 0.2) == 0
    assert interruption_waste(np.array([math.inf, 100.0]), 0.1, 0.2)[1] > 0
    assert interruption_overhead(100.0, 0.1, 0.2, 4.0) > 0
