"""A build and a check as people read them: on the terminal, as a page."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from rackrent.building.check import Check
from rackrent.building.machine import LABELS, Machine
from rackrent.building.match import Match
from rackrent.building.outcome import Build, parts_lines
from rackrent.i18n import N_, language
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.build_svg import slots_svg
from rackrent.report.console import facts_grid, page, points, table

VERDICTS = {
    "fits": N_("fits"),
    "note": N_("note"),
    "does_not_fit": N_("does not fit"),
    "unknown": N_("unknown"),
}
ANSWERS = {
    "fits": N_("The parts fit together."),
    "does_not_fit": N_("The parts do not fit together."),
    "unknown": N_("Nothing forbids it, but not everything is known."),
}


def print_build(found: Build) -> None:
    """Print a build: the list, what it costs and draws, what to mind, and what else there is."""
    with page() as screen:
        machine = found.machine
        if machine is None or found.check is None:
            screen.print(found.reason)
            if found.nearest is not None:
                screen.print()
                _parts(screen, found.nearest, found.sources)
            return
        screen.print(headline(found), style="bold")
        screen.print()
        _parts(screen, machine, found.sources)
        screen.print()
        screen.print(facts_grid(figures(found)))
        _section(screen, _("To mind"), tuple(dict.fromkeys([*found.notes, *minded(found.check)])))
        _section(screen, _("Slots"), tuple(slot_lines(found.check)))
        _section(screen, _("To grow"), tuple(path_lines(found.check)))
        _section(screen, _("Other builds"), tuple(variant_lines(found)))
        _section(screen, _("Beside what others sell or published"), tuple(rival_lines(found)))


def headline(found: Build) -> str:
    """Return the answer in a sentence."""
    wanted, machine = found.requirements, found.machine
    assert machine is not None
    least = _("at least {usd}") if machine.unpriced else "{usd}"
    total = least.format(usd=format_usd(machine.at_least_usd))
    aim = {
        "most_work": _("the most work for the budget"),
        "cheapest": _("the cheapest that meets the requirements"),
        "work_per_dollar": _("the most work for the money"),
    }[wanted.aim]
    proof = _("proven") if found.proven else _("within {gap:.1%} of the best").format(gap=found.gap or 0.0)
    text = _("{total} before tax, prices known on {day}: {n} x {gpu}, {aim} ({proof}).")
    return text.format(
        total=total, day=found.as_of, n=len(machine.cards), gpu=machine.cards[0].gpu, aim=aim, proof=proof
    )


def figures(found: Build) -> list[tuple[str, str]]:
    """Return what a build costs, draws and does, as label and text."""
    machine = found.machine
    assert machine is not None
    unknown = _("unknown")
    total = format_usd(machine.at_least_usd)
    rows = [
        (_("Total"), _("at least {usd}; no price: {names}").format(usd=total, names=", ".join(machine.unpriced)) if machine.unpriced else total),
        (_("With tax"), _("unknown: give your rate with --sales-tax") if found.tax is None else unknown if found.total_after_tax_usd is None else format_usd(found.total_after_tax_usd)),
        (_("Work"), _work(found)),
        (_("Power"), unknown if machine.wall_w is None else _("{load:,.0f} W of parts, {wall:,.0f} W at the wall, all of it heat").format(load=machine.load_w, wall=machine.wall_w)),
        (_("Noise"), unknown if found.noise_dba is None else _("{dba:g} dBA of one card under load; nobody states the whole").format(dba=found.noise_dba)),
        (_("Electricity"), unknown if found.energy_kwh is None else _("{kwh:,.0f} kWh a year at {share:.0%} load, {usd}").format(kwh=found.energy_kwh, share=found.requirements.utilisation, usd=format_usd(found.energy_usd))),
    ]  # fmt: skip
    hours = found.assembly_hours
    if hours is not None:
        text = _("{likely:g} h for a first-timer, {low:g} h for an expert")
        rows.append((_("Assembly"), text.format(likely=hours.value, low=hours.low)))
    return rows


def print_check(found: Check, matches: list[Match]) -> None:
    """Print what each name was taken for, the answer, and every rule's finding."""
    with page() as screen:
        grid = table(screen, (_("Typed"), "left"), (_("Taken for"), "left"), (_("Price"), "right"))
        for one in matches:
            priced = next(i.part for i in found.machine.items if i.part.name == one.part.name)
            grid.add_row(one.typed, one.part.name, format_usd(priced.usd))
        screen.print(grid)
        screen.print()
        screen.print(_(ANSWERS[found.answer]), style="bold")
        screen.print()
        rows = [(_(VERDICTS[f.verdict]), f.text) for f in found.findings]
        screen.print(facts_grid(rows))
        _section(screen, _("Slots"), tuple(slot_lines(found)))
        _section(screen, _("To grow"), tuple(path_lines(found)))
        least = _("at least {usd}") if found.machine.unpriced else "{usd}"
        total = least.format(usd=format_usd(found.machine.at_least_usd))
        _section(screen, _("Total"), (total,))


def matches_of(matches: list[Match]) -> list[dict[str, Any]]:
    """Return what was typed and what it was taken for, as JSON says it."""
    return [
        {"typed": m.typed, "name": m.part.name, "part_type": m.part.part_type, "score": m.score}
        for m in matches
    ]


def minded(found: Check) -> list[str]:
    """Return what a builder should mind: everything but what simply fits."""
    return [f.text for f in found.findings if f.verdict != "fits"]


def slot_lines(found: Check) -> list[str]:
    """Return which card stands in which slot at which width."""
    text = _("slot {position}: {card} at x{lanes}")
    return [text.format(position=s["position"], card=s["card"], lanes=s["lanes"]) for s in found.slot_map()]


def path_lines(found: Check) -> list[str]:
    """Return what each further card takes."""
    lines = []
    for step in found.path:
        if step.fits:
            text = _("{n} GPUs: add {what}").format(n=step.gpus, what=", ".join(step.buys))
            if step.wanted_w is not None:
                text = _("{text}; the supply then needs {watts:,.0f} W").format(
                    text=text, watts=step.wanted_w
                )
        else:
            text = _("{n} GPUs: no: {why}").format(n=step.gpus, why="; ".join(step.reasons))
        lines.append(text)
        lines += [_("{n} GPUs, to mind: {what}").format(n=step.gpus, what=note) for note in step.notes]
    return lines


def variant_lines(found: Build) -> list[str]:
    """Return the other builds in a line each."""
    lines = []
    for v in found.variants:
        least = _("at least {usd} (no price: {names})") if v.machine.unpriced else "{usd}"
        usd = least.format(usd=format_usd(v.machine.at_least_usd), names=", ".join(v.machine.unpriced))
        cpu, board = v.machine.one("cpu"), v.machine.one("motherboard")
        text = _("{name}: {usd}, {n} x {gpu}, {cpu}, {board}; work {rate}")
        lines.append(
            text.format(
                name=v.name, usd=usd, n=len(v.machine.cards), gpu=v.machine.cards[0].gpu, cpu=cpu.name if cpu else "",
                board=board.name if board else "",
                rate=_("unknown") if v.rate is None else f"{v.rate:.2f}",
            )
        )  # fmt: skip
    return lines


def rival_lines(found: Build) -> list[str]:
    """Return machines of as many GPUs that one can buy or that somebody published, with what differs."""
    lines = []
    for r in found.rivals:
        price = format_usd(r.price.value)
        rate = _("unknown") if r.rate is None else f"{r.rate:.2f}"
        text = _("{name}: {usd} ({day}), {n} x {gpu}, work {rate}")
        lines.append(
            text.format(name=r.name, usd=price, day=r.price.observed_on, n=r.gpus, gpu=r.gpu, rate=rate)
        )
        saved = None if not r.price.value or found.total_usd is None else 1 - found.total_usd / r.price.value
        if r.kind == "own_prebuilt" and saved is not None and r.gpu == _gpu_of(found):
            text = (
                _("building it saves {share:.0%}") if saved > 0 else _("building it costs {share:.0%} more")
            )
            lines[-1] = _("{line}: {saved}").format(line=lines[-1], saved=text.format(share=abs(saved)))
        lines += [_("differs: {what}").format(what=what) for what in r.differs]
    return lines


def _work(found: Build) -> str:
    """Return the work of all cards, on the task asked for and on each kind of work."""
    if not found.rate:
        return _("unknown")
    text = _("{rate:.2f} x one GTX 1080 Ti").format(rate=found.rate)
    tasks = [f"{task} {rate:.2f}" for task, rate in found.by_task.items() if rate is not None]
    return _("{text} ({tasks})").format(text=text, tasks=", ".join(tasks)) if tasks else text


def _gpu_of(found: Build) -> str | None:
    cards = found.machine.cards if found.machine is not None else []
    return cards[0].gpu if cards else None


def _parts(screen: Console, machine: Machine, sources: dict[str, str]) -> None:
    grid = table(
        screen, (_("Part"), "left"), (_("Name"), "left"), (_("Price"), "right"), (_("Seen"), "left"), (_("State"), "left")
    )  # fmt: skip
    for line in parts_lines(machine, sources):
        count = f"{line['quantity']} x " if line["quantity"] > 1 else ""
        usd = None if line["usd"] is None else line["quantity"] * line["usd"]
        state = _("new") if line["condition"] == "new" else _("no longer made")
        grid.add_row(
            _(LABELS[line["part_type"]]),
            count + line["name"],
            format_usd(usd),
            line["observed_on"][:7],
            state,
        )
    screen.print(grid)


def _section(screen: Console, title: str, lines: tuple[str, ...]) -> None:
    if lines:
        screen.print()
        screen.print(title, style="bold")
        points(screen, lines)


def page_of(found: Build) -> str:
    """Return the build as one HTML file that needs nothing from elsewhere."""
    from jinja2 import Environment

    assert found.machine is not None and found.check is not None
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(PAGE)
    return template.render(
        title=headline(found), lines=found.lines(), labels={k: _(v) for k, v in LABELS.items()}, figures=figures(found),
        format_usd=format_usd, svg=slots_svg(found.check), drawing=_("Slots and lanes"), head_part=_("Part"), head_name=_("Name"),
        head_price=_("Price of one"), head_seen=_("Seen"), gone=_("no longer made"), language=language().replace("_", "-"),
        sections=[
            (_("To mind"), [*found.notes, *minded(found.check)]), (_("To grow"), path_lines(found.check)),
            (_("Other builds"), variant_lines(found)), (_("Beside what others sell or published"), rival_lines(found)),
        ],
    )  # fmt: skip


PAGE = """<!doctype html>
<html lang="{{ language }}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{ title }}</title>
<style>
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--dim:#57606a;--line:#d8dee4;--card:#cfe3d6;--board:#f3f4f6;--edge:#8c959f}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--dim:#9da7b1;--line:#30363d;--card:#1f4d33;--board:#161b22;--edge:#6e7681}}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n,td.d{white-space:nowrap}td.n,th.n{text-align:right}small{color:var(--dim);display:block}svg{max-width:100%;height:auto}
@media (max-width:40rem){th.d,td.d{display:none}td{overflow-wrap:break-word}td,th{padding-right:.5rem}}
</style></head><body>
<h1>{{ title }}</h1>
<table class="parts"><tr><th>{{ head_part }}</th><th>{{ head_name }}</th><th class="n">{{ head_price }}</th><th class="d">{{ head_seen }}</th></tr>
{% for l in lines %}
<tr><td>{{ labels[l.part_type] }}</td><td>{% if l.quantity > 1 %}{{ l.quantity }} &times; {% endif %}{{ l.name }}
{% if l.condition != "new" %}({{ gone }}){% endif %}<small>{{ l.source }}</small></td>
<td class="n">{{ format_usd(l.usd) }}</td><td class="d">{{ l.observed_on[:7] }}</td></tr>
{% endfor %}
</table>
<h2>{{ drawing }}</h2>
{{ svg|safe }}
<table>
{% for label, text in figures %}
<tr><th>{{ label }}</th><td>{{ text }}</td></tr>
{% endfor %}
</table>
{% for title, points in sections if points %}
<h2>{{ title }}</h2>
<ul>
{% for point in points %}
<li>{{ point }}</li>
{% endfor %}
</ul>
{% endfor %}
</body></html>
"""
