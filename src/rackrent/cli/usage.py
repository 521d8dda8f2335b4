"""`rackrent usage`: what you really ran."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from rackrent.cli.options import AsJson, Lang, print_json, progress
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help=_("Read what you really ran: Slurm, cloud bills, GPU metrics, CSV."),
)

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help=_("Dumps and bills; they may overlap."), show_default=False)]  # fmt: skip
Format = Annotated[str | None, typer.Option(metavar="WORD", help=_("What the files are, where it cannot be told: sacct, sacct-json, focus, cur, azure, gcp, dcgm, prometheus, skypilot, dstack, csv, rackrent."))]  # fmt: skip
Zone = Annotated[str | None, typer.Option(metavar="TZ", help=_("Time zone of times without an offset, such as Europe/Berlin. [default: UTC, with a warning]"))]  # fmt: skip
Columns = Annotated[list[str] | None, typer.Option("--column", metavar="OURS=THEIRS", help=_("What a column of a plain CSV is, such as gpus_in_use=units. May be repeated."))]  # fmt: skip
Capacity = Annotated[list[str] | None, typer.Option(metavar="POOL=N", help=_("GPUs that stand in a pool, used or not. May be repeated."))]  # fmt: skip
From = Annotated[str | None, typer.Option("--from", metavar="TIME", help=_("Count nothing before this time, written as 2024-04-01 or 2024-04-01T12:00."))]  # fmt: skip
To = Annotated[str | None, typer.Option("--to", metavar="TIME", help=_("Count nothing from this time on."))]
Hide = Annotated[bool, typer.Option("--pseudonymise", help=_("Put stable pseudonyms in place of people and accounts."))]  # fmt: skip


@app.command(help=_("""Say what was used: GPU-hours by pool, GPU and account, load, queue wait, cost, and what to mind."""))  # fmt: skip
def summary(
    files: Files,
    *,
    format: Format = None,
    timezone: Zone = None,
    column: Columns = None,
    capacity: Capacity = None,
    start: From = None,
    end: To = None,
    reference_gpu: Annotated[str | None, typer.Option(metavar="GPU", help=_("Count work in hours of this GPU. [default: the one with most hours]"))] = None,
    pseudonymise: Hide = False,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and show."""
    usage = _load(files, format, timezone, column, capacity, start, end, pseudonymise)
    from rackrent.app.usage import summary_of
    from rackrent.catalog.catalog import load as load_catalog
    from rackrent.report.usage import print_summary

    found = summary_of(usage, load_catalog(as_of=datetime.now(UTC).date()), reference_gpu)
    if as_json:
        print_json(found.to_dict())
    else:
        print_summary(found)


@app.command("import", help=_("""Read the files and keep what they say as one Parquet file, for `usage` and `plan`."""))  # fmt: skip
def import_(
    files: Files,
    *,
    output: Annotated[Path, typer.Option("-o", metavar="FILE.parquet", help=_("The file to write; it appears whole or not at all."), show_default=False)],
    format: Format = None,
    timezone: Zone = None,
    column: Columns = None,
    capacity: Capacity = None,
    start: From = None,
    end: To = None,
    pseudonymise: Hide = False,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and keep."""
    usage = _load(files, format, timezone, column, capacity, start, end, pseudonymise)
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
def idle(
    files: Files,
    *,
    after: Annotated[float, typer.Option(metavar="MINUTES", min=0, help=_("Stop a GPU when it has been idle this long."))] = 30,
    usd_per_gpu_hour: Annotated[float | None, typer.Option(metavar="USD", min=0, max=1_000_000, help=_("Price of a GPU-hour where the files name none."))] = None,
    format: Format = None,
    timezone: Zone = None,
    column: Columns = None,
    capacity: Capacity = None,
    start: From = None,
    end: To = None,
    pseudonymise: Hide = False,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Read and show."""
    usage = _load(files, format, timezone, column, capacity, start, end, pseudonymise)
    from rackrent.report.usage import print_idle
    from rackrent.usage.idle import idle as idle_of

    found = idle_of(usage, after, usd_per_gpu_hour)
    if as_json:
        print_json(found.to_dict() | {"warnings": list(usage.warnings)})
    else:
        print_idle(found, usage.warnings)


def _load(
    files: list[Path], format: str | None, timezone: str | None, column: list[str] | None, capacity: list[str] | None,
    start: str | None, end: str | None, pseudonymise: bool,
) -> Any:  # fmt: skip
    from rackrent.usage.load import load
    from rackrent.usage.times import zone_of

    columns = dict(_pair(said, "--column") for said in column or [])
    sizes = {name: _number(size) for name, size in (_pair(said, "--capacity") for said in capacity or [])}
    window = None
    if start or end:
        zone = ZoneInfo(zone_of(timezone))
        window = (
            _moment(start, "--from", zone) if start else datetime(1970, 1, 1, tzinfo=UTC),
            _moment(end, "--to", zone) if end else datetime(2200, 1, 1, tzinfo=UTC),
        )
        if window[0] >= window[1]:
            raise BadInput(_("--from {start} is not before --to {end}").format(start=start, end=end))
    with progress(_("reading")):
        return load(
            files, format, timezone, columns=columns, capacity=sizes, window=window, pseudonymise=pseudonymise
        )


def _pair(said: str, flag: str) -> tuple[str, str]:
    name, mark, value = said.rpartition("=") if flag == "--capacity" else said.partition("=")
    if not (mark and name and value):
        raise BadInput(
            _("{flag} is {said}; it must be written as name=value").format(flag=flag, said=repr(said))
        )
    return name.strip(), value.strip()


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise BadInput(_("--capacity says {text}; it must be a number of GPUs").format(text=repr(text)))
    return value


def _moment(text: str, flag: str, zone: ZoneInfo) -> datetime:
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(
            _("{flag} is {text}; it must be a time written as 2024-04-01 or 2024-04-01T12:00").format(
                flag=flag, text=repr(text)[:40]
            )
        ) from None
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
