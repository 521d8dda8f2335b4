"""Flags that several commands share, and what they hand over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

AsOf = Annotated[
    str | None,
    typer.Option(
        metavar="DAY", help=_("Use the prices of this day, written as 2018-09-15. [default: today]")
    ),
]
CatalogFolder = Annotated[
    Path | None, typer.Option("--catalog", metavar="DIR", help=_("Use the catalog in this folder."))
]
AsJson = Annotated[bool, typer.Option("--json", help=_("Print one JSON object and nothing else."))]
Lang = Annotated[
    str | None, typer.Option(metavar="LANG", help=_("Language: en or zh_CN. [default: RACKRENT_LANG, else yours]"))
]  # fmt: skip
Offline = Annotated[
    bool, typer.Option("--offline", help=_("Forbid the network. Only prices refresh ever uses it."))
]


FIRST_YEAR, LAST_YEAR = 2000, 2099
"""A day of prices lies between them, as in a workload."""


def day_of(text: str | None) -> date | None:
    """Read --as-of."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text.strip())
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueError
        return day
    except ValueError:
        raise BadInput(
            _("--as-of is {text}; it must be a day written as 2018-09-15").format(text=repr(text)[:40])
        ) from None


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Print one JSON object on standard output; without `indent` on one line, for what no person reads."""
    import json

    separators = (",", ": ") if indent else (",", ":")
    print(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators))


@contextmanager
def progress(text: str) -> Iterator[None]:
    """Show on a terminal's standard error that something is under way; say nothing where nobody looks."""
    import sys

    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def catalog_in(folder: Path | None, as_of: date | None) -> Any:
    """Open another catalog than the shipped one; None without --catalog."""
    from rackrent.catalog.catalog import load

    return None if folder is None else load(folder, as_of)
