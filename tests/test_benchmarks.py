"""What `make bench` prints and writes; how long things take is for it to say, not for a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from benchmarks import (
    bench_compare,
    bench_exchange,
    bench_exchange_simulator,
    bench_exchange_store,
    bench_query,
    bench_sources,
    bench_usage,
    soak,
)
from benchmarks.measured import Measured, markdown, plain
from rackrent.exchange.store.open import open_store

ROWS = [Measured("a search", "8.7 ms", "<= 25 ms", True), Measured("another", "9 s", "<= 3 s", False), Measured("Python", "0.03 s")]  # fmt: skip


def test_a_measurement_stands_beside_its_goal() -> None:
    assert plain(ROWS).splitlines() == [
        "what      measured  goal      met",
        "---------------------------------",
        "a search  8.7 ms    <= 25 ms  yes",
        "another   9 s       <= 3 s    no",
        "Python    0.03 s",
    ]
    assert "| another | 9 s | <= 3 s | no |" in markdown(ROWS).splitlines()


def test_the_search_measures_what_it_says() -> None:
    rows = list(bench_query.measured([1_000]))
    assert rows[0].what == "OfferQuery over 1,000 offers"
    assert rows[0].goal == "<= 0.5 ms"


def test_a_comparison_of_a_made_up_market_is_timed() -> None:
    took = bench_compare.timed(500, 64)
    assert (took.offers, took.draws) == (500, 64)
    assert 0 < took.ranked_s <= took.total_s


def test_an_offer_file_of_the_size_asked_for_is_read() -> None:
    told = bench_sources.read(0.5, 0.75)
    assert told.megabytes == pytest.approx(0.5, rel=0.1)
    assert told.offers > 100
    assert min(bench_sources.stored(100)) > 0


def test_a_search_of_the_exchange_is_timed() -> None:
    rows = list(bench_exchange.search(500, repeats=2))
    assert [row.goal for row in rows] == ["", *["p99 <= 50 ms"] * 4]
    assert "500 offers" in rows[1].what


def test_a_simulated_market_is_timed() -> None:
    [row] = bench_exchange_simulator.measured(5, 0.25)
    assert row.what.startswith("simulated market, 5 hosts") and row.figure.endswith(" events/s")


def test_a_soak_runs_each_seed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--hosts", "4", "--days", "0.2", "--seeds", "2", "--into", str(tmp_path)]
    assert soak.main(arguments) == 0
    first = capsys.readouterr().out
    assert first.splitlines()[-1].startswith("2 seeds, ") and first.endswith("no rule was broken\n")
    monkeypatch.setattr(soak.subprocess, "run", None)
    assert soak.main(arguments) == 0
    assert capsys.readouterr().out == first, "what is done is read again"


def test_leases_that_are_settled_are_all_settled(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'hub.db'}")
    assert bench_exchange_store.settled(store, 24) > 0
    store.close()


def test_a_page_is_written_only_where_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in bench.BENCHES:
        monkeypatch.setattr(module, "measured", lambda: iter(ROWS[1:2]))
    assert bench.main([]) == 0, "a goal that is not met is no failure"
    assert list(tmp_path.iterdir()) == []
    assert "another  9 s       <= 3 s  no" in capsys.readouterr().out
    assert bench.main(["--write", "page.md"]) == 0
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text.startswith("# Benchmarks\n") and text.count("| another | 9 s | <= 3 s | no |") == len(
        bench.BENCHES
    )
    assert bench.main(["--read"]) == 2


def test_a_small_dump_and_bill_are_timed(tmp_path: Path) -> None:
    dump, bill = bench_usage.measured(300, 0.001, tmp_path)
    assert dump.what == "300 rows of sacct" and dump.met is True
    assert bill.what.startswith("FOCUS bill of 0.0 GB")
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_by_hand_stays_below_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert bench.by_hand(page) == ""
    page.write_text("# Benchmarks\n\n| a table |\n\n## The soak\n\nNone.\n\n## More\n", encoding="utf-8")
    assert bench.by_hand(page) == "\n## The soak\n\nNone.\n\n## More\n"
