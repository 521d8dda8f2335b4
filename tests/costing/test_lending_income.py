"""What lending brings: two published cases, then what holds for any figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rackrent.costing import Drawn, ask_floor_usd, energy_floor_usd, lending_income, payouts

shares = st.floats(0, 1)
fees = st.floats(0, 0.95)
kilowatts = st.floats(0, 20)
dollars = st.floats(0, 100)
terms = st.fixed_dictionaries(
    {
        "gpus": st.integers(1, 16),
        "drawn": st.builds(Drawn, kilowatts, kilowatts),
        "fee": fees,
        "usd_per_kwh": st.floats(0, 2),
        "wear_usd_per_gpu_hour": st.floats(0, 1),
    }
)
RIG = Drawn(listed_kw=0.12, rented_kw=4 * 0.4)


@pytest.mark.case("F2")
@pytest.mark.parametrize(("usd_per_kwh", "net"), [(0.17, 269.08), (0.427, 96.48)])
def test_four_cards_half_rented_bring_a_fraction_of_list_price_times_all_hours(
    usd_per_kwh: float, net: float
) -> None:
    income = lending_income(0.35, 4, 730, 0.5, RIG, fee=0.25, usd_per_kwh=usd_per_kwh)
    assert income.revenue_usd == pytest.approx(511.00)
    assert income.paid_usd == pytest.approx(383.25)
    assert income.energy_kwh == pytest.approx(671.6)
    assert round(float(income.net_usd), 2) == net
    every_hour = lending_income(0.35, 4, 730, 1.0, RIG, fee=0.25, usd_per_kwh=usd_per_kwh)
    assert every_hour.revenue_usd == pytest.approx(1_022), "what list price x all hours would say"


@pytest.mark.case("P16")
def test_a_floor_pays_each_hour_at_the_price_of_its_band() -> None:
    """1 kW rented 6 h off-peak and 6 h at peak: not twelve hours at the low price."""
    floor = float(energy_floor_usd([6 * 1.0, 6 * 1.0], [0.10, 0.40]))
    assert floor == pytest.approx(3.00)
    assert floor / 12 == pytest.approx(0.25)
    assert float(energy_floor_usd([12.0], [0.10])) == pytest.approx(1.20)


@given(terms)
def test_a_rented_hour_at_the_floor_earns_exactly_nothing(given_terms: dict[str, Any]) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    floor = ask_floor_usd(gpus, drawn, **given_terms)
    income = lending_income(floor, gpus, 1.0, 1.0, drawn, **given_terms)
    assert float(income.net_usd) == pytest.approx(0.0, abs=1e-9 * (1.0 + float(income.revenue_usd)))


@given(terms, st.floats(0.01, 1), st.floats(0, 730))
def test_at_the_floor_of_an_occupancy_the_month_earns_nothing(
    given_terms: dict[str, Any], occupancy: float, hours: float
) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    floor = ask_floor_usd(gpus, drawn, occupancy=occupancy, **given_terms)
    income = lending_income(floor, gpus, hours, occupancy, drawn, **given_terms)
    assert float(income.net_usd) == pytest.approx(0.0, abs=1e-9 * (1.0 + float(income.revenue_usd)))


@given(terms, dollars, st.floats(0, 730), shares)
def test_nobody_renting_never_earns(
    given_terms: dict[str, Any], ask: float, hours: float, tax: float
) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    income = lending_income(ask, gpus, hours, 0.0, drawn, income_tax_rate=tax, **given_terms)
    assert float(income.net_usd) <= 0
    assert float(income.net_usd) == pytest.approx(
        -hours * float(drawn.listed_kw) * given_terms["usd_per_kwh"]
    )


@given(terms, dollars, st.floats(0, 0.9), shares, shares)
def test_above_the_floor_more_use_never_earns_less(
    given_terms: dict[str, Any], above: float, tax: float, one: float, other: float
) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    ask = ask_floor_usd(gpus, drawn, **given_terms) + above
    occupancy = np.sort([one, other])
    net = lending_income(ask, gpus, 730, occupancy, drawn, income_tax_rate=tax, **given_terms).net_usd
    assert net[1] >= net[0] - 1e-9 * (1.0 + abs(net[0]))


@given(terms, dollars, shares, fees)
def test_the_fee_is_a_share_of_the_revenue_and_leaves_the_power_alone(
    given_terms: dict[str, Any], ask: float, occupancy: float, fee: float
) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    free = lending_income(ask, gpus, 730, occupancy, drawn, **(given_terms | {"fee": 0.0}))
    taken = lending_income(ask, gpus, 730, occupancy, drawn, **(given_terms | {"fee": fee}))
    assert float(taken.fee_usd) == pytest.approx(fee * float(free.revenue_usd))
    assert float(taken.energy_usd) == float(free.energy_usd)
    assert float(free.net_usd - taken.net_usd) == pytest.approx(float(taken.fee_usd), abs=1e-6)


@given(terms, dollars, shares, shares)
def test_income_tax_takes_a_share_of_a_gain_and_nothing_of_a_loss(
    given_terms: dict[str, Any], ask: float, occupancy: float, rate: float
) -> None:
    gpus, drawn = given_terms.pop("gpus"), given_terms.pop("drawn")
    before = float(lending_income(ask, gpus, 730, occupancy, drawn, **given_terms).net_usd)
    after = float(
        lending_income(ask, gpus, 730, occupancy, drawn, income_tax_rate=rate, **given_terms).net_usd
    )
    assert after == pytest.approx(before * (1 - rate) if before > 0 else before)


def test_figures_broadcast() -> None:
    net = lending_income(0.35, 4, 730, 0.5, RIG, fee=0.25, usd_per_kwh=[0.17, 0.427]).net_usd
    assert net.round(2).tolist() == [269.08, 96.48]


@given(st.lists(st.floats(0, 1_000), min_size=1, max_size=48), st.floats(0, 500))
def test_a_payout_minimum_delays_money_and_loses_none(earned: list[float], minimum: float) -> None:
    paid, owed = payouts(earned, minimum)
    assert paid.sum() + owed == pytest.approx(sum(earned))
    assert all(usd == 0 or usd >= minimum for usd in paid)
    assert owed < minimum or owed == 0
    assert (np.cumsum(paid) <= np.cumsum(earned) + 1e-6).all(), "nothing is paid before it is earned"


@given(st.floats(1, 100), st.floats(1, 1_000))
def test_a_steady_income_is_paid_when_it_first_reaches_the_minimum(monthly: float, minimum: float) -> None:
    assume(minimum / monthly < 100)
    paid, _owed = payouts(np.full(120, monthly), minimum)
    first = int(np.flatnonzero(paid)[0]) + 1
    assert first * monthly >= minimum * (1 - 1e-9)
    assert (first - 1) * monthly < minimum * (1 + 1e-9)
