"""Exchange rates: dated, and never guessed."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.catalog.currency import to_usd
from rackrent.errors import BadInput

CATALOG = load(as_of=date(2026, 11, 30))


@pytest.mark.case("P18")
def test_an_amount_is_converted_at_the_mean_of_its_month():
    fact = to_usd(CATALOG, 100.0, "EUR", date(2018, 1, 15))
    assert fact.value == pytest.approx(121.995)
    assert (fact.table, fact.key) == ("fx", "EUR/2018-01")
    assert "2018-01" in fact.note
    assert "last known" not in fact.note


@pytest.mark.case("P18")
def test_a_month_not_known_yet_uses_the_last_one_and_says_so():
    fact = to_usd(CATALOG, 1.0, "cny", date(2026, 11, 30))
    assert fact.key == "CNY/2026-10"
    assert "last known month before 2026-11-30" in fact.note


@pytest.mark.case("P18")
def test_no_currency_is_unknown():
    assert to_usd(CATALOG, 100.0, None, date(2026, 1, 1)).value is None
    assert to_usd(CATALOG, None, "EUR", date(2026, 1, 1)).value is None


def test_dollars_are_dollars():
    assert to_usd(CATALOG, 7.0, "USD", date(2026, 1, 1)).value == 7.0


def test_an_unknown_currency_is_bad_input_naming_the_known_ones():
    with pytest.raises(
        BadInput, match=r"No exchange rate for currency 'EUO'; did you mean EUR\? Known: .*USD"
    ):
        to_usd(CATALOG, 1.0, "EUO", date(2026, 1, 1))


def test_a_day_before_all_rates_is_bad_input():
    with pytest.raises(BadInput, match="rates begin in 2018-01"):
        to_usd(CATALOG, 1.0, "EUR", date(2010, 1, 1))


def test_the_rates_are_plausible():
    fx = CATALOG.all_rows("fx")
    assert not fx.select("month", "currency").is_duplicated().any()
    assert fx["usd_per_unit"].is_between(0.0003, 2).all()
    gaps = fx.sort("month").with_columns(jump=pl.col("usd_per_unit").pct_change().over("currency").abs())
    assert gaps["jump"].max() < 0.15


@pytest.mark.case("P18")
@given(
    st.sampled_from(sorted(CATALOG.all_rows("fx")["currency"].unique())),
    st.dates(date(2019, 1, 1), date(2026, 10, 31)),
    st.floats(1e-3, 1e9),
)
def test_to_dollars_and_back_is_the_same_amount(code, day, amount):
    usd = to_usd(CATALOG, amount, code, day).known
    assert usd > 0
    assert usd / to_usd(CATALOG, 1.0, code, day).known == pytest.approx(amount)
