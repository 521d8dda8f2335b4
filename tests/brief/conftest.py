"""Ask as a person does: an example, with some inputs changed, through the command line."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import rackrent.app.compare
from rackrent.catalog.catalog import load
from rackrent.cli import run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
Answer = dict[str, Any]
Ask = Callable[..., Answer]


def changed(example: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the example's tree with inputs changed: dotted path to value."""
    tree: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{example}.yaml").read_text("utf-8"))
    for path, value in changes.items():
        *sections, field = path.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[field] = value
    return tree


def printed(arguments: list[str]) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed on standard output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as stopped:
        run([*arguments, "--lang", "en"])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, out.getvalue()


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Return a function: example, changes and flags to the JSON that `rackrent compare --json` prints.

    Keys of `changes` are dotted paths. The same question is asked once, and the shipped catalog of a day is read
    and judged once, not for every question.
    """
    folder = tmp_path_factory.mktemp("questions")
    answers: dict[str, Answer] = {}

    def answer(
        example: str, changes: dict[str, Any] | None = None, *flags: str, everything: bool = False
    ) -> Answer:
        text = yaml.safe_dump(changed(example, changes or {}), sort_keys=False)
        arguments = ["compare", "--json", *(["--all"] if everything else []), *flags]
        key = "\n".join([text, *arguments])
        if key not in answers:
            file = folder / f"{example}-{len(answers)}.yaml"
            file.write_text(text, "utf-8")
            code, out = printed([*arguments, str(file)])
            answers[key] = json.loads(out)
            assert code == (0 if answers[key]["recommended"] else 1)
        return answers[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rackrent.app.compare, "load", cache(load))
        yield answer
