"""What a rule finds: its verdict in one sentence with the parts and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["fits", "note", "does_not_fit", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`verdict` of `rule` on `parts`: `text` says it, `numbers` are what it rests on.

    A note is advice that refuses nothing. Unknown names the attribute that nobody states.
    """

    rule: str
    verdict: Verdict
    text: str
    parts: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Site:
    """What the rules need to know beside the parts.

    `circuit_w` is what the household circuit carries for days on end, W, and `circuit` its name ("120 V x 15 A", or the country
    where that is not known); `disk_mbs` is what the work must read from disk (None: not stated).
    """

    circuit_w: float | None = None
    circuit: str = ""
    disk_mbs: float | None = None
