"""`rackrent prices history` and `rackrent prices check`."""

from __future__ import annotations

from typing import Annotated

import typer

from rackrent.catalog.schema import TERMS
from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, day_of, print_json
from rackrent.errors import BadInput, NothingFeasible, nearest
from rackrent.i18n import gettext as _


def history(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The GPU or offer."))],
    *,
    term: Annotated[
        str,
        typer.Option(
            metavar="TERM", help=_("Rental term, for a GPU. [default: on_demand]"), show_default=False
        ),
    ] = "on_demand",
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Show prices over time."""
    if term not in TERMS[1:]:
        close = nearest(term, TERMS[1:]) or ["on_demand"]
        raise BadInput(
            _("--term is {term}; did you mean {close}?").format(term=repr(term)[:40], close=close[0])
        )
    from rackrent.app.price_history import price_history
    from rackrent.catalog.catalog import load
    from rackrent.report.price_history import print_history

    told = price_history(load(catalog, day_of(as_of)), name, term)
    if as_json:
        print_json(told.to_dict())
    elif told.runs:
        print_history(told)
    if not told.runs:
        raise NothingFeasible(
            _("no price of {what} is known until {day}").format(what=told.what, day=told.catalog.as_of)
        )


def check(
    *,
    every: Annotated[bool, typer.Option("--all", help=_("Show every finding."))] = False,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Show what looks wrong."""
    from rackrent.app.price_history import check_prices
    from rackrent.catalog.catalog import load
    from rackrent.report.price_history import print_check

    checked = check_prices(load(catalog, day_of(as_of)))
    if as_json:
        print_json(checked.to_dict())
    else:
        print_check(checked, every=every)
