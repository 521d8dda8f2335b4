"""The help speaks the language in use, also where Typer writes it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rackrent.cli import group

CHINESE = {
    "Usage: ": "用法:",
    "Arguments": "参数",
    "Options": "选项",
    "Commands": "命令",
    "Show this message and exit.": "显示本说明后退出。",
}


@pytest.mark.parametrize("arguments", [[], ["compare"], ["prices"], ["prices", "show"]], ids=" ".join)
def test_no_english_word_of_typer_is_left(
    rackrent: Callable, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert set(group.HELP_WORDS) == set(CHINESE)
    monkeypatch.setattr(group, "_", lambda message: CHINESE.get(message, message))
    told = rackrent(*arguments, "--help")
    assert told.code == 0
    assert told.out.startswith(f"用法:{' '.join(['rackrent', *arguments])} [OPTIONS]")
    assert "选项:" in told.out and "显示本说明后退出。" in told.out
    assert not [word for word in CHINESE if word.strip() in told.out.replace("[OPTIONS]", "")]


def test_in_english_the_help_is_as_typer_writes_it(rackrent: Callable) -> None:
    told = rackrent("prices", "show", "--help").out
    assert told.startswith("Usage: rackrent prices show [OPTIONS] ")
    assert "\nArguments:\n" in told and "\nOptions:\n" in told and "Show this message and exit." in told
