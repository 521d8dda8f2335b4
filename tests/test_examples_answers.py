"""What every example's answer must hold: the JSON contract, and figures that agree with each other."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rackrent.cli import run

FILES = sorted((Path(__file__).parent.parent / "examples").glob("*.yaml"))

CONTRACT = {
    "options", "recommended", "recommended_on_budget", "verdict", "tornado", "assumptions", "warnings",
}  # fmt: skip
OPTION_CONTRACT = {
    "id", "kind", "provider", "term", "gpu", "gpu_count", "machines", "feasible", "reasons", "total_usd",
    "totals_by_payer", "npv_usd", "upfront_usd", "usd_per_gpu_hour", "usd_per_unit_work", "monthly_usd",
    "break_even_months", "break_even_utilisation", "lending", "finish_month", "energy_kwh", "co2_kg", "p10_usd",
    "p90_usd", "probability_best", "regret_usd", "scorecard", "cash_flows",
}  # fmt: skip
FLOW_CONTRACT = {"month", "category", "usd", "payer", "tax_basis", "source"}


@cache
def answer(path: Path) -> dict[str, Any]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as stopped:
        run(["compare", str(path), "--json", "--lang", "en"])
    assert stopped.value.code == 0
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


@pytest.fixture(params=FILES, ids=lambda p: p.stem)
def told(request: pytest.FixtureRequest) -> dict[str, Any]:
    return answer(request.param)


def feasible(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [o for o in told["options"] if o["feasible"]]


def test_the_contract_is_kept(told: dict[str, Any]) -> None:
    assert told.keys() >= CONTRACT
    for option in told["options"]:
        assert option.keys() >= OPTION_CONTRACT
        for flow in option["cash_flows"] or ():
            assert flow.keys() >= FLOW_CONTRACT


def test_a_total_is_the_sum_of_its_payments_in_every_view(told: dict[str, Any]) -> None:
    for option in feasible(told):
        flows = option["cash_flows"]
        close = {"rel": 1e-9, "abs": 1e-6}
        assert option["total_usd"] == pytest.approx(sum(f["usd"] for f in flows), **close)
        assert option["total_usd"] == pytest.approx(sum(option["monthly_usd"]), **close)
        assert option["total_usd"] == pytest.approx(sum(option["totals_by_payer"].values()), **close)
        assert option["upfront_usd"] == pytest.approx(
            sum(f["usd"] for f in flows if f["month"] == 0), **close
        )
        for payer, total in option["totals_by_payer"].items():
            assert total == pytest.approx(sum(f["usd"] for f in flows if f["payer"] == payer), **close)


def test_present_value_discounts_the_payments_at_five_percent_a_year(told: dict[str, Any]) -> None:
    for option in feasible(told):
        value = sum(f["usd"] / 1.05 ** (f["month"] / 12) for f in option["cash_flows"])
        assert option["npv_usd"] == pytest.approx(value, rel=1e-9, abs=1e-6)


def test_the_recommended_is_feasible_and_the_cheapest(told: dict[str, Any]) -> None:
    able = feasible(told)
    assert told["recommended"] == told["options"][0]["id"] == able[0]["id"]
    assert [o["npv_usd"] for o in able] == sorted(o["npv_usd"] for o in able)
    assert told["options"] == [*able, *(o for o in told["options"] if not o["feasible"])]
    payable = [o for o in able if not o["reasons_on_budget"]]
    assert told["recommended_on_budget"] == min(payable, key=lambda o: o["npv_on_budget_usd"])["id"]


def test_months_to_break_even_name_options_that_are_there(told: dict[str, Any]) -> None:
    ids = {o["id"] for o in told["options"]}
    assert len(ids) == len(told["options"])
    for option in feasible(told):
        others = option["break_even_months"]
        assert others.keys() <= ids - {option["id"]}
        horizon = len(option["monthly_usd"]) - 1
        assert all(month is None or 0 <= month <= horizon for month in others.values())


def test_what_is_out_says_why_and_costs_nothing_known(told: dict[str, Any]) -> None:
    for option in told["options"]:
        if option["feasible"]:
            assert option["reasons"] == []
        else:
            assert option["reasons"] and all(option["reasons"])
            assert option["total_usd"] is None and option["npv_usd"] is None


def test_the_verdict_names_the_horizon_and_what_it_turns_on(told: dict[str, Any]) -> None:
    months = len(told["options"][0]["monthly_usd"]) - 1
    assert f"over {months} months" in told["verdict"]
    kinds = {o["kind"] in ("own_build", "own_prebuilt", "own_existing", "colocation") for o in feasible(told)}
    assert len(told["turns_on"]) >= (2 if kinds == {True, False} else 0)
