"""A measurement beside its goal, and tables of them."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """What was measured, the figure as text, the goal, and whether it is met (None: there is nothing to meet)."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row of a table."""
        return self.what, self.figure, self.goal, {None: "", True: "yes", False: "no"}[self.met]


def peak_mb() -> float:
    """Return what this process used at most so far, MB.

    Linux counts in `ru_maxrss` also what the parent held when it forked.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        kib = float(status.split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib * 1_024 / 1e6


HEAD = ("what", "measured", "goal", "met")


def plain(rows: Sequence[Measured]) -> str:
    """Return a table for a terminal."""
    cells = [HEAD, *(r.cells for r in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEAD))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def markdown(rows: Sequence[Measured]) -> str:
    """Return a table for a page."""
    lines = ["| " + " | ".join(row) + " |" for row in (HEAD, *(r.cells for r in rows))]
    return "\n".join([lines[0], "|---|---|---|---|", *lines[1:]])
