"""Find the one id that a person means by a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

NAMED = 4
"""How many ids a message names at most."""


def pick(text: str, ids: Sequence[str]) -> str:
    """Return the id that `text` is, else the only one that begins with it, else the only one that holds it.

    Raises BadInput with the nearest ids where there is none, with a few of them where there are several.

    >>> pick("P3", ["cloud/aws/p3", "own_build/any/x"])
    'cloud/aws/p3'
    """
    wanted = text.strip().lower()
    if not any(wanted in i for i in ids):
        wanted = "-".join(wanted.split())
    if wanted in ids:
        return wanted
    matches = [i for i in ids if i.startswith(wanted)] or [i for i in ids if wanted in i]
    if not wanted or not matches:
        close = ", ".join(nearest(wanted, list(ids), count=NAMED) or ids[:NAMED])
        raise BadInput(_("there is no {text}; the nearest are {ids}").format(text=repr(text), ids=close))
    if len(matches) == 1:
        return matches[0]
    listed = ", ".join(matches[:NAMED])
    if len(matches) > NAMED:
        listed = _("{listed} and {n} more").format(listed=listed, n=len(matches) - NAMED)
    raise BadInput(_("{text} may be {listed}; write more of the id").format(text=repr(text), listed=listed))
