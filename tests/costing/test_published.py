"""Published worked examples: the figures that must come out."""

import re
import subprocess
import sys

import pytest

from rackrent.costing.published import REPRODUCTIONS, chen_2018, hamilton_2010, hennessy_patterson


def figures(reproduction):
    return {row.what: row.computed for row in reproduction.rows}


CHEN_CASES = [
    ("1 GPU, a month", 2_160, 227, 9.50, 10),
    ("1 GPU, a year", 17_432, 2_752, 6.33, 6),
    ("1 GPU, 3 years", 32_324, 8_256, 3.92, 4),
    ("4 GPUs, a month", 8_813, 410, 21.48, 21),
    ("4 GPUs, a year", 69_730, 4_971, 14.03, 14),
    ("4 GPUs, 3 years", 129_560, 14_912, 8.69, 9),
]


@pytest.mark.case("chen-2018")
@pytest.mark.parametrize(("row", "aws", "own", "ratio", "printed"), CHEN_CASES)
def test_chen_table(row, aws, own, ratio, printed):
    rows = {r.what: r for r in chen_2018().rows}
    assert rows[f"{row}: AWS"].computed == pytest.approx(aws, abs=0.5)
    assert rows[f"{row}: AWS"].published == aws
    assert rows[f"{row}: own"].computed == pytest.approx(own, abs=0.5)
    assert rows[f"{row}: own"].published == own
    assert rows[f"{row}: AWS / own"].computed == pytest.approx(ratio, abs=0.005)
    assert rows[f"{row}: AWS / own"].published == printed


@pytest.mark.case("chen-2018")
@pytest.mark.parametrize(
    ("machine", "ratios", "places"),
    [("4 GPUs at $5,100", (20.5, 13.4, 8.3), 1), ("1 GPU, RTX 2080 Ti", (8.95, 5.97, 3.69), 2)],
)
def test_chen_variants(machine, ratios, places):
    computed = figures(chen_2018())
    spans = ("a month", "a year", "3 years")
    assert [round(computed[f"{machine}, {span}: AWS / own"], places) for span in spans] == list(ratios)


@pytest.mark.case("chen-2018")
@pytest.mark.parametrize(
    ("machine", "full", "fifth"),
    [("1 GPU", 1.49, 7.4), ("4 GPUs", 0.52, 2.6), ("4 GPUs at $5,100", 0.60, 3.0)],
)
def test_chen_break_even(machine, full, fifth):
    computed = figures(chen_2018())
    assert computed[f"{machine}: break-even at 100% use"] == pytest.approx(full, abs=0.005)
    assert computed[f"{machine}: break-even at 20% use"] == pytest.approx(fifth, abs=0.05)


@pytest.mark.case("chen-2018")
@pytest.mark.parametrize(
    "left_out",
    ["contract terms", "0.4 kW", "0.58", "23 %", "0.86 to 3.08", r"\$0.10 per GB", "administration", "idle"],
)
def test_chen_says_what_it_leaves_out(left_out):
    assert re.search(left_out, " ".join(chen_2018().notes))


@pytest.mark.case("hennessy-patterson")
def test_hennessy_patterson_to_the_cent():
    computed = figures(hennessy_patterson())
    expected = {
        "servers, a month": 1_998_102.77,
        "network, a month": 295_005.25,
        "power and cooling plant, a month": 765_368.76,
        "rest of the building, a month": 168_007.78,
        "electricity, a month": 474_208.00,
        "people, a month": 85_000.00,
        "total a month": 3_785_692.55,
    }
    assert {what: round(computed[what], 2) for what in expected} == expected
    assert round(computed["one server for one hour"], 5) == 0.11279


@pytest.mark.case("hamilton-2010")
def test_hamilton_total_and_shares():
    reproduction = hamilton_2010()
    computed = figures(reproduction)
    assert computed["total a month"] == pytest.approx(3_530_987.73, abs=0.005)
    shares = [row for row in reproduction.rows if row.unit == "%"]
    assert [round(row.computed, 2) for row in shares] == [56.59, 8.35, 17.73, 3.89, 13.43]
    assert [row.published for row in shares] == [57, 8, 18, 4, 13]


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_each_comes_near_what_was_printed_and_says_its_name(name):
    """A printed figure is a rounded one: half of its last place off at most (and "about 2 months" is one of 1.49)."""
    reproduction = REPRODUCTIONS[name]()
    assert reproduction.name == name
    assert reproduction.notes
    for row in reproduction.rows:
        if row.published is not None:
            places = 0 if float(row.published).is_integer() else len(str(row.published).split(".")[1])
            slack = 0.52 if row.unit == "months" else 0.5 * 10.0**-places
            assert row.computed == pytest.approx(row.published, abs=slack, rel=0), row.what


def test_shares_make_the_whole():
    for reproduction in (hennessy_patterson(), hamilton_2010()):
        assert sum(row.computed for row in reproduction.rows if row.unit == "%") == pytest.approx(100)


def test_importing_the_arithmetic_does_not_import_polars():
    code = "import sys, rackrent.costing, rackrent.costing.published; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
