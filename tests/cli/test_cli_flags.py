"""Flags and file say the same things."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rackrent.catalog.query import OfferQuery
from rackrent.cli.compare import FLAGS, question_of
from rackrent.cli.flags import given
from rackrent.cli.prices import FLAGS as SEARCH_FLAGS
from rackrent.workload.read import read_workload

FIRST = Path("examples/first-machine.yaml")


def said(**flags: Any) -> dict[str, Any]:
    return given(FLAGS, flags)


def test_flags_make_the_workload_a_file_would(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "demand: {gpu_hours_per_month: 200, reference_gpu: RTX 3090}\ngpus: 2\nlocation: {country: DEU}\n"
        "interruptible: yes\nconsider: {kinds: [cloud, own_build]}\n",
        encoding="utf-8",
    )
    flags = said(
        gpu_hours="200", reference_gpu="RTX 3090", gpus="2", country="DEU", interruptible=True, kind=["cloud", "own_build"]
    )  # fmt: skip
    assert question_of(None, flags) == read_workload(path)


def test_a_flag_goes_before_the_file_and_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent.parent)
    file, changed = read_workload(FIRST), question_of(FIRST, said(months="12", country="DEU"))
    assert (changed.horizon_months, changed.location.country) == (12, "DEU")
    assert changed.demand == file.demand
    assert changed.location.site == file.location.site


def test_another_way_to_say_the_demand_takes_the_place_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent.parent)
    changed = question_of(FIRST, said(gpu_hours="50"))
    assert (changed.demand.gpu_hours_per_month, changed.demand.utilisation) == (50, None)
    assert changed.demand.reference_gpu == read_workload(FIRST).demand.reference_gpu


def test_one_of_two_fields_of_a_way_keeps_the_other(tmp_path: Path) -> None:
    path = tmp_path / "jobs.yaml"
    path.write_text("demand: {jobs_per_month: 20, hours_per_job: 9}\n", encoding="utf-8")
    changed = question_of(path, said(jobs_per_month="30")).demand
    assert (changed.jobs_per_month, changed.hours_per_job) == (30, 9)


def test_every_field_of_the_query_is_a_flag() -> None:
    assert {flag.path for flag in SEARCH_FLAGS.values()} == {(name,) for name in OfferQuery.model_fields}


def test_a_flag_is_described_by_its_field() -> None:
    flag = FLAGS["months"]
    assert flag.option == "--months"
    assert flag.help() == f"{flag.field.description} [default: 36]"
    assert "cnn_training" in FLAGS["task"].help()
    assert FLAGS["kind"].help().endswith("(may be given several times)")


def test_the_day_is_the_flags_then_the_workloads(rackrent: Callable) -> None:
    days = [
        json.loads(rackrent("compare", *arguments, "--json").out)["as_of"]
        for arguments in (
            [str(FIRST)],
            [str(FIRST), "--as-of", "2018-12-01"],
            ["--utilisation", "0.2", "--as-of", "2026-10-15"],
        )
    ]
    assert days == ["2018-09-15", "2018-12-01", "2026-10-15"]


def test_another_catalog_folder_answers(rackrent: Callable, tmp_path: Path) -> None:
    import shutil

    from rackrent.catalog.catalog import DATA_DIR

    folder = tmp_path / "catalog"
    shutil.copytree(DATA_DIR, folder)
    offers = folder / "offers.csv"
    header = offers.read_text(encoding="utf-8").splitlines()[0]
    offers.write_text(header + "\n", encoding="utf-8")
    answer = json.loads(rackrent("compare", str(FIRST), "--catalog", str(folder), "--all", "--json").out)
    assert answer["as_of"] == "2018-09-15"
    assert {o["term"] for o in answer["options"]} == {"own"}
