"""Many states of the world: what must hold whatever the figures."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.comparison import Comparison, compare_workload
from rackrent.comparison.draws import MARKET, Draws, quasi_random
from rackrent.comparison.evaluate import evaluate
from rackrent.comparison.tornado import tornado
from rackrent.comparison.uncertainty import _blocks, drivers_of, option_usd, uncertainty
from rackrent.workload.read import workload_from

CATALOG = load(as_of=date(2026, 11, 30))


def compare(**fields: Any) -> Comparison:
    base: dict[str, Any] = {
        "demand": {"utilisation": 0.2, "reference_gpu": "RTX 3090"},
        "data": {"storage_gb": 200, "egress_gb_per_month": 50},
        "tax": {"rate": 0.19},
        "interruptible": True,
        "own": {
            "machines": [{"name": "mine", "gpu": "RTX 3090", "price_usd": 2_500, "gpu_price_usd": 1_500}]
        },
    }
    return compare_workload(workload_from({**base, **fields}), CATALOG)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare()


def test_chances_add_up_and_regret_is_never_negative(comparison: Comparison) -> None:
    u = comparison.uncertainty
    assert u.probability_best.sum() == pytest.approx(1)
    assert u.regret_usd.min() >= -1e-3 * u.mean_usd.min()
    assert np.all(u.quantiles_usd[:, 0] <= u.quantiles_usd[:, 1])
    assert np.all(u.quantiles_usd[:, 1] <= u.quantiles_usd[:, 2])


def test_the_least_regret_belongs_to_the_lowest_mean(comparison: Comparison) -> None:
    u = comparison.uncertainty
    assert u.regret_usd.argmin() == u.mean_usd.argmin()


def test_offers_in_columns_fare_as_the_same_offers_one_by_one(comparison: Comparison) -> None:
    ranking = comparison.options
    states = quasi_random(comparison.setting, 64, 3)
    looked_at = 0
    for places, weights, times in _blocks(ranking, states):
        for row, place in enumerate(places[:3]):
            alone = evaluate(ranking[int(place)].candidate, comparison.setting)  # type: ignore[arg-type]
            assert weights[row] @ times == pytest.approx(option_usd(alone, states), rel=1e-9), alone.id
            looked_at += 1
    assert looked_at > 50


def test_without_uncertainty_every_state_is_the_headline() -> None:
    exact = {row["key"]: row["likely"] for row in CATALOG.all_rows("assumptions").iter_rows(named=True)}
    exact |= {MARKET: 0.0, "performance_variance_cloud": 0.0}
    result = compare(
        assumptions=exact,
        consider={"gpus": ["RTX 3090"], "kinds": ["own_build", "cloud"]},
        own={"machines": [{"name": "mine", "gpu": "RTX 3090", "price_usd": 2_500}], "resale": "none"},
        quotes=[
            {"provider": "Acme", "gpu": "RTX 3090", "usd_per_gpu_hour": 0.5, "storage_usd_gb_month": 0.1}
        ],
        data={},
    )
    u = result.uncertainty
    assert len(result.feasible) >= 2
    assert u.mean_usd == pytest.approx([o.npv_usd for o in result.feasible], rel=1e-6)
    assert u.probability_best[0] == 1
    assert u.quantiles_usd[:, 0] == pytest.approx(u.quantiles_usd[:, 2])


def test_the_same_seed_gives_the_same_bytes(comparison: Comparison) -> None:
    one, two = (uncertainty(comparison.options, draws=256, seed=5) for _ in range(2))
    assert one.mean_usd.tobytes() == two.mean_usd.tobytes()
    assert one.probability_best.tobytes() == two.probability_best.tobytes()


def test_more_draws_agree_with_fewer(comparison: Comparison) -> None:
    few, many = (uncertainty(comparison.options, draws=n, seed=1) for n in (1_024, 4_096))
    assert few.mean_usd == pytest.approx(many.mean_usd, rel=0.01)
    assert few.probability_best == pytest.approx(many.probability_best, abs=0.03)


def test_rents_and_resale_prices_rise_together(comparison: Comparison) -> None:
    states = quasi_random(comparison.setting, 512, 0)
    mine = next(o for o in comparison.feasible if o.name == "mine")
    sale = next(s for s in mine.streams if s.category == "resale")
    assert np.corrcoef(states.rent(0), states.sale_usd(sale))[0, 1] > 0.9


@settings(max_examples=15, deadline=None)
@given(width=st.floats(0.3, 0.9))
def test_a_wider_interval_of_demand_widens_the_result(width: float) -> None:
    narrow = compare(assumptions={"demand_spread": 1}, consider={"gpus": ["RTX 3090", "A100 PCIe 80GB"]})
    wide = compare(
        assumptions={"demand_spread": {"low": 1 - width, "likely": 1, "high": 1 + width}},
        consider={"gpus": ["RTX 3090", "A100 PCIe 80GB"]},
    )
    rented = next(i for i, o in enumerate(narrow.feasible) if not o.owned and o.term == "on_demand")
    place = wide.options.place(narrow.options[rented].id)
    before, after = narrow.uncertainty.quantiles_usd[rented], wide.uncertainty.quantiles_usd[place]
    assert after[2] - after[0] > before[2] - before[0]


def test_the_tornado_puts_the_weightiest_first_and_says_where_the_rival_wins() -> None:
    result = compare()
    best = result.recommended
    assert best is not None
    rival = result.rival_of(best)
    assert rival is not None
    t = tornado(result.options, best, rival)
    swings = [b.swing_usd for b in t.bars]
    assert swings == sorted(swings, reverse=True)
    turning = [b for b in t.bars if min(b.lead_low_usd, b.lead_high_usd) < 0]
    assert len(t.turns) == len(turning)
    for bar in t.bars:
        ends = {bar.best_low: bar.lead_low_usd, bar.best_high: bar.lead_high_usd}
        assert all(id != best.id or lead >= -1e-6 for id, lead in ends.items())


RANGED: list[tuple[dict[str, Any], str]] = [
    (
        {"demand": {"utilisation": {"low": 0.1, "likely": 0.2, "high": 0.6}, "reference_gpu": "RTX 3090"}},
        "utilisation",
    ),
    ({"people": {"usd_per_hour": {"low": 5, "likely": 40, "high": 200}}}, "usd_per_hour"),
    ({"data": {"egress_gb_per_month": {"low": 0, "likely": 50, "high": 20_000}}}, "egress_gb_per_month"),
    ({"idle_waste": {"low": 0.0, "likely": 0.1, "high": 0.6}}, "idle_waste"),
    ({"discount_rate": {"low": 0.0, "likely": 0.05, "high": 0.3}}, "discount_rate"),
]


@pytest.mark.parametrize(("fields", "name"), RANGED)
def test_any_figure_may_be_a_range_and_the_ends_are_what_single_figures_give(
    fields: dict[str, Any], name: str
) -> None:
    exact = {row["key"]: row["likely"] for row in CATALOG.all_rows("assumptions").iter_rows(named=True)}
    exact |= {MARKET: 0.0, "performance_variance_cloud": 0.0}
    few: dict[str, Any] = {
        "assumptions": exact,
        "consider": {"gpus": ["RTX 3090"]},
        "own": {"machines": [{"name": "mine", "gpu": "RTX 3090", "price_usd": 2_500}], "resale": "none"},
        "quotes": [
            {"provider": "AWS", "gpu": "RTX 3090", "usd_per_gpu_hour": 0.5, "storage_usd_gb_month": 0.1}
        ],
    }
    ranged = compare(**few, **fields)
    driver = next(
        d for d in ([ranged.uncertainty] and drivers_of(ranged.setting, ranged.feasible)) if name in d.key
    )

    def ends(figures: dict[str, Any], end: str) -> dict[str, Any]:
        return {
            k: v[end] if isinstance(v, dict) and "likely" in v else ends(v, end) if isinstance(v, dict) else v
            for k, v in figures.items()
        }

    for end in ("low", "high"):
        alone = compare(**few, **ends(fields, end))
        value = getattr(driver, end)
        states = Draws(
            ranged.setting, 1, lambda d, v=value: np.array([v if d.key == driver.key else d.likely])
        )
        for places, weights, times in _blocks(ranged.options, states):
            for row, place in enumerate(places):
                option = ranged.options[int(place)]
                same = alone.option(option.id)
                assert same is not None
                assert (weights[row] @ times)[0] == pytest.approx(same.npv_usd, rel=1e-6), (end, option.id)
