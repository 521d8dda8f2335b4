"""`rackrent prices watch`: for cron."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, day_of, print_json
from rackrent.i18n import gettext as _

MOVED = 1
"""Exit code where something moved."""


def watch(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help=_("What to watch."))],
    *,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=_("Remember here what was seen. [default: a file in your state folder]")
        ),
    ] = None,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Look once."""
    from rackrent.app.price_watch import watch as look
    from rackrent.catalog.catalog import load

    looked = look(load(catalog, day_of(as_of)), file, state)
    if as_json:
        print_json(looked.to_dict())
    for seen in looked.seen:
        if seen.usd is None:
            print(_("{what}: no price is known").format(what=seen.what), file=sys.stderr)
        elif seen.said and not as_json:
            print(seen.said)
    if looked.moved:
        raise typer.Exit(MOVED)
