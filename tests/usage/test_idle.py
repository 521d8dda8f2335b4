"""Hours, load, idle time, work: what is made of usage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent import usage
from rackrent.usage.hours import spread
from rackrent.usage.idle import charges, idle, split_price, stoppable
from rackrent.usage.summary import load_duration, summarise

SPANS = st.lists(
    st.tuples(st.floats(0, 90), st.floats(0.001, 60), st.floats(0.1, 16)), min_size=1, max_size=30
)


@given(SPANS)
def test_spreading_over_hours_loses_nothing(spans: list[tuple[float, float, float]]) -> None:
    start, length, rate = (np.array(c) for c in zip(*spans, strict=True))
    hours = spread(start, start + length, rate, 200)
    assert hours.sum() == pytest.approx((length * rate).sum())
    oracle = [sum(r * max(0.0, min(h + 1, s + n) - max(h, s)) for s, n, r in spans) for h in range(200)]
    assert hours == pytest.approx(oracle, abs=1e-8)


@pytest.mark.case("P14")
@given(
    st.floats(0, 1e6), st.dictionaries(st.text(max_size=3), st.floats(0, 4), max_size=6), st.floats(0.25, 16)
)
def test_charges_and_idle_are_the_price_of_the_node_always(
    price: float, shares: dict[str, float], node: float
) -> None:
    charged, spare = split_price(price, shares, node)
    assert sum(charged.values()) + spare == pytest.approx(price)
    assert all(v >= 0 for v in charged.values()) and spare >= -1e-9 * price


@pytest.mark.case("P14")
def test_four_tenants_at_a_quarter_of_a_gpu_pay_a_quarter_each(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    rows = "".join(f"2024-01-01T00:00:00Z,1,1,25,{who},node\n" for who in "abcd")
    path.write_text("started,hours,gpus,gpucores,person,pool\n" + rows)
    charged, spare = charges(usage.load(path, capacity={"node": 1}), 1.0)
    assert charged == dict.fromkeys("abcd", 0.25) and spare == 0


def test_idle_hours_are_those_paid_and_not_in_use(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,ended,gpus,pool,gpu_hours_used,person\n2024-01-01T00:00Z,2024-01-01T02:00Z,1,a,0.5,ada\n2024-01-01T08:00Z,2024-01-01T10:00Z,2,a,4,bob\n".replace("Z", ":00Z"))  # fmt: skip
    found = idle(usage.load(path, capacity={"a": 2}), after_minutes=60, usd_per_gpu_hour=2.0)
    (pool,) = found.pools
    assert (pool.paid_hours, pool.in_use_hours, pool.idle_hours) == (20, 6, 14)
    # One GPU is idle for 8 h, the other for 6 h between the jobs: an hour of each stretch is kept.
    assert pool.stoppable_hours == 7 + 5
    assert pool.saved_usd == pytest.approx(24)
    assert [(p.person, p.idle_hours) for p in found.people] == [("ada", 1.5), ("bob", 0)]


@pytest.mark.parametrize(
    ("window", "paid"),
    [
        ((10, None), 2 * 2),
        ((None, 11), 2 * 3),
        ((None, None), 2 * 4),
        ((9.5, 11.5), 2 * 2),
        ((0, 24), 2 * 24),
    ],
)
def test_what_stands_there_is_paid_within_the_window_and_not_beyond_the_files(
    tmp_path: Path, window: tuple[float | None, float | None], paid: float
) -> None:
    """An open end is that of the files, not the end of time; a window may cut an hour, as midnight in Kolkata does."""
    path = tmp_path / "j.csv"
    path.write_text("started,hours,gpus,pool\n2024-01-01T08:00:00Z,1,1,a\n2024-01-01T11:00:00Z,1,1,a\n")
    day = datetime(2024, 1, 1, tzinfo=UTC)
    start, end = (None if h is None else day + timedelta(hours=h) for h in window)
    found = usage.load(path, capacity={"a": 2}, window=(start, end))
    assert found.hourly["gpu_hours_paid"].sum() == pytest.approx(paid)


def test_a_pool_of_unknown_size_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,hours,gpus\n2024-01-01T00:00:00Z,3,2\n")
    found = idle(usage.load(path))
    assert (found.pools, found.unknown_hours) == ((), 6)
    assert found.to_dict()["saved_usd"] is None


@given(st.lists(st.floats(0, 4), min_size=1, max_size=40), st.floats(0, 5))
def test_a_stop_saves_no_more_than_was_idle_and_less_when_it_waits(gpus: list[float], after: float) -> None:
    spare = np.array(gpus)
    assert stoppable(spare, 0) == pytest.approx(spare.sum(), abs=1e-6)
    assert -1e-9 <= stoppable(spare, after) <= stoppable(spare, after / 2) + 1e-9


@pytest.mark.case("U23")
def test_the_job_table_keeps_the_gang_sizes(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,hours,gpus\n2024-01-01T00:00:00Z,3,8\n2024-01-01T00:00:00Z,3,1\n")
    assert sorted(usage.load(path).jobs["gpus"]) == [1, 8]


@pytest.mark.case("U25")
def test_unlike_gpus_are_turned_into_work_before_they_are_added(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,hours,gpus,gpu\n2024-01-01T00:00:00Z,730,1,V100\n2024-01-01T00:00:00Z,730,1,H100\n2024-01-01T00:00:00Z,73,1,odd\n")  # fmt: skip
    found = usage.load(path)
    work = usage.demand_of(found, {"V100": 1.0, "H100 80GB": 4.0}, "V100")
    assert (work.hours_per_month, work.unknown_hours) == pytest.approx((3650, 73))
    assert dict(summarise(found).pools.select("gpu", "gpu_hours").iter_rows()) == {
        "V100": 730,
        "H100 80GB": 730,
        "odd": 73,
    }


@pytest.mark.case("U26")
def test_half_a_year_is_not_silently_a_year(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,ended,gpus\n2024-01-01T00:00:00Z,2024-07-01T00:00:00Z,1\n")
    said = summarise(usage.load(path))
    assert said.warnings == ("182 days of history, not a year: nothing here is scaled to one",)
    assert said.to_dict()["window"]["days"] == 182


def test_hours_in_which_nothing_ran_count_in_the_load(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("started,hours,gpus,pool\n2024-01-01T00:00:00Z,1,2,a\n2024-01-01T03:00:00Z,1,3,b\n")
    assert load_duration(usage.load(path)).tolist() == [3, 2, 0, 0]
