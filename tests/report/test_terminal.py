"""What a person reads: complete, aligned, within the width, unknown said."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from rich.cells import cell_len

from rackrent.app.compare import compare
from rackrent.comparison.names import ASSUMPTION_NAMES
from rackrent.comparison.result import Comparison
from rackrent.money import Currency, shown_in
from rackrent.report.console import page, table, width_of
from rackrent.report.labels import UNITS
from rackrent.report.odds import risk
from rackrent.report.terminal import by_kind_of_reason, floors_of, print_comparison, why_none

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.yaml"))
CHINESE = {
    "name": "四卡工作站对比",
    "as_of": "2018-09-15",
    "demand": {"utilisation": 0.2, "reference_gpu": "GTX 1080 Ti"},
    "task": "cnn_training",
    "consider": {"kinds": ["own_build", "cloud"], "providers": ["AWS"]},
    "own": {"machines": [{"name": "双路水冷深度学习工作站(一号机)", "gpu": "GTX 1080 Ti", "gpus": 1, "price_usd": 1500}]},
}  # fmt: skip


@cache
def compared(example: Path) -> Comparison:
    return compare(example)


def printed(result: Comparison, width: int, *, everything: bool = False) -> str:
    out = io.StringIO()
    print_comparison(result, file=Path("mine.yaml"), everything=everything, out=out, width=width)
    return out.getvalue()


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_a_comparison_fits_the_width_and_is_plain_ascii(example: Path, width: int) -> None:
    text = printed(compared(example), width)
    assert text.isascii()
    lines = [line for line in text.splitlines() if "rackrent explain" not in line]
    assert max(map(len, lines)) <= width
    assert not any(line.endswith(" ") for line in text.splitlines())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_a_comparison_says_what_matters(example: Path) -> None:
    result = compared(example)
    text = words(printed(result, 120))
    assert words(result.verdict.text) in text
    for fact in result.verdict.turns_on:
        assert words(fact) in text
    for option in result.headline:
        assert f"${option.npv_usd:,.0f}" in text
    for warning in result.warnings:
        assert words(warning) in text
    assert f"{len(result.options):,} options looked at" in text
    assert "Rests on" in text
    assert result.recommended is not None
    assert f"rackrent explain mine.yaml {result.recommended.id}" in text


def test_all_shows_every_feasible_option_and_every_kind_of_reason() -> None:
    result = compared(EXAMPLES[0])
    text = words(printed(result, 200, everything=True))
    for option in result.feasible:
        assert f"${option.npv_usd:,.0f}" in text
    told = {re.sub(r"[\d,.:/-]+", "#", reason) for reason, _options in by_kind_of_reason(result.options)}
    for reason in {r for o in result.options for r in o.reasons}:
        assert re.sub(r"[\d,.:/-]+", "#", reason) in {t.removesuffix(" (and the like)") for t in told}
    for reason, _options in by_kind_of_reason(result.options):
        assert words(reason) in text


def test_reasons_that_differ_in_their_figures_are_one_kind() -> None:
    option = compared(EXAMPLES[0]).options[0]
    options = [
        replace(option, id=str(n), reasons=(f"GPU memory {gb} GB, 40 GB needed", "price unknown")[:kinds])
        for n, (gb, kinds) in enumerate([(8, 1), (24, 1), (24, 2), (16, 1)])
    ]
    found = [(reason, [o.id for o in who]) for reason, who in by_kind_of_reason(options)]
    assert found == [
        ("GPU memory 24 GB, 40 GB needed (and the like)", ["0", "1", "2", "3"]),
        ("price unknown", ["2"]),
    ]


def test_the_odds_and_what_they_hang_on_follow_the_facts() -> None:
    result = compared(next(e for e in EXAMPLES if e.stem == "lab-grant"))
    odds, hangs, other = risk(result)
    states, best = result.uncertainty, result.recommended
    assert best is not None and result.tornado is not None
    assert odds.startswith(
        f"Odds: best in {states.probability_best[0]:.0%} of 4,096 states of the world; costs $"
    )
    assert f"expected regret ${states.regret_usd[0]:,.0f}." in odds
    assert hangs.count("ahead by") == 3
    assert other == f"The other side wins if: {'; or '.join(result.tornado.turns)}."
    text = words(printed(result, 80))
    assert all(words(sentence) in text for sentence in (odds, hangs, other))


def test_a_wide_screen_says_how_often_each_option_is_best() -> None:
    result = compared(next(e for e in EXAMPLES if e.stem == "lab-grant"))
    lines = printed(result, 120).splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("Option"))
    assert lines[head].endswith("in") and lines[head - 1].endswith("Best")
    assert f"{result.uncertainty.probability_best[0]:.0%}" == lines[head + 2].split()[-1]
    assert not any(line.endswith("Best") for line in printed(result, 80).splitlines())


def test_amounts_are_shown_in_another_currency_and_say_at_which_rate() -> None:
    rate = Currency("EUR", 1.25, date(2026, 11, 1), "ecb", "1.25 USD per EUR, mean of 2026-11")
    with shown_in(rate):
        result = compare(EXAMPLES[0])
        text = printed(result, 120)
    assert "$" not in text
    assert "Amounts in EUR: 1.25 USD per EUR, mean of 2026-11" in text
    assert result.recommended is not None
    assert f"EUR {result.recommended.npv_usd / 1.25:,.0f} in present value" in words(text)
    assert f" {result.recommended.upfront_usd / 1.25:,.0f} " in text


def test_a_narrow_screen_does_without_some_figures_but_not_the_present_value() -> None:
    result = next(r for r in map(compared, EXAMPLES) if r.setting.workload.funding is not None)
    wide, narrow = printed(result, 160), printed(result, 80)
    assert "CO2" in wide and "CO2" not in narrow
    for heading in ("Present", "Of your", "Up front"):
        assert heading in wide and heading in narrow


def test_unknown_is_said_never_zero() -> None:
    result = compared(EXAMPLES[0])
    assert result.recommended is not None
    unknown = replace(result.recommended, co2_use_kg=None)
    text = printed(replace(result, headline=(unknown,), recommended=unknown, recommended_on_budget=None), 120)
    row = next(line for line in text.splitlines() if line.startswith("The machine you have "))
    assert row.split()[-2] == "unknown"


def test_wide_characters_are_aligned() -> None:
    result = compare(CHINESE)
    text = printed(result, 80)
    assert "四卡工作站对比" in text and "双路水冷" in text
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("Option"))
    rule = lines[head + 1]
    assert set(rule) == {"-"}
    rows = [line for line in lines[head + 2 : lines.index("", head)] if "$" in line]
    assert len(rows) == len(result.headline)
    right_edge = cell_len(lines[head].rstrip()) - len(lines[head].rstrip().rsplit("Up front", 1)[1])
    for row in rows:
        up_front = row[: row.index("$") + len(row[row.index("$") :].split()[0])]
        assert cell_len(up_front) == right_edge


def test_a_column_of_chinese_is_as_wide_as_it_is_shown() -> None:
    out = io.StringIO()
    with page(out, 60) as screen:
        listed = table(screen, ("方案", "left"), ("现值", "right"), ("Note", "left"))
        listed.add_row("自行组装的深度学习工作站", "$1,234", "x")
        listed.add_row("own build", "$9", "y")
        screen.print(listed)
    head, rule, first, second = out.getvalue().splitlines()
    edges = {
        cell_len(line[: line.index(mark)]) for line, mark in ((head, "Note"), (first, "x"), (second, "y"))
    }
    assert len(edges) == 1
    assert cell_len(rule) == cell_len(head)
    assert width_of("自行组装\nown") == 8


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def shown() -> str:
        out = Terminal()
        print_comparison(compared(EXAMPLES[0]), out=out, width=100)
        return out.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in shown()
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[" not in shown()
    assert "\x1b[" not in printed(compared(EXAMPLES[0]), 100)


def test_floors_stand_beside_and_never_in_the_table() -> None:
    result = next(r for r in map(compared, EXAMPLES) if floors_of(r))
    floors = floors_of(result)
    asks = [o.price.known / o.gpu_count for o in floors if o.price is not None]
    assert asks == sorted(asks)
    assert not {o.id for o in floors} & {o.id for o in result.feasible}
    assert f"Lowest asks seen, not prices: {floors[0].gpu} at " in words(printed(result, 120))


def test_why_none_counts_the_reasons_of_the_nearest() -> None:
    result = compare({"demand": {"utilisation": 0.2}, "gpu_memory_gb": 999, "as_of": "2018-09-15"})
    said = why_none(result)
    assert said.startswith("no option can do this work; what keeps the nearest out: ")
    assert "999 GB needed (" in said


def test_every_unit_has_a_name_for_people() -> None:
    units = set(compared(EXAMPLES[0]).setting.catalog.all_rows("assumptions")["unit"])
    for option in (o for example in EXAMPLES for o in compared(example).feasible):
        units |= {fact.unit for stream in option.streams for fact in stream.facts}
    assert units - set(UNITS) == set()


def test_every_assumption_has_a_name_for_people() -> None:
    assert set(ASSUMPTION_NAMES) == set(compared(EXAMPLES[0]).setting.catalog.all_rows("assumptions")["key"])
