"""A plan as words and tables for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.planning.plan import Plan
from rackrent.report.console import page, points, table
from rackrent.report.plan_words import (
    LITTLE,
    action_in_words,
    duration,
    machines_of,
    of_pool,
    power_in_words,
    trust,
    verdict,
    waits_in_words,
    when,
)

ACTIONS_MOST = 12
WAITS_MOST = 12
UNUSED_MOST = 6
"""Rows shown of a table; the page and the JSON have all of them."""


def print_plan(plan: Plan, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print a plan to `out` (standard output)."""
    with page(out, width) as screen:
        screen.print(verdict(plan), style="bold")
        _actions(screen, plan)
        _options(screen, plan)
        _pools(screen, plan)
        _waits(screen, plan)
        _listed(screen, _("How far to trust it"), trust(plan))
        _listed(screen, _("What to mind"), list(plan.notes))


def _actions(screen: Console, plan: Plan) -> None:
    actions = plan.actions()
    if not actions:
        return
    screen.print()
    listed = table(screen, (_("When"), "whole"), (_("What to do"), "left"), (_("Machines"), "right"))
    for month, what, o, n in actions[:ACTIONS_MOST]:
        count = _("{n} x {gpus} {gpu}").format(n=n, gpus=o.supply.gpus, gpu=o.gpu)
        done = _("{what}: {name}, {term}").format(
            what=action_in_words(what), name=of_pool(plan, o), term=_(TERM_NAMES[o.term])
        )
        listed.add_row(when(month), done, count)
    screen.print(listed)
    more = max(0, len(actions) - ACTIONS_MOST)
    if more:
        said = ngettext("and {n} more step (--html or --json)", "and {n} more steps (--html or --json)", more)
        screen.print(said.format(n=more))
    if power := power_in_words(plan):
        screen.print(power)


def _options(screen: Console, plan: Plan) -> None:
    screen.print()
    how = table(
        screen, (_("Option"), "left"), (_("Term"), "left"), (_("GPU"), "left"), (_("GPUs at most"), "right"),
        (_("Speed"), "right"), (_("Share of work"), "right"),
    )  # fmt: skip
    ranked = sorted(plan.options, key=lambda o: -plan.served_share(o))
    used = sum(plan.served_share(o) >= LITTLE for o in ranked)
    for o in ranked[: used + UNUSED_MOST]:
        share = plan.served_share(o)
        how.add_row(
            of_pool(plan, o), _(TERM_NAMES[o.term]), o.gpu, machines_of(plan.mix.outcome.machines, o), f"{o.speed:.2f}",
            f"{share:.1%}" if share >= LITTLE else "-",
        )  # fmt: skip
    screen.print(how)
    more = len(ranked) - used - UNUSED_MOST
    if more > 0:
        said = ngettext("and {n} more that is not used", "and {n} more that are not used", more)
        screen.print(said.format(n=more))


def _pools(screen: Console, plan: Plan) -> None:
    screen.print()
    demand = table(
        screen, (_("Pool"), "left"), (_("GPU"), "left"), (_("Mean GPUs"), "right"), (_("Peak"), "right"),
        (_("Largest job"), "right"), (_("GPU-hours"), "right"),
    )  # fmt: skip
    for p in plan.history.pools:
        mean, peak = f"{p.gpus.mean():,.1f}", f"{p.gpus.max():,.1f}"
        demand.add_row(p.name, p.gpu, mean, peak, f"{p.gang}", f"{p.gpus.sum():,.0f}")
    screen.print(demand)


def _waits(screen: Console, plan: Plan) -> None:
    if plan.queues is None:
        return
    screen.print()
    listed = table(
        screen, (_("Queue"), "left"), (_("GPUs at once"), "right"), (_("Jobs"), "right"), (_("Median now"), "right"),
        (_("9 of 10 now"), "right"), (_("Median then"), "right"), (_("9 of 10 then"), "right"),
    )  # fmt: skip
    for w in plan.queues.by_gang[:WAITS_MOST]:
        times = (w.now.median_hours, w.now.p90_hours, w.planned.median_hours, w.planned.p90_hours)
        listed.add_row(w.pool, f"{w.gpus:g}", f"{w.jobs:,}", *(duration(hours) for hours in times))
    screen.print(listed)
    points(screen, tuple(waits_in_words(plan)))


def _listed(screen: Console, title: str, sentences: list[str]) -> None:
    screen.print()
    screen.print(title, style="bold")
    points(screen, tuple(sentences))
