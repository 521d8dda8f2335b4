"""`rackrent build`: the machine to build; `rackrent build check`: whether a list of parts fits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rackrent.building.requirements import BuildRequirements
from rackrent.cli.flags import flags_from, given, with_flags
from rackrent.cli.options import AsJson, CatalogFolder, Lang, catalog_in, print_json, progress
from rackrent.errors import BadInput, NothingFeasible
from rackrent.i18n import gettext as _

FLAGS = flags_from(BuildRequirements, {name: name for name in BuildRequirements.model_fields})

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True, help=_("""Choose parts that fit together, with room to grow, and say why.

Every list passes the checker, and is proven to be the best or says how far it may be from it. Exit code 1 means that no machine meets
the requirements: the nearest one is shown with its price. `rackrent build check PARTS` checks a list of your own."""))  # fmt: skip
@with_flags(FLAGS)
def build(
    *,
    ctx: typer.Context,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help=_("Write the list as CSV."))
    ] = None,
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help=_("Write the list as forums take it."))
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help=_("Write a page with a drawing of slots and lanes.")),
    ] = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
    **flags: Any,
) -> None:
    """Choose and show."""
    if ctx.invoked_subcommand is not None:
        return
    with progress(_("choosing parts")):
        from rackrent.app.build import build as choose
        from rackrent.app.build import requirements_of
        from rackrent.report.build import page_of, print_build
        from rackrent.report.files import write_whole

        wanted = requirements_of(given(FLAGS, flags))
        named = [csv, text, html, wanted.prices and Path(wanted.prices)]
        targets = [path.resolve() for path in named if path]
        if len(set(targets)) < len(targets):
            raise BadInput(_("the prices and the files to write must be different files"))
        found = choose(wanted, catalog_in(catalog, wanted.as_of))
    if found.feasible:
        for path, content, example in (
            (csv, found.to_csv, "parts.csv"),
            (text, found.to_text, "parts.txt"),
            (html, lambda: page_of(found), "build.html"),
        ):
            if path is not None:
                write_whole(path, content().encode(), example=example)
    if as_json:
        print_json(found.to_dict())
    else:
        print_build(found)
    if not found.feasible:
        raise NothingFeasible(found.reason)


@app.command(help=_("""Say whether the parts of a list fit together, rule by rule.

PARTS is a file: YAML, CSV, or lines such as "GPU: 2 x RTX 4090 ($1,599)". Names may be typed loosely; what each was taken for is
shown. Exit code 1 means that they do not fit."""))  # fmt: skip
def check(
    parts: Annotated[Path, typer.Argument(metavar="PARTS", help=_("The list."))],
    *,
    grow_to: Annotated[int | None, typer.Option(min=1, max=7, metavar="NUMBER", help=_("Say what it takes to grow to so many GPUs."))] = None,
    date: Annotated[str | None, typer.Option(metavar="DAY", help=_("Parts and prices of this day or month. [default: today]"))] = None,
    country: Annotated[str, typer.Option(metavar="TEXT", help=_("country of the circuit (ISO alpha-3)"))] = "USA",
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Check and show."""
    from rackrent.app.build import check_parts, read_text
    from rackrent.report.build import matches_of, print_check

    found, matches = check_parts(
        read_text(parts), catalog_in(catalog, None), date=date, grow_to=grow_to, country=country
    )
    if as_json:
        print_json({**found.to_dict(), "matches": matches_of(matches)})
    else:
        print_check(found, matches)
    if found.refusals:
        raise NothingFeasible(_("the parts do not fit: {why}").format(why=found.refusals[0].text))
