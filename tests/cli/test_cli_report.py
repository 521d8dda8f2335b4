"""`compare --html` and `--pdf`: where the report goes and what is said of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rackrent.cli import run

FEW = ["compare", "--utilisation", "0.2", "--as-of", "2018-09-15", "--kind", "own_build", "--kind", "cloud"]


def code_of(arguments: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    return ended.value.code


@pytest.mark.brief("B8")
def test_the_report_is_written_beside_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.html"
    assert code_of([*FEW, "--json", "--html", str(file)]) == 0
    told = capsys.readouterr()
    verdict = json.loads(told.out)["verdict"]
    assert verdict in file.read_text(encoding="utf-8")
    assert told.err == f"The report is in {file}\n"


def test_a_report_on_a_question_without_an_answer_is_written_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    assert code_of([*FEW, "--gpu-memory", "900", "--html", str(file)]) == 1
    assert "No option can do this work" in file.read_text(encoding="utf-8")
    assert "no option can do this work" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_said_before_anything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of([*FEW, "--html", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "is a folder; name a file in it" in told.err


def test_a_pdf_without_weasyprint_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    assert code_of([*FEW, "--pdf", str(tmp_path / "report.pdf")]) == 2
    assert "a PDF needs WeasyPrint" in capsys.readouterr().err
