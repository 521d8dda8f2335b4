"""What is wrong with a usage file, in one sentence."""

from __future__ import annotations

import json

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext

LINES_SHOWN = 5


def refusal(source: str, said: str) -> BadInput:
    """Return the error that names the file and what is wrong with it."""
    return BadInput(_("{file}: {said}").format(file=source, said=said))


def unreadable_lines(lines: tuple[int, ...]) -> list[str]:
    """Return a warning that counts the lines and names the first of them; none where all could be read."""
    if not lines:
        return []
    first = ", ".join(str(n) for n in lines[:LINES_SHOWN]) + (", ..." if len(lines) > LINES_SHOWN else "")
    return [
        ngettext(
            "{n} line has another number of fields than the header and is left out (line {lines})",
            "{n} lines have another number of fields than the header and are left out (lines {lines})",
            len(lines),
        ).format(n=len(lines), lines=first)
    ]


def parsed_json(raw: bytes, source: str) -> object:
    """Return the value of JSON text. Raises BadInput where it breaks off."""
    try:
        return json.loads(raw)
    except ValueError as error:
        raise refusal(source, _("this JSON is broken or breaks off ({error})").format(error=error)) from None
