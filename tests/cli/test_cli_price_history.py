"""`prices history`, `check` and `watch` as people and cron call them."""

from __future__ import annotations

import json

import pytest

DAY = ("--as-of", "2026-10-15")


def test_history_of_an_offer(rackrent) -> None:
    code, out, _err = rackrent("prices", "history", "aws/p5.48xlarge/us-east-1/on_demand", *DAY, "--json")
    told = json.loads(out)
    assert code == 0
    assert [(r["start"], r["usd"]) for r in told["runs"]] == [("2023-10-09", 98.32), ("2025-06-23", 55.04)]
    assert told["runs"][0]["citation"]


def test_history_of_a_gpu_for_people(rackrent) -> None:
    code, out, _err = rackrent("prices", "history", "H100 80GB", *DAY)
    assert code == 0
    assert "####" in out
    assert "may be a source that was added" in out
    assert max(map(len, out.splitlines())) <= 80


def test_no_price_is_a_no(rackrent) -> None:
    code, out, err = rackrent("prices", "history", "V100 SXM2 16GB", "--as-of", "2017-10-01")
    assert (code, out) == (1, "")
    assert "no price of V100 SXM2 16GB is known until 2017-10-01" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("L5",), "did you mean"),
        (("aws/none",), "there is no"),
        (("L4", "--term", "weekly"), "--term is 'weekly'"),
    ],
)
def test_what_nobody_knows(rackrent, arguments: tuple[str, ...], said: str) -> None:
    code, _out, err = rackrent("prices", "history", *arguments)
    assert code == 2
    assert said in err


def test_check_counts_and_says_its_date(rackrent) -> None:
    code, out, _err = rackrent("prices", "check", *DAY, "--json")
    told = json.loads(out)
    assert code == 0
    assert sum(told["counts"].values()) == len(told["findings"]) > 0
    code, out, _err = rackrent("prices", "check", *DAY)
    assert f"offers on 2026-10-15, the newest seen on {told['newest']}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_watch_for_cron(rackrent, tmp_path) -> None:
    file, state = tmp_path / "w.yaml", tmp_path / "s.json"
    file.write_text(
        "watch: [{gpu: L4, below: 100}, {offer: aws/p3.2xlarge/us-east-1/on_demand, above: 90}]\n"
    )
    arguments = ("prices", "watch", str(file), "--state", str(state), *DAY)
    code, out, _err = rackrent(*arguments)
    assert (code, out.count("\n")) == (1, 1)
    assert out.startswith("L4, on_demand: is below $100")
    assert rackrent(*arguments)[:2] == (0, "")
    code, out, _err = rackrent(*arguments, "--json")
    assert (code, json.loads(out)["moved"]) == (0, 0)
