"""The annex: every line of every option shown, its formula, and the source of each figure it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.comparison.result import Comparison
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CATEGORIES
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.charts_figure import Shown
from rackrent.report.charts_money import payer_name
from rackrent.report.explanation import CONFIDENCES, TAX_BASES
from rackrent.report.labels import figure, measured
from rackrent.report.page import Cell, Column, Prose, Row, Section, Table
from rackrent.report.page_summary import name_cell


@dataclass
class _Register:
    """The figures in the order in which the annex first names them; equal ones have one number."""

    numbers: dict[Fact, int] = field(default_factory=dict)

    def of(self, facts: Sequence[Fact]) -> tuple[int, ...]:
        """Return the numbers of `facts`, without repetition."""
        return tuple(dict.fromkeys(self.numbers.setdefault(f, len(self.numbers) + 1) for f in facts))


def annex(comparison: Comparison, shown: Sequence[Shown]) -> tuple[Section, ...]:
    """Return a section an option with its lines, then one with every figure they rest on."""
    register = _Register()
    sections = [_option(s, comparison.setting, register) for s in shown]
    if register.numbers:
        sections.append(_figures(register, comparison.setting.catalog))
    return tuple(sections)


def _option(s: Shown, setting: Setting, register: _Register) -> Section:
    option, name = s.option, name_cell(s)
    rows = [
        Row(
            (
                Cell(_(CATEGORIES[stream.category])),
                Cell(format_usd(stream.total_usd)),
                Cell(payer_name(stream.payer, setting)),
                Cell(_(TAX_BASES[stream.tax_basis])),
                Cell(stream.formula, refs=register.of(stream.facts)),
            )
        )
        for stream in option.streams
        if stream.usd.any()
    ]
    rows.append(
        Row((Cell(_("all")), Cell(format_usd(option.total_usd)), Cell(""), Cell(""), Cell("")), strong=True)
    )
    columns = (
        Column(_("Category")), Column(_("Total"), True), Column(_("Paid by")), Column(_("Tax")), Column(_("How, and figures used")),
    )  # fmt: skip
    blocks: list[Prose | Table] = [Prose(f"{name.sub} ({option.id})", "small")]
    speed = option.speed
    if speed is not None and speed.ratio is not None and speed.basis != "same":
        numbers = ", ".join(f"[{n}]" for n in register.of(speed.facts))
        blocks.append(Prose(_("Speed: {formula}").format(formula=f"{speed.formula} {numbers}".strip())))
    if option.reasons_on_budget:
        reasons = "; ".join(option.reasons_on_budget)
        blocks.append(Prose(_("Not payable on your budget: {reason}").format(reason=reasons)))
    caption = _("Lines of {letter}").format(letter=s.letter)
    blocks.append(Table(caption, columns, tuple(rows)))
    return Section(f"lines-{s.letter.lower()}", f"{s.letter}  {name.text}", tuple(blocks))


def _figures(register: _Register, catalog: Catalog) -> Section:
    columns = (
        Column(_("No."), True), Column(_("Figure")), Column(_("Value")), Column(_("Source")), Column(_("Seen"), whole=True), Column(_("Confidence")),
    )  # fmt: skip
    rows = tuple(_figure(fact, number, catalog) for fact, number in register.numbers.items())
    intro = _("The numbers in brackets above lead here. A figure without a day is yours, or an assumption.")
    table = Table(_("Figures and their sources"), columns, rows)
    return Section("figures", _("Where every figure comes from"), (Prose(intro, "small"), table))


def _figure(fact: Fact, number: int, catalog: Catalog) -> Row:
    value = measured(fact.value, fact.unit)
    between = ""
    if fact.low is not None and fact.high is not None and fact.low != fact.high:
        between = _("{low} to {high}").format(low=figure(fact.low), high=figure(fact.high))
    if fact.kind == "workload":
        source, note = _("you said so in the workload"), fact.note
    elif fact.kind == "assumption":
        source, note = _("assumption"), fact.note
    else:
        source, note = catalog.cite(fact.source), fact.note
    seen = fact.observed_on.isoformat() if fact.observed_on is not None and fact.kind == "catalog" else "–"
    sure = (
        _(CONFIDENCES[fact.confidence]) if fact.kind == "catalog" and fact.confidence in CONFIDENCES else "–"
    )
    return Row(
        (
            Cell(str(number), anchor=number),
            Cell(fact.key, fact.table, code=True),
            Cell(value, between),
            Cell(source, note),
            Cell(seen),
            Cell(sure),
        )
    )
