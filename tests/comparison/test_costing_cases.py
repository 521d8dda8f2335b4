"""Cases F1, F3, F4 and the invariants of costing, through the whole comparison."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.catalog.hardware import gpu
from rackrent.comparison import Comparison, compare_workload
from rackrent.comparison.breakeven import Sides, break_even_utilisation
from rackrent.units import HOURS_PER_MONTH
from rackrent.workload.read import workload_from

NOTHING_ELSE = dict.fromkeys(("administration_hours", "administration_hours_cloud", "administration_hours_first_month", "assembly_hours", "circuit_and_outlet", "cooling_capital", "dedicated_line", "disposal", "exit_hours", "hourly_rate", "office_space", "repair_share", "shipping_share", "startup_minutes", "static_address"), 0)  # fmt: skip
"""Assumptions that a published example leaves out."""

CATALOG = load(as_of=date(2026, 11, 30))


def compare(**fields: Any) -> Comparison:
    base: dict[str, Any] = {
        "demand": {"gpu_hours_per_month": 146},
        "tax": {"rate": 0},
        "own": {"usd_per_kwh": 0.2, "resale": "none"},
        "consider": {"kinds": ["own_prebuilt", "cloud"], "gpus": ["RTX 4090"], "providers": ["Acme"]},
        "quotes": [
            {"provider": "Acme", "gpu": "RTX 4090", "gpus": 1, "usd_per_gpu_hour": 1.0, "name": "one"}
        ],
        "assumptions": NOTHING_ELSE,
    }
    return compare_workload(workload_from({**base, **fields}), CATALOG)


def machine(**fields: Any) -> dict[str, Any]:
    return {
        "name": "mine",
        "gpu": "RTX 4090",
        "price_usd": 3_000,
        "power_kw": 0.4,
        "idle_watts": 100,
        "kind": "own_prebuilt",
        **fields,
    }


@pytest.mark.case("F1")
def test_the_verdict_differs_between_the_budget_and_everyone() -> None:
    """Grant with 55 % on services and none on equipment; the university pays the power."""
    hours = 200.0
    kwh_price = 4_000 / (36 * hours * 0.4)
    result = compare(
        demand={"gpu_hours_per_month": hours},
        idle_waste=0,
        own={
            "usd_per_kwh": kwh_price, "resale": "none", "powered_when_idle": False,
            "machines": [machine(price_usd=30_000)],
        },
        quotes=[{
            "provider": "Acme", "name": "one", "gpu": "RTX 4090", "usd_per_gpu_hour": 25_000 / (36 * hours),
        }],
        funding={"indirect_rate_services": 0.55, "power_paid_by": "institution"},
    )  # fmt: skip
    own = next(o for o in result.feasible if o.name == "mine")
    cloud = next(o for o in result.feasible if o.provider == "Acme")
    assert own.totals_by_payer["funding"] == pytest.approx(30_000)
    assert cloud.totals_by_payer["funding"] == pytest.approx(38_750)
    assert own.total_usd == pytest.approx(34_000)
    assert cloud.total_usd == pytest.approx(25_000)
    assert result.recommended is cloud
    assert result.recommended_on_budget is own
    assert "mine" in result.verdict.text
    assert "Acme" in result.verdict.text


@pytest.mark.case("F3")
def test_nothing_is_claimed_past_the_resale_data() -> None:
    """A card launched 2022-10 for $1,599, bought at $2,990 in 2026-11 and sold three years later: 7.1 years old."""
    result = compare(
        own={"usd_per_kwh": 0.2, "machines": [machine(price_usd=2_990, gpu_price_usd=2_990)]},
        assumptions={**NOTHING_ELSE, "resale_rest_share": 0},
    )
    own = next(o for o in result.feasible if o.name == "mine")
    sale = [s for s in own.streams if s.category == "resale"]
    assert sum(s.total_usd for s in sale) == 0
    assert "510" in sale[0].formula


@pytest.mark.case("F3")
def test_a_card_bought_at_launch_sells_at_the_lower_quartile() -> None:
    workload = workload_from({
        "demand": {"gpu_hours_per_month": 146},
        "tax": {"rate": 0},
        "own": {"usd_per_kwh": 0.2, "machines": [machine(price_usd=1_599, gpu_price_usd=1_599)]},
        "consider": {"kinds": ["own_prebuilt"], "gpus": ["RTX 4090"]},
        "assumptions": NOTHING_ELSE,
    })  # fmt: skip
    card = gpu(CATALOG, "RTX 4090")
    assert card is not None
    assert card.launch_date is not None
    result = compare_workload(workload, load(as_of=card.launch_date))
    own = next(o for o in result.feasible if o.name == "mine")
    sale = next(s for s in own.streams if s.category == "resale")
    assert sale.total_usd == pytest.approx(-0.531 * 1_599 * (1 - 0.125), abs=1.0)


@pytest.mark.case("F4")
def test_equal_work_takes_a_slower_card_longer_until_the_deadline_rules_it_out() -> None:
    cards = [
        {"provider": "Acme", "name": "fast", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0},
        {"provider": "Acme", "name": "slow", "gpu": "RTX 3070", "usd_per_gpu_hour": 0.001},
    ]
    demand = {"jobs_per_month": 20, "hours_per_job": 9, "reference_gpu": "RTX 4090"}
    consider = {"kinds": ["cloud"], "providers": ["Acme"]}
    fields: dict[str, Any] = {
        "demand": demand, "quotes": cards, "consider": consider, "horizon_months": 1, "precision": "fp32",
        "task": "cnn_training",
    }  # fmt: skip
    result = compare(**fields)
    fast, slow = (next(o for o in result.feasible if o.name == n) for n in ("fast", "slow"))
    assert fast.use is not None
    assert slow.use is not None
    assert slow.speed is not None
    assert slow.speed.ratio is not None
    assert slow.speed.ratio < 1
    assert fast.use.busy_hours[0] == pytest.approx(180)
    assert slow.use.busy_hours[0] == pytest.approx(180 / slow.speed.ratio)
    assert slow.use.run_hours == pytest.approx(9 / slow.speed.ratio)
    assert fast.use.finish_month == pytest.approx(180 / HOURS_PER_MONTH)
    assert slow.use.finish_month == pytest.approx(180 / slow.speed.ratio / HOURS_PER_MONTH)
    assert result.recommended is slow
    days = 1.1 * 180 / 24
    late = compare(**fields, deadline_days=days)
    assert late.recommended is not None
    assert late.recommended.name == "fast"
    out = next(o for o in late.options if o.name == "slow")
    assert not out.feasible
    assert "deadline" in out.reasons[0]


def test_every_total_is_the_sum_of_its_lines_in_every_view() -> None:
    result = compare(
        own={"usd_per_kwh": 0.2, "machines": [machine()]},
        assumptions={},
        tax={"rate": 0.19},
        funding={"indirect_rate_services": 0.55, "power_paid_by": "institution"},
    )
    for option in result.feasible:
        assert option.total_usd == pytest.approx(sum(f.usd for f in option.cash_flows))
        assert option.total_usd == pytest.approx(sum(option.totals_by_payer.values()))
        assert option.total_usd == pytest.approx(option.monthly_usd.sum())
        discount = [f.usd / 1.05 ** (f.month / 12) for f in option.cash_flows]
        assert option.npv_usd == pytest.approx(sum(discount))


@settings(max_examples=25, deadline=None)
@given(hours=st.floats(1, 360), waste=st.floats(0, 0.6))
def test_doubling_the_hours_never_lowers_a_total(hours: float, waste: float) -> None:
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine()]}
    less = compare(demand={"gpu_hours_per_month": hours}, idle_waste=waste, own=own)
    more = compare(demand={"gpu_hours_per_month": 2 * hours}, idle_waste=waste, own=own)
    after = {o.id: o.total_usd for o in more.feasible}
    for option in less.feasible:
        assert after[option.id] >= option.total_usd - 1e-9


def test_a_commitment_costs_the_same_used_or_not() -> None:
    quote = {
        "provider": "Acme",
        "name": "year",
        "gpu": "RTX 4090",
        "usd_per_gpu_hour": 0.5,
        "term": "reserved_1y",
    }
    idle = compare(demand={"gpu_hours_per_month": 0.001}, quotes=[quote])
    full = compare(demand={"gpu_hours_per_month": 730}, quotes=[quote])
    costs = [next(o.total_usd for o in r.feasible if o.name == "year") for r in (idle, full)]
    assert costs[0] == pytest.approx(costs[1]) == pytest.approx(0.5 * 730 * 36)


def test_an_idle_machine_pays_capital_and_idle_watts() -> None:
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine()]}
    result = compare(demand={"gpu_hours_per_month": 1e-6}, own=own)
    mine = next(o for o in result.feasible if o.name == "mine")
    assert mine.total_usd == pytest.approx(3_000 + 0.1 * 730 * 36 * 0.2, rel=1e-6)


def test_cooling_overhead_multiplies_energy_only() -> None:
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine()]}
    plain = compare(own=own)
    cooled = compare(own=own, location={"air_conditioned": True})
    before, after = (next(o for o in r.feasible if o.name == "mine") for r in (plain, cooled))
    for category in {s.category for s in before.streams}:
        was = sum(s.total_usd for s in before.streams if s.category == category)
        now = sum(s.total_usd for s in after.streams if s.category == category)
        factor = 4 / 3 if category == "power" else 1
        assert now == pytest.approx(factor * was, rel=0.01)


@settings(max_examples=25, deadline=None)
@given(price=st.floats(500, 20_000), hourly=st.floats(0.1, 5))
def test_at_the_break_even_use_both_cost_the_same(price: float, hourly: float) -> None:
    quotes = [{"provider": "Acme", "name": "one", "gpu": "RTX 4090", "usd_per_gpu_hour": hourly}]
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine(price_usd=price)]}
    result = compare(quotes=quotes, own=own)
    mine = next(o for o in result.feasible if o.name == "mine")
    cloud = next(o for o in result.feasible if o.provider == "Acme")
    use = break_even_utilisation(mine, Sides(result.options))
    if use is None:
        return
    assert mine.use is not None
    multiple = use / mine.use.utilisation
    again = compare(demand={"gpu_hours_per_month": 146 * multiple}, quotes=quotes, own=own)
    mine, cloud = (next(o for o in again.feasible if o.id == i) for i in (mine.id, cloud.id))
    assert mine.npv_usd == pytest.approx(cloud.npv_usd, rel=1e-6)
    assert mine.use is not None
    assert mine.use.utilisation == pytest.approx(use)


def test_at_another_use_another_offer_may_be_the_rival() -> None:
    """A server at 80 % beats a reserved machine at any use, but not the same machine by the hour at 10 %."""
    quotes = [
        {"provider": "Acme", "name": "hour", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0},
        {
            "provider": "Acme",
            "name": "year",
            "gpu": "RTX 4090",
            "usd_per_gpu_hour": 0.4,
            "term": "reserved_1y",
        },
    ]
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine(price_usd=5_000)]}
    result = compare(demand={"utilisation": 0.8}, quotes=quotes, own=own)
    assert result.recommended is not None
    assert result.recommended.name == "mine"
    rival = result.rival_of(result.recommended)
    assert rival is not None
    assert rival.name == "year"
    at = break_even_utilisation(result.recommended, Sides(result.options))
    assert at is not None
    assert f"below {at:.1%} renting wins" in result.verdict.turns_on[0]
    less, more = (
        compare(demand={"utilisation": at * f}, quotes=quotes, own=own).recommended for f in (0.9, 1.1)
    )
    assert (less and less.name, more and more.name) == ("hour", "mine")


def test_break_even_is_the_first_month_in_which_cash_is_not_worse() -> None:
    own = {"usd_per_kwh": 0.2, "resale": "none", "machines": [machine()]}
    result = compare(demand={"gpu_hours_per_month": 600}, own=own)
    mine = next(o for o in result.feasible if o.name == "mine")
    cloud = next(o for o in result.feasible if o.provider == "Acme")
    row = next(o for o in result.to_dict()["options"] if o["id"] == mine.id)
    month = row["break_even_months"][cloud.id]
    lead = np.cumsum(cloud.monthly_usd - mine.monthly_usd)
    assert lead[int(month)] < 0 <= lead[int(month) + 1]
