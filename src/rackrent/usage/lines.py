"""Separate the rows of a text table that have the right number of fields from those that have not."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import polars as pl

NEWLINE = 10


@dataclass(frozen=True)
class Table:
    """The readable rows as text columns; `bad_lines` are the numbers of the others, from 1."""

    frame: pl.DataFrame
    bad_lines: tuple[int, ...]


def split_lines(raw: bytes, separator: str, wanted: Collection[str]) -> Table:
    """Return the rows of unquoted text with a header, of its columns those that are `wanted`. A row with another number of fields than the header is bad,
    also a last line that breaks off. A separator that ends every line (`sacct -p`) is taken off."""
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    if not raw.endswith(b"\n"):
        raw += b"\n"
    data = np.frombuffer(raw, dtype=np.uint8)
    marks = np.flatnonzero((data == ord(separator)) | (data == NEWLINE))
    newline = np.flatnonzero(data[marks] == NEWLINE)
    ends = marks[newline]
    starts = np.concatenate(([0], ends[:-1] + 1))
    fields = np.diff(newline, prepend=-1)
    blank = ends == starts
    good = (fields == fields[0]) & ~blank
    bad = np.flatnonzero(~good & ~blank)
    if not good.all():
        lines = raw.split(b"\n")
        raw = b"\n".join(lines[i] for i in np.flatnonzero(good)) + b"\n"
    header = raw[: raw.index(b"\n")].decode("utf-8-sig", "replace").split(separator)
    places = [i for i, name in enumerate(header) if name.strip() in wanted]
    frame = pl.read_csv(
        io.BytesIO(raw), separator=separator, quote_char=None, infer_schema=False, encoding="utf8-lossy",
        columns=places,
    )  # fmt: skip
    frame = frame.rename({name: name.strip() for name in frame.columns})
    return Table(frame, tuple(int(i) + 1 for i in bad))
