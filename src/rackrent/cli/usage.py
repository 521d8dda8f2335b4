"""`rackrent usage`: what you really ran."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from rackrent.cli.options import AsJson, Lang, print_json
from rackrent.cli.reading import Files, Read, reads_usage
from rackrent.i18n import gettext as _

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help=_("Read what you really ran: Slurm, cloud bills, GPU metrics, CSV."),
)


@app.command(help=_("""Say what was used: GPU-hours by pool, GPU and account, load, queue wait, cost, and what to mind."""))  # fmt: skip
@reads_usage
def summary(
    files: Files,
    *,
    read: Read,
    reference_gpu: Annotated[str | None, typer.Option(metavar="GPU", help=_("Count work in hours of this GPU. [default: the one with most hours]"))] = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and show."""
    usage = read(files)
    from rackrent.app.usage import summary_of
    from rackrent.catalog.catalog import load as load_catalog
    from rackrent.report.usage import print_summary

    found = summary_of(usage, load_catalog(as_of=datetime.now(UTC).date()), reference_gpu)
    if as_json:
        print_json(found.to_dict())
    else:
        print_summary(found)


@app.command("import", help=_("""Read the files and keep what they say as one Parquet file, for `usage` and `plan`."""))  # fmt: skip
@reads_usage
def import_(
    files: Files,
    *,
    read: Read,
    output: Annotated[Path, typer.Option("-o", metavar="FILE.parquet", help=_("The file to write; it appears whole or not at all."), show_default=False)],
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and keep."""
    usage = read(files)
    from rackrent.report.usage import print_imported
    from rackrent.usage.store import write

    write(usage, output)
    told = {
        "file": str(output), "jobs": usage.jobs.height, "hours": usage.hourly.height, "gpu_hours": usage.gpu_hours,
        "rows_unreadable": usage.rows_unreadable, "warnings": list(usage.warnings),
    }  # fmt: skip
    if as_json:
        print_json(told)
    else:
        print_imported(told)


@app.command(help=_("""Say which GPU-hours were paid and not used, by pool and person, and what stopping them would have saved."""))  # fmt: skip
@reads_usage
def idle(
    files: Files,
    *,
    read: Read,
    after: Annotated[float, typer.Option(metavar="MINUTES", min=0, help=_("Stop a GPU when it has been idle this long."))] = 30,
    usd_per_gpu_hour: Annotated[float | None, typer.Option(metavar="USD", min=0, max=1_000_000, help=_("Price of a GPU-hour where the files name none."))] = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and show."""
    usage = read(files)
    from rackrent.report.usage import print_idle
    from rackrent.usage.idle import idle as idle_of

    found = idle_of(usage, after, usd_per_gpu_hour)
    if as_json:
        print_json(found.to_dict() | {"warnings": list(usage.warnings)})
    else:
        print_idle(found, usage.warnings)
