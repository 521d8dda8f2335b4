"""Policies that do not know the future keep the bounds they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.errors import BadInput
from rackrent.planning.hindsight import backtest_level, best_in_hindsight
from rackrent.planning.online import (
    Tariff,
    deterministic_bound,
    draw_threshold,
    expected_randomised_cost,
    never_mass,
    randomised_bound,
    reservation_cost,
    run_online,
    threshold_density,
)
from rackrent.planning.ski_rental import (
    buying_day,
    buying_day_probabilities,
    deterministic_ratio,
    prediction_ratios,
    randomised_ratio,
    ski_cost,
)


@pytest.mark.case("ski-rental")
def test_the_published_ratios():
    assert deterministic_ratio(10) == 1.9
    assert randomised_ratio(10) == pytest.approx(1.535340, abs=5e-7)
    assert randomised_ratio(100) == pytest.approx(1.577368, abs=5e-7)
    assert randomised_ratio(10**7) == pytest.approx(1.581977, abs=1e-6)


@pytest.mark.parametrize("b", [1, 2, 7, 10])
def test_ski_rental_keeps_its_ratios_for_every_number_of_days(b):
    probabilities = buying_day_probabilities(b)
    assert probabilities.sum() == pytest.approx(1)
    worst, worst_mean = 0.0, 0.0
    for days in range(1, 4 * b):
        best = min(days, b)
        worst = max(worst, ski_cost(days, buying_day(b), b) / best)
        mean = sum(p * ski_cost(days, day, b) for day, p in enumerate(probabilities, 1))
        worst_mean = max(worst_mean, mean / best)
    assert worst == pytest.approx(deterministic_ratio(b))
    assert worst_mean == pytest.approx(randomised_ratio(b))


@pytest.mark.case("ski-rental")
@pytest.mark.parametrize("trust", [0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("b", [3, 10, 25])
def test_a_prediction_is_robust_and_consistent(b, trust):
    robust, consistent = prediction_ratios(trust)
    for days in range(1, 3 * int(b / trust)):
        best = min(days, b)
        for predicted in (1, b - 1, b, 5 * b):
            cost = ski_cost(days, buying_day(b, predicted_days=predicted, trust=trust), b)
            assert cost <= robust * best + 1e-9
            if (predicted >= b) == (days >= b):
                assert cost <= consistent * best + 1e-9


@pytest.mark.case("reserve-or-not")
def test_the_published_bounds_and_the_mass_that_never_reserves():
    assert deterministic_bound(0.4875) == pytest.approx(1.5125)
    assert randomised_bound(0.4875) == pytest.approx(1.2323, abs=5e-5)
    alpha = 0.4875
    z = np.linspace(0, 1 / (1 - alpha), 200_001)
    mass = np.trapezoid(threshold_density(z, alpha), z)
    assert mass + never_mass(alpha) == pytest.approx(1)
    assert never_mass(alpha) == pytest.approx(alpha / (np.e - 1 + alpha))
    drawn = np.array([draw_threshold(u, alpha) for u in (np.arange(20_000) + 0.5) / 20_000])
    assert np.isinf(drawn).mean() == pytest.approx(never_mass(alpha), abs=1e-4)
    for at in (0.5, 1.5):
        below = np.trapezoid(threshold_density(z[z <= at], alpha), z[z <= at])
        assert (drawn <= at).mean() == pytest.approx(below, abs=1e-3)


@pytest.mark.case("reserve-or-not")
@pytest.mark.parametrize("never", [True, False])
def test_never_reserving_is_what_keeps_the_randomised_bound(never):
    """One GPU used without a break for x fees' worth of hours: the mass on the end point breaks the bound."""
    alpha = 0.5
    end, x = 1 / (1 - alpha), 1 / (1 - alpha) + 1e-6
    z = np.linspace(0, end, 100_001)
    cost = np.trapezoid((z + 1 + alpha * (x - z)) * threshold_density(z, alpha), z)
    cost += never_mass(alpha) * (x if never else end + 1 + alpha * (x - end))
    assert bool(cost / min(x, 1 + alpha * x) <= randomised_bound(alpha) + 1e-5) is never


demands = st.lists(st.integers(0, 4), min_size=1, max_size=40)
tariffs = st.builds(
    Tariff,
    st.just(1.0),
    st.sampled_from([0.0, 0.3, 0.6]),
    st.sampled_from([0.5, 2.0, 3.7]),
    st.integers(1, 12),
)


@settings(deadline=None)
@given(demands, tariffs, st.integers(0, 5))
def test_the_deterministic_policy_keeps_its_bound(demand, tariff, ahead):
    best = best_in_hindsight(demand, tariff).cost_usd
    run = run_online(demand, tariff, known_ahead_hours=min(ahead, tariff.term_hours - 1))
    assert best - 1e-6 <= run.cost_usd <= deterministic_bound(tariff.alpha) * best + 1e-6


@settings(deadline=None, max_examples=40)
@given(demands, tariffs)
def test_the_randomised_policy_keeps_its_bound_on_average(demand, tariff):
    best = best_in_hindsight(demand, tariff).cost_usd
    mean = expected_randomised_cost(demand, tariff, draws=400)
    assert mean <= randomised_bound(tariff.alpha) * best * 1.01 + 1e-6, "1 % for 400 draws in place of all"


@settings(deadline=None, max_examples=40)
@given(demands, tariffs, st.integers(0, 3))
def test_the_window_counts_as_the_paper_writes_it(demand, tariff, ahead):
    ahead = min(ahead, tariff.term_hours - 1)
    assert run_online(demand, tariff, known_ahead_hours=ahead).reserved.tolist() == plainly(
        demand, tariff, ahead
    )


def plainly(demand, tariff, ahead):
    """The policy line by line, with a reservation count for every hour and the phantom ones before it."""
    n, term = len(demand), tariff.term_hours
    count, active, made = np.zeros(n + 2 * term, int), np.zeros(n + 2 * term, int), np.zeros(n, int)
    d = np.array([*demand, *[0] * (2 * term)])
    for t in range(n):
        window = np.arange(max(0, t + ahead - term + 1), min(t + ahead + 1, n))
        while (
            tariff.on_demand_usd_per_hour * (d[window] > count[window]).sum()
            > tariff.break_even * tariff.fee_usd + 1e-9
            and active[t] < d[t]
        ):
            made[t] += 1
            active[t : t + term] += 1
            count[t : t + term] += 1
            count[max(0, t + ahead - term + 1) : t] += 1
    return made.tolist()


def brute_force(demand, tariff, most=2):
    n = len(demand)
    plans = np.stack(np.meshgrid(*[np.arange(most + 1)] * n, indexing="ij"), -1).reshape(-1, n)
    return min(reservation_cost(demand, plan, tariff) for plan in plans)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), tariffs)
def test_nobody_does_better_than_hindsight(demand, tariff):
    assert best_in_hindsight(demand, tariff).cost_usd == pytest.approx(brute_force(demand, tariff))


def test_a_backtest_says_what_was_hindsight():
    found = backtest_level([2] * 10 + [4] * 10, reserved_to_on_demand=0.5)
    assert (found.level, found.hindsight_level) == (2, 4)
    assert found.in_sample_saving == pytest.approx(0.5)
    assert found.out_of_sample_saving == pytest.approx(0.25)
    assert found.regret == pytest.approx(0.5)
    assert found.hindsight == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: Tariff(1.0, 1.0, 1.0, 10), "less than one on demand"),
        (lambda: Tariff(1.0, 0.5, 1.0, 0), "at least one hour"),
        (lambda: run_online([0.5], Tariff(1.0, 0.5, 1.0, 10)), "whole GPUs"),
        (lambda: run_online([1], Tariff(1.0, 0.5, 1.0, 10), known_ahead_hours=10), "fewer than the term"),
        (lambda: backtest_level([1], reserved_to_on_demand=0.5), "two parts"),
        (lambda: buying_day(10, predicted_days=1, trust=0), "above 0 and at most 1"),
        (lambda: deterministic_ratio(0), "1 or more"),
    ],
)
def test_bad_input_is_one_sentence(ask, said):
    with pytest.raises(BadInput, match=said):
        ask()


@pytest.mark.parametrize("seed", range(3))
def test_fewer_days_to_sign_on_cost_little(seed):
    draw = np.random.default_rng(seed)
    demand = draw.integers(0, 6, 240) + (np.arange(240) % 24 < 10)
    tariff = Tariff(1.0, 0.0, fee_usd=30.0, term_hours=60)
    exact, seldom = (best_in_hindsight(demand, tariff, every_hours=n).cost_usd for n in (1, 12))
    assert exact <= seldom + 1e-9
    assert seldom <= exact * 1.05
    with pytest.raises(BadInput, match="their term is a multiple"):
        best_in_hindsight(demand, tariff, every_hours=7)
