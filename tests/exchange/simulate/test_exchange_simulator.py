"""The simulator: the rules hold under every fault, a seed is a history, and broken rules are caught and shrunk."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rackrent.exchange.model import DAY_MS, Lease
from rackrent.exchange.rules.matching import match
from rackrent.exchange.service import agent, clock, desk, lifecycle, place, settle
from rackrent.exchange.simulate import __main__ as command
from rackrent.exchange.simulate import scenario
from rackrent.exchange.simulate.__main__ import main, read_faults, read_trace
from rackrent.exchange.simulate.report import values
from rackrent.exchange.simulate.run import simulate
from rackrent.exchange.simulate.scenario import (
    ALL,
    KINDS,
    START_MS,
    STORAGE_MICRO_USD,
    Fault,
    Scenario,
    machine_of,
)
from rackrent.exchange.simulate.shrink import shrink

SMALL = Scenario(hosts=20, days=1, seed=1, fault_rate=3, check_every=500)


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_rules_hold_for_200_hosts_and_3_days_under_every_fault(seed: int) -> None:
    outcome = simulate(Scenario(hosts=200, days=3, seed=seed, load=0.4))
    assert outcome.violation is None
    found = values(outcome)
    assert found["hosts"] == 200 and found["faults"] == sorted(Fault)
    assert {"on_demand", "interruptible", "monthly"} <= set(found["leases"])
    assert {"host_fenced", "displaced", "owner_claimed", "outbid"} <= set(found["interrupted"])
    assert {"host_silent", "clock_skew", "gpu_unhealthy", "orphan", "out_of_funds"} <= set(found["incidents"])
    assert {"report: replayed-message", "double click: quote-mismatch", "start: unavailable"} <= set(
        found["refused"]
    )
    assert all(0 < share < 1 for share in found["occupancy"].values())


# --- a seed is a history ----------------------------------------------------------------------------------


def test_a_seed_gives_the_same_bytes_in_another_process(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--hosts", "12", "--days", "0.5", "--seed", "7"]
    command = [sys.executable, "-m", "rackrent.exchange.simulate", *arguments]
    outputs = []
    for hashing in ("1", "2"):
        path = str(Path(agent.__file__).parents[3])
        found = subprocess.run(
            command, capture_output=True, check=True, env={"PYTHONHASHSEED": hashing, "PYTHONPATH": path}
        )
        outputs.append(found.stdout)
    assert outputs[0] == outputs[1]
    assert main(arguments) == 0
    assert capsys.readouterr().out.encode() == outputs[0]


def test_another_seed_is_another_history() -> None:
    assert simulate(SMALL).world.digest != simulate(replace(SMALL, seed=2)).world.digest


def test_leaving_a_fault_or_a_renter_out_shifts_nobody_else_s_chance() -> None:
    assert machine_of(SMALL, 3) == machine_of(replace(SMALL, hosts=500, faults=frozenset()), 3)
    assert (
        SMALL.stream("renter", 5).random()
        == replace(SMALL, only_renters=frozenset({5})).stream("renter", 5).random()
    )
    assert SMALL.stream("renter", 5).random() != SMALL.stream("renter", 6).random()


def test_without_faults_nothing_is_interrupted_but_by_other_renters() -> None:
    found = values(simulate(replace(SMALL, faults=frozenset())))
    assert set(found["interrupted"]) <= {"outbid", "displaced"}
    assert found["violation"] is None and "host_silent" not in found["incidents"]


def test_each_fault_alone_breaks_nothing() -> None:
    for fault in Fault:
        assert simulate(replace(SMALL, hosts=8, faults=frozenset({fault}))).violation is None, fault


def test_prices_are_the_catalog_s() -> None:
    from rackrent.catalog.catalog import load

    offers = load().all_rows("offers")
    rows = [
        row
        for row in offers.iter_rows(named=True)
        if row["provider"] == "RunPod" and row["kind"] == "marketplace"
    ]
    asked = {row["gpu"]: round(row["amount"] * 1e6) for row in rows if row["term"] == "on_demand"}
    assert {gpu: asked[gpu] for gpu in KINDS} == {
        gpu: price for gpu, (_gb, price, _share, _sizes) in KINDS.items()
    }
    storage = {
        row["storage_usd_gb_month"] for row in offers.iter_rows(named=True) if row["provider"] == "AWS"
    }
    assert STORAGE_MICRO_USD / 1e6 in storage


# --- heartbeats that nothing depends on are not events ------------------------------------------------------


def test_a_quiet_healthy_market_has_no_events() -> None:
    outcome = simulate(Scenario(hosts=10, days=20, seed=1, faults=frozenset(), only_renters=frozenset()))
    beats_due = 10 * 20 * DAY_MS // 30_000
    assert outcome.violation is None and outcome.world.events < beats_due / 500


# --- broken rules are caught, and shrunk --------------------------------------------------------------------


def _allocates_twice(gpus: Any, claimants: Any) -> Any:
    return match(gpus, [replace(c, held=()) if c.leaving else c for c in claimants])


def _skips(real: Callable[..., Any]) -> Callable[..., Any]:
    def settles(lease: Lease, *rest: Any) -> Any:
        found = real(lease, *rest)
        if found is None or found.interval.to_ms - found.interval.from_ms < 60_000:
            return found
        return replace(found, lease=replace(found.lease, settled_ms=found.lease.settled_ms + 1))

    return settles


def _frees_at_once(real: Callable[..., Any]) -> Callable[..., Any]:
    def halt(desk: Any, machine: Any, lease: Lease, instance: Any, reason: Any) -> None:
        real(desk, machine, lease, instance, reason)
        desk.free(lease.id, reason)

    return halt


def _raises(real: Callable[..., Any]) -> Callable[..., Any]:
    def settle_now(desk: Any, lease: Lease, machine: Any) -> Any:
        lease, funds = real(desk, lease, machine)
        lease = replace(lease, rate_micro_usd=lease.rate_micro_usd + 1)
        desk.tx.put(lease)
        return lease, funds

    return settle_now


def nothing(_real: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **named: None


BUGS: dict[str, tuple[Any, str, Callable[[Any], Any], set[str]]] = {
    "a match that gives a GPU twice": (place, "match", lambda _real: _allocates_twice, {"conflict", "timer"}),
    "a bill that knows no silence": (settle, "confirmed_ms", lambda _real: lambda lease, heard, now: now, {"not running", "unreachable"}),
    "a settlement that skips a millisecond": (settle, "settle", _skips, {"coverage", "conflict"}),
    "a GPU that is free before its host says so": (lifecycle, "halt", _frees_at_once, {"freed early", "double use"}),
    "a rate that creeps up": (clock, "settle_now", _raises, {"rate"}),
    "a charge that goes on through a reboot": (agent, "_break_off", nothing, {"not running"}),
    "a fence that frees nothing": (clock, "fence", nothing, {"stuck"}),
    "data that is never known to be destroyed": (agent, "_confirm_destroyed", nothing, {"data"}),
    "a key that makes a thing twice": (desk.Desk, "once", lambda _real: lambda self, kind, owner, key, digest, make: make(f"{kind} {owner} {key}"), {"retry", "error AssertionError", "conflict"}),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_a_broken_rule_is_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, broken, caught = BUGS[bug]
    monkeypatch.setattr(where, name, broken(getattr(where, name)))
    for seed in range(1, 12):
        violation = simulate(replace(SMALL, seed=seed)).violation
        if violation is not None:
            assert violation.what in caught, violation
            return
    pytest.fail("nothing was caught")


@pytest.mark.parametrize("bug", ["a bill that knows no silence", "a match that gives a GPU twice"])
def test_a_history_is_shrunk(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, broken, _caught = BUGS[bug]
    monkeypatch.setattr(where, name, broken(getattr(where, name)))
    outcome = simulate(SMALL)
    smaller, again = shrink(SMALL, outcome, runs_most=30)
    assert outcome.violation is not None and again.violation is not None
    assert again.violation.what == outcome.violation.what
    assert len(smaller.faults) < len(ALL) / 2
    assert again.world.events < outcome.world.events / 2
    assert simulate(smaller).world.digest == again.world.digest, "the smaller history can be run again"


# --- the command --------------------------------------------------------------------------------------------


def test_a_broken_rule_ends_with_its_seed_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lifecycle, "halt", _frees_at_once(lifecycle.halt))
    assert main(["--hosts", "20", "--days", "1", "--seed", "1"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("Seed 1: a rule was broken after ") and "freed early" in said[-1]
    (again,) = (line for line in said if line.startswith("Scenario("))
    assert simulate(eval(again, vars(scenario))).violation is not None, "that line runs it again"
    assert sum(bool(re.match(r" +\d+\.\d{3} \w+", line)) for line in said) > 3, "the last events are shown"


def test_values_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hosts", "6", "--days", "0.25", "--json", "--faults", "none"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert set(found["occupancy"]) <= set(KINDS) and found["faults"] == [] and found["violation"] is None
    assert err.splitlines()[-1].startswith("Seed 1: ")


def test_the_documentation_names_every_fault() -> None:
    page = (Path(__file__).parents[3] / "docs" / "exchange-simulator.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == sorted(Fault)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--hosts", "0"], "--hosts is 0; it must be from 1 to 100000."),
        (["--days", "-1"], "--days is -1.0; it must be from 0.01 to 3660."),
        (["--days", "nan"], "--days is nan; it must be from 0.01 to 3660."),
        (["--job-hours", "0"], "--job-hours is 0.0; it must be from 0.1 to 87600."),
        (["--job-hours", "inf"], "--job-hours is inf; it must be from 0.1 to 87600."),
        (["--faults", "lots"], "there is no fault 'lots'. Did you mean lost?"),
        (["--faults", "all,crash"], "all stands alone"),
        (["--trace", "no-such.csv"], "no-such.csv cannot be read: No such file or directory."),
        (["--hosts", "many"], "invalid int value"),
    ],
)
def test_bad_flags_are_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and says in err and len(err.splitlines()) == 1


def test_what_is_interrupted_says_so_by_its_exit_code_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "simulate", interrupted)
    assert main([]) == 130
    assert capsys.readouterr() == ("", "\n")


def test_faults_are_named() -> None:
    assert read_faults("all") == ALL and read_faults("none") == frozenset()
    assert read_faults("lost, crash") == {Fault.LOST, Fault.CRASH}


def test_a_trace_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(
        "hour,gpus\n" + "".join(f"{h},{8 if h < 12 else 0}\n" for h in range(24)), encoding="utf-8"
    )
    trace = read_trace(path)
    assert trace == (8,) * 12 + (0,) * 12
    outcome = simulate(Scenario(hosts=40, days=1, seed=1, faults=frozenset(), trace=trace, job_hours=1.0))
    assert outcome.violation is None
    assert 20 < sum(outcome.world.tally.sold_ms.values()) / 3_600_000 < 8 * 12 + 20, (
        "GPU-hours about what was wanted"
    )
    assert outcome.world.now_ms > START_MS + DAY_MS


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hour,gpus\n0,1\n2,1\n", "line 3: hours must be 0, 1, 2"),
        ("hour,gpus\n0,-1\n", "line 2: hours must be 0, 1, 2"),
        ("hour,gpus\n0,x\n", "line 2: hour and gpus must be whole numbers"),
        ("when,what\n0,1\n", "line 2: hour and gpus must be whole numbers"),
        ("hour,gpus\n", "has no hours"),
    ],
)
def test_a_bad_trace_names_its_line(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["--trace", str(path)]) == 2
    assert says in capsys.readouterr().err
