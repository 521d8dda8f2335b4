"""`rackrent usage` as people and programs call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

JOBS = "started,ended,gpus,pool,gpu,account,person\n2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,2,lab,V100,physics,ada.lovelace\n"


@pytest.fixture
def jobs(tmp_path: Path) -> str:
    (tmp_path / "jobs.csv").write_text(JOBS)
    return str(tmp_path / "jobs.csv")


def test_summary_says_hours_and_what_to_mind(rackrent: Callable, jobs: str) -> None:
    said = rackrent("usage", "summary", jobs)
    assert said.code == 0
    assert said.out.startswith("48.0 GPU-hours in 1 job\n")
    assert "24 hours of history, not a year" in said.out
    told = json.loads(rackrent("usage", "summary", jobs, "--json").out)
    assert told["gpu_hours"] == 48
    assert told["work"]["reference_hours_per_month"] == pytest.approx(48 * 730 / 24)
    assert told["billed_usd"] is None


def test_import_writes_one_parquet_that_reads_back(rackrent: Callable, jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "u.parquet"
    told = json.loads(rackrent("usage", "import", jobs, "-o", str(out), "--pseudonymise", "--json").out)
    assert told["gpu_hours"] == 48
    assert set(pl.read_parquet(out)["table"].unique()) == {"jobs", "hourly"}
    assert pl.read_parquet(out)["person"].drop_nulls().len() == 1
    for name in ("ada.lovelace", "physics"):
        assert name.encode() not in out.read_bytes()
    assert json.loads(rackrent("usage", "summary", str(out), "--json").out)["gpu_hours"] == 48


def test_idle_says_what_a_stop_would_have_saved(rackrent: Callable, jobs: str) -> None:
    arguments = ["usage", "idle", jobs, "--capacity", "lab=4", "--usd-per-gpu-hour", "2", "--after", "60"]
    told = json.loads(rackrent(*arguments, "--json").out)
    assert (told["idle_hours"], told["saved_hours"], told["saved_usd"]) == (48, 46, 92)
    assert rackrent(*arguments).out.startswith("48.0 GPU-hours were paid and not used")
    assert "pools of unknown size" in rackrent("usage", "idle", jobs).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--capacity", "lab"], "--capacity is 'lab'; it must be written as name=value"),
        (["--capacity", "lab=many"], "it must be a number of GPUs"),
        (["--capacity", "lib=3"], "there is no pool 'lib' in these files; they have lab"),
        (["--from", "May"], "--from is 'May'; it must be a time"),
        (["--from", "2024-02-01", "--to", "2024-01-01"], "is not before --to"),
        (["--format", "slurm"], "there is no format 'slurm'"),
        (["--column", "gpu=card"], "column 'card' is missing"),
        (["--timezone", "Mars/Base"], "there is no time zone 'Mars/Base'"),
    ],
)
def test_what_is_typed_wrongly_is_said(
    rackrent: Callable, jobs: str, arguments: list[str], said: str
) -> None:
    ended = rackrent("usage", "summary", jobs, *arguments)
    assert ended.code == 2
    assert said in ended.err and ended.err.count("\n") == 1 and ended.out == ""


def test_a_usage_file_is_the_demand_of_a_comparison(rackrent: Callable, jobs: str, tmp_path: Path) -> None:
    for name, demand in (
        ("usage", "usage: jobs.csv"),
        ("hours", "gpu_hours_per_month: 1460\n  reference_gpu: V100"),
    ):
        (tmp_path / f"{name}.yaml").write_text(f"demand:\n  {demand}\nas_of: 2026-10-01\n")
    told, plain = (
        json.loads(rackrent("compare", str(tmp_path / f"{name}.yaml"), "--json").out)
        for name in ("usage", "hours")
    )
    assert told["recommended"] == plain["recommended"]
    assert told["options"] == plain["options"]
    assert told["warnings"][0].startswith("the demand is 1,460 h a month, the mean of 1 days in jobs.csv")


def test_a_usage_file_that_is_not_there_is_said(rackrent: Callable, tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("demand: {usage: nowhere.csv}\n")
    ended = rackrent("compare", str(tmp_path / "q.yaml"))
    assert ended.code == 2 and "nowhere.csv: there is no such file" in ended.err
