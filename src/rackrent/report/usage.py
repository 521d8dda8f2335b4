"""What `rackrent usage` prints for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import polars as pl
from rich.console import Console

from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.report.console import facts_grid, page, points, table
from rackrent.usage.idle import Idle
from rackrent.usage.summary import Summary, days

ROWS_SHOWN = 20


def print_summary(found: Summary, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print the summary to `out` (standard output)."""
    usage = found.usage
    with page(out, width) as screen:
        screen.print(_head(found), style="bold")
        screen.print()
        facts = [(_("Read"), ", ".join(f"{name} ({kind})" for name, kind in usage.formats))]
        if usage.window is not None:
            start, end = usage.window
            facts.append((_("Window"), _("{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC, {days:,.1f} days").format(start=start, end=end, days=days(usage))))  # fmt: skip
        if found.load:
            facts.append((_("GPUs at once"), _("peak {peak:,.1f}, 95 % of hours under {p95:,.1f}, median {median:,.1f}").format(peak=found.load[1.0], p95=found.load[0.95], median=found.load[0.5])))  # fmt: skip
        if found.work is not None and found.work.reference_gpu:
            facts.append((_("Work"), _work(found)))
        if usage.charges.height:
            facts.append((_("Billed"), format_usd(usage.billed_usd, decimals=2)))
            facts.append((_("Cost of use"), format_usd(usage.effective_usd, decimals=2)))
        screen.print(facts_grid(facts))
        _pools(screen, found.pools)
        _accounts(screen, found.accounts)
        _waits(screen, found)
        _minds(screen, found.warnings)


def print_idle(
    found: Idle, warnings: Sequence[str], *, out: TextIO | None = None, width: int | None = None
) -> None:
    """Print what was paid and not used to `out` (standard output)."""
    told = found.to_dict()
    with page(out, width) as screen:
        if found.pools:
            screen.print(
                _("{idle:,.1f} GPU-hours were paid and not used; a stop after {minutes:g} idle minutes would have saved {saved:,.1f} of them ({usd})").format(
                    idle=told["idle_hours"], minutes=found.after_minutes, saved=told["saved_hours"], usd=format_usd(told["saved_usd"])
                ),
                style="bold",
            )  # fmt: skip
            listed = table(screen, (_("Pool"), "left"), (_("GPU"), "left"), (_("Paid, h"), "right"), (_("In use, h"), "right"), (_("Idle, h"), "right"), (_("Idle"), "right"), (_("Saved, h"), "right"), (_("Saved"), "right"))  # fmt: skip
            for p in found.pools[:ROWS_SHOWN]:
                listed.add_row(
                    p.pool or _("unnamed"), p.gpu or _("unknown"), _h(p.paid_hours), _h(p.in_use_hours), _h(p.idle_hours),
                    format_usd(p.idle_usd), _h(p.stoppable_hours), format_usd(p.saved_usd),
                )  # fmt: skip
            screen.print()
            screen.print(listed)
        else:
            screen.print(_("nothing in these files says what was paid beside what was used"), style="bold")
        if found.people:
            listed = table(screen, (_("Person"), "left"), (_("Held, h"), "right"), (_("Active, h"), "right"), (_("Idle, h"), "right"))  # fmt: skip
            for who in found.people[:ROWS_SHOWN]:
                listed.add_row(
                    who.person or _("unnamed"), _h(who.held_hours), _h(who.used_hours), _h(who.idle_hours)
                )
            screen.print()
            screen.print(listed)
        unknown = (
            [
                _(
                    "{hours:,.1f} GPU-hours ran in pools of unknown size: say how many GPUs stand there with --capacity POOL=N"
                ).format(hours=found.unknown_hours)
            ]
            if found.unknown_hours
            else []
        )
        _minds(screen, (*unknown, *warnings))


def print_imported(told: Mapping[str, Any], *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print what `usage import` wrote to `out` (standard output)."""
    with page(out, width) as screen:
        screen.print(
            _("{file}: {jobs:,} jobs, {gpu_hours:,.1f} GPU-hours in {hours:,} hourly rows").format(**told),
            style="bold",
        )
        _minds(screen, told["warnings"])


def _head(found: Summary) -> str:
    usage = found.usage
    if usage.hourly.is_empty():
        return _("No GPU-hours in these files")
    said = _("{hours:,.1f} GPU-hours").format(hours=usage.gpu_hours)
    if usage.jobs.height:
        said += ngettext(" in {n} job", " in {n} jobs", usage.jobs.height).format(n=f"{usage.jobs.height:,}")
    return said


def _work(found: Summary) -> str:
    work = found.work
    assert work is not None
    said = _("{hours:,.1f} h of {gpu}, {month:,.1f} h a month").format(
        hours=work.reference_hours, gpu=work.reference_gpu, month=work.hours_per_month
    )
    if work.unknown_hours:
        said += _("; {hours:,.1f} h on GPUs of unknown speed are not in it").format(hours=work.unknown_hours)
    return said


def _pools(screen: Console, pools: pl.DataFrame) -> None:
    if pools.is_empty():
        return
    screen.print()
    listed = table(screen, (_("Pool"), "left"), (_("GPU"), "left"), (_("GPU-hours"), "right"), (_("Paid"), "right"), (_("Active"), "right"), (_("Peak"), "right"), (_("Cost"), "right"))  # fmt: skip
    for row in pools.head(ROWS_SHOWN).iter_rows(named=True):
        listed.add_row(
            row["pool"] or _("unnamed"), row["gpu"] or _("unknown"), _h(row["gpu_hours"]), _h(row["gpu_hours_paid"]),
            _h(row["gpu_hours_used"]), _h(row["peak_gpus"]), format_usd(row["effective_usd"]),
        )  # fmt: skip
    screen.print(listed)


def _accounts(screen: Console, accounts: pl.DataFrame) -> None:
    accounts = accounts.filter((pl.col("gpu_hours") != 0) | (pl.col("jobs_of_unknown_gpus") > 0))
    if accounts["account"].drop_nulls().is_empty():
        return
    screen.print()
    listed = table(screen, (_("Account"), "left"), (_("Jobs"), "right"), (_("GPU-hours"), "right"))
    for row in accounts.head(ROWS_SHOWN).iter_rows(named=True):
        jobs = "" if row["jobs"] is None else f"{row['jobs']:,}"
        listed.add_row(row["account"] or _("unnamed"), jobs, _h(row["gpu_hours"]))
    screen.print(listed)


def _waits(screen: Console, found: Summary) -> None:
    if found.waits.is_empty():
        return
    screen.print()
    listed = table(screen, (_("Queue"), "left"), (_("GPUs at once"), "right"), (_("Jobs"), "right"), (_("Median wait, h"), "right"), (_("9 of 10 within, h"), "right"))  # fmt: skip
    for row in found.waits.head(ROWS_SHOWN).iter_rows(named=True):
        gang = _("unknown") if row["gpus"] is None else f"{row['gpus']:g}"
        listed.add_row(row["pool"] or _("unnamed"), gang, f"{row['jobs']:,}", _h(row["median_wait_hours"]), _h(row["p90_wait_hours"]))  # fmt: skip
    screen.print(listed)


def _minds(screen: Console, warnings: Sequence[str]) -> None:
    if warnings:
        screen.print()
        screen.print(_("To mind"), style="bold")
        points(screen, tuple(warnings))


def _h(hours: float | None) -> str:
    """Hours to a tenth; unknown is said, never shown as nothing."""
    return _("unknown") if hours is None else f"{hours:,.1f}"
