"""Time that is billed in units: what a start pays beyond the hours it is on."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.app.compare import compare
from rackrent.catalog.catalog import load
from rackrent.costing.rental import Habits, Rentals, rental_money

TODAY = load(as_of=date(2026, 11, 30))


def rented(
    hours: float, *, unit: float, least: float, starts: float, full: bool = False, term: int = 0
) -> dict:
    """The money of one machine at $1 an hour that works `hours` in each of two months, with no waste."""
    one = np.ones(1)
    rentals = Rentals(
        one, 0 * one, np.array([term]), np.array([False]), np.array([full]), unit * one, least * one,
        0 * one, one, 0 * one, 0 * one, one, np.array([[hours, hours]]),
    )  # fmt: skip
    return {part: usd[0] for part, usd in rental_money(rentals, Habits(0.0, 0.0, starts, 0.0)).items()}


@pytest.mark.parametrize(
    ("unit", "least", "starts", "usd_a_month"),
    [
        (1.0, 0.0, 20, 10.0),  # by the hour: half an hour each start
        (1 / 60, 1 / 60, 20, 0.0),  # by the minute: taken as exact
        (1 / 3600, 0.0, 20, 0.0),
        (1 / 60, 1.0, 200, 100.0),  # 100 h in 200 starts are half an hour each: half an hour is missing
        (1 / 60, 1.0, 50, 0.0),  # two hours each: more than the least
        (
            1.0,
            1.0,
            400,
            300.0,
        ),  # a quarter of an hour each: the missing three quarters are more than half a unit
        (0.0, 0.0, 20, 0.0),  # unknown: nothing is added
    ],
)
def test_a_start_pays_half_a_unit_more_and_the_least_time(unit, least, starts, usd_a_month):
    money = rented(100, unit=unit, least=least, starts=starts)
    assert money["rounding"].tolist() == pytest.approx([0, usd_a_month, usd_a_month])


def test_what_is_paid_anyway_is_not_rounded_up():
    assert not rented(100, unit=1, least=1, starts=20, full=True)["rounding"].any()
    assert not rented(100, unit=1, least=1, starts=20, term=12)["rounding"].any()
    assert not rented(0, unit=1, least=1, starts=20)["rounding"].any()


@given(st.floats(0, 730), st.floats(0, 730), st.floats(0, 730), st.floats(0, 1_000))
def test_no_month_bills_more_hours_than_it_has(hours, unit, least, starts):
    money = rented(hours, unit=unit, least=least, starts=starts)
    assert (money["rounding"] >= 0).all()
    assert (money["rent"] + money["rounding"] <= 730 + 1e-6).all()


@pytest.mark.parametrize(("provider", "rounded"), [("Vultr", True), ("AWS", False), ("Nobody", False)])
def test_a_comparison_shows_it_as_a_line_of_its_own(provider, rounded):
    """Vultr bills by the hour; 40 jobs of 2.25 h (with five minutes to start) pay half an hour more each."""
    question = {
        "demand": {"jobs_per_month": 40, "hours_per_job": 2.25},
        "quotes": [{"provider": provider, "gpu": "L4", "usd_per_gpu_hour": 1.0}],
        "consider": {"providers": [provider]},
        "horizon_months": 12,
    }
    option = next(o for o in compare(question, TODAY).feasible if o.provider == provider and "quote" in o.id)
    lines = {s.category: s for s in option.streams}
    assert ("rounding" in lines) == rounded
    if rounded:
        assert lines["rounding"].total_usd == pytest.approx(12 * 40 * 0.5)
        assert "40 starts a month billed in units of 1 h, at least 1 h each" in lines["rounding"].formula
        assert [f.key for f in lines["rounding"].facts][1] == "Vultr/billing_s"
