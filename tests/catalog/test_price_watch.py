"""Watching prices: a line when one moves past a threshold, once."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from small_market import market, offer, write_table

from rackrent.app.price_watch import Watched, moved, watch
from rackrent.catalog.catalog import Catalog
from rackrent.errors import BadInput

FIRST, NEXT = date(2026, 7, 2), date(2026, 8, 2)


@pytest.fixture
def look(tmp_path):
    """Watch what a text says in a market where the L4 cost 1.00 until August and 0.80 from then on."""
    catalog = market(
        tmp_path,
        offer(valid_to=date(2026, 8, 1)),
        offer(amount=0.8, valid_from=date(2026, 8, 1), observed_on=date(2026, 8, 1)),
    )
    known = {
        "source": "t",
        "confidence": "high",
        "part_type": "gpu",
        "name": "RTX 4090 Founders",
        "currency": "USD",
        "condition": "new",
    }
    write_table(
        tmp_path, "components",
        known | {"amount": 1599, "observed_on": date(2026, 7, 1), "valid_from": date(2026, 7, 1), "valid_to": date(2026, 8, 1)},
        known | {"amount": 1799, "observed_on": date(2026, 8, 1), "valid_from": date(2026, 8, 1)},
    )  # fmt: skip

    def look(text: str, day: date) -> list[str]:
        (tmp_path / "w.yaml").write_text(text)
        then = Catalog(day, catalog.directory)
        return [s.said for s in watch(then, tmp_path / "w.yaml", tmp_path / "state.json").moved]

    return look


def test_a_gpu_that_falls_past_its_threshold_is_told_once(look):
    text = "watch: [{gpu: L4, below: 0.9}]"
    assert look(text, FIRST) == []
    (said,) = look(text, NEXT)
    assert said.startswith(
        "L4, on_demand: fell below $0.900: $0.800 (was $1.00), seen on 2026-08-01 (cloud/alpha/a1/global/on_demand). "
    )
    assert said.endswith("The data at hand do not say whether to buy or to wait.")
    assert look(text, NEXT) == []


def test_an_offer_and_a_part(look):
    text = (
        "watch:\n- {offer: alpha/a1/global/on_demand, moves_percent: 15}\n- {part: rtx 4090, above: 1700}\n"
    )
    assert look(text, FIRST) == []
    offer_said, part_said = look(text, NEXT)
    assert offer_said == "alpha/a1/global/on_demand: moved by -20.0 %: $0.800 (was $1.00), seen on 2026-08-01"
    assert part_said == "rtx 4090: rose above $1,700: $1,799 (was $1,599), seen on 2026-08-01"


def test_a_part_that_fits_several_is_refused_and_the_page_names_one(tmp_path):
    """The example in docs/prices.md named a part that fits six, and was told that there is none."""
    catalog = Catalog(date(2026, 12, 1))
    page = (Path(__file__).parents[2] / "docs" / "prices.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(watch:.+?)```", page, re.DOTALL)
    file = tmp_path / "w.yaml"
    file.write_text(example)
    assert all(s.usd is not None or s.what.endswith("GCP") for s in watch(catalog, file, tmp_path / "s").seen)
    file.write_text("watch: [{part: RTX 5090, below: 1}]")
    with pytest.raises(BadInput, match=r"may be any of 6 parts, such as ASUS .*; write more of the name"):
        watch(catalog, file, tmp_path / "s")


def test_the_first_look_says_what_is_already_past(look):
    (said,) = look("watch: [{gpu: L4, below: 2}]", FIRST)
    assert said.startswith("L4, on_demand: is below $2.00: $1.00")


def test_an_unknown_price_says_nothing_and_forgets_nothing(look):
    text = "watch: [{gpu: L4, below: 0.9}]"
    look(text, FIRST)
    assert look(text, date(2026, 1, 1)) == []
    assert len(look(text, NEXT)) == 1


def test_two_thresholds_for_one_thing_are_both_looked_at(look):
    text = "watch:\n- {gpu: L4, below: 0.5}\n- {gpu: L4, below: 0.9}\n- {gpu: L4, moves_percent: 10}"
    assert look(text, FIRST) == []
    assert [said.split(":")[1].split("$")[0] for said in look(text, NEXT)] == [
        " fell below ",
        " moved by -20.0 %",
    ]


def test_a_new_threshold_is_looked_at_for_the_first_time(look):
    assert look("watch: [{gpu: L4, below: 0.5}]", FIRST) == []
    (said,) = look("watch: [{gpu: L4, below: 2}]", FIRST)
    assert "is below $2.00" in said


def test_a_gpu_that_is_yet_to_come_has_no_price(look):
    assert look("watch: [{gpu: L4, below: 0.9}]", date(2001, 1, 1)) == []


def test_small_moves_add_up():
    item = Watched(gpu="L4", moves_percent=10)
    assert moved(item, 1.00, 1.00, 0.95) == ""
    assert moved(item, 0.95, 1.00, 0.89) == "moved by -11.0 %: $0.890 (was $1.00)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file must hold a list"),
        ("[]", "the file must hold a list"),
        ("watch: []", "the file must hold a list"),
        ("wach: [{gpu: L4, below: 1}]", "unknown field 'wach'; did you mean watch"),
        ("watch: [" + "{gpu: L4, below: 1}," * 1001 + "]", "watch holds 1,001 things; 1,000 are the most"),
        ("watch: [{gpu: L4, below: .nan}]", "must be a number"),
        ("watch: [{gpu: L4, below: 1, below: 2}]", "'below' is given twice"),
        ("a: &a [*a]", "nested more than 20 levels"),
        ("watch: [{gpu: L4}]", r"line 1: watch\[0\] needs a threshold"),
        ("watch:\n- {gpu: L4, offer: x, below: 1}", r"line 2: watch\[0\] must name one of gpu, offer, part"),
        ("watch: [{gpu: L4, bellow: 1}]", "did you mean below"),
        ("watch: [{gpu: L4, below: -1}]", "must be more than 0"),
        ("watch: [{gpu: L4, below: cheap}]", "must be a number"),
        ("watch: [{gpu: L5, below: 1}]", "Unknown GPU 'L5'; did you mean"),
        ("watch: [{gpu: L4, below: 1, term: weekly}]", "must be one of on_demand"),
        ("watch: [{gpu: L4, below: 1, provider: Alfa}]", "did you mean 'Alpha'"),
        ("watch: [{offer: alpha/none, below: 1}]", "there is no 'alpha/none'"),
        ("watch: [{part: RTX 4091, below: 1}]", "there is no part"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_remembered(look, tmp_path, text, said):
    with pytest.raises(BadInput, match=said):
        look(text, FIRST)
    assert not (tmp_path / "state.json").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        '{"L4, on_demand, below 1": 3}',
        '{"x": {"usd": "1", "told": 1}}',
        '{"x": {"usd": 0, "told": 0}}',
        '{"x": {"usd": -1, "told": 1}}',
        '{"x": {"usd": NaN, "told": 1}}',
        '{"x": {"usd": 1e999, "told": 1}}',
        '{"x": {"usd": true, "told": 1}}',
        '{"x": {}}',
    ],
)
def test_a_spoilt_state_is_said(look, tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(BadInput, match="remove it to begin anew"):
        look("watch: [{gpu: L4, below: 1}]", FIRST)
