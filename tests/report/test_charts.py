"""Charts: drawn from the comparison's own figures, legible on light and dark, told apart without colour."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rackrent.app.compare import compare
from rackrent.comparison.breakeven import break_even_months
from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.money import Currency, shown_in
from rackrent.report.charts import CHARTS, chart_png, chart_svg, figure
from rackrent.report.charts_figure import LETTERS, Figure, shown_options
from rackrent.report.charts_money import GROUPS
from rackrent.report.charts_theme import DASHES, OPTION_COLOURS

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
LIGHT, DARK = "#ffffff", "#14161a"
"""The pages of `report.css`."""


@pytest.fixture(scope="module")
def first() -> Comparison:
    return compare(EXAMPLES / "first-machine.yaml")


def drawn(comparison: Comparison, name: str) -> Figure:
    found = figure(comparison, name)
    assert found is not None
    return found


def rows(figure: Figure, layer: int) -> list[dict[str, Any]]:
    spec = figure.spec  # Altair moves data that all layers share to the top
    return list((spec.get("data") or spec["layer"][layer]["data"])["values"])


@pytest.mark.parametrize("name", list(CHARTS))
def test_a_chart_stands_alone_as_svg_with_its_key(first: Comparison, name: str) -> None:
    svg = chart_svg(first, name)
    words = "".join(ET.fromstring(svg).itertext())
    assert drawn(first, name).title in words
    assert all(key.label.split()[-1] in words for key in drawn(first, name).key)
    assert "currentColor" in svg


def test_a_png_has_twice_the_pixels(first: Comparison) -> None:
    png = chart_png(first, "cumulative")
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG") and width == 2 * 680 and height > 500


def test_an_unknown_chart_is_refused_with_the_known_ones(first: Comparison) -> None:
    with pytest.raises(BadInput, match="no chart 'pie'; the charts are cost-finish, cumulative"):
        chart_svg(first, "pie")


def test_nothing_to_show_is_said() -> None:
    empty = compare({"demand": {"utilisation": 0.2}, "gpu_memory_gb": 900, "as_of": "2018-09-15"})
    assert [name for name in CHARTS if figure(empty, name) is not None] == []
    with pytest.raises(BadInput, match="nothing to show in the chart 'map'"):
        chart_png(empty, "map")


def test_letters_follow_the_ranking(first: Comparison) -> None:
    shown = shown_options(first)
    assert [s.letter for s in shown] == list(LETTERS[: len(shown)])
    assert [s.option.npv_usd for s in shown] == sorted(s.option.npv_usd for s in shown)
    assert {o.id for o in first.headline} <= {s.option.id for s in shown}


def test_lines_end_at_the_total(first: Comparison) -> None:
    totals = {s.letter: s.option.total_usd for s in shown_options(first)}
    last = {r["letter"]: r["amount"] for r in rows(drawn(first, "cumulative"), 0) if r["month"] == 36}
    assert last == pytest.approx({letter: totals[letter] for letter in last}, abs=0.01)


def test_dots_mark_the_break_even_months(first: Comparison) -> None:
    shown = shown_options(first)
    owner = next(s for s in shown if s.option.owned)
    known = break_even_months(owner.option, [s.option for s in shown if not s.option.owned])
    expected = {s.letter: known[s.option.id] for s in shown if known.get(s.option.id)}
    dots = {r["text"]: r["month"] for r in rows(drawn(first, "cumulative"), 2)}
    assert dots == pytest.approx(expected, abs=0.01)
    assert all(
        f"{month:.1f} months" in drawn(first, "cumulative").caption for month in expected.values() if month
    )


def test_bars_add_up_to_the_total(first: Comparison) -> None:
    sums: dict[str, float] = {}
    for row in rows(drawn(first, "categories"), 0):
        sums[row["bar"][0]] = sums.get(row["bar"][0], 0.0) + row["amount"]
    totals = {s.letter: s.option.total_usd for s in shown_options(first)}
    assert sums == pytest.approx({letter: totals[letter] for letter in sums}, abs=0.1)


def test_every_category_belongs_to_one_group() -> None:
    from rackrent.costing.streams import CATEGORIES

    members = [c for _, _, group in GROUPS.values() for c in group]
    assert sorted(members) == sorted(CATEGORIES)


def test_the_frame_on_the_map_is_the_answer(first: Comparison) -> None:
    cells = rows(drawn(first, "map"), 0)
    asked = [c for c in cells if c["asked"]]
    assert [c["letter"] for c in asked] == ["A"]
    assert first.recommended is not None
    assert asked[0]["amount"] == round(first.recommended.npv_usd, 2)


def test_the_tornado_shows_the_comparisons_own(first: Comparison) -> None:
    assert first.tornado is not None
    bars = rows(drawn(first, "tornado"), 2)
    assert [r["at_low"] for r in bars] == pytest.approx(
        [b.lead_low_usd for b in first.tornado.bars[: len(bars)]], abs=0.01
    )


def test_another_currency_is_drawn_and_named(first: Comparison) -> None:
    in_dollars = rows(drawn(first, "cumulative"), 0)
    with shown_in(Currency("EUR", 1.25, date(2018, 9, 1), "source", "1.25 USD")):
        told = drawn(first, "cumulative")
    assert [r["amount"] * 1.25 for r in rows(told, 0)] == pytest.approx(
        [r["amount"] for r in in_dollars], abs=0.02
    )
    assert told.spec["layer"][0]["encoding"]["y"]["title"].endswith(", EUR")
    assert "$" not in json.dumps(told.spec)


# --- colours ----------------------------------------------------------------------------------------------


def linear(colour: str) -> np.ndarray:
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2."""
    light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in (one, other))
    return light[1] / light[0]


@pytest.mark.parametrize("colour", OPTION_COLOURS)
@pytest.mark.parametrize("paper", [LIGHT, DARK])
def test_colours_stand_out_on_both_pages(colour: str, paper: str) -> None:
    assert contrast(colour, paper) >= 3.0


BLIND = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""How linear colours look to those who lack one kind of cone: Machado, Oliveira and Fernandes, 2009."""


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", list(BLIND))
def test_the_first_colours_differ_to_the_colour_blind(eyes: str) -> None:
    seen = [lab(np.array(BLIND[eyes]) @ linear(c)) for c in OPTION_COLOURS[:3]]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 12


def test_what_colours_do_not_tell_letters_and_dashes_do() -> None:
    assert len(set(LETTERS)) == len({str(d) for d in DASHES}) == len(set(OPTION_COLOURS)) == 6
