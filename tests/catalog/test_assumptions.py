"""Assumptions: named, visible, overridable."""

from datetime import date

import pytest

from rackrent.catalog.assumptions import assumption, check_overrides
from rackrent.catalog.catalog import load
from rackrent.errors import BadInput
from rackrent.workload.model import Range

CATALOG = load(as_of=date(2026, 11, 30))


def test_an_assumption_is_an_interval_with_its_basis():
    fact = assumption(CATALOG, "administration_hours")
    assert (fact.kind, fact.low, fact.value, fact.high) == ("assumption", 0.5, 2, 6)
    assert "judgement" in fact.note


def test_it_holds_on_any_day_without_a_warning():
    assert "later" not in assumption(load(as_of=date(2018, 9, 1)), "hourly_rate").note


@pytest.mark.parametrize(
    ("given", "expected"),
    [(60.0, (None, 60.0, None)), (Range(low=50, likely=60, high=80), (50, 60, 80))],
)
def test_an_override_is_the_persons_own_figure(given, expected):
    fact = assumption(CATALOG, "hourly_rate", {"hourly_rate": given})
    assert (fact.low, fact.value, fact.high) == expected
    assert (fact.kind, fact.key) == ("workload", "assumptions.hourly_rate")


def test_an_unknown_key_names_the_nearest():
    with pytest.raises(BadInput, match="hourly_rate"):
        check_overrides(CATALOG, {"hourly_rates": 3.0})


def test_every_interval_is_ordered_and_says_why():
    for row in CATALOG.all_rows("assumptions").iter_rows(named=True):
        assert row["low"] <= row["likely"] <= row["high"], row["key"]
        assert row["basis"], row["key"]


def test_keys_are_unique():
    assert CATALOG.all_rows("assumptions")["key"].is_unique().all()
