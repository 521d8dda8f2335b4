"""How sure the answer is: chances, regret, the inputs it hangs on, and what would turn it."""

from __future__ import annotations

from collections.abc import Sequence

from rackrent.comparison.result import Comparison
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import Shown
from rackrent.report.charts_risk import quantiles, spread, tornado_chart
from rackrent.report.page import Block, Cell, Column, Points, Prose, Row, Section, Table
from rackrent.report.page_summary import name_cell


def risk(comparison: Comparison, shown: Sequence[Shown]) -> Section | None:
    """Return the section on uncertainty; None where there is no option to be unsure of."""
    if not shown:
        return None
    blocks: list[Block | None] = [
        chances(comparison, shown),
        spread(comparison, shown),
        tornado_chart(comparison, shown),
        *_turns(comparison),
    ]
    return Section("risk", _("How sure this is"), tuple(b for b in blocks if b is not None))


def chances(comparison: Comparison, shown: Sequence[Shown]) -> Table:
    """Return how often each option is best, its range of cost, and what choosing it may be regretted by."""
    told = comparison.uncertainty
    rows, said = [], 0.0
    for s in shown:
        place = comparison.options.place(s.option.id)
        share, regret = float(told.probability_best[place]), float(told.regret_usd[place])
        said += share
        ends = quantiles(comparison, s)
        figures = [_("unknown")] * 3 if ends is None else [format_usd(usd, decimals=0) for usd in ends]
        cells = [
            name_cell(s),
            Cell(f"{share:.0%}"),
            *map(Cell, figures),
            Cell(format_usd(regret, decimals=0)),
        ]
        best = comparison.recommended
        rows.append(Row(tuple(cells), strong=best is not None and best.id == s.option.id))
    columns = (
        Column(_("Option")),
        Column(_("Cheapest in"), True),
        Column("P10", True),
        Column("P50", True),
        Column("P90", True),
        Column(_("Regret"), True),
    )
    note = _("Regret: what choosing it costs on average more than whatever turns out cheapest.")
    if said < 0.995:
        note = _("{note} In {rest:.0%} of states another option than these is cheapest.").format(
            note=note, rest=1 - said
        )
    caption = _("Present value in {n:,} states of the world").format(n=told.draws)
    return Table(caption, columns, tuple(rows), note)


def _turns(comparison: Comparison) -> list[Block]:
    told = comparison.tornado
    if told is None:
        return []
    rival = comparison.option(told.rival)
    if rival is None:
        return []
    if not told.turns:
        no = (
            _("No single input within its range makes owning win.")
            if rival.owned
            else _("No single input within its range makes renting win.")
        )
        return [Prose(no)]
    heading = (
        _("For owning to win, one of these would have to be true, all else as it likely is:")
        if rival.owned
        else _("For renting to win, one of these would have to be true, all else as it likely is:")
    )
    return [Prose(heading), Points(told.turns)]
