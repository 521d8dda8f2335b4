"""Money as pictures: cumulative cash with its break-even points, cost by category and payer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rackrent.comparison.breakeven import break_even_months
from rackrent.comparison.result import Comparison
from rackrent.costing.setting import Setting
from rackrent.i18n import N_
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
from rackrent.report.explanation import PAYERS

GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "machine": (
        N_("the machine and its repairs"),
        "#0a7bbd",
        ("hardware", "shipping", "repairs", "disposal"),
    ),
    "place": (
        N_("electricity and place"),
        "#a88400",
        ("power", "cooling", "circuit", "space", "colocation", "connectivity"),
    ),
    "time": (N_("people's time"), "#c0609b", ("assembly", "administration", "waiting")),
    "rent": (N_("rent for work"), "#d55e00", ("rent", "commitment")),
    "waste": (N_("rent without work"), "#ef9a62", ("idle", "startup", "rounding", "rework")),
    "data": (N_("storage and moving data"), "#009e73", ("storage", "egress", "upload", "exit")),
    "tax": (N_("tax and indirect cost"), "#7f7f8c", ("tax", "indirect")),
    "back": (N_("comes back"), "#5fb4e5", ("resale", "credit", "opportunity")),
}
"""Categories as a chart can show them: name, colour, members."""


def cumulative(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return cash paid so far by month, with the months in which owning has paid back."""
    import altair as alt

    drawn, left_out = to_scale(shown)
    if not drawn:
        return None
    months = comparison.setting.horizon
    paths = {s.letter: np.cumsum(s.option.monthly_usd) for s in drawn}
    rows = [
        {"month": month, "amount": amount(float(usd)), "letter": s.letter, "name": s.label}
        for s in drawn
        for month, usd in enumerate(paths[s.letter])
    ]
    colour = letter_colour(drawn)
    dash = alt.StrokeDash(
        "letter:N",
        scale=alt.Scale(domain=[s.letter for s in drawn], range=[s.dash for s in drawn]),
        legend=None,
    )
    x = alt.X(
        "month:Q",
        title=_("Months from the start"),
        scale=alt.Scale(domain=[0, months * 1.03], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, values=_month_ticks(months)),
    )
    y = alt.Y(
        "amount:Q", title=money_title(_("Paid so far")), axis=alt.Axis(format=money_format(), tickCount=6)
    )
    tooltip = [
        alt.Tooltip("name:N", title=_("Option")),
        alt.Tooltip("month:Q", title=_("Month")),
        alt.Tooltip("amount:Q", title=_("Paid so far"), format=money_format()),
    ]
    lines = (
        chart(rows)
        .mark_line(strokeWidth=2.2)
        .encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip)
    )
    ends = (
        chart(_line_ends(paths, months))
        .mark_text(align="left", dx=6, fontWeight="bold", fontSize=13)
        .encode(x=x, y=y, text="letter:N", color=colour)
    )
    layers: list[Any] = [lines, ends]
    owner, crossings = _crossings(drawn)
    dots = _crossing_rows(paths[owner.letter], crossings) if owner is not None else []
    if owner is not None and dots:
        points = chart(dots)
        told = [
            alt.Tooltip("against:N", title=_("Has paid back against")),
            alt.Tooltip("month:Q", title=_("Month"), format=".1f"),
        ]
        layers.append(
            points.mark_point(
                size=90, filled=True, color="currentColor", stroke=owner.colour, strokeWidth=2
            ).encode(x=x, y=y, tooltip=told)
        )
        layers.append(
            points.mark_text(align="right", baseline="bottom", dx=-8, dy=-5).encode(
                x=x, y=y, text="text:N", tooltip=told
            )
        )
    return Figure(
        "cumulative",
        _("Cash paid so far, and when owning has paid back"),
        _cumulative_caption(shown, left_out, owner, crossings),
        _("Line chart of cumulative cash by month, one line an option; dots mark break-even points."),
        spec_of(alt.layer(*layers), 290),
        tuple(s.key for s in drawn),
    )


def _month_ticks(months: int) -> list[int]:
    step = 12 if months >= 36 else 6 if months >= 12 else 3 if months >= 6 else 1
    return list(range(0, months + 1, step))


def _line_ends(paths: dict[str, Any], months: int) -> list[dict[str, Any]]:
    """Return where the letters at the ends of the lines stand: moved apart so that none covers another."""
    top = max(float(p.max()) for p in paths.values())
    least = 0.065 * max(top, 1.0)
    ends = sorted((float(path[-1]), letter) for letter, path in paths.items())
    rows, last = [], -np.inf
    for usd, letter in ends:
        last = max(usd, last + least)
        rows.append({"month": months, "amount": amount(last), "letter": letter})
    return rows


def _crossings(drawn: Sequence[Shown]) -> tuple[Shown | None, list[tuple[Shown, float | None]]]:
    """Return the best owned option and when it has cost no more than each rented one (None: never)."""
    owner = next((s for s in drawn if s.option.owned), None)
    rented = [s for s in drawn if not s.option.owned]
    if owner is None:
        return None, []
    at = break_even_months(owner.option, [s.option for s in rented])
    return owner, [(s, at[s.option.id]) for s in rented]


def _crossing_rows(path: Any, crossings: list[tuple[Shown, float | None]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for s, month in crossings:
        if month is not None and month > 0:
            usd = float(np.interp(month, np.arange(len(path)), path))
            rows.append(
                {"month": round(month, 2), "amount": amount(usd), "text": s.letter, "against": s.label}
            )
    return rows


def _cumulative_caption(
    shown: Sequence[Shown],
    left_out: list[Shown],
    owner: Shown | None,
    crossings: list[tuple[Shown, float | None]],
) -> str:
    said = []
    if owner is None:
        said.append(_("Every option drawn is rented: nothing has to pay back."))
    elif not crossings:
        said.append(
            _("Every option drawn is owned: they differ in what they cost at the start and each month.")
        )
    for s, month in crossings:
        assert owner is not None
        if month is None:
            text = _("{owner} never catches up with {other} in cash.")
        elif month == 0:
            text = _("{owner} is ahead of {other} from the start.")
        else:
            text = _("{owner} has paid back against {other} after {month:.1f} months.")
        said.append(text.format(owner=owner.letter, other=s.letter, month=month))
    if owner is not None and owner.option.monthly_usd[-1] < 0:
        said.append(_("The drop in the last month is resale."))
    return " ".join([*said, *_not_drawn(left_out)])


def _not_drawn(left_out: Sequence[Shown]) -> list[str]:
    return [
        _("{letter} is not drawn to this scale: {usd} in all.").format(
            letter=s.letter, usd=format_usd(s.option.total_usd)
        )
        for s in left_out
    ]


def categories(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return what each option costs by group of categories, one bar for each that pays."""
    import altair as alt

    drawn, left_out = to_scale(shown)
    if not drawn:
        return None
    payers = {stream.payer for s in drawn for stream in s.option.streams if stream.total_usd}
    several = len(payers) > 1
    rows = [row for s in drawn for row in _category_rows(s, comparison.setting, several=several)]
    used = [g for g in GROUPS if any(r["group"] == g for r in rows)]
    bars = list(dict.fromkeys(r["bar"] for r in rows))
    y = alt.Y("bar:N", title=None, sort=bars, axis=None)
    x = alt.X(
        "sum(amount):Q",
        title=money_title(_("Total over the horizon")),
        axis=alt.Axis(format=money_format(), tickCount=5),
    )
    bar_chart = (
        chart(rows)
        .mark_bar(height=15)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "group:N", scale=alt.Scale(domain=used, range=[GROUPS[g][1] for g in used]), legend=None
            ),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("bar:N", title=_("Option")),
                alt.Tooltip("label:N", title=_("Category")),
                alt.Tooltip("sum(amount):Q", title=_("Total"), format=money_format()),
            ],
        )
    )
    zero = chart([{"amount": 0}]).mark_rule(opacity=0.6).encode(x=alt.X("amount:Q"))
    names = names_above(chart([{"bar": b} for b in bars]).encode(y=y), "bar")
    return Figure(
        "categories",
        _("Cost by category and payer"),
        _categories_caption(drawn, left_out),
        _("Stacked bars of total cost by category, a bar for each option and for each that pays."),
        spec_of(alt.layer(bar_chart, zero, names), 20 + ROW * len(bars)),
        tuple(Key(g, _(GROUPS[g][0]), GROUPS[g][1]) for g in used),
    )


def group_of(category: str) -> str:
    """Return the group that a cost category is drawn in.

    >>> group_of("hardware"), group_of("idle")
    ('machine', 'waste')
    """
    return next(name for name, (_label, _colour, members) in GROUPS.items() if category in members)


def payer_name(payer: str, setting: Setting) -> str:
    """Return who pays, by the name that the workload gives its funding."""
    funding = setting.workload.funding
    if payer == "funding":
        return funding.name if funding is not None and funding.name else _("you")
    return _(PAYERS[payer])


def _category_rows(s: Shown, setting: Setting, *, several: bool) -> list[dict[str, Any]]:
    sums: dict[tuple[str, str], float] = {}
    for stream in s.option.streams:
        at = (stream.payer, group_of(stream.category))
        sums[at] = sums.get(at, 0.0) + stream.total_usd
    rows = []
    for payer in PAYERS:
        bar = f"{s.label}: {payer_name(payer, setting)}" if several else s.label
        for rank, group in enumerate(GROUPS):
            usd = sums.get((payer, group), 0.0)
            if amount(usd):
                label = _(GROUPS[group][0])
                rows.append({"bar": bar, "group": group, "label": label, "amount": amount(usd), "rank": rank})
    return rows


def _categories_caption(drawn: Sequence[Shown], left_out: Sequence[Shown]) -> str:
    said = []
    for s in drawn[:2]:
        sums: dict[str, float] = {}
        for stream in s.option.streams:
            group = group_of(stream.category)
            sums[group] = sums.get(group, 0.0) + stream.total_usd
        most = max(sums, key=lambda g: sums[g])
        said.append(
            _("{letter}: {usd} in all, most of it for {what} ({part}).").format(
                letter=s.letter,
                usd=format_usd(s.option.total_usd),
                what=_(GROUPS[most][0]),
                part=format_usd(sums[most]),
            )
        )
    if any(stream.total_usd < 0 for s in drawn for stream in s.option.streams):
        said.append(_("What comes back (resale, credits) stands left of zero."))
    return " ".join([*said, *_not_drawn(left_out)])
