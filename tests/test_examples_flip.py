"""docs/examples.md names, for each example, the input on which the winning kind turns: every line is run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rackrent.app.compare import compare
from rackrent.catalog.catalog import Catalog, load
from rackrent.comparison.option import Option

ROOT = Path(__file__).parent.parent
ROW = re.compile(
    r"^\| \[(?P<name>[\w-]+)\]\([^)]*\) \| (?P<day>[\d-]+) \| (?P<wins>\w+) \| `(?P<path>[\w.]+)` "
    r"\| `(?P<old>[^`]+)` \| `(?P<new>[^`]+)` \| (?P<then>\w+) \|$"
)


@cache
def catalog_of(day: date) -> Catalog:
    """The shipped catalog, judged once for a day."""
    return load(as_of=day)


@dataclass(frozen=True)
class Flip:
    """One line of a table: `on_budget` says that it is about what the funding pays."""

    name: str
    day: str
    wins: str
    path: str
    old: Any
    new: Any
    then: str
    on_budget: bool

    def question(self) -> dict[str, Any]:
        tree: dict[str, Any] = yaml.safe_load((ROOT / "examples" / f"{self.name}.yaml").read_text("utf-8"))
        return tree

    def winner(self, question: dict[str, Any]) -> str:
        result = compare(question, catalog_of(question["as_of"]))
        best: Option | None = result.recommended_on_budget if self.on_budget else result.recommended
        assert best is not None
        return best.kind


def flips() -> list[Flip]:
    found, on_budget = [], False
    for line in (ROOT / "docs" / "examples.md").read_text("utf-8").splitlines():
        if line.startswith("| example "):
            on_budget = "on the budget" in line
        elif line.startswith("| ["):
            row = ROW.match(line)
            assert row, line
            cells = row.groupdict()
            old, new = yaml.safe_load(cells.pop("old")), yaml.safe_load(cells.pop("new"))
            found.append(Flip(**cells, old=old, new=new, on_budget=on_budget))
    return found


FLIPS = flips()


@pytest.mark.parametrize("flip", FLIPS, ids=lambda f: f"{f.name}-{f.path}")
def test_the_one_input_changes_the_kind_that_wins(flip: Flip) -> None:
    question = flip.question()
    assert str(question["as_of"]) == flip.day
    assert flip.winner(question) == flip.wins
    *sections, field = flip.path.split(".")
    branch = question
    for section in sections:
        branch = branch[section]
    assert branch[field] == flip.old
    branch[field] = flip.new
    assert flip.winner(question) == flip.then
    assert flip.then != flip.wins


def test_every_example_is_in_the_table() -> None:
    listed = {f.name for f in FLIPS if not f.on_budget}
    assert listed == {p.stem for p in (ROOT / "examples").glob("*.yaml")}


def test_the_kinds_that_win_differ() -> None:
    assert {f.wins for f in FLIPS} >= {"own_build", "own_prebuilt", "own_existing", "cloud"}


def test_the_grant_and_everyone_would_choose_differently() -> None:
    result = compare(ROOT / "examples" / "lab-grant.yaml")
    assert result.recommended is not None and result.recommended_on_budget is not None
    assert result.recommended.kind != result.recommended_on_budget.kind
    assert "On your budget it is another" in result.verdict.text
