"""`rackrent plan` on the command line."""

import json
import re

import pytest

HOURS = "examples/hours-of-a-lab.csv"


def test_json_is_one_object(rackrent):
    ended = rackrent("plan", HOURS, "--months", "12", "--json", "--as-of", "2026-11-30")
    assert ended.code == 0
    found = json.loads(ended.out)
    assert found["verdict"]
    assert found["saving_share"] > 0
    assert ended.err == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hour,gpus\n2026-01-01 00:00:00,1\n", "hour and gpus_in_use; it has hour, gpus"),
        (
            "hour,gpus_in_use\n2026-01-01 00:00:00,x\n",
            "There is no hour of use in these files to make a plan from: ",
        ),
        ("hour,gpus_in_use\nsoon,1\n", "There is no hour of use in these files to make a plan from: "),
        ("hour,gpus_in_use\n2026-01-01 00:00:00,1\n", "say it with --gpu"),
    ],
)
def test_a_wrong_file_is_one_sentence(rackrent, tmp_path, text, says):
    path = tmp_path / "hours.csv"
    path.write_text(text)
    ended = rackrent("plan", str(path))
    assert ended.code == 2
    assert says in ended.err.replace("\n", " ")
    assert ended.out == ""


def test_a_column_may_have_another_name(rackrent, tmp_path):
    path = tmp_path / "hours.csv"
    path.write_text("when,earth\n2026-01-01T00:00:00Z,3\n2026-01-01T01:00:00Z,4\n")
    flags = ("--column", "hour=when", "--column", "gpus_in_use=earth", "--gpu", "RTX 3090", "--months", "6")
    assert rackrent("plan", str(path), *flags).code == 0
    wrong = rackrent("plan", str(path), "--column", "hour")
    assert wrong.code == 2 and "it must be written as name=value" in wrong.err


def test_the_page_stands_alone(rackrent, tmp_path):
    page = tmp_path / "plan.html"
    assert rackrent("plan", HOURS, "--months", "12", "--html", str(page)).code == 0
    text = page.read_text(encoding="utf-8")
    assert {"chart-machines", "chart-curve-0", "chart-history-0", "chart-day-0", "chart-savings"} <= set(
        re.findall(r'id="(chart-[^"]*)"', text)
    )
    assert text.count("<svg") == 5
    assert "hindsight" in text and "how each part of the demand is served" in text
    assert "<script" not in text and not re.search(r"(src|href)=.?http", text)
    assert [p.name for p in tmp_path.iterdir()] == ["plan.html"]


def test_a_page_that_cannot_be_written_is_one_sentence(rackrent, tmp_path):
    ended = rackrent("plan", HOURS, "--months", "12", "--html", str(tmp_path))
    assert ended.code == 2 and "is a folder; name a file in it" in ended.err.replace("\n", " ")


def test_limits_that_no_plan_keeps_are_named(rackrent):
    ended = rackrent("plan", HOURS, "--months", "12", "--monthly", "1", "--quick")
    assert ended.code == 1
    assert "within these limits (monthly_usd 1)" in ended.err.replace("\n", " ")


def test_an_unknown_price_of_electricity_is_said(rackrent):
    ended = rackrent("plan", HOURS, "--months", "12", "--country", "ZZZ", "--quick")
    assert ended.code == 0
    assert "What electricity costs in ZZZ is not known, so no machine to own" in " ".join(ended.out.split())


def test_machines_at_hand_come_from_a_file(rackrent, tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_text("have:\n  - {name: old box, gpu: RTX 3090, gpus: 4, resale_usd: 1500, power_kw: 1.6}\n")
    ended = rackrent("plan", HOURS, "--months", "12", "--have", str(path), "--quick", "--json")
    found = json.loads(ended.out)
    assert [o["product"] for o in found["options"] if o["had"]] == ["old box"]
    path.write_text("have:\n  - {gpu: RTX 3090, gpus: 4, power_kw: 1600}\n")
    ended = rackrent("plan", HOURS, "--have", str(path))
    assert ended.code == 2 and "lab.yaml, line 2: have[0].power_kw is 1600" in ended.err.replace("\n", " ")
    path.write_text("gpus: 4\n")
    ended = rackrent("plan", HOURS, "--have", str(path))
    assert ended.code == 2 and "this lists no machines" in ended.err


def test_every_flag_of_reading_is_a_flag_of_plan(rackrent):
    ended = rackrent(
        "plan", HOURS, "--months", "6", "--quick", "--json", "--from", "2026-07-13", "--to", "2026-07-20"
    )
    assert json.loads(ended.out)["window"] == {"first_hour": "2026-07-13T00:00:00+00:00", "hours": 168}
