"""What programs read: one object on standard output, by the contract."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

FIRST = "examples/first-machine.yaml"
OPTION = {
    "id", "kind", "provider", "term", "gpu", "gpu_count", "machines", "feasible", "reasons", "total_usd",
    "totals_by_payer", "npv_usd", "upfront_usd", "usd_per_gpu_hour", "usd_per_unit_work", "monthly_usd",
    "break_even_months", "break_even_utilisation", "lending", "finish_month", "energy_kwh", "co2_kg", "p10_usd",
    "p90_usd", "probability_best", "regret_usd", "scorecard", "cash_flows",
}  # fmt: skip
TOP = {
    "recommended",
    "recommended_on_budget",
    "verdict",
    "tornado",
    "assumptions",
    "warnings",
    "options",
    "omitted",
}
FLOW = {"month", "category", "usd", "payer", "tax_basis", "source"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", FIRST],
        ["compare", FIRST, "--all"],
        ["compare", FIRST, "--gpu-memory", "999"],
        ["explain", FIRST, "any/1x-gtx-1080-ti"],
        ["explain", FIRST, "any/1x-gtx-1080-ti", "0"],
        ["reproduce", "chen-2018"],
        ["reproduce", "hamilton-2010"],
        ["prices", "search", "--gpu", "A100 80GB", "--as-of", "2026-10-15"],
        ["prices", "search", "--gpu", "RTX 3090", "--price-usd-per-gpu-hour-max", "0.0001"],
        ["prices", "show", "RTX 3090"],
        ["prices", "show", "aws/p3.2xlarge/us-east-1/on_demand"],
    ],
    ids=" ".join,
)
def test_json_is_one_object_and_nothing_else(rackrent: Callable, arguments: list[str]) -> None:
    assert isinstance(json.loads(rackrent(*arguments, "--json").out), dict)


def test_compare_keeps_the_contract(rackrent: Callable) -> None:
    answer = json.loads(rackrent("compare", FIRST, "--json").out)
    assert set(answer) >= TOP
    for option in answer["options"]:
        assert set(option) >= OPTION
        if option["feasible"]:
            assert all(set(flow) == FLOW for flow in option["cash_flows"])
            assert sum(f["usd"] for f in option["cash_flows"]) == pytest.approx(option["total_usd"])
            assert sum(option["monthly_usd"]) == pytest.approx(option["total_usd"])
        else:
            assert option["reasons"] and option["total_usd"] is None


def test_without_all_the_other_feasible_options_are_counted_not_listed(rackrent: Callable) -> None:
    few = json.loads(rackrent("compare", FIRST, "--json").out)
    every = json.loads(rackrent("compare", FIRST, "--json", "--all").out)
    assert every["omitted"] == 0
    assert len(few["options"]) + few["omitted"] == len(every["options"])
    assert few["omitted"] > 0
    listed = {o["id"] for o in few["options"]}
    assert listed >= {o["id"] for o in every["options"] if not o["feasible"]} | {few["recommended"]}
    assert [o for o in every["options"] if o["id"] in listed] == few["options"]


def test_the_best_for_the_funding_is_listed(rackrent: Callable) -> None:
    answer = json.loads(rackrent("compare", "examples/lab-grant.yaml", "--json").out)
    assert answer["recommended_on_budget"] in {o["id"] for o in answer["options"]}


@pytest.mark.case("chen-2018")
def test_chen_holds_his_table_and_the_full_model(rackrent: Callable) -> None:
    answer = json.loads(rackrent("reproduce", "chen-2018", "--json").out)
    assert {"name", "rows", "notes", "full_model"} <= set(answer)
    rows = {r["what"]: (r["published"], r["computed"]) for r in answer["rows"]}
    assert rows["1 GPU, a year: AWS"] == (17_432, pytest.approx(17_432.4))
    full = answer["full_model"]
    assert (full["as_of"], [u["utilisation"] for u in full["uses"]]) == ("2018-09-15", [1.0, 0.2])
    for use in full["uses"]:
        assert use["recommended"].startswith("own_build/")
        assert set(use["cloud"]) == {"on_demand", "reserved_1y", "reserved_3y"}
        for cloud in use["cloud"].values():
            assert cloud["ratio"] == pytest.approx(cloud["total_usd"] / use["own"]["total_usd"])
    always, seldom = full["uses"]
    assert always["cloud"]["on_demand"]["ratio"] > 3 * seldom["cloud"]["on_demand"]["ratio"], (
        "hours that are not rented are not paid"
    )
    for term in ("reserved_1y", "reserved_3y"):
        assert always["cloud"][term]["total_usd"] == seldom["cloud"][term]["total_usd"], (
            "a commitment is paid, used or not"
        )
    assert json.loads(rackrent("reproduce", "hamilton-2010", "--json").out)["full_model"] is None


def test_an_offer_that_does_not_rank_says_why(rackrent: Callable) -> None:
    found = json.loads(
        rackrent(
            "prices", "search", "--gpu", "RTX 3090", "--include-floors", "--as-of", "2026-10-15", "--json"
        ).out
    )
    floor = next(o for o in found["offers"] if o["floor"])
    assert not floor["rankable"]
    said = rackrent("prices", "show", floor["offer_id"], "--as-of", "2026-10-15").out
    assert "not ranked: lowest ask of a market" in " ".join(said.split())
    assert floor["citation"].split()[0] in said


def test_a_gpu_shows_what_is_unknown_as_unknown(rackrent: Callable) -> None:
    card = json.loads(rackrent("prices", "show", "RTX 3090", "--json").out)
    assert card["gpu"]["fp8_tensor_tflops"] is None
    assert card["benchmark_rows"] > 0
    assert "fp8_tensor_tflops     unknown" in rackrent("prices", "show", "RTX 3090").out


def test_csv_holds_every_option_whole(rackrent: Callable, tmp_path: Path) -> None:
    path = tmp_path / "options.csv"
    path.write_text("old", encoding="utf-8")
    ended = rackrent("compare", FIRST, "--json", "--all", "--csv", str(path))
    answer = json.loads(ended.out)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [r["id"] for r in rows] == [o["id"] for o in answer["options"]]
    best = answer["options"][0]
    assert float(rows[0]["npv_usd"]) == best["npv_usd"]
    out = next(r for r in rows if r["feasible"] == "False")
    assert out["npv_usd"] == "" and out["reasons"]
    assert [p.name for p in tmp_path.iterdir()] == ["options.csv"]
    assert path.stat().st_mode & 0o444


def test_a_csv_that_fails_leaves_the_old_one(
    rackrent: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    path = tmp_path / "options.csv"
    path.write_text("old", encoding="utf-8")
    ended = rackrent("compare", FIRST, "--csv", str(path))
    assert (ended.code, path.read_text(encoding="utf-8")) == (2, "old")
    assert ended.err.endswith("cannot be written (No space left on device)\n")
    assert [p.name for p in tmp_path.iterdir()] == ["options.csv"]


def test_a_csv_in_another_currency_says_so_in_its_columns(rackrent: Callable, tmp_path: Path) -> None:
    path = tmp_path / "options.csv"
    answer = json.loads(rackrent("compare", FIRST, "--currency", "eur", "--json", "--csv", str(path)).out)
    with path.open(newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert not [name for name in row if "usd" in name]
    best = next(o for o in answer["options"] if o["id"] == row["id"])
    rate = answer["fx"]["usd_per_unit"]
    for name in ("npv", "upfront", "regret"):
        assert float(row[f"{name}_eur"]) == pytest.approx(best[f"{name}_usd"] / rate)
    assert float(row["eur_per_gpu_hour"]) == pytest.approx(best["usd_per_gpu_hour"] / rate)
    assert float(row["utilisation"]) == best["utilisation"]


def test_json_stays_in_dollars_and_says_the_rate_of_its_sentences(rackrent: Callable) -> None:
    dollars = json.loads(rackrent("compare", FIRST, "--json").out)
    euros = json.loads(rackrent("compare", FIRST, "--json", "--currency", "EUR").out)
    assert dollars["fx"] is None and euros["currency"] == "USD"
    assert (euros["fx"]["currency"], euros["fx"]["month"]) == ("EUR", "2018-09")
    assert "European Central Bank" in euros["fx"]["source"]
    for one, other in zip(euros["options"], dollars["options"], strict=True):
        assert [one[name] for name in one if "usd" in name] == [
            other[name] for name in other if "usd" in name
        ]
        assert one["cash_flows"] == other["cash_flows"]
    npv = dollars["options"][0]["npv_usd"]
    assert f"${npv:,.0f} in present value" in dollars["verdict"]
    assert f"EUR {npv / euros['fx']['usd_per_unit']:,.0f} in present value" in euros["verdict"]


def test_a_rate_that_ends_earlier_is_said_to(rackrent: Callable) -> None:
    answer = json.loads(
        rackrent("compare", FIRST, "--as-of", "2018-12-20", "--currency", "EUR", "--json").out
    )
    assert answer["fx"]["month"] == "2018-12"
    later = rackrent(
        "compare", "--utilisation", "0.2", "--kind", "own_build", "--as-of", "2027-02-01", "--currency", "EUR"
    )
    assert "the last known month before 2027-02-01" in " ".join(later.out.split())


def test_the_json_of_a_question_of_today_is_small(rackrent: Callable) -> None:
    told = rackrent("compare", "examples/startup-dgx.yaml", "--json").out
    assert len(told.encode()) < 1_200_000
    out = [o for o in json.loads(told)["options"] if not o["feasible"]]
    assert len(out) > 1_000
    assert all(o["reasons"] and o["npv_usd"] is None and o["cash_flows"] is None for o in out)
