"""The first two pages: the verdict, what it turns on, the options side by side, and three charts of money."""

from __future__ import annotations

from collections.abc import Sequence

from rackrent.comparison.breakeven import break_even_months
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import Shown
from rackrent.report.charts_finish import cost_finish, finish_day
from rackrent.report.charts_money import categories, cumulative
from rackrent.report.labels import named, per_work
from rackrent.report.lending import lending_line
from rackrent.report.odds import risk
from rackrent.report.page import Block, Cell, Column, Points, Prose, Row, Section, Table


def summary(comparison: Comparison, shown: Sequence[Shown]) -> tuple[Section, ...]:
    """Return the sections of the summary."""
    verdict: list[Block] = [Prose(comparison.verdict.text, "verdict")]
    if comparison.verdict.turns_on:
        verdict.append(Points((*comparison.verdict.turns_on, *risk(comparison)[:1])))
    if lending := lending_line(comparison):
        verdict.append(Prose(lending))
    sections = [Section("verdict", _("Verdict"), tuple(verdict))]
    if shown:
        blocks = [options_table(comparison, shown), cost_finish(comparison, shown)]
        sections.append(Section("options", _("The options side by side"), _there(blocks)))
        blocks = [cumulative(comparison, shown), categories(comparison, shown)]
        sections.append(Section("money", _("Where the money goes, and when"), _there(blocks)))
    return tuple(sections)


def _there(blocks: Sequence[Block | None]) -> tuple[Block, ...]:
    return tuple(b for b in blocks if b is not None)


def options_table(comparison: Comparison, shown: Sequence[Shown]) -> Table:
    """Return the headline table: one row an option, the recommended one marked."""
    funded = comparison.setting.workload.funding is not None
    reference = comparison.setting.reference_gpu
    columns = [
        Column(_("Option")),
        Column(_("Up front"), True),
        Column(_("Total"), True),
        Column(_("Present value"), True),
        *([Column(_("Of your money"), True)] if funded else []),
        Column(_("Per hour of work"), True),
        Column(_("Pays back"), True),
        Column(_("All done"), True),
        Column(_("CO2, kg"), True),
    ]
    best = comparison.recommended
    rows = [
        Row(
            (
                name_cell(s),
                Cell(format_usd(s.option.upfront_usd)),
                Cell(format_usd(s.option.total_usd)),
                Cell(format_usd(s.option.npv_usd)),
                *([Cell(_of_your_money(s.option))] if funded else []),
                Cell(format_usd(per_work(s.option, comparison))),
                Cell(_pays_back(s.option, comparison)),
                Cell(finish_day(s.option, comparison.setting)),
                Cell(_("unknown") if s.option.co2_kg is None else f"{s.option.co2_kg:,.0f}"),
            ),
            strong=best is not None and s.option.id == best.id,
        )
        for s in shown
    ]
    note = _(
        "Present value at {rate:.1%} a year, whoever pays. Pays back: when it has cost no more in cash than the best rented option."
    ).format(rate=comparison.setting.workload.discount_rate)
    if reference is not None:
        note = _("{note} An hour of work is one hour of one {gpu}.").format(note=note, gpu=reference)
    return Table(_("The best of each kind, cheapest first"), tuple(columns), tuple(rows), note)


def name_cell(s: Shown) -> Cell:
    """Return the cell that names an option: its letter, how and from whom, and below it what and where."""
    return Cell(*named(s.option), s.letter, s.colour)


def _of_your_money(option: Option) -> str:
    return _("not payable") if option.reasons_on_budget else format_usd(option.npv_on_budget_usd)


def _pays_back(option: Option, comparison: Comparison) -> str:
    rival = comparison.rival_of(option)
    if not option.owned or rival is None:
        return "–"
    month = break_even_months(option, [rival])[rival.id]
    if month is None:
        return _("never")
    return _("at once") if month == 0 else _("month {month:.1f}").format(month=month)
