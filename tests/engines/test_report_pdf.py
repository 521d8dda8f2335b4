"""The report set by WeasyPrint: `pytest tests/engines` (needs the extra `pdf` and Pango)."""

from __future__ import annotations

from pathlib import Path

import pytest

from rackrent.app.compare import compare
from rackrent.report.pdf import pdf_of

pytestmark = pytest.mark.engines

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_a_pdf_has_pages_and_the_same_bytes_each_time() -> None:
    made = pdf_of(compare(EXAMPLES / "hospital.yaml"))
    assert made.startswith(b"%PDF-") and len(made) > 30_000
    assert made == pdf_of(compare(EXAMPLES / "hospital.yaml"))
