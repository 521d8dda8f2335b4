"""A comparison for the terminal: what a person reads in ten seconds, and with `everything` all of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rackrent.catalog.fact import Fact
from rackrent.comparison.breakeven import break_even_months
from rackrent.comparison.names import ASSUMPTION_NAMES
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import currency, format_cell, format_usd
from rackrent.report.console import ROOMY, gap, page, points, table, width_of
from rackrent.report.labels import figure, named, per_work
from rackrent.report.lending import lending_line
from rackrent.report.odds import percent, risk

ASSUMPTIONS_SHOWN = 5
FLOORS_SHOWN = 3
EXAMPLES_SHOWN = 3
REASONS_SAID = 3
REASONS_LISTED = 8
FIGURES = re.compile(r"\d[\d,.:/-]*")
"""What may differ between two reasons of one kind."""
NAME_WIDTH = 20
"""Least room for the name of an option."""


def print_comparison(
    comparison: Comparison,
    *,
    file: Path | None = None,
    everything: bool = False,
    out: TextIO | None = None,
    width: int | None = None,
) -> None:
    """Print a comparison to `out` (standard output). `file` is the workload's, for the hints at the end."""
    shown = comparison.feasible if everything else _best(comparison)
    with page(out, width) as screen:
        _head(screen, comparison)
        if shown:
            screen.print()
            screen.print(_options(screen, comparison, shown))
            _rests_on(screen, comparison)
        if everything or not shown:
            _left_out(screen, comparison, everything=everything)
        _asides(screen, comparison)
        _foot(screen, comparison, file, everything=everything)


def why_none(comparison: Comparison) -> str:
    """Return the one sentence for a question that no option answers: what keeps the nearest of them out."""
    if not comparison.options:
        return _("no option can do this work: none was looked at; look again at what `consider` leaves")
    fewest = min(len(o.reasons) for o in comparison.options)
    nearest = [o for o in comparison.options if len(o.reasons) == fewest]
    counted = by_kind_of_reason(nearest)[:REASONS_SAID]
    reasons = "; ".join(
        _("{reason} ({n})").format(reason=reason, n=len(options)) for reason, options in counted
    )
    return _("no option can do this work; what keeps the nearest out: {reasons}").format(reasons=reasons)


def _best(comparison: Comparison) -> tuple[Option, ...]:
    """The best of each kind, and the best for the person's own money where that is another."""
    own = comparison.recommended_on_budget
    if own is None or own.id in {o.id for o in comparison.headline}:
        return comparison.headline
    return tuple(sorted((*comparison.headline, own), key=lambda o: (o.npv_usd, o.id)))


def _head(screen: Console, comparison: Comparison) -> None:
    setting = comparison.setting
    line = _(
        "{name}: prices as known on {day}, {months} months of 730 h, {hours:,.0f} GPU-hours of work a month"
    ).format(
        name=setting.workload.name,
        day=setting.catalog.as_of.isoformat(),
        months=setting.horizon,
        hours=float(setting.work.mean()),
    )
    if setting.reference_gpu is not None:
        line = _("{line} on {gpu}").format(line=line, gpu=setting.reference_gpu)
    screen.print(Text(line, style="dim"))
    shown = currency()
    if shown is not None:
        said = _("Amounts in {currency}: {rate}").format(currency=shown.code, rate=shown.note)
        screen.print(Text(said, style="dim"))
    screen.print()
    screen.print(Text(comparison.verdict.text, style="bold"))
    facts = (*comparison.verdict.turns_on, *risk(comparison))
    if facts:
        points(screen, facts)
    if lending := lending_line(comparison):
        screen.print()
        screen.print(Text(lending))


@dataclass(frozen=True)
class _Column:
    """A column of figures: heading, one cell an option; the higher `spare`, the sooner a narrow screen does without."""

    heading: str
    cells: list[str]
    spare: int = 0


def _options(screen: Console, comparison: Comparison, shown: tuple[Option, ...]) -> Table:
    columns = _fitting(screen, _columns(screen, comparison, shown))
    out = table(screen, (_("Option"), "left"), *((c.heading, "right") for c in columns))
    best = comparison.recommended
    for row, option in enumerate(shown):
        style = "bold" if best is not None and option.id == best.id else None
        out.add_row("\n".join(named(option)), *(c.cells[row] for c in columns), style=style)
    return out


def _columns(screen: Console, comparison: Comparison, shown: tuple[Option, ...]) -> list[_Column]:
    columns = [
        _Column(_in_currency(_("Up front")), [format_cell(o.upfront_usd) for o in shown]),
        _Column(_in_currency(_("Total")), [format_cell(o.total_usd) for o in shown], 1),
        _Column(_in_currency(_("Present\nvalue")), [format_cell(o.npv_usd) for o in shown]),
        _Column(
            _in_currency(_("Per GPU-\nhour of\nwork")), [format_cell(per_work(o, comparison)) for o in shown]
        ),
        _Column(_("Pays\nback,\nmonths"), [_pays_back(o, comparison) for o in shown]),
        _Column(_("Done"), [_done(o, comparison) for o in shown], 2),
        _Column(_("CO2,\nkg"), [_("unknown") if o.co2_kg is None else f"{o.co2_kg:,.0f}" for o in shown], 4),
    ]
    if comparison.setting.workload.funding is not None:
        columns.insert(3, _Column(_in_currency(_("Of your\nmoney")), [_of_your_money(o) for o in shown]))
    if screen.width >= ROOMY:
        columns.append(_Column(_("Best\nin"), [_best_in(o, comparison) for o in shown], 3))
    return columns


def _in_currency(heading: str) -> str:
    shown = currency()
    return (
        heading if shown is None else _("{heading},\n{currency}").format(heading=heading, currency=shown.code)
    )


def _best_in(option: Option, comparison: Comparison) -> str:
    place = comparison.options.place(option.id)
    return percent(float(comparison.uncertainty.probability_best[place]))


def _fitting(screen: Console, columns: list[_Column]) -> list[_Column]:
    """Return the columns that leave the options' names enough room."""
    kept = list(columns)
    while sum(gap(screen) + width_of(c.heading, *c.cells) for c in kept) + NAME_WIDTH > screen.width:
        most = max(kept, key=lambda c: c.spare)
        if not most.spare:
            break
        kept.remove(most)
    return kept


def _of_your_money(option: Option) -> str:
    return _("not payable") if option.reasons_on_budget else format_cell(option.npv_on_budget_usd)


def _pays_back(option: Option, comparison: Comparison) -> str:
    """When an owned machine has cost no more in cash than the best rented one; nothing is bought by renting."""
    rival = comparison.rival_of(option)
    if not option.owned or rival is None:
        return "-"
    month = break_even_months(option, [rival])[rival.id]
    if month is None:
        return _("never")
    return _("at once") if month == 0 else f"{month:.1f}"


def _done(option: Option, comparison: Comparison) -> str:
    """When the last work is done: "in time" where it ends with the horizon, give or take."""
    assert option.use is not None
    month = option.use.finish_month
    return _("in time") if month <= comparison.setting.horizon else _("month {month:.1f}").format(month=month)


def _rests_on(screen: Console, comparison: Comparison) -> None:
    weights = comparison.weights()
    facts = [f for f in comparison.assumptions() if weights.get(_key(f), 0.0) > 0][:ASSUMPTIONS_SHOWN]
    if not facts:
        return
    screen.print()
    screen.print(Text(_("Rests on (set your own under `assumptions:`)")))
    out = table(
        screen, (_("Assumption"), "whole"), (_("Low"), "right"), (_("Likely"), "right"), (_("High"), "right"), (_("What it is"), "left")
    )  # fmt: skip
    for fact in facts:
        low, high = ("" if end is None else figure(end) for end in (fact.low, fact.high))
        label = _("{key} (yours)").format(key=_key(fact)) if fact.kind == "workload" else _key(fact)
        out.add_row(label, low, figure(fact.value), high, _(ASSUMPTION_NAMES[_key(fact)]))
    screen.print(out)


def _key(fact: Fact) -> str:
    return fact.key.removeprefix("assumptions.")


def by_kind_of_reason(options: Iterable[Option]) -> list[tuple[str, list[Option]]]:
    """Return the reasons against options, the commonest first, each with its options.

    Reasons that differ in their figures only are one kind; the commonest of them stands for it.
    """
    kinds: dict[str, dict[str, list[Option]]] = {}
    for option in options:
        for reason in option.reasons:
            kinds.setdefault(FIGURES.sub("#", reason), {}).setdefault(reason, []).append(option)
    found = []
    for alike in kinds.values():
        reason = min(alike, key=lambda r: (-len(alike[r]), r))
        said = _("{reason} (and the like)").format(reason=reason) if len(alike) > 1 else reason
        found.append((said, list({o.id: o for same in alike.values() for o in same}.values())))
    return sorted(found, key=lambda kind: (-len(kind[1]), kind[0]))


def _left_out(screen: Console, comparison: Comparison, *, everything: bool) -> None:
    """The infeasible options by kind of reason: how many, and a few of them."""
    kinds = by_kind_of_reason(comparison.options)
    if not kinds:
        return
    screen.print()
    out = table(screen, (_("Out because"), "left"), (_("How many"), "right"), (_("For example"), "left"))
    for reason, options in kinds if everything else kinds[:REASONS_LISTED]:
        few = options[: EXAMPLES_SHOWN if screen.width >= ROOMY else 1]
        out.add_row(reason, f"{len(options):,}", "\n".join(o.id for o in few))
    screen.print(out)


def _asides(screen: Console, comparison: Comparison) -> None:
    if comparison.warnings:
        screen.print()
        screen.print(Text(_("Mind")))
        points(screen, comparison.warnings)
    floors = floors_of(comparison)
    if floors:
        screen.print()
        asks = ", ".join(_ask(o) for o in floors[:FLOORS_SHOWN])
        screen.print(Text(_("Lowest asks seen, not prices: {asks}.").format(asks=asks)))


def floors_of(comparison: Comparison) -> list[Option]:
    """Return the options that are out only because their price is the lowest ask of a market, cheapest first."""
    from rackrent.comparison.rented import reason_not_ranked

    floor, ranking = reason_not_ranked({"floor": True}), comparison.options
    rows = ranking.market.rows.select("offer_id", "floor").iter_rows()
    # An option is made when it is looked at: a thousand offers that are no floors need not be.
    others = {id for id, is_floor in rows if not is_floor}
    found = [
        o for o in (ranking[i] for i, id in enumerate(ranking.ids) if id not in others)
        if o.reasons == (floor,) and o.price is not None and o.price.value is not None and o.gpu_count
    ]  # fmt: skip
    return sorted(found, key=lambda o: (_ask_usd(o), o.id))


def _ask_usd(option: Option) -> float:
    assert option.price is not None
    return option.price.known / option.gpu_count


def _ask(option: Option) -> str:
    return _("{gpu} at {usd} per GPU-hour ({provider}, {term})").format(
        gpu=option.gpu,
        usd=format_usd(_ask_usd(option)),
        provider=option.provider,
        term=_(TERM_NAMES[option.term]),
    )


def _foot(screen: Console, comparison: Comparison, file: Path | None, *, everything: bool) -> None:
    total, out = len(comparison.options), len(comparison.options) - len(comparison.feasible)
    looked = ngettext("{n} option looked at", "{n} options looked at", total).format(n=f"{total:,}")
    line = _("{looked}, {out} of them out.").format(looked=looked, out=f"{out:,}")
    if not everything and total:
        line = _("{line} All of them and why: --all.").format(line=line)
    screen.print()
    screen.print(Text(line))
    if comparison.recommended is not None and file is not None:
        command = f"rackrent explain {shlex.quote(str(file))} {shlex.quote(comparison.recommended.id)}"
        screen.print(Text(_("What a figure rests on: {command}").format(command=command)), soft_wrap=True)
