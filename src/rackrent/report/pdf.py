"""The report as a PDF file, set by WeasyPrint (extra `pdf`) from the same page."""

from __future__ import annotations

from pathlib import Path

from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.report.files import write_whole
from rackrent.report.html import render_html


def write_pdf(comparison: Comparison, path: Path) -> None:
    """Write the report to `path` as a PDF on A4: the whole file or none.

    Raises BadInput where WeasyPrint or the libraries it needs are not there, or the file cannot be written.
    """
    write_whole(path, pdf_of(comparison), example="report.pdf")


def pdf_of(comparison: Comparison) -> bytes:
    """Return the report as a PDF. The same comparison gives the same bytes. Raises as `write_pdf`."""
    try:
        from weasyprint import HTML
    except (ImportError, OSError):
        raise BadInput(
            _(
                "a PDF needs WeasyPrint and Pango: pip install 'rackrent[pdf]', and on Debian or Ubuntu apt install "
                "libpango-1.0-0 libpangoft2-1.0-0; or print the HTML report from a browser"
            )
        ) from None
    page = HTML(string=render_html(comparison, interactive=False), url_fetcher=_nothing)
    return bytes(page.write_pdf())


def _nothing(url: str, *_args: object, **_options: object) -> dict[str, str]:
    raise ValueError(f"the report loads nothing, and yet it asks for {url}")
