"""A comparison as one HTML file: it loads nothing, runs nothing but its own script, and is whole without that.

Everything a person typed is escaped by Jinja2. The page's policy (CSP) lets only the scripts run whose hashes it names,
so that not even a mistake in escaping could run another. The same comparison gives the same bytes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from rackrent.comparison.result import Comparison
from rackrent.i18n import gettext as _
from rackrent.report.charts import still
from rackrent.report.charts_figure import at_width
from rackrent.report.files import write_whole
from rackrent.report.page import Page
from rackrent.report.page_build import page_of

TEMPLATES = files("rackrent.report") / "templates"
EXPORTS = "window.vegaEmbed = vegaEmbed;"
"""What the chart library hands to `report.js`."""
LIBRARY = "vega.js"
"""The chart library, written by the build (`hatch_build.py`): to put it together takes more than a second."""


def render_html(comparison: Comparison, *, interactive: bool = True) -> str:
    """Return the report of `comparison` as one HTML document, in the language in use.

    With `interactive` it carries the chart library (0.9 MB), and its charts answer to the pointer; without, it holds
    no script at all.
    """
    return set_page(page_of(comparison), interactive=interactive)


def write_html(comparison: Comparison, path: Path, *, interactive: bool = True) -> None:
    """Write the report to `path`: the whole file or none. Raises BadInput where it cannot be written."""
    write_whole(path, render_html(comparison, interactive=interactive).encode(), example="report.html")


def set_page(page: Page, *, interactive: bool) -> str:
    """Return a page as HTML."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    scripts = [library(), _text("report.js")] if interactive else []
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_text("report.html.j2"))
    return template.render(
        page=page,
        kind_of=lambda block: type(block).__name__,
        words={"contents": _("Contents")},
        # Ours, or already escaped (Vega escapes the text that it draws): not to be escaped again.
        policy=Markup(_policy(scripts)),
        style=Markup(_text("report.css")),
        drawings={f.name: Markup(still(f)) for f in page.figures},
        interactive=interactive,
        specs=Markup(_json({f.name: at_width(f.spec, "container") | {"description": f.alt} for f in page.figures})),
        library=Markup(scripts[0]) if scripts else "",
        script=Markup(scripts[1]) if scripts else "",
    )  # fmt: skip


@lru_cache
def library() -> str:
    """Return the script that draws charts in a browser: Vega, Vega-Lite and Vega-Embed from vl-convert's own bundle."""
    made = TEMPLATES / LIBRARY
    if made.is_file():
        return safe_in_script(made.read_text(encoding="utf-8"))
    import vl_convert

    return safe_in_script(vl_convert.javascript_bundle(EXPORTS))


def safe_in_script(source: str) -> str:
    """Return JavaScript that no HTML parser ends early: what would close or nest a script stands in escapes.

    >>> safe_in_script("a = '</script><!--'")
    "a = '\\\\x3c/script>\\\\x3c!--'"
    """
    return (
        source.replace("</script", "\\x3c/script")
        .replace("<script", "\\x3cscript")
        .replace("<!--", "\\x3c!--")
    )


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    hashes = " ".join(f"'sha256-{b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts)
    allowed = f"script-src {hashes}; " if hashes else ""
    return f"default-src 'none'; {allowed}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _json(value: Any) -> str:
    """JSON for a data block: no character in it that HTML could take for markup."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
