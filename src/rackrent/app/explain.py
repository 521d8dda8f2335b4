"""Find an option or one line of it, and say what it rests on."""

from __future__ import annotations

from typing import Literal

from rackrent.app.ids import pick
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.report.explanation import Explanation


def explain(comparison: Comparison, option: str, line: int | Literal["lending"] | None = None) -> Explanation:
    """Return what `option` (an id, or a part of only one id) or its payment number `line` rests on. Raises BadInput.

    The line "lending" asks what lending the option out would bring.
    """
    found = find_option(comparison, option)
    catalog, lent = comparison.setting.catalog, comparison.lent(found)
    if line is None:
        return Explanation(catalog, found, lent=lent)
    if line == "lending":
        if lent is None:
            raise BadInput(
                _(
                    "{option} cannot be lent out: only a machine of yours that can do the work is looked at"
                ).format(option=found.id)
            )
        return Explanation(catalog, found, lent=lent, of_lending=True)
    if not found.feasible:
        reasons = "; ".join(found.reasons)
        raise BadInput(
            _("{option} has no lines: it is out ({reasons})").format(option=found.id, reasons=reasons)
        )
    last = len(found.cash_flows) - 1
    if not 0 <= line <= last:
        raise BadInput(
            _("{option} has the lines 0 to {last}; there is no line {line}").format(
                option=found.id, last=last, line=line
            )
        )
    return Explanation(catalog, found, found.cash_flows[line])


def find_option(comparison: Comparison, text: str) -> Option:
    """Return the option of this id, or the only one whose id begins with `text`, or holds it. Raises BadInput."""
    if not comparison.options:
        raise BadInput(_("no option was looked at: look again at what `consider` leaves"))
    found = comparison.option(pick(text, [o.id for o in comparison.options]))
    assert found is not None
    return found
