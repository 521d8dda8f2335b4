"""A plan in pictures: who serves which part of the demand, demand in time, machines by month, waits, savings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.planning.history import PastPool
from rackrent.planning.machines import Named
from rackrent.planning.merit import Layer, merit_order
from rackrent.planning.plan import Plan, pool_key
from rackrent.report.charts_figure import Figure, Key, chart, spec_of
from rackrent.report.charts_theme import OPTION_COLOURS
from rackrent.report.plan_words import LITTLE

POINTS = 200
"""Points of a curve: more than a screen tells apart."""
SPANS_MOST = 400
HOURS_OF_A_DAY = 24
HEIGHT = 240
TERM_COLOURS = {
    "own": OPTION_COLOURS[0], "reserved_3y": OPTION_COLOURS[1], "reserved_1y": OPTION_COLOURS[2],
    "on_demand": OPTION_COLOURS[3], "spot": OPTION_COLOURS[4], "interruptible": OPTION_COLOURS[4],
}  # fmt: skip
HAD_COLOUR = OPTION_COLOURS[5]


def curve(plan: Plan, number: int, pool: PastPool) -> Figure:
    """The load-duration curve of a pool's history, coloured by who serves each part of it half-way through the plan."""
    import altair as alt

    month = plan.request.months // 2
    options = {o.supply.name: o for o in plan.options}
    share = np.linspace(0.0, 1.0, POINTS)
    need = np.sort(pool.gpus)[::-1][np.rint(share * (pool.gpus.size - 1)).astype(int)]
    rows: list[dict[str, Any]] = []
    keys: dict[str, Key] = {}
    reach = np.zeros(POINTS)
    for place, layer in enumerate(merit_order(plan.mix.question, pool_key(number, pool.name), month)):
        top = np.minimum(need, reach + _room(plan, layer, need, month))
        if (top - reach).max() > LITTLE * need.max():
            key = _key(options[layer.supply.name])
            keys[key.value] = key
            rows += [
                {"share": round(float(s), 4), "low": round(float(a), 3), "high": round(float(b), 3), "layer": place, "term": key.value}
                for s, a, b in zip(share, reach, top, strict=True)
            ]  # fmt: skip
        reach = top
    drawn = (
        chart(rows)
        .mark_area(opacity=0.9)
        .encode(
            x=alt.X("share:Q", title=_("share of the hours, the busiest first"), axis=alt.Axis(format="%")),
            y=alt.Y("low:Q", title=_("GPUs in use")), y2="high:Q",
            color=_colour(list(keys.values())), detail="layer:N",
        )
    )  # fmt: skip
    caption = _(
        "The hours of the history from the busiest to the quietest, on the machines of month {month}. In the busiest hour "
        "{peak:,.0f} GPUs were in use, in the middle one {median:,.0f}. Counted in GPUs of the kind you use now."
    ).format(month=month, peak=need[0], median=float(np.median(pool.gpus)))
    title = _("{pool}: how each part of the demand is served").format(pool=pool.name)
    return Figure(f"curve-{number}", title, caption, caption, spec_of(drawn, HEIGHT), tuple(keys.values()))


def _room(plan: Plan, layer: Layer, need: NDArray[np.float64], month: int) -> NDArray[np.float64]:
    """What a layer can serve of each need."""
    if layer.capacity is None:
        there = int(plan.mix.outcome.machines[layer.supply.name][month])
        return np.full(need.size, layer.supply.work * there)
    room: NDArray[np.float64] = layer.capacity + layer.share * need
    return room


def history(plan: Plan, number: int, pool: PastPool) -> Figure:
    """GPUs in use through the history: mean and peak of each span of hours."""
    import altair as alt

    hours = max(1, -(-pool.gpus.size // SPANS_MOST))
    rows = []
    for start in range(0, pool.gpus.size, hours):
        part = pool.gpus[start : start + hours]
        day = (start + part.size / 2) / HOURS_OF_A_DAY
        rows.append(
            {"day": round(day, 3), "mean": round(float(part.mean()), 3), "peak": round(float(part.max()), 3)}
        )
    base = chart(rows)
    x = alt.X("day:Q", title=_("days from {day}").format(day=plan.history.first.date().isoformat()), scale=alt.Scale(nice=False))  # fmt: skip
    mean = base.mark_line(color=OPTION_COLOURS[0], strokeWidth=1.4).encode(
        x=x, y=alt.Y("mean:Q", title=_("GPUs in use"))
    )
    mean_of = _("GPUs in use in each hour.")
    drawn: Any = mean
    if hours > 1:
        drawn = base.mark_line(color=OPTION_COLOURS[5], strokeWidth=0.8).encode(x=x, y="peak:Q") + mean
        mean_of = _("Blue: the mean of {hours} hours; grey: the busiest of them.").format(hours=hours)
    title = _("{pool}: demand through the history").format(pool=pool.name)
    return Figure(f"history-{number}", title, mean_of, mean_of, spec_of(drawn, HEIGHT - 60))


def day(plan: Plan, number: int, pool: PastPool) -> Figure:
    """Mean demand by the hour of the day, UTC."""
    import altair as alt

    hours = (plan.history.first.hour + np.arange(pool.gpus.size)) % HOURS_OF_A_DAY
    mean = [(h, float(pool.gpus[hours == h].mean())) for h in range(HOURS_OF_A_DAY) if (hours == h).any()]
    drawn = (
        chart([{"hour": h, "gpus": round(m, 3)} for h, m in mean])
        .mark_bar(color=OPTION_COLOURS[0])
        .encode(
            x=alt.X("hour:O", title=_("hour of the day, UTC"), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("gpus:Q", title=_("GPUs in use, mean")),
        )
    )
    (top, most), (low, least) = (
        max(mean, key=lambda item: item[1]), min(mean, key=lambda item: item[1])
    )  # fmt: skip
    caption = _("Most GPUs are in use from {hour}:00 UTC ({gpus:,.1f} in the mean), fewest from {low}:00 ({least:,.1f}).").format(
        hour=top, gpus=most, low=low, least=least
    )  # fmt: skip
    title = _("{pool}: demand by the hour of the day").format(pool=pool.name)
    return Figure(f"day-{number}", title, caption, caption, spec_of(drawn, HEIGHT - 60))


def machines(plan: Plan) -> Figure | None:
    """GPUs owned and reserved in each month; None where there are none."""
    import altair as alt

    rows, keys = [], {}
    for o in plan.options:
        there = plan.mix.outcome.machines.get(o.supply.name)
        if there is None or not there.any():
            continue
        key = _key(o)
        keys[key.value] = key
        rows += [
            {"month": month, "gpus": int(n) * o.supply.gpus, "term": key.value, "option": o.id}
            for month, n in enumerate(there.tolist())
        ]
    if not rows:
        return None
    step = max(1, plan.request.months // 12)
    drawn = (
        chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("month:O", title=_("month of the plan"), axis=alt.Axis(labelAngle=0, values=list(range(0, plan.request.months, step)))),
            y=alt.Y("sum(gpus):Q", title=_("GPUs owned and reserved")),
            color=_colour(list(keys.values())),
        )
    )  # fmt: skip
    caption = _(
        "GPUs there to work in each month. What is bought comes after its lead time; contracts end and may be signed again."
    )
    title = _("What is owned and reserved, month by month")
    return Figure("machines", title, caption, caption, spec_of(drawn, HEIGHT - 40), tuple(keys.values()))


def waits(plan: Plan) -> Figure | None:
    """The wait that nine of ten jobs do not exceed, now and on the plan, by gang size; None without a known queue."""
    import altair as alt

    if plan.queues is None:
        return None
    sizes = sorted({w.gpus for w in plan.queues.by_gang})
    now = Key("now", _("as it was"), OPTION_COLOURS[5])
    then = Key("then", _("on the plan"), OPTION_COLOURS[0])
    rows = []
    for size in sizes:
        of_size = [w for w in plan.queues.by_gang if w.gpus == size]
        jobs = sum(w.jobs for w in of_size)
        for key, hours in (
            ("now", sum(w.now.p90_hours * w.jobs for w in of_size) / jobs),
            ("then", sum(w.planned.p90_hours * w.jobs for w in of_size) / jobs),
        ):
            rows.append({"size": f"{size:g}", "term": key, "hours": round(hours, 4)})
    drawn = (
        chart(rows)
        .mark_bar()
        .encode(
            y=alt.Y("size:N", title=_("GPUs at once"), sort=[f"{s:g}" for s in sizes]),
            yOffset=alt.YOffset("term:N", sort=["now", "then"]),
            x=alt.X("hours:Q", title=_("hours that nine of ten jobs do not exceed")),
            color=_colour([now, then]),
        )
    )
    caption = _("Nine of ten jobs wait no longer than this, by the GPUs they need at once.")
    title = _("Queue wait before and after")
    return Figure("waits", title, caption, caption, spec_of(drawn, 44 * len(sizes) + 20), (now, then))


def savings(plan: Plan) -> Figure | None:
    """What a plan saves on hours it was made from and on hours it has not seen; None where nothing could."""
    import altair as alt

    test = plan.out_of_sample
    if test is None or test.hindsight_share is None:
        return None
    bars = [
        (_("made from the first half, in the first half"), test.in_sample_saving, OPTION_COLOURS[5]),
        (_("the same plan in the second half, which it has not seen"), test.saving, OPTION_COLOURS[0]),
        (_("the best plan of the second half, known in advance"), test.hindsight_saving, OPTION_COLOURS[4]),
    ]
    rows = [{"what": what, "saves": round(share, 4), "colour": colour} for what, share, colour in bars]
    base = chart(rows).encode(
        y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(labels=False, ticks=False, domain=False)),
        x=alt.X("saves:Q", title=_("saves against renting by the hour"), axis=alt.Axis(format="%", tickCount=5)),
    )  # fmt: skip
    bar = base.mark_bar(height=14, yOffset=8).encode(color=alt.Color("colour:N", scale=None))
    names = (
        base.mark_text(align="left", baseline="bottom", dy=-2, dx=2)
        .encode(x=alt.value(0), text="what:N")
        .properties(name="names")
    )
    caption = _("The middle bar is what such a plan is worth to who does not know the future.")
    title = _("Savings, on hours the plan was made from and on hours it has not seen")
    return Figure("savings", title, caption, caption, spec_of(bar + names, 150))


def _key(option: Named) -> Key:
    if option.had:
        return Key("had", _("owned already"), HAD_COLOUR)
    return Key(option.term, _(TERM_NAMES[option.term]), TERM_COLOURS[option.term])


def _colour(keys: Sequence[Key]) -> Any:
    import altair as alt

    scale = alt.Scale(domain=[k.value for k in keys], range=[k.colour for k in keys])
    return alt.Color("term:N", scale=scale, legend=None)
