"""`rackrent prices`: what is in the catalog."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pydantic import ValidationError

from rackrent.catalog.query import OfferQuery
from rackrent.cli.flags import Flag, flags_from, given, with_flags
from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, Offline, day_of, print_json
from rackrent.cli.prices_history import check, history
from rackrent.cli.prices_refresh import refresh
from rackrent.cli.prices_watch import watch
from rackrent.errors import BadInput, NothingFeasible, nearest
from rackrent.i18n import gettext as _
from rackrent.workload.complaint import BOUNDS, TYPES, choices
from rackrent.workload.source import shown

FLAGS = flags_from(OfferQuery, {name: name for name in OfferQuery.model_fields})

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help=_(
        "Prices of GPUs to rent: search them, bring in those of today, see how they moved and what looks wrong."
    ),
)


@app.command(help=_("""List the offers that pass every limit, cheapest first.

Lowest asks of markets and doubtful prices are left out unless asked for. Exit code 1 means that no offer passes."""))  # fmt: skip
@with_flags(FLAGS)
def search(
    *,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    offline: Offline = False,
    as_json: AsJson = False,
    lang: Lang = None,
    **flags: Any,
) -> None:
    """Search and show."""
    query = query_of(given(FLAGS, flags))
    from rackrent.app.prices import search_prices
    from rackrent.catalog.catalog import load
    from rackrent.report.prices import ROWS_SHOWN, print_found

    found = search_prices(load(catalog, day_of(as_of)), query)
    if as_json:
        print_json(found.to_dict())
    elif found.offers:
        print_found(found, most=query.limit or ROWS_SHOWN)
    if not found.offers:
        raise NothingFeasible(
            _("no offer passes every limit. {left_out}").format(left_out=found.left_out()).strip()
        )


@app.command(help=_("""Show a GPU (what is known of it, its cheapest offers, machines with it) or an offer, whole.

NAME is a GPU such as "RTX 3090", or the id of an offer; a part of an id does where it holds a slash and fits only one,
such as aws/p3.2xlarge/us-east-1/on_demand."""))  # fmt: skip
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("What to show."))],
    *,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Show one thing."""
    from rackrent.app.prices import show_price
    from rackrent.catalog.catalog import load
    from rackrent.report.prices import OfferCard, print_gpu, print_offer

    card = show_price(load(catalog, day_of(as_of)), name)
    if as_json:
        print_json(card.to_dict())
    elif isinstance(card, OfferCard):
        print_offer(card)
    else:
        print_gpu(card)


app.command(help=_("""Ask the sources for today's prices and keep them.

Without --source all are asked that need no key and no file of yours. A source that fails keeps its last good rows, marked.
Exit code 1 means that every source failed. What each source needs, and where prices are kept: docs/prices.md."""))(refresh)  # fmt: skip

app.command(help=_("""Show how the price of a GPU or an offer moved, and what speaks for buying or waiting.

NAME is a GPU such as "RTX 3090", or the id of an offer; a part of an id does where it holds a slash and fits only one. Of
a GPU it is the cheapest price that could be ranked. Exit code 1 means that no price is known."""))(history)  # fmt: skip
app.command(help=_("""List what looks wrong in the prices, and why.

What is "not ranked" stays out of every comparison; the rest is worth a look."""))(check)  # fmt: skip
app.command(help=_("""Look at what FILE.yaml watches and say what moved past its threshold since the last look.

The file lists things to watch, such as 'watch: [{gpu: L4, below: 0.5}]': a gpu, offer or part, with below, above or
moves_percent (docs/prices.md). Made for cron: it says nothing and exits with 0 while nothing moves, else a line each and exit code 1."""))(watch)  # fmt: skip


def query_of(said: dict[str, Any]) -> OfferQuery:
    """Return the query that flags make. Raises BadInput with the first thing that is wrong."""
    try:
        return OfferQuery.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        flag = FLAGS[str(first["loc"][0])]
        raise BadInput(_sentence(flag, first["type"], first["input"], first.get("ctx", {}))) from None


def _sentence(flag: Flag, kind: str, value: object, context: dict[str, Any]) -> str:
    if kind == "literal_error":
        words = choices(flag.field.annotation)
        said = _("{path} is {value}").format(path=flag.option, value=shown(value))
        if close := nearest(str(value), words):
            return _("{said}; did you mean {close}?").format(said=said, close=close[0])
        return _("{said}; it must be one of {words}").format(said=said, words=", ".join(words))
    if kind == "string_pattern_mismatch":
        return _(
            "{path} is {value}; it must be a three-letter country code (ISO 3166) such as USA or DEU"
        ).format(path=flag.option, value=shown(value))
    if kind in BOUNDS:
        key, message = BOUNDS[kind]
        return _(message).format(path=flag.option, value=shown(value), bound=f"{context[key]:,.12g}")
    return _(TYPES.get(kind, "{path} cannot be {value}")).format(path=flag.option, value=shown(value))
