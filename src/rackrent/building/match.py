"""Find the part that a loosely typed name means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from rackrent.catalog.components import Component
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

ENOUGH = 0.7
"""Share of what was typed (figures count threefold) that a name must hold to be taken for it."""
NEARLY_ALL = 0.9
"""Or share of the name that was typed, where shops add speeds and sizes to it; it counts a little less."""
FIGURE_WEIGHT = 3.0
SAYS_MORE = {
    "ti",
    "super",
    "xt",
    "xtx",
    "x",
    "k",
    "ks",
    "wx",
    "pro",
    "max",
    "xl",
    "mini",
    "evo",
    "plus",
    "ada",
    "q",
}
"""Words that make another product of a name: not to be added to what was typed where it can be helped."""
ALIKE = {"fe": ("founders", "edition"), "tr": ("threadripper",), "psu": (), "gpu": (), "cpu": (), "nvme": (), "m": (), "geforce": (), "nvidia": (), "amd": (), "intel": ()}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Match:
    """What was typed, the part taken for it, and the share of the words that agree (1: all)."""

    typed: str
    part: Component
    score: float


@lru_cache(maxsize=8192)
def words(text: str) -> frozenset[str]:
    """Return the words and figures of a name, letters apart from figures.

    >>> sorted(words("GTX-1080Ti FE"))
    ['1080', 'edition', 'founders', 'gtx', 'ti']
    >>> sorted(words("990 Pro 2TB"))
    ['2000', '990', 'gb', 'pro']
    """
    folded = re.sub(r"\b(\d+)\s*tb\b", lambda m: f"{m[1]}000 gb", text.casefold())
    found = re.findall(r"[a-z]+|\d+", folded)
    return frozenset(word for raw in found for word in ALIKE.get(raw, (raw,)))


def match(typed: str, parts: Iterable[Component], part_type: str | None = None) -> Match:
    """Return the part that `typed` means, among those of `part_type` if given.

    Raises BadInput with the nearest names where none is close enough.
    """
    known = [p for p in parts if part_type is None or p.part_type == part_type]
    wanted = words(typed)
    scored = [(_score(wanted, words(p.name)), p) for p in known]
    agreed, part = max(scored, key=lambda s: (s[0], -len(s[1].name), s[1].name), default=((0.0, 0.0), None))
    if part is None or agreed[0] < ENOUGH:
        close = [
            p.name
            for (share, _more), p in sorted(scored, key=lambda s: s[0], reverse=True)[:3]
            if share > 0.2
        ]
        close = close or _alike(wanted, known) or nearest(typed, [p.name for p in known], count=3)
        said = _("there is no part {name}").format(name=repr(typed)[:80])
        if close:
            said = _("{said}; nearest: {names}").format(said=said, names="; ".join(close))
        raise BadInput(said)
    return Match(typed, part, round(agreed[0], 2))


def _alike(wanted: frozenset[str], parts: Iterable[Component]) -> list[str]:
    """Return up to three names that hold a word spelt nearly as one that was typed (4091 for 4090)."""
    known = {word for part in parts for word in words(part.name)}
    close = {w for typed in wanted for w in get_close_matches(typed, known, n=2, cutoff=0.75)} | wanted
    scored = sorted((-_weight(words(p.name) & close), len(p.name), p.name) for p in parts)
    return [name for score, _length, name in scored[:3] if score < -1]


def _weight(names: Iterable[str]) -> float:
    return sum(FIGURE_WEIGHT if w.isdigit() else 1.0 for w in names)


def _score(wanted: frozenset[str], name: frozenset[str]) -> tuple[float, float]:
    total = _weight(wanted)
    share = _weight(wanted & name) / total if total else 0.0
    of_name = _weight(wanted & name) / _weight(name)
    if of_name >= NEARLY_ALL:
        share = max(share, 0.98 * of_name)
    more = len((name - wanted) & SAYS_MORE) + 0.01 * len(name - wanted)
    return share, -more
