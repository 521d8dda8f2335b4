"""Break-even in time and in use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.costing import break_even_month, break_even_utilisation, straight_line
from rackrent.errors import BadInput

flows = st.lists(st.integers(-10_000, 100_000), min_size=2, max_size=40)


def until(stream, time):
    """Cumulative cash at a real time: entry 0 at once, entry m evenly over month m."""
    return float(np.interp(time, np.arange(len(stream)), np.cumsum(stream)))


@pytest.mark.case("pay-back trap")
def test_capital_is_counted_once():
    """8 GPUs at $35,000, 40 % overhead, staff and space $3,000: 35.56 months of cash, not 137.2."""
    capital = 8 * 35_000 * 1.4
    power = 8 * 0.7 * 1.4 * 0.12 * 400
    own = np.full(145, power + 3_000)
    own[0] = capital
    cloud = np.full(145, 4.50 * 8 * 400)
    cloud[0] = 0
    assert break_even_month(own, cloud) == pytest.approx(35.56, abs=0.005)
    write_off = straight_line(capital, 0, 48, 1)[1]
    assert capital / (cloud[1] - own[1] - write_off) == pytest.approx(137.2, abs=0.05), "the mistaken figure"


def test_within_a_month():
    assert break_even_month([150, 0, 0], [0, 100, 100]) == pytest.approx(1.5)


def test_at_once_and_never():
    assert break_even_month([0, 50], [0, 100]) == 0.0
    assert break_even_month([0, 100], [0, 100]) == 0.0
    assert break_even_month([1_000, 100, 100], [0, 100, 100]) is None


def test_a_level_start_need_not_count():
    assert break_even_month([0, 100, 100], [0, 50, 50], level_start=False) is None
    assert break_even_month([0, 100, 0], [0, 50, 100], level_start=False) == pytest.approx(1.5)
    assert break_even_month([0, 50], [0, 100], level_start=False) == 0.0


def test_the_first_time_counts_though_it_is_worse_later():
    assert break_even_month([100, 0, 900], [0, 200, 100]) == pytest.approx(0.5)


def test_equal_sums_in_another_order_are_equal():
    assert break_even_month([0.3, 0.0], [0.1 + 0.2 - 1e-16, 0.0]) == 0.0


@given(flows, flows)
def test_is_the_first_time_at_which_cash_is_not_worse(a, b):
    n = min(len(a), len(b))
    own, other = a[:n], b[:n]
    time = break_even_month(own, other)
    slack = 1e-6 * (sum(map(abs, own)) + sum(map(abs, other)) + 1)
    last = n - 1 if time is None else time
    earlier = [t for t in [*range(n), *(last * np.linspace(0, 1, 11))] if t < last]
    if time is not None:
        assert until(own, time) <= until(other, time) + slack
    else:
        assert until(own, last) > until(other, last)
    assert all(until(own, t) > until(other, t) - slack for t in earlier)


def test_other_horizons_are_refused():
    with pytest.raises(BadInput, match="same months"):
        break_even_month([1, 2, 3], [1, 2])


class TestUtilisation:
    def test_where_the_lines_cross(self):
        share = break_even_utilisation(lambda u: 900 + 100 * u, lambda u: 1_600 * u)
        assert share == pytest.approx(0.6, abs=2e-4)

    def test_steps_are_stepped_over(self):
        """A second machine is needed above half: the sign changes at the step, which no slope shows."""
        share = break_even_utilisation(lambda u: 500.0 if u <= 0.5 else 2_000.0, lambda u: 1_000.0)
        assert share == pytest.approx(0.5, abs=2e-4)

    def test_none_where_one_way_is_always_cheaper(self):
        assert break_even_utilisation(lambda u: 10.0, lambda u: 20.0) is None
        assert break_even_utilisation(lambda u: 5_000.0, lambda u: 100.0 * u) is None

    @given(st.floats(10, 10_000), st.floats(1, 20_000))
    def test_owning_pays_from_there_on(self, fixed, rent):
        share = break_even_utilisation(lambda u: fixed, lambda u: rent * u)
        if share is None:
            assert fixed > rent or fixed <= rent * 0.001
        else:
            assert fixed <= rent * share
            assert fixed > rent * (share - 2e-4)
