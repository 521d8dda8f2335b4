"""A plan as one HTML page: words, tables, and drawings that need no script and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.i18n import language
from rackrent.money import format_usd
from rackrent.planning.history import PastPool
from rackrent.planning.market import Named
from rackrent.planning.merit import merit_order
from rackrent.planning.plan import Plan, pool_key
from rackrent.report.charts_theme import OPTION_COLOURS, config
from rackrent.report.files import write_whole
from rackrent.report.plan import verdict

POINTS = 200
POOLS_MOST = 6
"""Drawn are the pools with the most hours; the table has them all."""
TERM_COLOURS = dict(zip(("own", "reserved_3y", "reserved_1y", "on_demand"), OPTION_COLOURS, strict=False))
HOURS_OF_A_DAY = 24

PAGE = """<!doctype html>
<html lang="{{ lang }}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem } td, th { padding: .3rem .5rem; border-bottom: 1px solid #8884; text-align: left }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto } .key i { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em }
.verdict { font-size: 1.15rem }
</style></head><body>
<h1>{{ title }}</h1><p class="verdict">{{ verdict }}</p>
{% for drawing in drawings %}<h2>{{ drawing.title }}</h2><p class="key">{% for label, colour in drawing.key %}<i style="background: {{ colour }}"></i>{{ label }}{% endfor %}</p>
<div role="img" aria-label="{{ drawing.alt }}">{{ drawing.svg | safe }}</div><p>{{ drawing.alt }}</p>{% endfor %}
{% for table in tables %}<h2>{{ table.title }}</h2><table><thead><tr>{% for name in table.head %}<th{% if not loop.first %} class="n"{% endif %}>{{ name }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in table.rows %}<tr>{% for cell in row %}<td{% if not loop.first %} class="n"{% endif %}>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</tbody></table>{% endfor %}
<h2>{{ mind }}</h2><ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>
</body></html>
"""


def plan_html(plan: Plan) -> str:
    """Return the plan as one page of HTML."""
    from jinja2 import Environment

    largest = sorted(enumerate(plan.history.pools), key=lambda item: -item[1].gpus.sum())[:POOLS_MOST]
    drawings = [
        drawn
        for number, pool in largest
        for drawn in (_curve(plan, number, pool), _day(pool, plan.history.first.hour))
    ]
    page = Environment(autoescape=True).from_string(PAGE)
    return page.render(
        lang=language().replace("_", "-"), title=_("What to own, reserve and rent"), verdict=verdict(plan),
        drawings=drawings, tables=[_options(plan), _purchases(plan), _savings(plan)], mind=_("What to mind"),
        notes=plan.notes,
    )  # fmt: skip


def write_html(plan: Plan, path: Path) -> None:
    """Write the page; it appears whole or not at all. Raises BadInput where it cannot be written."""
    write_whole(path, plan_html(plan).encode(), example="plan.html")


def _curve(plan: Plan, number: int, pool: PastPool) -> dict[str, Any]:
    """The load-duration curve of a pool's history, coloured by who serves each part of it half-way through the plan."""
    import altair as alt

    month = plan.request.months // 2
    terms = {o.supply.name: o.term for o in plan.options}
    share = np.linspace(0.0, 1.0, POINTS)
    need = np.sort(pool.gpus)[::-1][np.rint(share * (pool.gpus.size - 1)).astype(int)]
    rows: list[dict[str, Any]] = []
    reach, used = np.zeros(POINTS), []
    for place, layer in enumerate(merit_order(plan.mix.question, pool_key(number, pool.name), month)):
        there = plan.mix.outcome.machines.get(layer.supply.name)
        capacity = np.inf if there is None else float(there[month]) * layer.supply.work
        top = np.minimum(need, reach + capacity)
        term = terms[layer.supply.name]
        if (top - reach).max() > 0:
            used.append(term)
            rows += [
                {"share": float(s), "low": float(a), "high": float(b), "layer": f"{place}", "term": term}
                for s, a, b in zip(share, reach, top, strict=True)
            ]
        reach = np.maximum(reach, top)
    used = list(dict.fromkeys(used))
    colours = alt.Scale(domain=used, range=[TERM_COLOURS[t] for t in used])
    chart = (
        alt.Chart(_rows(rows))
        .mark_area(opacity=0.85)
        .encode(
            x=alt.X("share:Q", title=_("share of the hours, the busiest first"), axis=alt.Axis(format="%")),
            y=alt.Y("low:Q", title=_("GPUs in use")), y2="high:Q",
            color=alt.Color("term:N", scale=colours, legend=None), detail="layer:N",
        )
    )  # fmt: skip
    alt_text = _("In the busiest hour {peak:,.0f} GPUs were in use, in the middle one {median:,.0f}.").format(
        peak=need[0], median=float(np.median(pool.gpus))
    )
    title = _("{pool}: how each part of the demand is served").format(pool=pool.name)
    return _drawing(chart, title, alt_text, [(_(TERM_NAMES[t]), TERM_COLOURS[t]) for t in used])


def _day(pool: PastPool, first_hour: int) -> dict[str, Any]:
    """Mean demand by the hour of the day, UTC."""
    import altair as alt

    hours = (first_hour + np.arange(pool.gpus.size)) % HOURS_OF_A_DAY
    mean = [
        float(pool.gpus[hours == h].mean()) if (hours == h).any() else None for h in range(HOURS_OF_A_DAY)
    ]
    known = [(h, m) for h, m in enumerate(mean) if m is not None]
    chart = (
        alt.Chart(_rows([{"hour": h, "gpus": m} for h, m in known]))
        .mark_bar(color=OPTION_COLOURS[0])
        .encode(
            x=alt.X("hour:O", title=_("hour of the day, UTC"), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("gpus:Q", title=_("GPUs in use, mean")),
        )
    )
    top = max(known, key=lambda item: item[1])
    alt_text = _("Most GPUs are in use from {hour}:00 UTC: {gpus:,.1f} in the mean.").format(
        hour=top[0], gpus=top[1]
    )
    return _drawing(chart, _("{pool}: demand by the hour of the day").format(pool=pool.name), alt_text, [])


def _rows(values: list[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Data(values=values)  # type: ignore[no-untyped-call]


def _drawing(chart: Any, title: str, alt_text: str, key: list[tuple[str, str]]) -> dict[str, Any]:
    import vl_convert

    spec = {**chart.properties(width=640, height=260).to_dict(), "config": config()}
    return {"title": title, "alt": alt_text, "key": key, "svg": vl_convert.vegalite_to_svg(spec)}


def _options(plan: Plan) -> dict[str, Any]:
    head = [_("Option"), _("Term"), _("GPU"), _("GPUs at most"), _("Speed"), _("Share of work")]
    return {
        "title": _("The options side by side"),
        "head": head,
        "rows": [_option(plan, o) for o in plan.options],
    }


def _option(plan: Plan, o: Named) -> list[str]:
    most = f"{plan.machines(o) * o.supply.gpus}" if o.term != "on_demand" else "-"
    return [o.id, _(TERM_NAMES[o.term]), o.gpu, most, f"{o.speed:.2f}", f"{plan.served_share(o):.1%}"]


def _purchases(plan: Plan) -> dict[str, Any]:
    rows = []
    made = plan.mix.decisions
    for what, by_name in ((_("buy"), made.bought), (_("sell"), made.sold), (_("sign"), made.begun)):
        for o in plan.options:
            counts = by_name.get(o.supply.name, np.zeros(0, dtype=np.int64))
            for month in np.flatnonzero(counts).tolist():
                rows.append([o.id, what, f"{month}", f"{int(counts[month])} x {o.supply.gpus} {o.gpu}"])
    return {
        "title": _("What to do when"),
        "head": [_("Option"), _("What"), _("Month"), _("Machines")],
        "rows": rows,
    }


def _savings(plan: Plan) -> dict[str, Any]:
    rows = [
        [_("everything by the hour"), format_usd(plan.all_rented_usd), "-"],
        [_("this plan"), format_usd(plan.present_value_usd), f"{plan.saving:.1%}"],
    ]
    test = plan.out_of_sample
    if test is not None:
        rows += [
            [_("a plan from the first half, in the first half"), "-", f"{test.in_sample_saving:.1%}"],
            [_("the same plan in the second half"), "-", f"{test.saving:.1%}"],
            [_("the best plan of the second half, known in advance"), "-", f"{test.hindsight_saving:.1%}"],
        ]
    return {"title": _("What it saves"), "head": [_("Way"), _("Present value"), _("Saves")], "rows": rows}
