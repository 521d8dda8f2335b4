"""The PDF report where WeasyPrint is not installed: one clear sentence. (With it: tests/engines.)"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rackrent.app.compare import compare
from rackrent.errors import BadInput
from rackrent.report.pdf import write_pdf


def test_without_weasyprint_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    comparison = compare({"demand": {"utilisation": 0.2}, "as_of": "2018-09-15"})
    with pytest.raises(BadInput, match=r"pip install 'rackrent\[pdf\]'"):
        write_pdf(comparison, tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []
