"""The flags that say how usage files are read: one definition for every command that reads them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from rackrent.cli.options import progress
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

if TYPE_CHECKING:
    from rackrent.usage.model import Usage

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help=_("Dumps and bills; they may overlap."), show_default=False)]  # fmt: skip

_FLAGS: Mapping[str, Any] = {
    "format": Annotated[str | None, typer.Option(metavar="WORD", help=_("What the files are, where it cannot be told: sacct, sacct-json, focus, cur, azure, gcp, dcgm, prometheus, skypilot, dstack, csv, rackrent."))],
    "timezone": Annotated[str | None, typer.Option(metavar="TZ", help=_("Time zone of times without an offset, such as Europe/Berlin. [default: UTC, with a warning]"))],
    "column": Annotated[list[str] | None, typer.Option("--column", metavar="OURS=THEIRS", help=_("What a column of a plain CSV is, such as gpus_in_use=units. May be repeated."))],
    "capacity": Annotated[list[str] | None, typer.Option(metavar="POOL=N", help=_("GPUs that stand in a pool, used or not. May be repeated."))],
    "start": Annotated[str | None, typer.Option("--from", metavar="TIME", help=_("Count nothing before this time, written as 2024-04-01 or 2024-04-01T12:00."))],
    "end": Annotated[str | None, typer.Option("--to", metavar="TIME", help=_("Count nothing from this time on."))],
    "pseudonymise": Annotated[bool, typer.Option("--pseudonymise", help=_("Put stable pseudonyms in place of people, accounts and names of jobs."))],
}  # fmt: skip

Read = Callable[[list[Path]], "Usage"]
"""Reads usage files as the flags say."""


def reads_usage(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of reading; it takes `read`, which reads files as they say, in their place."""
    own = inspect.signature(command, eval_str=True)
    kept = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own.parameters.values() if p.name != "read"
    ]
    flags = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if kind is _FLAGS["pseudonymise"] else None, annotation=kind)
        for name, kind in _FLAGS.items()
    ]  # fmt: skip

    @wraps(command)
    def shown(**values: Any) -> None:
        said = {name: values.pop(name) for name in _FLAGS}
        command(**values, read=lambda files: _load(files, **said))

    parameters = [kept[0], *flags, *kept[1:]]
    shown.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    shown.__annotations__ = {p.name: p.annotation for p in parameters}
    return shown


def _load(
    files: list[Path], *, format: str | None, timezone: str | None, column: list[str] | None, capacity: list[str] | None,
    start: str | None, end: str | None, pseudonymise: bool,
) -> Usage:  # fmt: skip
    from rackrent.usage.load import load
    from rackrent.usage.times import zone_of

    columns = dict(_pair(said, "--column") for said in column or [])
    sizes = {name: _number(size) for name, size in (_pair(said, "--capacity") for said in capacity or [])}
    window = None
    if start or end:
        zone = ZoneInfo(zone_of(timezone))
        first = _moment(start, "--from", zone) if start else None
        last = _moment(end, "--to", zone) if end else None
        window = first, last
        if first and last and first >= last:
            raise BadInput(_("--from {start} is not before --to {end}").format(start=start, end=end))
    with progress(_("reading")):
        return load(
            files, format, timezone, columns=columns, capacity=sizes, window=window, pseudonymise=pseudonymise
        )  # fmt: skip


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
