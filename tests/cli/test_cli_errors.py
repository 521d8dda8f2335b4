"""What is typed wrongly gets one sentence and exit code 2, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rackrent.cli import group, run

FIRST = "examples/first-machine.yaml"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["compare"], "say how much work there is"),
        (["compare", "--gpus", "2"], "say how much work there is"),
        (["compare", "examples/first-machin.yaml"], "did you mean 'first-machine.yaml'?"),
        (["compare", "examples"], "this is a folder"),
        (["compare", "--utilisation", "20"], "for 20 % write 0.2"),
        (["compare", "--gpu-hours", "many"], "must be a number, not 'many'"),
        (["compare", "--gpu-hours", "-1"], "must be more than 0"),
        (["compare", FIRST, "--reference-gpu", "RTX 4090 T"], "Unknown GPU 'RTX 4090 T'; did you mean "),
        (["compare", FIRST, "--reference-gpu", "RTX 4090"], "RTX 4090 was not launched by 2018-09-15"),
        (["compare", FIRST, "--kind", "clouds"], "did you mean 'cloud'?"),
        (["compare", FIRST, "--as-of", "yesterday"], "--as-of is 'yesterday'; it must be a day"),
        (["compare", FIRST, "--as-of", "2018-02-30"], "it must be a day"),
        (["compare", FIRST, "--catalog", "no/such"], "The catalog folder no/such does not exist"),
        (["compare", FIRST, "--catalog", "docs"], "cannot be read"),
        (["compare", FIRST, "--csv", "docs"], "docs is a folder"),
        (["compare", FIRST, "--csv", "no/such/file.csv"], "no/such/file.csv cannot be written"),
        (["compare", FIRST, "--currency", "EUX"], "did you mean EUR?"),
        (["compare", FIRST, "--currency", "CHF", "--html", "x.html"], "the report is in US dollars"),
        (["compare", FIRST, "--lang", "tlh"], "--lang is 'tlh'; it must be one of en, zh_CN"),
        (["compare", FIRST, "--every"], "there is no option --every"),
        (["compare", FIRST, "--jsn"], "there is no option --jsn; did you mean --json?"),
        (["compare", FIRST, "--csv"], "--csv needs a value"),
        (["compare", FIRST, "more"], "(see rackrent compare --help)"),
        (["compair"], "did you mean compare?"),
        (["explain"], "WORKLOAD.yaml is missing"),
        (["explain", FIRST], "OPTION is missing"),
        (["explain", FIRST, "gtx-1080"], "write more of the id"),
        (["explain", FIRST, "own_build/jeff"], "write more of the id"),
        (["explain", FIRST, "no-such-thing"], "there is no 'no-such-thing'; the nearest are"),
        (["explain", FIRST, ""], "there is no ''"),
        (["explain", FIRST, "chen-2018-1x-gtx", "x"], "LINE is 'x'"),
        (["explain", FIRST, "chen-2018-1x-gtx", "99999"], "there is no line 99999"),
        (["reproduce", "chen-2017"], "did you mean chen-2018?"),
        (["prices", "search", "--gpu", "RTX 409O"], "did you mean 'RTX 4090'?"),
        (["prices", "search", "--sort", "colour"], "--sort is 'colour'; it must be one of"),
        (["prices", "search", "--sort", "usd_per_hours"], "did you mean usd_per_hour?"),
        (["prices", "search", "--limit", "none"], "--limit must be a whole number"),
        (["prices", "search", "--gpu-count-min", "0"], "--gpu-count-min is 0; it must be more than 0"),
        (["prices", "search", "--country", "de"], "three-letter country code"),
        (["prices", "show", "RTX 309O"], "did you mean 'RTX 3090'?"),
        (["prices", "show", "aws/p3"], "write more of the id"),
    ],
)  # fmt: skip
def test_one_sentence_and_exit_2(rackrent: Callable, arguments: list[str], says: str) -> None:
    ended = rackrent(*arguments)
    assert says in ended.err
    assert ended.err.startswith("rackrent: ")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this is empty"),
        (b"\x00\x01", "this is a binary file"),
        (b"demand: {utilisation: 0.2}\nhorizon: 12\n", "line 2: unknown field 'horizon'; did you mean"),
        (b"demand: {utilisation: 0.2\n", "line"),
    ],
)
def test_a_broken_workload_is_one_sentence(
    rackrent: Callable, tmp_path: Path, content: bytes, says: str
) -> None:
    path, table = tmp_path / "mine.yaml", tmp_path / "out.csv"
    path.write_bytes(content)
    ended = rackrent("compare", str(path), "--csv", str(table))
    assert says in ended.err
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert not table.exists()


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_nothing_feasible_is_exit_1_and_says_what_keeps_the_nearest_out(
    rackrent: Callable, form: list[str]
) -> None:
    ended = rackrent("compare", "examples/first-machine.yaml", "--gpu-memory", "999", *form)
    assert ended.code == 1
    assert ended.err.startswith("rackrent: no option can do this work; what keeps the nearest out: ")
    assert "999 GB needed" in ended.err
    assert ended.out


def test_nothing_to_look_at_is_exit_1(rackrent: Callable) -> None:
    ended = rackrent("compare", "--utilisation", "0.2", "--kind", "exchange")
    assert ended.code == 1
    assert "none was looked at" in ended.err


def test_no_offer_is_exit_1_and_says_what_was_left_out(rackrent: Callable) -> None:
    ended = rackrent("prices", "search", "--gpu", "RTX 3090", "--price-usd-per-gpu-hour-max", "0.0001")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "rackrent: no offer passes every limit.\n"
    ended = rackrent(
        "prices", "search", "--gpu", "P40", "--price-usd-per-gpu-hour-max", "0.2", "--as-of", "2026-10-15"
    )
    assert "(--include-floors)" in ended.err


def test_ctrl_c_is_exit_130(rackrent: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(group, "main", interrupted)
    assert rackrent("compare") == (130, "", "\n")


def test_a_reader_that_goes_away_is_no_failure() -> None:
    program = (
        "import sys; from rackrent.cli import run; run(['compare', 'examples/first-machine.yaml', '--json'])"
    )
    root = Path(__file__).parent.parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_the_version_is_said(rackrent: Callable) -> None:
    assert rackrent("--version").out == "rackrent 0.1.0\n"


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys, rackrent, rackrent.cli\n"
        "try: rackrent.cli.run(['--help'])\n"
        "except SystemExit: print(*(m for m in ('numpy', 'polars', 'pydantic', 'yaml') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "compare" in done.stdout
    assert done.stdout.splitlines()[-1] == ""


def test_importing_the_package_loads_nothing_but_itself() -> None:
    program = "import sys, rackrent; print(sorted(m for m in sys.modules if m.startswith('rackrent')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['rackrent']\n"


def test_run_takes_the_arguments_of_the_process_by_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rackrent", "--version"])
    with pytest.raises(SystemExit):
        run()
    assert capsys.readouterr().out.startswith("rackrent ")
