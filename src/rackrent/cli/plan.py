"""`rackrent plan`: from what was really used to what to own, reserve and rent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, catalog_in, day_of, print_json, progress
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=_("""Say what to own, reserve and rent for what you really use, and what that would have saved.

USAGE is any file that `rackrent usage` reads: Slurm, bills, metrics, or a CSV with one row an hour (hour, gpus_in_use,
and pool and gpu where you have them)."""))  # fmt: skip
def plan(
    usage: Annotated[list[Path], typer.Argument(metavar="USAGE...", help=_("Files of what was used."))],
    *,
    column: Annotated[
        list[str] | None, typer.Option(metavar="OURS=THEIRS", help=_("What a column is called in the file (may be given several times)."))
    ] = None,
    gpu: Annotated[str | None, typer.Option(metavar="TEXT", help=_("GPU of hours that do not say theirs."))] = None,
    gang: Annotated[
        int | None, typer.Option(metavar="NUMBER", help=_("GPUs that the largest job needs in one machine. [default: as the jobs say, else 1]"))
    ] = None,
    months: Annotated[int, typer.Option(metavar="NUMBER", help=_("Time looked ahead, months."))] = 36,
    growth: Annotated[float, typer.Option(metavar="NUMBER", help=_("Growth of the demand a year, as a share."))] = 0.0,
    upfront: Annotated[float | None, typer.Option(metavar="USD", help=_("At most this much up front, all together."))] = None,
    monthly: Annotated[float | None, typer.Option(metavar="USD", help=_("At most this much a month besides."))] = None,
    kw: Annotated[float | None, typer.Option(metavar="KW", help=_("At most this much power for own machines."))] = None,
    machines: Annotated[int | None, typer.Option(metavar="NUMBER", help=_("At most this many own machines."))] = None,
    task: Annotated[str, typer.Option(metavar="TEXT", help=_("Kind of work, for the speed of other GPUs."))] = "generic",
    country: Annotated[str, typer.Option(metavar="TEXT", help=_("Where own machines stand, ISO 3166 alpha-3."))] = "USA",
    site: Annotated[str, typer.Option(metavar="TEXT", help=_("Where own machines stand: home, office, server_room."))] = "server_room",
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help=_("Write the plan to this HTML page as well."))] = None,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Plan and show."""
    names = dict(_pair(text) for text in column or [])
    with progress(_("planning")):
        from rackrent.app.plan import plan as plan_of
        from rackrent.catalog.catalog import load
        from rackrent.report.plan import print_plan, verdict

        day = day_of(as_of)
        prices = catalog_in(catalog, day) or (load(as_of=day) if day else None)
        found = plan_of(
            usage, prices, columns=names, gpu=gpu, gang=gang, months=months, growth_per_year=growth, upfront_usd=upfront,
            monthly_usd=monthly, kw=kw, machines=machines, task=task, country=country, site=site,
        )  # fmt: skip
        if html is not None:
            from rackrent.report.plan_html import write_html

            write_html(found, html)
    if as_json:
        print_json({"verdict": verdict(found), **found.to_dict()})
    else:
        print_plan(found)


def _pair(text: str) -> tuple[str, str]:
    ours, separator, theirs = text.partition("=")
    if not (ours and separator and theirs):
        raise BadInput(_("--column is {text}; it must be like gpus_in_use=NAME").format(text=repr(text)))
    return ours, theirs
