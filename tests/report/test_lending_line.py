"""Lending where a person reads it: one line under the verdict, an account in `explain`, nothing unasked."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rackrent.app.compare import compare
from rackrent.app.explain import explain
from rackrent.comparison.result import Comparison
from rackrent.report.explanation import print_explanation
from rackrent.report.html import render_html
from rackrent.report.lending import lending_line
from rackrent.report.terminal import print_comparison

RIG = {"name": "rig", "gpu": "RTX 4090", "gpus": 4, "power_kw": 1.72, "idle_watts": 120}
TERMS = {"ask_usd_per_gpu_hour": 0.35, "fee": 0.25, "occupancy": 0.5, "wear_usd_per_gpu_hour": 0}


def asked(**fields: Any) -> Comparison:
    base: dict[str, Any] = {
        "demand": {"gpu_hours_per_month": 400, "reference_gpu": "RTX 4090"},
        "as_of": "2026-11-30",
        "have": [RIG],
        "own": {"usd_per_kwh": 0.17, "powered_when_idle": False},
        "consider": {"kinds": ["own_existing", "cloud"], "gpus": ["RTX 4090"], "providers": ["Acme"]},
        "quotes": [{"provider": "Acme", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0}],
    }
    return compare({**base, **fields})


def printed(result: Comparison) -> str:
    out = io.StringIO()
    print_comparison(result, out=out, width=300)
    return out.getvalue()


def told(result: Comparison, option: str) -> str:
    out = io.StringIO()
    print_explanation(explain(result, option, "lending"), out=out, width=200)
    return out.getvalue()


def test_the_line_stands_under_the_verdict_and_before_the_table() -> None:
    result = asked(lending=TERMS)
    line = lending_line(result)
    account = result.lent(result.options[0])
    assert account is not None and account.income is not None and account.hours is not None
    assert f"({account.hours:,.0f} idle hours a month, 50% of them rented at $0.350 per GPU-hour)" in line
    assert (
        f"would bring ${float(account.income.net_usd):.2f} a month before income tax; not counted above."
        in line
    )
    text = printed(result)
    assert text.count(line) == 1
    assert text.index(result.verdict.text) < text.index(line) < text.index("Up front")
    page = render_html(result, interactive=False)
    assert page.count(line) == 1
    assert page.index(result.verdict.text) < page.index(line) < page.index("The options side by side")


def test_where_renting_wins_the_line_speaks_of_the_best_machine_to_own() -> None:
    cheap = [{"provider": "Acme", "gpu": "RTX 4090", "usd_per_gpu_hour": 0.01}]
    result = asked(lending=TERMS, quotes=cheap)
    assert result.recommended is not None and not result.recommended.owned
    assert "the machine you have: rig" in lending_line(result)


def test_a_loss_is_called_one() -> None:
    line = lending_line(asked(lending={**TERMS, "occupancy": 0}))
    assert "would lose $" in line and "would bring" not in line


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"lending": {"fee": 0.25}}, "no price of RTX 4090 on a marketplace is known"),
        ({"lending": TERMS, "funding": {"name": "grant 17"}}, "off: the terms of grant 17 may forbid it"),
        (
            {"lending": TERMS, "requirements": {"dedicated_hardware": True}},
            "off: requirements.dedicated_hardware",
        ),
    ],
)
def test_no_income_has_its_reason_on_the_line(fields: dict[str, Any], said: str) -> None:
    assert said in lending_line(asked(**fields))


def test_nobody_who_did_not_ask_is_told() -> None:
    result = asked()
    assert lending_line(result) == ""
    assert "ending out" not in printed(result)
    rented = asked(have=[], lending=TERMS, consider={"kinds": ["cloud"], "providers": ["Acme"]})
    assert lending_line(rented) == "", "nothing would be owned"


def test_explain_shows_the_account_and_what_a_lender_should_know() -> None:
    text = told(asked(lending={**TERMS, "payout_minimum_usd": 500}), "own_existing")
    for said in (
        "beside the comparison, never in it",
        "lowest ask that pays, per GPU-hour",
        "25.0% of $",
        "The rate of income tax is not given: the income is before it.",
        "still owed at the end.",
        "GeForce driver licence",
        "lending.occupancy",
    ):
        assert said in text


def test_explain_without_terms_says_what_to_add_and_still_the_floor() -> None:
    text = told(asked(), "own_existing")
    assert "No income: no terms of lending are given: add `lending:`." in text
    assert "power of a rented hour, per GPU-hour" in text
    off = told(asked(requirements={"dedicated_hardware": True}), "own_existing")
    assert "No income: off: requirements.dedicated_hardware" in off and "power of a rented" not in off


PAGE = (Path(__file__).parent.parent.parent / "docs" / "lending.md").read_text(encoding="utf-8")


def test_the_page_shows_what_its_example_answers() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    quoted = " ".join(line.removeprefix("> ") for line in PAGE.splitlines() if line.startswith("> "))
    assert lending_line(compare(yaml.safe_load(example))) == quoted


def test_the_page_names_each_field_of_the_json_and_no_other() -> None:
    fields = asked(lending=TERMS).to_dict()["options"][0]["lending"]
    rows = PAGE.partition("## In the JSON")[2].split("| field | meaning |")[1]
    names = {n for cell in re.findall(r"^\| (`.+?) \|", rows, re.M) for n in re.findall(r"`(\w+)`", cell)}
    assert names == set(fields)
