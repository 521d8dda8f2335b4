"""Find an option or one line of it, and say what it rests on."""

from __future__ import annotations

from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.report.explanation import Explanation

NAMED = 4
"""How many ids a message names at most."""


def explain(comparison: Comparison, option: str, line: int | None = None) -> Explanation:
    """Return what `option` (an id, or a part of only one id) or its payment number `line` rests on. Raises BadInput."""
    found = find_option(comparison, option)
    catalog = comparison.setting.catalog
    if line is None:
        return Explanation(catalog, found)
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
    wanted = text.strip().lower()
    ids = [o.id for o in comparison.options]
    exact = [i for i in ids if i == wanted]
    matches = exact or [i for i in ids if i.startswith(wanted)] or [i for i in ids if wanted in i]
    found = comparison.option(matches[0]) if len(matches) == 1 and wanted else None
    if found is not None:
        return found
    if not wanted or not matches:
        close = ", ".join(nearest(wanted, ids, count=NAMED) or ids[:NAMED])
        raise BadInput(
            _("there is no option {text}; among the options are {ids}").format(text=repr(text), ids=close)
        )
    listed = ", ".join(matches[:NAMED])
    if len(matches) > NAMED:
        listed = _("{listed} and {n} more").format(listed=listed, n=len(matches) - NAMED)
    raise BadInput(_("{text} may be {listed}; write more of the id").format(text=repr(text), listed=listed))
