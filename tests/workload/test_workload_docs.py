"""The page on workloads and the model say the same."""

from __future__ import annotations

import re

import pytest
import yaml

from rackrent.workload.base import Model
from rackrent.workload.read import parse_workload
from tools.workload_docs import DOC, MARKER, SECTIONS, tables

TEXT = DOC.read_text(encoding="utf-8")


def test_the_page_is_made_from_the_model_of_today() -> None:
    assert TEXT.partition(MARKER)[2].strip() == tables().strip(), "run: python -m tools.workload_docs"


@pytest.mark.parametrize(("title", "model"), SECTIONS.items())
def test_each_field_is_documented_and_nothing_else(title: str, model: type[Model]) -> None:
    section = re.search(rf"^## `?{re.escape(title)}`?\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)
    assert section is not None
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section[1], re.M)
    assert [name for name, _ in rows] == list(model.model_fields)
    assert all(len(meaning) > 2 for _, meaning in rows)


def test_every_model_has_a_section() -> None:
    def subclasses(model: type[Model]) -> set[type[Model]]:
        below = set(model.__subclasses__())
        return below.union(*(subclasses(m) for m in below))

    bases = {m for m in subclasses(Model) if m.__subclasses__()}
    ours = {m for m in subclasses(Model) - bases if m.__module__.startswith("rackrent.workload")}
    assert ours == set(SECTIONS.values())


def test_each_number_has_a_unit() -> None:
    without = {
        f"{title}.{name}"
        for title, model in SECTIONS.items()
        for name, info in model.model_fields.items()
        if "float" in str(info.annotation) and f"| `{name}` | {info.description} |  |" in tables()
    }
    # in the currency of the quote, or with the unit of the assumption; vCPUs are counted
    assert without == {
        "quotes[].amount", "quotes[].upfront", "quotes[].vcpus", "The workload.assumptions",
        "A range in assumptions.low", "A range in assumptions.likely", "A range in assumptions.high",
    }  # fmt: skip


def test_the_snippets_are_workloads() -> None:
    snippets = re.findall(r"```yaml\n(.*?)```", TEXT, re.S)
    assert len(snippets) >= 2
    for snippet in snippets:
        whole = snippet if "demand" in yaml.safe_load(snippet) else f"{snippet}\ndemand: {{utilisation: 0.2}}"
        assert parse_workload(whole)
