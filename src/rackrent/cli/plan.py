"""`rackrent plan`: from what was really used to what to own, reserve and rent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, catalog_in, day_of, print_json, progress
from rackrent.cli.reading import Read, reads_usage
from rackrent.i18n import gettext as _

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=_("""Say what to own, reserve and rent for what you really use, and what that would have saved.

USAGE is any file that `rackrent usage` reads: Slurm, bills, metrics, or a CSV with one row an hour (hour, gpus_in_use,
and pool and gpu where you have them)."""))  # fmt: skip
@reads_usage
def plan(
    usage: Annotated[list[Path], typer.Argument(metavar="USAGE...", help=_("Files of what was used."))],
    *,
    read: Read,
    gpu: Annotated[str | None, typer.Option(metavar="TEXT", help=_("GPU of hours that do not say theirs."))] = None,
    gang: Annotated[
        int | None, typer.Option(metavar="NUMBER", help=_("GPUs that the largest job needs in one machine. [default: as the jobs say, else 1]"))
    ] = None,
    have: Annotated[
        Path | None, typer.Option(metavar="FILE", help=_("YAML file with the machines you own already, under have: as in a workload."))
    ] = None,
    months: Annotated[int, typer.Option(metavar="NUMBER", help=_("Time looked ahead, months."))] = 36,
    growth: Annotated[float, typer.Option(metavar="NUMBER", help=_("Growth of the demand a year, as a share."))] = 0.0,
    interruptible: Annotated[
        float, typer.Option(metavar="SHARE", help=_("Share of each hour's work that survives an interruption, 0 to 1: spot may do it."))
    ] = 0.0,
    checkpoint_minutes: Annotated[
        float, typer.Option(metavar="MINUTES", help=_("Time to write one checkpoint, for work on spot."))
    ] = 5.0,
    upfront: Annotated[float | None, typer.Option(metavar="USD", help=_("At most this much up front, all together."))] = None,
    monthly: Annotated[float | None, typer.Option(metavar="USD", help=_("At most this much a month besides."))] = None,
    kw: Annotated[float | None, typer.Option(metavar="KW", help=_("At most this much power for own machines."))] = None,
    machines: Annotated[int | None, typer.Option(metavar="NUMBER", help=_("At most this many own machines."))] = None,
    task: Annotated[str, typer.Option(metavar="TEXT", help=_("Kind of work, for the speed of other GPUs."))] = "generic",
    country: Annotated[str, typer.Option(metavar="TEXT", help=_("Where own machines stand, ISO 3166 alpha-3."))] = "USA",
    site: Annotated[str, typer.Option(metavar="TEXT", help=_("Where own machines stand: home, office, server_room."))] = "server_room",
    quick: Annotated[
        bool, typer.Option("--quick", help=_("Leave out the plan under doubt and the rules that do not know the future."))
    ] = False,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help=_("Write the plan to this HTML page as well."))] = None,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Plan and show."""
    used = read(usage)
    with progress(_("planning")):
        from rackrent.app.plan import plan as plan_of
        from rackrent.catalog.catalog import load
        from rackrent.report.plan import print_plan
        from rackrent.report.plan_words import verdict

        day = day_of(as_of)
        prices = catalog_in(catalog, day) or (load(as_of=day) if day else None)
        found = plan_of(
            used, prices, have=have, gpu=gpu, gang=gang, months=months, growth_per_year=growth,
            interruptible=interruptible, checkpoint_minutes=checkpoint_minutes, upfront_usd=upfront, monthly_usd=monthly,
            kw=kw, machines=machines, task=task, country=country, site=site, doubts=not quick,
        )  # fmt: skip
        if html is not None:
            from rackrent.report.plan_html import write_html

            write_html(found, html)
    if as_json:
        print_json({"verdict": verdict(found), **found.to_dict()})
    else:
        print_plan(found)
