"""What a report says, laid out as values: sections of tables, figures and sentences. No markup, no files.

`page_of` turns a comparison into a `Page`; `html` and `pdf` only set it. All text in it is already in the language
of the reader, and none of it is markup: whoever sets it must escape it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rackrent.report.charts_figure import Figure


@dataclass(frozen=True)
class Cell:
    """A cell of a table: `text`, with `sub` in smaller type under it.

    `letter` and `colour` are the option's it speaks of; `refs` are numbers of figures in the annex; `anchor` is the
    number that such a reference leads to.
    """

    text: str
    sub: str = ""
    letter: str = ""
    colour: str = ""
    refs: tuple[int, ...] = ()
    anchor: int | None = None
    code: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its heading, whether it holds figures (set to the right), and whether its cells stay on one line."""

    heading: str
    figures: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Row:
    """A row; its first cell is its heading. `strong` marks the one recommended, or a sum."""

    cells: tuple[Cell, ...]
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its caption."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True)
class Points:
    """Sentences as a list."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Prose:
    """A paragraph. `weight` says how loud: the verdict, plain text, or small print."""

    text: str
    weight: Literal["verdict", "plain", "small"] = "plain"


Block = Table | Points | Prose | Figure


@dataclass(frozen=True)
class Section:
    """A part of the page under its own heading; `id` names it in addresses."""

    id: str
    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """The whole report: two pages of `summary`, then `details`, then the `annex`."""

    title: str
    subtitle: str
    language: str
    summary: tuple[Section, ...]
    details: tuple[Section, ...]
    annex: tuple[Section, ...]
    foot: str

    @property
    def figures(self) -> list[Figure]:
        """Every figure in order."""
        sections = (*self.summary, *self.details, *self.annex)
        return [block for s in sections for block in s.blocks if isinstance(block, Figure)]


def plain(*texts: str) -> tuple[Cell, ...]:
    """Return cells that hold text and nothing else."""
    return tuple(Cell(text) for text in texts)
