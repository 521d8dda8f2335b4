"""Work month by month: nothing is lost, nothing is negative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.errors import BadInput
from rackrent.workload.demand import monthly_work
from rackrent.workload.model import Demand

growths = st.floats(-0.9, 4)
busy = st.floats(0.01, 12)
horizons = st.integers(1, 120)


def test_each_way_of_saying_the_demand() -> None:
    assert monthly_work(Demand(gpu_hours_per_month=100), 4, 2).tolist() == [100, 100]
    assert monthly_work(Demand(gpu_hours_total=100), 4, 4).tolist() == [25, 25, 25, 25]
    assert monthly_work(Demand(utilisation=0.2), 4, 1).tolist() == [pytest.approx(0.2 * 730 * 4)]
    assert monthly_work(Demand(utilisation=1), 1, 12).sum() == pytest.approx(8_760)


@pytest.mark.case("F4")
def test_twenty_runs_of_nine_hours() -> None:
    assert monthly_work(Demand(jobs_per_month=20, hours_per_job=9), 1, 1).tolist() == [180]
    assert monthly_work(Demand(jobs_per_month=20, hours_per_job=9), 8, 1).tolist() == [1_440]


def test_growth_compounds_by_month() -> None:
    work = monthly_work(Demand(gpu_hours_per_month=100, growth_per_year=0.44), 1, 25)
    assert work[0] == 100
    assert work[6] == pytest.approx(120)  # half a year: the square root of 1.44
    assert work[12] == pytest.approx(144)
    assert work[24] == pytest.approx(100 * 1.44**2)


def test_bursts_fill_the_first_months_of_each_year() -> None:
    work = monthly_work(Demand(gpu_hours_per_month=100, busy_months_per_year=2.5), 1, 24)
    assert work[:4].tolist() == [480, 480, 240, 0]
    assert work[12:16].tolist() == [480, 480, 240, 0]
    assert work.sum() == pytest.approx(2_400)


def test_a_burst_shorter_than_a_month_is_all_in_the_first() -> None:
    assert (
        monthly_work(Demand(gpu_hours_per_month=100, busy_months_per_year=0.5), 1, 12).tolist()
        == [1_200] + [0] * 11
    )


def test_a_last_half_year_has_half_a_burst() -> None:
    work = monthly_work(Demand(gpu_hours_per_month=100, busy_months_per_year=2), 1, 18)
    assert work[12:].tolist() == [600, 0, 0, 0, 0, 0]


def test_a_usage_file_is_not_read_yet() -> None:
    with pytest.raises(BadInput, match=r"demand\.usage names 'jobs\.csv', which has not been read"):
        monthly_work(Demand(usage="jobs.csv"), 1, 12)


@given(st.floats(1, 1e6), growths, busy, horizons)
def test_bursts_move_work_within_the_year_and_lose_none(
    hours: float, growth: float, months: float, horizon: int
) -> None:
    steady = monthly_work(Demand(gpu_hours_per_month=hours, growth_per_year=growth), 1, horizon)
    bursty = monthly_work(
        Demand(gpu_hours_per_month=hours, growth_per_year=growth, busy_months_per_year=months), 1, horizon
    )
    assert steady.shape == bursty.shape == (horizon,)
    assert np.isfinite(bursty).all()
    assert (bursty >= 0).all()
    for start in range(0, horizon, 12):
        assert bursty[start : start + 12].sum() == pytest.approx(steady[start : start + 12].sum())


@given(st.floats(1, 1e6), growths, busy, horizons)
def test_a_total_stays_the_total(hours: float, growth: float, months: float, horizon: int) -> None:
    demand = Demand(gpu_hours_total=hours, growth_per_year=growth, busy_months_per_year=months)
    assert monthly_work(demand, 1, horizon).sum() == pytest.approx(hours)
