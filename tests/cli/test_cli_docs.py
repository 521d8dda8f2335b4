"""The page on the command line says what the command line takes, and its examples run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from rackrent.cli import run
from rackrent.cli.group import COMMANDS

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def commands() -> Iterator[tuple[str, Any]]:
    """Every command a person can type, with what it takes."""
    for name in COMMANDS:
        command = get_command(import_module(f"rackrent.cli.{name}").app)
        inner = getattr(command, "commands", None)
        yield from ((f"{name} {n}", c) for n, c in inner.items()) if inner else [(name, command)]


def row(parameter: Any) -> str:
    """A parameter as the page's table has it."""
    if parameter.param_type_name == "argument":
        return f"| `{parameter.metavar}` | {parameter.help} |"
    value = f" {parameter.metavar}" if parameter.metavar else ""
    names = [f"`{parameter.opts[0]}{value}`", *(f"`{name}`" for name in parameter.secondary_opts)]
    return f"| {' / '.join(names)} | {parameter.help} |"


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda v: v if isinstance(v, str) else "")
def test_the_page_says_what_each_command_takes(name: str, command: Any) -> None:
    section = re.search(rf"^## rackrent {name}\n(.+?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    table = section[1].split("| give | meaning |\n|---|---|\n")[1].splitlines()
    told = [line for line in table if line.startswith("| `")]
    assert told == [row(p) for p in command.params if p.name != "help"]


@pytest.mark.parametrize("line", re.findall(r"^\$ rackrent (.+)$", PAGE, re.MULTILINE))
def test_an_example_on_the_page_runs(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("rackrent.app.state.state_folder", lambda: tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(shlex.split(line))
    assert ended.value.code == 0, capsys.readouterr().err
    assert capsys.readouterr().out
