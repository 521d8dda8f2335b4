"""Lending for people: the one line under the verdict, and the account that `explain` shows."""

from __future__ import annotations

from rackrent.comparison.lending import LINES, Lent, Line
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import describe
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.labels import measured

LENDING = "lending"
"""What stands for the number of a line where `explain` is asked about lending."""
BEFORE = {
    (): "",
    ("wear",): N_(" before wear"),
    ("income_tax",): N_(" before income tax"),
    ("wear", "income_tax"): N_(" before wear and income tax"),
}
"""What is unknown and therefore not taken off, as the end of "a month"."""


def lending_line(comparison: Comparison) -> str:
    """Return the sentence on lending under the verdict; empty where no terms are given or nothing would be owned."""
    option = comparison.lender
    lent = comparison.lent(option) if option is not None else None
    if option is None or lent is None or comparison.setting.workload.lending is None:
        return ""
    if lent.income is None:
        return _("Lending out {option}: {reason}.").format(option=describe(option), reason=lent.reason)
    assert lent.ask is not None
    assert lent.occupancy is not None
    assert lent.hours is not None
    net = float(lent.income.net_usd)
    text = (
        _("Lending out {option} ({hours:,.0f} idle hours a month, {share:.0%} of them rented at {ask} per GPU-hour) would bring {usd} a month{before}; not counted above.")
        if net >= 0
        else _("Lending out {option} ({hours:,.0f} idle hours a month, {share:.0%} of them rented at {ask} per GPU-hour) would lose {usd} a month{before}; not counted above.")
    ).format(
        option=describe(option), hours=lent.hours, ask=format_usd(lent.ask.known), usd=format_usd(abs(net)),
        before=_(BEFORE[lent.before]) if lent.before else "", share=lent.occupancy.known,
    )  # fmt: skip
    floor = _("A rented hour pays from {floor} on.").format(floor=format_usd(lent.ask_floor_usd))
    return _("{one} {two}").format(one=text, two=floor)


def account(lent: Lent) -> list[tuple[str, str, str]]:
    """Return the account as rows of (what, figure, how)."""
    return [(_(LINES[line.what]), _figure(line), line.formula) for line in lent.lines]


def _figure(line: Line) -> str:
    if line.what == "hours":
        return measured(round(line.value, 1), "hours")
    return format_usd(line.value)


def unknowns(lent: Lent) -> list[str]:
    """Return what else a lender should know, one sentence each: why there is no income, what it is before, payouts."""
    said = []
    if lent.reason:
        said.append(_("No income: {reason}.").format(reason=lent.reason))
    elif "wear" in lent.before:
        said.append(_("What wear costs is unknown: the income is before it."))
    if lent.income is not None and "income_tax" in lent.before:
        said.append(_("The rate of income tax is not given: the income is before it."))
    if lent.income is not None and lent.first_payout_month is None:
        said.append(_("The market pays nothing out within the time looked at."))
    elif lent.carried_usd is not None:
        said.append(
            _(
                "The market first pays out at the end of month {month}; {usd} is still owed at the end."
            ).format(month=lent.first_payout_month, usd=format_usd(lent.carried_usd))
        )
    return [*said, *lent.warnings]
