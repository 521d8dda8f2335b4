"""Shared by the table writers: citing sources, reading facts, writing CSV in schema order."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from rackrent.catalog.schema import TABLES

Row = dict[str, Any]


@dataclass
class Sources:
    """Collects citations; the same citation always gets the same short id."""

    rows: dict[str, Row] = field(default_factory=dict)

    def cite(self, id: str, citation: str, licence: str | None = None, attribution: str | None = None) -> str:
        """Register a source under a short readable `id` (lower case, dashes) and return the id."""
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", id), id
        known = self.rows.setdefault(
            id, {"id": id, "citation": citation, "licence": licence, "attribution": attribution}
        )
        assert known["citation"] == citation, f"{id} cited twice with different texts"
        return id


def read_facts(path: Path) -> list[Row]:
    """Read a CSV of facts as dicts; empty strings become None."""
    with path.open(newline="", encoding="utf-8") as f:
        return [{k: (v.strip() or None) if v else None for k, v in row.items()} for row in csv.DictReader(f)]


def number(text: str | None) -> float | None:
    """Read a number; None where the text is empty or not a number (a range, words)."""
    try:
        return None if text is None else float(text.replace(",", ""))
    except ValueError:
        return None


def confidence(text: str | None) -> str:
    """Read a confidence such as "medium (2024 prices)" or "low-medium"; "low" where nothing is said."""
    return next((c for c in ("low", "medium", "high") if text and text.startswith(c)), "low")


def day(text: str | None) -> date | None:
    """Read the first date in a text: YYYY-MM-DD, else YYYY-MM (first day), YYYY-S1/S2/Q1.., else YYYY."""
    if not text:
        return None
    if m := re.search(r"(\d{4})-(\d{2})-(\d{2})", text):
        return date(int(m[1]), int(m[2]), int(m[3]))
    if m := re.search(r"(\d{4})-?S([12])", text):
        return date(int(m[1]), 1 if m[2] == "1" else 7, 1)
    if m := re.search(r"(\d{4})-?Q([1-4])", text):
        return date(int(m[1]), 3 * int(m[2]) - 2, 1)
    if m := re.search(r"(\d{4})-(\d{2})\b", text):
        return date(int(m[1]), int(m[2]), 1)
    if m := re.search(r"\b(\d{4})\b", text):
        return date(int(m[1]), 1, 1)
    return None


def write_table(name: str, rows: list[Row], directory: Path) -> None:
    """Check rows against the schema and write `directory/name.csv`, sorted for a stable diff."""
    table = TABLES[name]
    names = [c.name for c in table.columns]
    for row in rows:
        unknown = set(row) - set(names)
        assert not unknown, f"{name}: unknown columns {unknown}"
        for c in table.columns:
            value = row.get(c.name)
            assert c.nullable or value is not None, f"{name}: {c.name} is empty in {row}"
            assert value is None or c.one_of is None or value in c.one_of, f"{name}: {c.name}={value!r}"
    frame = pl.DataFrame([{n: row.get(n) for n in names} for row in rows], schema=dict(table.dtypes))
    keys = [n for n in names if frame.schema[n] != pl.Float64]
    frame.sort(keys, nulls_last=True, maintain_order=True).write_csv(directory / f"{name}.csv")
