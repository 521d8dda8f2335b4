"""Who wins where: a map over the use of the GPUs and the time looked at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rackrent.comparison.result import Comparison
from rackrent.comparison.winners import Winner, winners
from rackrent.i18n import gettext as _
from rackrent.report.charts_figure import Figure, Shown, amount, chart, letter_colour, money_format, spec_of


def winner_map(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return the cheapest of the options shown at each use and horizon, the question's own cell framed."""
    import altair as alt

    if len(shown) < 2:
        return None
    cells = winners(comparison, [s.option for s in shown])
    if not any(c.option for c in cells):
        return None
    by_id = {s.option.id: s for s in shown}
    rows = [_row(c, by_id) for c in cells]
    columns = list(dict.fromkeys(r["share"] for r in rows))
    months = sorted({c.months for c in cells}, reverse=True)
    asked = next(c for c in cells if c.asked)
    x = alt.X(
        "share:O",
        sort=columns,
        title=_("Share of all hours worked, {n} x {gpu}").format(
            n=comparison.setting.workload.gpus * comparison.setting.workload.jobs_at_once,
            gpu=comparison.setting.reference_gpu or "GPU",
        ),
        axis=alt.Axis(labelAngle=0, domain=False, ticks=False),
    )
    y = alt.Y("months:O", sort=months, title=_("Months looked at"), axis=alt.Axis(domain=False, ticks=False))
    tooltip = [
        alt.Tooltip("winner:N", title=_("Cheapest")),
        alt.Tooltip("amount:Q", title=_("Present value"), format=money_format()),
        alt.Tooltip("next:N", title=_("Next")),
        alt.Tooltip("next_amount:Q", title=_("Present value"), format=money_format()),
    ]
    base = chart(rows).encode(x=x, y=y, tooltip=tooltip)
    colour = letter_colour(shown)
    won = "datum.letter !== ''"
    tiles = (
        base.transform_filter(won).mark_rect(width={"band": 0.96}, height={"band": 0.94}).encode(color=colour)
    )
    words = (
        base.transform_filter(won)
        .mark_text(fontWeight="bold", fontSize=18, color="#fff")
        .encode(text="letter:N")
    )
    none = base.transform_filter("datum.letter === ''").mark_text(fontSize=18).encode(text=alt.value("–"))
    frame = base.transform_filter("datum.asked").mark_rect(
        fillOpacity=0, stroke="currentColor", strokeWidth=3, width={"band": 1}, height={"band": 1}
    )  # fmt: skip
    winning = [s for s in shown if any(c.option == s.option.id for c in cells)]
    return Figure(
        "map",
        _("Who wins at other use, and over another time"),
        _caption(cells, asked, by_id, winning),
        _("Map of the cheapest option by share of hours worked (across) and months looked at (up)."),
        spec_of(alt.layer(tiles, words, none, frame), 46 * len(months)),
        tuple(s.key for s in winning),
    )


def _row(cell: Winner, by_id: dict[str, Shown]) -> dict[str, Any]:
    first, second = by_id.get(cell.option or ""), by_id.get(cell.next_option or "")
    return {
        "share": _percent(cell.share),
        "months": cell.months,
        "asked": cell.asked,
        "letter": first.letter if first else "",
        "winner": first.label if first else _("none of them can do it"),
        "amount": None if cell.npv_usd is None else amount(cell.npv_usd),
        "next": second.label if second else "–",
        "next_amount": None if cell.next_npv_usd is None else amount(cell.next_npv_usd),
    }


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.095 or round(share * 100, 1).is_integer() else f"{share:.1%}"


def _caption(
    cells: Sequence[Winner], asked: Winner, by_id: dict[str, Shown], winning: Sequence[Shown]
) -> str:
    said = [
        _("The frame is your question. Only the options of the table take part; prices stay as they are.")
    ]
    if len(winning) == 1:
        said.append(_("{letter} wins everywhere on this map.").format(letter=winning[0].letter))
    row = [c for c in cells if c.months == asked.months and c.option]
    for before, after in pairwise(row):
        if before.option != after.option:
            said.append(
                _("Over {months} months, {after} takes over from {before} between {low} and {high} of all hours.").format(
                    months=asked.months,
                    before=by_id[before.option or ""].letter,
                    after=by_id[after.option or ""].letter,
                    low=_percent(before.share),
                    high=_percent(after.share),
                )
            )  # fmt: skip
    if any(c.option is None for c in cells):
        said.append(_("A dash: none of them can do that much."))
    return " ".join(said)
