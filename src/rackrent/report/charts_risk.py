"""How sure the answer is: the spread of each option's cost, and the inputs that the answer hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rackrent.comparison.result import Comparison
from rackrent.comparison.tornado import Bar, driver_name
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import (
    ROW,
    Figure,
    Key,
    Shown,
    amount,
    chart,
    letter_colour,
    money_format,
    money_title,
    names_above,
    spec_of,
    to_scale,
)
from rackrent.report.labels import figure

DRIVERS_SHOWN = 8
TURNS, STAYS = "#d55e00", "#0a7bbd"


def quantiles(comparison: Comparison, s: Shown) -> tuple[float, float, float] | None:
    """Return P10, P50 and P90 of an option's present value, USD; None where they were not worked out."""
    place = comparison.options.place(s.option.id)
    known = comparison.uncertainty.quantiles_usd
    return None if place >= len(known) else tuple(known[place].tolist())


def spread(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return the range of each option's present value over many states of the world."""
    import altair as alt

    drawn, left_out = to_scale(shown)
    rows: list[dict[str, Any]] = []
    for s in drawn:
        found = quantiles(comparison, s)
        if found is not None:
            low, middle, high = (amount(usd) for usd in found)
            rows.append({"letter": s.letter, "name": s.label, "low": low, "middle": middle, "high": high})
    if not rows:
        return None
    y = alt.Y("name:N", title=None, sort=[r["name"] for r in rows], axis=None)
    x = alt.X(
        "low:Q", title=money_title(_("Present value")), axis=alt.Axis(format=money_format(), tickCount=5)
    )
    tooltip = [
        alt.Tooltip("name:N", title=_("Option")),
        alt.Tooltip("low:Q", title="P10", format=money_format()),
        alt.Tooltip("middle:Q", title="P50", format=money_format()),
        alt.Tooltip("high:Q", title="P90", format=money_format()),
    ]
    base = chart(rows).encode(y=y, tooltip=tooltip)
    colour = letter_colour(drawn)
    bars = base.mark_bar(height=14, opacity=0.75).encode(x=x, x2="high:Q", color=colour)
    ticks = base.mark_tick(thickness=3, height=22, color="currentColor").encode(x="middle:Q")
    said = [
        _("Each bar runs from P10 to P90: in eight of ten states of the world the cost lies within it. The tick is the middle.")
    ]  # fmt: skip
    said += [_("{letter} is not drawn to this scale.").format(letter=s.letter) for s in left_out]
    return Figure(
        "spread",
        _("How far each cost may be off"),
        " ".join(said),
        _(
            "Bars from the 10th to the 90th percentile of present value, one for each option, the median marked."
        ),
        spec_of(alt.layer(bars, ticks, names_above(base, "name")), 20 + ROW * len(rows)),
        tuple(s.key for s in drawn),
    )


def tornado_chart(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return how far each input moves the lead of the recommended option over its rival, the weightiest first."""
    import altair as alt

    told = comparison.tornado
    if told is None or not told.bars:
        return None
    best, rival = _name(told.best, shown), _name(told.rival, shown)
    bars = told.bars[:DRIVERS_SHOWN]
    rows = [_row(bar, told.best) for bar in bars]
    y = alt.Y("what:N", title=None, sort=[r["what"] for r in rows], axis=None)
    lead_title = _("How much cheaper {best} is than {rival}").format(best=best, rival=rival)
    tooltip = [
        alt.Tooltip("what:N", title=_("Input")),
        alt.Tooltip("at_low:Q", title=_("At its low end"), format=money_format()),
        alt.Tooltip("at_high:Q", title=_("At its high end"), format=money_format()),
    ]
    base = chart(rows).encode(y=y, tooltip=tooltip)
    colour = alt.Color(
        "flips:N", scale=alt.Scale(domain=["stays", "turns"], range=[STAYS, TURNS]), legend=None
    )
    ranges = base.mark_bar(height=14).encode(
        x=alt.X("left:Q", title=money_title(lead_title), axis=alt.Axis(format=money_format(), tickCount=5)),
        x2="right:Q",
        color=colour,
    )
    likely = chart([{"amount": amount(told.lead_usd)}])
    zero = chart([{"amount": 0}])
    layers = [
        likely.mark_rule(strokeDash=[3, 3]).encode(x="amount:Q"),
        zero.mark_rule(strokeWidth=2).encode(x="amount:Q"),
        ranges,
        names_above(base, "what"),
    ]
    keys = {
        "stays": Key("stays", _("the answer stays"), STAYS),
        "turns": Key("turns", _("the answer turns"), TURNS),
    }
    return Figure(
        "tornado",
        _("What the answer hangs on"),
        _("Each bar moves one input from its low to its high end, all others as they likely are. The dashed line is the likely lead, {usd}; left of zero {rival} is cheaper.").format(usd=format_usd(told.lead_usd), rival=rival),
        _("Tornado chart: bars of the lead over the rival for each input from low to high, the widest first."),
        spec_of(alt.layer(*layers), 20 + ROW * len(rows)),
        tuple(key for name, key in keys.items() if any(r["flips"] == name for r in rows)),
    )  # fmt: skip


def _row(bar: Bar, best: str) -> dict[str, Any]:
    low, high = bar.lead_low_usd, bar.lead_high_usd
    what = _("{what}: {low} to {high}").format(
        what=driver_name(bar.driver.key), low=figure(bar.driver.low), high=figure(bar.driver.high)
    )
    return {
        "what": what,
        "at_low": amount(low),
        "at_high": amount(high),
        "left": amount(min(low, high)),
        "right": amount(max(low, high)),
        "flips": "stays" if bar.best_low == best == bar.best_high else "turns",
    }


def _name(option: str, shown: Sequence[Shown]) -> str:
    return next((s.letter for s in shown if s.option.id == option), option)
