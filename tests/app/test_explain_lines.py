"""Whatever a figure of an example is, it can be traced to a row with source and date, or to an assumption."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rackrent.app.compare import compare
from rackrent.app.explain import explain
from rackrent.comparison.lending import LINES
from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.yaml"))


@cache
def compared(example: Path) -> Comparison:
    return compare(example)


def complaint(fact: dict[str, Any]) -> str | None:
    """What a figure lacks; None if a reader can follow it."""
    if fact["kind"] == "workload":
        return None if fact["key"] else "the field of the workload"
    if fact["kind"] == "assumption":
        known = all(fact[name] is not None for name in ("low", "value", "high"))
        return None if known and fact["table"] == "assumptions" else "low, likely and high"
    row = fact["kind"] == "catalog" and fact["table"] and fact["key"]
    return None if row and fact["observed_on"] and fact["citation"] else "row, source and date"


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_every_line_of_every_option_names_its_source(example: Path) -> None:
    result, untold, lines = compared(example), [], 0
    for option in result.feasible:
        whole = explain(result, option.id)
        for line, flow in enumerate(option.cash_flows):
            told = replace(whole, flow=flow).to_dict()
            lines += 1
            assert (told["line"], told["month"], told["usd"]) == (line, flow.month, flow.usd)
            if not told["formula"] or not told["facts"]:
                untold.append(f"{option.id} {line}: {told['category']} names nothing")
            untold += [
                f"{option.id} {line}: {fact['table']}/{fact['key']} lacks {lack}"
                for fact in told["facts"]
                if (lack := complaint(fact))
            ]
    assert lines > 0
    assert untold == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_the_streams_of_an_option_make_its_total(example: Path) -> None:
    result = compared(example)
    for option in result.headline:
        told = explain(result, option.id).to_dict()
        assert sum(s["total_usd"] for s in told["streams"]) == pytest.approx(told["total_usd"])
        assert told["streams"][0]["first_line"] == 0
        assert told["streams"][-1]["last_line"] == len(option.cash_flows) - 1


def test_an_option_that_is_out_says_why() -> None:
    result = compared(EXAMPLES[0])
    out = next(o for o in result.options if not o.feasible)
    told = explain(result, out.id).to_dict()
    assert (told["reasons"], told["total_usd"], told["streams"]) == (list(out.reasons), None, [])
    with pytest.raises(BadInput, match="has no lines: it is out"):
        explain(result, out.id, 0)


def test_a_line_is_found_by_its_number() -> None:
    result = compared(EXAMPLES[0])
    best = result.recommended
    assert best is not None
    for line in (0, len(best.cash_flows) - 1):
        assert explain(result, best.id, line).flow == best.cash_flows[line]


def test_a_line_that_is_not_there_is_refused() -> None:
    result = compared(EXAMPLES[0])
    best = result.recommended
    assert best is not None
    last = len(best.cash_flows) - 1
    with pytest.raises(BadInput, match=f"has the lines 0 to {last}; there is no line {last + 1}"):
        explain(result, best.id, last + 1)


LENDER = compare(
    {
        "demand": {"gpu_hours_per_month": 300, "reference_gpu": "RTX 4090"},
        "as_of": "2026-11-30",
        "have": [{"name": "rig", "gpu": "RTX 4090", "gpus": 4}],
        "lending": {"ask_usd_per_gpu_hour": 0.35, "fee": 0.25, "occupancy": 0.5, "income_tax_rate": 0.3},
    }
)


def test_each_figure_of_lending_names_its_formula_and_its_sources() -> None:
    told = explain(LENDER, "own_existing", "lending").to_dict()["lending"]
    lines = {line["what"]: line for line in told["lines"]}
    assert set(lines) == set(LINES)
    for line in lines.values():
        assert line["formula"] and line["facts"]
        assert [lack for fact in line["facts"] if (lack := complaint(fact))] == []
    parts = sum(lines[what]["value"] for what in ("fee", "energy", "wear", "income_tax"))
    assert lines["revenue"]["value"] - parts == pytest.approx(lines["income"]["value"])
    assert lines["income"]["value"] == told["net_usd_per_month"]


def test_what_is_rented_cannot_be_lent_out() -> None:
    rented = next(o for o in LENDER.feasible if not o.owned)
    assert explain(LENDER, rented.id).to_dict()["lending"] == {}
    with pytest.raises(BadInput, match="cannot be lent out"):
        explain(LENDER, rented.id, "lending")
