"""Every example is a workload, and the questions differ."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rackrent.catalog.catalog import load
from rackrent.workload.demand import monthly_work
from rackrent.workload.read import parse_workload, read_workload

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = sorted(EXAMPLES.glob("*.yaml"))


def test_the_seven_people_are_there() -> None:
    assert {f.stem for f in FILES} >= {
        "first-machine",
        "first-machine-today",
        "lab-grant",
        "startup-dgx",
        "bursty-research",
        "hospital",
        "already-owns",
    }


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_an_example_is_a_workload_with_a_date_and_work_that_one_can_do(path: Path) -> None:
    workload = read_workload(path)
    assert workload.as_of is not None
    assert workload.demand.reference_gpu is not None
    work = monthly_work(workload.demand, workload.gpus, workload.horizon_months)
    assert 0 < work.max() <= 730 * workload.gpus * workload.jobs_at_once
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_an_example_written_out_and_read_again_is_the_same(path: Path) -> None:
    workload = read_workload(path)
    text = yaml.safe_dump(workload.model_dump(mode="json", exclude_unset=True), sort_keys=False)
    assert parse_workload(text) == workload


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_gpus_of_an_example_are_in_the_catalog(path: Path) -> None:
    workload = read_workload(path)
    known = set(load().all_rows("gpus")["gpu"])
    named = {workload.demand.reference_gpu, *(m.gpu for m in [*workload.own.machines, *workload.have])}
    assert named <= known


def test_titles_differ() -> None:
    names = [read_workload(f).name for f in FILES]
    assert len(set(names)) == len(names)
