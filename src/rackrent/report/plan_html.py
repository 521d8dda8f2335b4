"""A plan as one HTML page, in the look of the report of a comparison: no script, no network."""

from __future__ import annotations

from pathlib import Path

from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.i18n import language
from rackrent.money import format_usd
from rackrent.planning.plan import Plan
from rackrent.report import plan_charts as charts
from rackrent.report.charts_figure import Figure
from rackrent.report.files import write_whole
from rackrent.report.html import set_page
from rackrent.report.page import Block, Cell, Column, Page, Points, Prose, Row, Section, Table, plain
from rackrent.report.plan_words import (
    LITTLE,
    action_in_words,
    duration,
    machines_of,
    now_in_words,
    of_pool,
    power_in_words,
    trust,
    verdict,
    waits_in_words,
    when,
)

POOLS_MOST = 6
"""Drawn are the pools with the most hours; the table has them all."""


def plan_html(plan: Plan) -> str:
    """Return the plan as one page of HTML."""
    return set_page(plan_page(plan), interactive=False)


def write_html(plan: Plan, path: Path) -> None:
    """Write the page; it appears whole or not at all. Raises BadInput where it cannot be written."""
    write_whole(path, plan_html(plan).encode(), example="plan.html")


def plan_page(plan: Plan) -> Page:
    """Return the page of a plan in the language in use."""
    hours = sum(float(p.gpus.sum()) for p in plan.history.pools)
    subtitle = _("{hours:,.0f} GPU-hours in {days:,.0f} days from {day}, looked {months} months ahead").format(
        hours=hours, days=plan.history.hours / 24, day=plan.history.first.date().isoformat(), months=plan.request.months
    )  # fmt: skip
    largest = sorted(enumerate(plan.history.pools), key=lambda item: -item[1].gpus.sum())[:POOLS_MOST]
    steps: tuple[Block, ...] = (_steps(plan),) if plan.actions() else ()
    happens: tuple[Block, ...] = (*steps, *_drawn(charts.machines(plan)), _money(plan))
    summary = (
        Section("verdict", _("What to do"), (Prose(verdict(plan), "verdict"),)),
        Section("steps", _("What to do when"), happens),
        Section("curves", _("How the demand is served"), tuple(charts.curve(plan, n, p) for n, p in largest)),
    )
    trusted: tuple[Block, ...] = (Points(tuple(trust(plan))), *_drawn(charts.savings(plan)))
    queue = [_queue(plan)] if plan.queues is not None else []
    details = (
        Section("trust", _("How far to trust it"), trusted),
        *queue,
        Section("options", _("The options side by side"), (_options(plan),)),
        Section(
            "demand", _("The demand it rests on"),
            (_pools(plan), *(drawn(plan, n, p) for n, p in largest for drawn in (charts.history, charts.day))),
        ),
        Section("mind", _("What to mind"), (Points(plan.notes),)),
    )  # fmt: skip
    foot = _("Made by rackrent from prices of {day}.").format(day=plan.as_of.isoformat())
    title = _("What to own, reserve and rent")
    return Page(title, subtitle, language().replace("_", "-"), summary, details, (), foot)


def _drawn(figure: Figure | None) -> tuple[Figure, ...]:
    return () if figure is None else (figure,)


def _steps(plan: Plan) -> Table:
    rows = tuple(
        Row(plain(when(month), action_in_words(what), of_pool(plan, o), _(TERM_NAMES[o.term]), f"{n} x {o.supply.gpus} {o.gpu}"))
        for month, what, o, n in plan.actions()
    )  # fmt: skip
    columns = (
        Column(_("When"), whole=True), Column(_("What")), Column(_("Option")), Column(_("Term"), whole=True),
        Column(_("Machines"), figures=True),
    )  # fmt: skip
    return Table(_("Purchases, sales and contracts"), columns, rows)


def _money(plan: Plan) -> Table:
    mean, most = plan.monthly_usd
    columns = (
        Column(_("Way")), Column(_("Present value"), figures=True), Column(_("Up front"), figures=True),
        Column(_("A month, mean"), figures=True), Column(_("Highest month"), figures=True), Column(_("Saves"), figures=True),
    )  # fmt: skip
    rows = [
        Row(
            plain(
                _("this plan"), format_usd(plan.present_value_usd), format_usd(plan.upfront_usd), format_usd(mean),
                format_usd(most), f"{plan.saving_now:.1%}",
            ),
            strong=True,
        ),
        Row(plain(now_in_words(plan), format_usd(plan.now_usd), "-", "-", "-", "-")),
    ]  # fmt: skip
    if plan.now_is_billed:
        rows.append(
            Row(plain(_("everything by the hour at today's prices"), format_usd(plan.rented_usd), "-", "-", "-", "-"))
        )  # fmt: skip
    return Table(_("What it costs"), columns, tuple(rows), power_in_words(plan))


def _queue(plan: Plan) -> Section:
    assert plan.queues is not None
    columns = (
        Column(_("Queue")), Column(_("GPUs at once"), figures=True), Column(_("Jobs"), figures=True),
        Column(_("Median now"), figures=True), Column(_("9 of 10 now"), figures=True), Column(_("Median then"), figures=True),
        Column(_("9 of 10 then"), figures=True), Column(_("Median if nothing were rented"), figures=True),
    )  # fmt: skip
    rows = tuple(
        Row(
            plain(
                w.pool, f"{w.gpus:g}", f"{w.jobs:,}", duration(w.now.median_hours), duration(w.now.p90_hours),
                duration(w.planned.median_hours), duration(w.planned.p90_hours),
                _("never") if w.alone is None else duration(w.alone.median_hours),
            )
        )
        for w in plan.queues.by_gang
    )  # fmt: skip
    blocks: tuple[Block, ...] = (
        Points(tuple(waits_in_words(plan))), *_drawn(charts.waits(plan)),
        Table(_("Wait by pool and size of job"), columns, rows),
    )  # fmt: skip
    return Section("queue", _("Queue wait before and after"), blocks)


def _options(plan: Plan) -> Table:
    columns = (
        Column(_("Option")), Column(_("Term"), whole=True), Column(_("GPU")), Column(_("GPUs at most"), figures=True),
        Column(_("Speed"), figures=True), Column(_("Share of work"), figures=True),
    )  # fmt: skip
    rows = []
    for o in sorted(plan.options, key=lambda o: -plan.served_share(o)):
        share = plan.served_share(o)
        cells = plain(
            of_pool(plan, o), _(TERM_NAMES[o.term]), o.gpu, machines_of(plan.mix.outcome.machines, o), f"{o.speed:.2f}",
            f"{share:.1%}" if share >= LITTLE else "-",
        )  # fmt: skip
        rows.append(Row((Cell(of_pool(plan, o), sub=o.id), *cells[1:])))
    note = _("Speed is against the GPU you use now: an hour of it counts for so many of yours.")
    return Table(_("Of each kind the cheapest for this work"), columns, tuple(rows), note)


def _pools(plan: Plan) -> Table:
    columns = (
        Column(_("Pool")), Column(_("GPU")), Column(_("Mean GPUs"), figures=True), Column(_("Peak"), figures=True),
        Column(_("Largest job"), figures=True), Column(_("GPU-hours"), figures=True),
    )  # fmt: skip
    rows = tuple(
        Row(plain(p.name, p.gpu, f"{p.gpus.mean():,.1f}", f"{p.gpus.max():,.1f}", f"{p.gang}", f"{p.gpus.sum():,.0f}"))
        for p in plan.history.pools
    )  # fmt: skip
    return Table(_("Demand by pool"), columns, rows)
