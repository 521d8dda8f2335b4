"""Present value, annuities, depreciation and commitments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.costing import (
    annuity,
    book_value,
    commitment_cost,
    commitment_flows,
    declining_balance,
    depreciation_from_values,
    npv,
    straight_line,
)
from rackrent.errors import BadInput

usd = st.floats(0, 1e8)
rates = st.one_of(st.just(0.0), st.floats(1e-4, 1.0))
months = st.integers(1, 240)


class TestPresentValue:
    def test_start_is_not_discounted_and_a_year_is_once(self):
        assert npv([100.0, *[0.0] * 11, 105.0], 0.05) == pytest.approx(200.0)

    def test_many_streams_and_rates_at_once(self):
        streams = np.array([[100.0, 0, 0], [0, 0, 100.0]])
        assert npv(streams, np.array([0.05, 0.05])) == pytest.approx([100.0, 100 / 1.05 ** (2 / 12)])
        assert npv(streams, 0.0) == pytest.approx([100.0, 100.0])

    @given(usd, rates, months)
    def test_of_an_annuity_is_the_capital(self, capital, rate, n):
        effective = annuity(capital, rate, n, compounding="effective")
        assert npv([0.0, *[float(effective)] * n], rate) == pytest.approx(capital, rel=1e-6)
        nominal = annuity(capital, rate, n)
        assert npv([0.0, *[float(nominal)] * n], (1 + rate / 12) ** 12 - 1) == pytest.approx(
            capital, rel=1e-6
        )

    @given(st.lists(usd, min_size=1, max_size=60), st.lists(usd, min_size=1, max_size=60), rates)
    def test_of_a_total_is_the_total_of_its_lines(self, a, b, rate):
        n = min(len(a), len(b))
        both = np.array([a[:n], b[:n]])
        assert npv(both.sum(axis=0), rate) == pytest.approx(npv(both, rate).sum(), abs=1e-6)

    def test_a_rate_of_minus_all_is_refused(self):
        with pytest.raises(BadInput, match="-100 %"):
            npv([1.0, 1.0], -1.0)


class TestAnnuity:
    @pytest.mark.case("hennessy-patterson")
    def test_published_monthly_annuities(self):
        capital = np.array([45_978 * 1_450, 12.81e6, 88e6 * 0.82, 88e6 * 0.18])
        payments = annuity(capital, 0.05, np.array([36, 48, 120, 120]))
        assert payments == pytest.approx([1_998_102.77, 295_005.25, 765_368.76, 168_007.78], abs=0.005)

    def test_without_interest_is_capital_by_months(self):
        assert annuity(3_600, 0.0, 36) == 100.0

    def test_rates_with_and_without_interest_mix(self):
        assert annuity(1_200, np.array([0.0, 0.12]), 12) == pytest.approx([100.0, 106.62], abs=0.005)

    def test_no_months_is_refused(self):
        with pytest.raises(BadInput, match="at least one month"):
            annuity(100, 0.05, 0)


class TestDepreciation:
    @pytest.mark.case("P15")
    def test_straight_line_stops_after_the_life(self):
        """$36,000 bought on 2024-01-01: $1,000 a month up to and including 2026-12, then nothing."""
        by_month = straight_line(36_000, 0, 36, 48)
        assert by_month[0] == 0
        assert np.all(by_month[1:37] == 1_000)
        assert np.all(by_month[37:] == 0)

    @given(usd, st.floats(0, 1), st.floats(0.5, 120), months)
    def test_straight_line_and_salvage_make_the_cost(self, cost, salvage_share, life, horizon):
        salvage = cost * salvage_share
        written_off = straight_line(cost, salvage, life, 120).sum()
        assert written_off + salvage == pytest.approx(cost, abs=1e-6 * max(cost, 1))
        assert book_value(cost, straight_line(cost, salvage, life, horizon))[-1] >= salvage - 1e-6 * max(
            cost, 1
        )

    @given(usd, st.floats(0, 1), st.floats(2, 120), months)
    def test_declining_balance_and_book_value_make_the_cost(self, cost, salvage_share, life, horizon):
        by_month = declining_balance(cost, cost * salvage_share, life, horizon)
        value = book_value(cost, by_month)
        assert by_month.sum() + value[-1] == pytest.approx(cost)
        assert value[-1] >= cost * salvage_share - 1e-6 * max(cost, 1)
        assert np.all(by_month >= 0)

    def test_double_declining_halves_the_straight_life(self):
        """A twentieth doubled: a tenth of the book value each month."""
        assert declining_balance(1_000, 0, 20, 3) == pytest.approx([0, 100, 90, 81])
        assert declining_balance(1_000, 850, 20, 3) == pytest.approx([0, 100, 50, 0])

    def test_declines_with_a_curve_of_values(self):
        assert depreciation_from_values([1_599, 1_400, 927]) == pytest.approx([0, 199, 473])

    def test_several_machines_at_once(self):
        both = straight_line([36_000, 12_000], 0, [36, 12], 24)
        assert both.shape == (2, 25)
        assert both.sum(axis=1) == pytest.approx([24_000, 12_000])

    def test_lives_that_make_no_sense_are_refused(self):
        with pytest.raises(BadInput, match="longer than 0 months"):
            straight_line(1_000, 0, 0, 12)
        with pytest.raises(BadInput, match="as long as its factor"):
            declining_balance(1_000, 0, 1, 12)


class TestCommitment:
    @given(st.floats(0, 730), usd, usd)
    def test_costs_the_same_used_or_not(self, used, committed_price, overflow_price):
        prices = {"committed_usd_per_hour": committed_price, "overflow_usd_per_hour": overflow_price}
        assert commitment_cost(used, 730, **prices) == commitment_cost(730, 730, **prices)

    @given(st.floats(0, 5_000), st.floats(0, 1_000))
    def test_doubling_hours_never_lowers_the_total(self, used, committed):
        once, twice = commitment_cost(
            [used, 2 * used], committed, committed_usd_per_hour=1.2, overflow_usd_per_hour=3.06
        )
        assert twice >= once

    def test_flows_fall_due_with_each_term(self):
        flows = commitment_flows(100, 500, 12, 24)
        assert flows[[0, 1, 11, 12, 13, 24]].tolist() == [500, 100, 100, 600, 100, 100]

    @given(st.floats(0, 1e6), st.floats(0, 1e6), st.integers(1, 36), st.integers(1, 60))
    def test_the_first_term_is_paid_whole_and_renewals_to_the_horizon(
        self, monthly_usd, upfront, term, horizon
    ):
        terms = max(1.0, horizon / term)
        paid = commitment_flows(monthly_usd, upfront, term, horizon).sum()
        assert paid == pytest.approx(terms * (upfront + term * monthly_usd))

    def test_a_term_of_no_months_is_refused(self):
        with pytest.raises(BadInput, match="at least one month"):
            commitment_flows(100, 0, 0, 12)
