"""What an option, or one line of it, rests on: for JSON and for the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TextIO

from rich.console import Console

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.comparison.lending import Lent
from rackrent.comparison.names import ASSUMPTION_NAMES
from rackrent.comparison.option import CashFlow, Option
from rackrent.comparison.result import fact_dict
from rackrent.costing.streams import CATEGORIES, CostStream
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.console import facts_grid, page, table
from rackrent.report.labels import count_of, figure, measured, title
from rackrent.report.lending import LENDING, account, unknowns

PAYERS = {"funding": N_("you, or the funding you named"), "institution": N_("your institution")}
TAX_BASES = {
    "excl": N_("tax comes on top"),
    "incl": N_("tax is in it"),
    "tax": N_("this is the tax"),
    "none": N_("no tax"),
}
CONFIDENCES = {
    "high": N_("read from the publisher"),
    "medium": N_("second hand"),
    "low": N_("from memory, or a judgement"),
}


@dataclass(frozen=True)
class Explanation:
    """An option, one payment of it, or (`of_lending`) what lending it out would bring, with the catalog behind it."""

    catalog: Catalog
    option: Option
    flow: CashFlow | None = None
    lent: Lent | None = None
    of_lending: bool = False

    @cached_property
    def streams(self) -> list[tuple[CostStream, int, int]]:
        """The streams that move money, each with the numbers of its first and last line in `cash_flows`."""
        lines: dict[int, list[int]] = {}
        for flow in self.option.cash_flows if self.option.streams else ():
            lines.setdefault(id(flow.stream), []).append(flow.line)
        return [(s, lines[id(s)][0], lines[id(s)][-1]) for s in self.option.streams if id(s) in lines]

    def citation(self, fact: Fact) -> str:
        """Return the publication behind a figure."""
        return self.catalog.cite(fact.source)

    def to_dict(self) -> dict[str, Any]:
        """Return what `explain --json` prints: the streams of an option, or one line with its figures."""
        o, flow = self.option, self.flow
        if self.of_lending:
            return {"option": o.id, "lending": self._lending(lines=True)}
        if flow is not None:
            told = {"formula": flow.stream.formula, "facts": self._facts(flow.stream.facts)}
            return {"option": o.id, "line": flow.line, **flow.to_dict(), **told}
        return {
            "option": o.id,
            "feasible": o.feasible,
            "reasons": list(o.reasons),
            "reasons_on_budget": list(o.reasons_on_budget),
            "price": self._facts((o.price,))[0] if o.price else None,
            "speed": self._speed(),
            "total_usd": o.total_usd if o.feasible else None,
            "npv_usd": o.npv_usd if o.feasible else None,
            "streams": [
                {
                    "category": s.category,
                    "payer": s.payer,
                    "tax_basis": s.tax_basis,
                    "total_usd": s.total_usd,
                    "first_line": first,
                    "last_line": last,
                    "formula": s.formula,
                    "facts": self._facts(s.facts),
                }
                for s, first, last in self.streams
            ],
            "lending": self._lending(),
        }

    def _lending(self, *, lines: bool = False) -> dict[str, Any]:
        if self.lent is None:
            return {}
        out = self.lent.to_dict()
        if lines:
            out["lines"] = [
                {"what": li.what, "value": li.value, "formula": li.formula, "facts": self._facts(li.facts)}
                for li in self.lent.lines
            ]
        return out

    def _speed(self) -> dict[str, Any] | None:
        speed = self.option.speed
        if speed is None:
            return None
        return {
            "ratio": speed.ratio,
            "low": speed.low,
            "high": speed.high,
            "basis": speed.basis,
            "formula": speed.formula,
            "facts": self._facts(speed.facts),
        }

    def _facts(self, facts: tuple[Fact, ...]) -> list[dict[str, Any]]:
        return [fact_dict(fact) | {"citation": self.citation(fact)} for fact in facts]


def print_explanation(told: Explanation, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print an explanation to `out` (standard output)."""
    with page(out, width) as screen:
        if told.of_lending and told.lent is not None:
            _lending(screen, told, told.lent)
        elif told.flow is not None:
            _line(screen, told, told.flow)
        elif told.option.feasible:
            _option(screen, told)
        else:
            _out(screen, told)


def _heading(screen: Console, option: Option) -> None:
    screen.print(f"{title(option)}: {option.name} ({count_of(option)})", style="bold")
    screen.print(option.id, style="dim", soft_wrap=True)
    screen.print()


def _option(screen: Console, told: Explanation) -> None:
    option = told.option
    _heading(screen, option)
    out = table(
        screen, (_("Lines"), "right"), (_("Category"), "left"), (_("Total"), "right"), (_("How"), "left")
    )
    for stream, first, last in told.streams:
        lines = f"{first}" if first == last else f"{first}-{last}"
        out.add_row(lines, _(CATEGORIES[stream.category]), format_usd(stream.total_usd), stream.formula)
    out.add_row("", _("all"), format_usd(option.total_usd), "", style="bold")
    screen.print(out)
    screen.print()
    speed = option.speed
    if speed is not None and speed.basis != "same":
        screen.print(_("Speed: {formula}").format(formula=speed.formula))
    for reason in option.reasons_on_budget:
        screen.print(_("Not payable on your budget: {reason}").format(reason=reason))
    screen.print(_("What one line rests on: give its number after the option."))
    if told.lent is not None:
        screen.print(
            _("What lending it out would bring, and why: give {word} after it.").format(word=LENDING)
        )


def _lending(screen: Console, told: Explanation, lent: Lent) -> None:
    _heading(screen, told.option)
    screen.print(_("Lending out its idle hours: beside the comparison, never in it."))
    if lent.lines:
        out = table(screen, (_("What"), "left"), (_("Figure"), "right"), (_("How"), "left"))
        for row in account(lent):
            out.add_row(*row)
        screen.print(out)
    screen.print()
    for sentence in unknowns(lent):
        screen.print(sentence)
    if lent.facts:
        screen.print()
        _facts(screen, told, lent.facts)


def _out(screen: Console, told: Explanation) -> None:
    _heading(screen, told.option)
    screen.print(_("Out, because"))
    for reason in told.option.reasons:
        screen.print(f"  - {reason}")
    price = told.option.price
    if price is not None:
        screen.print()
        _facts(screen, told, (price,))


def _line(screen: Console, told: Explanation, flow: CashFlow) -> None:
    stream = flow.stream
    _heading(screen, told.option)
    when = _("at the start") if flow.month == 0 else _("end of month {month}").format(month=flow.month)
    rows = [
        (_("Line"), str(flow.line)),
        (_("Category"), _(CATEGORIES[stream.category])),
        (_("When"), when),
        (_("Amount"), format_usd(flow.usd, decimals=2)),
        (_("Paid by"), _(PAYERS[stream.payer])),
        (_("Tax"), _(TAX_BASES[stream.tax_basis])),
        (_("How"), stream.formula),
    ]
    screen.print(facts_grid(rows))
    screen.print()
    _facts(screen, told, stream.facts)


def _facts(screen: Console, told: Explanation, facts: tuple[Fact, ...]) -> None:
    screen.print(_("Rests on"))
    for fact in facts:
        screen.print()
        screen.print(facts_grid(_told_of(fact, told)))


def _told_of(fact: Fact, told: Explanation) -> list[tuple[str, str]]:
    """Return what there is to say of one figure, as (label, text)."""
    rows = [(fact.table, fact.key), (_("value"), measured(fact.value, fact.unit))]
    if fact.low is not None and fact.high is not None and fact.low != fact.high:
        rows.append((_("range"), _("{low} to {high}").format(low=figure(fact.low), high=figure(fact.high))))
    if fact.kind == "workload":
        rows.append((_("source"), _("you said so in the workload")))
    elif fact.kind == "assumption":
        rows.insert(1, (_("what it is"), _(ASSUMPTION_NAMES[fact.key])))
        rows.append(
            (
                _("assumption"),
                _("{basis}; set your own under `assumptions: {key}`").format(basis=fact.note, key=fact.key),
            )
        )
    else:
        rows.append((_("source"), told.citation(fact)))
    if fact.observed_on is not None and fact.kind != "assumption":
        rows.append((_("seen"), fact.observed_on.isoformat()))
        rows.append((_("confidence"), f"{fact.confidence}: {_(CONFIDENCES[fact.confidence])}"))
    if fact.note and fact.kind != "assumption":
        rows.append((_("note"), fact.note))
    return rows
