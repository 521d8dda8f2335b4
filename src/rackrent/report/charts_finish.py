"""Cost against finish date: every option does the same work, and some are done with it sooner."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from math import ceil, floor, log10
from typing import Any, Literal

from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import describe
from rackrent.costing.setting import Setting
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import (
    Figure,
    Shown,
    amount,
    chart,
    letter_colour,
    money_format,
    money_title,
    spec_of,
)
from rackrent.units import DAYS_PER_MONTH

Side = Literal["left", "right"]

OTHERS_DRAWN = 60
"""Options without a letter that are drawn as dots: the cheapest."""
LOG_FROM = 6.0
"""Costs that differ by this factor stand on a logarithmic scale."""


def finish_time(option: Option, setting: Setting) -> datetime:
    """Return when the last work is done, had the work begun on the day of the prices."""
    assert option.use is not None
    start = datetime.combine(setting.catalog.as_of, time())
    return start + timedelta(days=option.use.finish_month * DAYS_PER_MONTH)


def finish_day(option: Option, setting: Setting) -> str:
    """Return the day on which the last work is done, as 2021-08-22."""
    return finish_time(option, setting).date().isoformat()


def cost_finish(comparison: Comparison, shown: Sequence[Shown]) -> Figure | None:
    """Return present value against finish date: the cheapest that can do the work, those of the table lettered."""
    import altair as alt

    others = _others(comparison, shown)
    if len(shown) + len(others) < 2:
        return None
    values = [o.npv_usd for o in (*(s.option for s in shown), *others)]
    log = min(values) > 0 and max(values) / min(values) > LOG_FROM
    scale = alt.Scale(type="log", nice=False, padding=18) if log else alt.Scale(zero=False, padding=18)
    ticks = _round_values(amount(min(values)), amount(max(values))) if log else alt.Undefined
    setting = comparison.setting
    days = [finish_time(o, setting) for o in (*(s.option for s in shown), *others)]
    x = alt.X(
        "at:T",
        title=_("All the work is done on"),
        axis=alt.Axis(format="%Y-%m-%d", labelOverlap=True, tickCount=_day_ticks(days), grid=False),
        scale=alt.Scale(type="utc", padding=26),
    )
    y = alt.Y(
        "amount:Q",
        title=money_title(_("Present value")),
        scale=scale,
        axis=alt.Axis(format=money_format(), values=ticks, tickCount=5),
    )
    tooltip = [
        alt.Tooltip("name:N", title=_("Option")),
        alt.Tooltip("amount:Q", title=_("Present value"), format=money_format()),
        alt.Tooltip("at:T", title=_("Done"), format="%Y-%m-%d"),
    ]
    layers: list[Any] = []
    if others:
        cloud = chart([_place(o, setting) for o in others])
        layers.append(
            cloud.mark_circle(size=30, color="currentColor", opacity=0.3).encode(x=x, y=y, tooltip=tooltip)
        )
    colour = letter_colour(shown)
    for side, group in _apart(shown, setting, log=log).items():
        rows = [_place(s.option, setting) | {"letter": s.letter} for s in group]
        base = chart(rows).encode(x=x, y=y, color=colour, tooltip=tooltip)
        layers.append(base.mark_circle(size=150, opacity=1))
        dx = 11 if side == "left" else -11
        layers.append(
            base.mark_text(fontWeight="bold", fontSize=14, align=side, dx=dx).encode(text="letter:N")
        )
    deadline = _deadline(setting)
    if deadline is not None:
        line = chart([{"at": deadline.isoformat()}])
        layers.append(line.mark_rule(strokeDash=[4, 4]).encode(x=x))
    return Figure(
        "cost-finish",
        _("Cost against finish date, for the same work"),
        _cost_finish_caption(comparison, shown, others, deadline),
        _("Scatter plot of present value against the day on which all the work is done; lower is cheaper, further left is sooner."),
        spec_of(alt.layer(*layers), 230),
        tuple(s.key for s in shown),
    )  # fmt: skip


def _others(comparison: Comparison, shown: Sequence[Shown]) -> list[Option]:
    """The cheapest options without a letter, as far as they cost less than the dearest that has one."""
    if not shown:
        return []
    named, most = {s.option.id for s in shown}, max(s.option.npv_usd for s in shown)
    cheapest = comparison.options[: min(comparison.options.feasible_count, OTHERS_DRAWN)]
    return [o for o in cheapest if o.id not in named and o.npv_usd <= most]


def _place(option: Option, setting: Setting) -> dict[str, Any]:
    return {
        "at": finish_time(option, setting).isoformat(timespec="minutes"),
        "amount": amount(option.npv_usd),
        "name": describe(option),
    }


def _round_values(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten from below `low` to above `high`."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    return [digit * 10.0**power for power in powers for digit in (1, 2, 5)]


def _day_ticks(moments: Sequence[datetime]) -> Any:
    """Return how far apart the days on the axis stand: whole days, at most about five."""
    span = max((max(moments) - min(moments)).days, 1)
    return {"interval": "day", "step": max(1, ceil(span / 4))} if span <= 25 else 5


def _apart(shown: Sequence[Shown], setting: Setting, *, log: bool) -> dict[Side, list[Shown]]:
    """Return on which side of its dot each letter stands, so that near neighbours do not cover each other."""

    def height(s: Shown) -> float:
        return log10(s.option.npv_usd) if log else s.option.npv_usd

    moments = {s.letter: finish_time(s.option, setting) for s in shown}
    wide = (max(moments.values()) - min(moments.values())) or timedelta(days=1)
    tall = (max(map(height, shown)) - min(map(height, shown))) or 1.0
    sides: dict[Side, list[Shown]] = {"left": [], "right": []}
    for s in shown:
        beside = [
            o
            for o in sides["left"]
            if abs(height(o) - height(s)) < 0.08 * tall
            and abs(moments[o.letter] - moments[s.letter]) < 0.05 * wide
        ]
        sides["right" if beside else "left"].append(s)
    return {side: group for side, group in sides.items() if group}


def _deadline(setting: Setting) -> date | None:
    days = setting.workload.deadline_days
    return None if days is None else setting.catalog.as_of + timedelta(days=days)


def _cost_finish_caption(
    comparison: Comparison, shown: Sequence[Shown], others: Sequence[Option], deadline: date | None
) -> str:
    setting = comparison.setting
    first = min(shown, key=lambda s: (finish_time(s.option, setting), s.letter))
    said = [
        _("Every option does the same work. {letter} is done first, on {day}, for {usd}.").format(
            letter=first.letter,
            day=finish_day(first.option, setting),
            usd=format_usd(first.option.npv_usd),
        )
    ]
    if others:
        said.append(_("Small dots are other options that can do it, the cheapest of them."))
    if deadline is not None:
        said.append(_("The dashed line is the deadline, {day}.").format(day=deadline.isoformat()))
    else:
        said.append(_("Work comes month by month, so no option can be done before the last month begins."))
    return " ".join(said)
