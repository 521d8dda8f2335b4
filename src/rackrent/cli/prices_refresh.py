"""`rackrent prices refresh`: ask the sources."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from rackrent.cli.options import AsJson, Lang, Offline, print_json
from rackrent.errors import NothingFeasible
from rackrent.i18n import gettext as _

Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="NAME",
        help=_(
            "Ask only this source (may be given several times): aws, azure, gcp, gpuhunt, skypilot, ecb, own."
        ),
    ),
]
Believe = Annotated[
    bool,
    typer.Option("--believe", help=_("Take what a source lists also where it is less than half of before.")),
]
WARNINGS_SHOWN = 5
"""Warnings of one source on a screen."""


def refresh(
    *,
    source: Sources = None,
    believe: Believe = False,
    offline: Offline = False,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Ask."""
    from rackrent.app.refresh import refresh_prices

    with _progress() as progress:
        outcomes = refresh_prices(source or (), offline=offline, believe=believe, progress=progress)
    if as_json:
        print_json({"sources": [outcome.to_dict() for outcome in outcomes]})
    for outcome in outcomes:
        if not as_json:
            print(outcome.line())
        for warning in outcome.warnings[:WARNINGS_SHOWN]:
            print(f"  {warning}", file=sys.stderr)
        if (more := len(outcome.warnings) - WARNINGS_SHOWN) > 0:
            print(_("  and {n} more warnings (--json has all)").format(n=f"{more:,}"), file=sys.stderr)
    if all(outcome.reason for outcome in outcomes):
        raise NothingFeasible(_("no source could be refreshed"))


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show on standard error what is under way: in one changing line on a terminal, else a line each."""
    if not sys.stderr.isatty():
        yield lambda text: print(text, file=sys.stderr)
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update
