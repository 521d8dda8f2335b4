"""The command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rackrent.cli import run
from rackrent.i18n import set_language

ROOT = Path(__file__).parent.parent.parent


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Rackrent = Callable[..., Ended]


@pytest.fixture
def rackrent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Rackrent:
    """Run `rackrent ARGUMENTS` in the folder of the project, in English, 80 columns wide."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("RACKRENT_LANG", "en")
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            run(list(arguments))
        set_language("en")
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, *capsys.readouterr())

    return call
