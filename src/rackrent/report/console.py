"""Where text for people goes: plain, aligned by display width, coloured only on a terminal that wants it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

RULED = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""A line of dashes under the head and nothing else: the same on every terminal, in every file."""

ROOMY = 100
"""Width from which columns stand two spaces apart."""


@contextmanager
def page(out: TextIO | None = None, width: int | None = None) -> Iterator[Console]:
    """Collect what is printed on the console this gives, then write it to `out` (standard output) in one go.

    The width is the terminal's, COLUMNS, or 80. NO_COLOR and TERM=dumb are respected; no markup is read from the
    text. No line ends in blanks.
    """
    file = out or sys.stdout
    screen = Console(file=file, width=width, markup=False, highlight=False, emoji=False)
    with screen.capture() as captured:
        yield screen
    file.write(re.sub(r" +((?:\x1b\[[0-9;]*m)*)(?=\n)", r"\1", captured.get()))


def table(screen: Console, *columns: tuple[str, str]) -> Table:
    """Return an empty table; each column is (heading, "left", "right" or "whole").

    Columns on the right are never folded, nor "whole" ones, which stand on the left.
    """
    out = Table(
        box=RULED, show_edge=False, pad_edge=False, padding=(0, gap(screen) - 1, 0, 0), header_style="bold"
    )
    for heading, side in columns:
        out.add_column(
            heading, justify="right" if side == "right" else "left", no_wrap=side != "left", overflow="fold"
        )
    return out


def gap(screen: Console) -> int:
    """Return how many spaces part two columns."""
    return 2 if screen.width >= ROOMY else 1


def width_of(*cells: str) -> int:
    """Return the columns of a screen that the widest line of `cells` takes; a Chinese character takes two.

    >>> width_of("GPU", "价格\\n(USD)")
    5
    """
    return max((cell_len(line) for cell in cells for line in cell.splitlines()), default=0)


def facts_grid(rows: Sequence[tuple[str, ...]]) -> Table:
    """Return labels, what is said of each, and what that means where a row says so, each column aligned."""
    out = Table.grid(padding=(0, 2, 0, 0))
    out.add_column(no_wrap=True)
    out.add_column(overflow="fold")
    out.add_column(overflow="fold", style="dim")
    for label, *told in rows:
        out.add_row(f"  {label}", *told)
    return out


def points(screen: Console, sentences: tuple[str, ...]) -> None:
    """Print sentences as a list, their later lines aligned."""
    listed = Table.grid(padding=(0, 1, 0, 0))
    listed.add_column()
    listed.add_column(overflow="fold")  # else Rich cuts the last character off full lines of Chinese
    for sentence in sentences:
        listed.add_row("  -", sentence)
    screen.print(listed)
