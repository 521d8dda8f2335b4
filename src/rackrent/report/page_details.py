"""After the summary: where the winner changes, what is uncertain, what money does not say, what was assumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rackrent.catalog.fact import Fact
from rackrent.comparison.result import Comparison
from rackrent.comparison.scorecard import scorecard
from rackrent.i18n import N_, ngettext
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import Shown
from rackrent.report.charts_map import winner_map
from rackrent.report.labels import figure, unit
from rackrent.report.page import Cell, Column, Points, Prose, Row, Section, Table, plain
from rackrent.report.page_risk import risk

ASPECTS = {
    "scaling": N_("Growing and shrinking"),
    "obsolescence": N_("Obsolescence"),
    "control": N_("Control"),
    "security": N_("Security and privacy"),
    "lock_in": N_("Lock-in"),
}
REASONS_SHOWN = 8
REASONS_ASKED = 3_000
"""Options that are out are asked for their reasons up to this many: each has to be looked at."""


def details(comparison: Comparison, shown: Sequence[Shown]) -> tuple[Section, ...]:
    """Return the sections between the summary and the annex; those with nothing to say are left out."""
    drawn = winner_map(comparison, shown)
    sections = [
        Section("map", _("Where another option wins"), (drawn,)) if drawn is not None else None,
        risk(comparison, shown),
        _scorecard(comparison, shown),
        _assumptions(comparison),
        _warnings(comparison, shown),
        _left_out(comparison),
    ]
    return tuple(s for s in sections if s is not None)


@dataclass
class _Evidence:
    """One statement of the scorecard and the options that it holds for."""

    text: str
    source: str
    observed_on: str | None
    holds_for: list[str] = field(default_factory=list)


def _scorecard(comparison: Comparison, shown: Sequence[Shown]) -> Section | None:
    cards = {s.letter: scorecard(s.option, comparison.setting) for s in shown}
    columns = (Column(_("What is known")), Column(_("Holds for")), Column(_("Source")))
    tables = []
    for aspect, label in ASPECTS.items():
        said: dict[tuple[str, str], _Evidence] = {}
        for letter, card in cards.items():
            for cell in card[aspect]:
                key = (cell["text"], cell["source"])
                evidence = said.setdefault(key, _Evidence(*key, cell["observed_on"]))
                evidence.holds_for.append(letter)
        if said:
            tables.append(Table(_(label), columns, tuple(_evidence(e) for e in said.values())))
    if not tables:
        return None
    note = Prose(_("Nothing here is weighed or summed up: that is yours to do."), "small")
    return Section("scorecard", _("What money does not say"), (*tables, note))


def _evidence(evidence: _Evidence) -> Row:
    seen = _("seen {day}").format(day=evidence.observed_on) if evidence.observed_on else ""
    return Row((Cell(evidence.text), Cell(", ".join(evidence.holds_for)), Cell(evidence.source, seen)))


def _assumptions(comparison: Comparison) -> Section | None:
    facts, weights = comparison.assumptions(), comparison.weights()
    if not facts:
        return None
    rows = tuple(_assumption(f, weights.get(_key(f), 0.0)) for f in facts)
    columns = (
        Column(_("Assumption")),
        Column(_("Low"), True),
        Column(_("Likely"), True),
        Column(_("High"), True),
        Column(_("Unit")),
        Column(_("Money on it"), True),
        Column(_("Basis")),
    )
    note = _(
        "Money on it: present value in the recommended option and its rival of the lines that use it. "
        "Set your own figure under `assumptions:` in the workload."
    )
    return Section("assumptions", _("What was assumed"), (Table(_("Assumptions, the weightiest first"), columns, rows, note),))  # fmt: skip


def _key(fact: Fact) -> str:
    return fact.key.removeprefix("assumptions.")


def _assumption(fact: Fact, weight: float) -> Row:
    low, high = ("–" if end is None else figure(end) for end in (fact.low, fact.high))
    basis = _("your own figure") if fact.kind == "workload" else fact.note
    money = format_usd(weight, decimals=0) if weight else "–"
    key = Cell(_key(fact), code=True)
    return Row((key, *plain(low, figure(fact.value), high, unit(fact.unit), money, basis)))


def _warnings(comparison: Comparison, shown: Sequence[Shown]) -> Section | None:
    said = list(comparison.warnings)
    for s in shown:
        for warning in s.option.warnings:
            if warning not in comparison.warnings:
                said.append(_("{letter}: {warning}").format(letter=s.letter, warning=warning))
    return Section("warnings", _("Mind"), (Points(tuple(said)),)) if said else None


def _left_out(comparison: Comparison) -> Section | None:
    total, feasible = len(comparison.options), comparison.options.feasible_count
    looked = ngettext("{n} option was looked at", "{n} options were looked at", total).format(n=f"{total:,}")
    text = _("{looked}; {out} of them cannot do this work or cannot be priced.").format(
        looked=looked, out=f"{total - feasible:,}"
    )
    if total == feasible:
        return Section("left-out", _("What was left out"), (Prose(_("{looked}; all can do this work.").format(looked=looked)),))  # fmt: skip
    if total - feasible > REASONS_ASKED:
        return Section("left-out", _("What was left out"), (Prose(text),))
    counted = Counter(reason for o in comparison.options[feasible:] for reason in o.reasons)
    rows = tuple(
        Row(plain(reason, f"{n:,}"))
        for reason, n in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:REASONS_SHOWN]
    )
    columns = (Column(_("Reason")), Column(_("How many"), True))
    table = Table(_("Why options are out (one may have several reasons)"), columns, rows)
    return Section("left-out", _("What was left out"), (Prose(text), table))
