"""`rackrent reproduce`: published examples, computed again."""

from __future__ import annotations

from typing import Annotated

import typer

from rackrent.cli.options import AsJson, Lang, print_json, progress
from rackrent.i18n import gettext as _

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=_("""Compute a published example again, beside its own figures.

NAME is chen-2018, hennessy-patterson, hamilton-2010 or shaved-ice."""))  # fmt: skip
def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The example."))],
    *,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Reproduce and show."""
    with progress(_("computing")):
        from rackrent.app.reproduce import reproduce as again
        from rackrent.report.reproduction import print_reproduction

        found = again(name)
    if as_json:
        print_json(found.to_dict())
    else:
        print_reproduction(found)
