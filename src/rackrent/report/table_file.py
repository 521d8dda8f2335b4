"""A comparison as a CSV file: one row an option."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from rackrent.comparison.result import Comparison
from rackrent.money import converted, currency
from rackrent.report.files import write_whole

JOINED = ("reasons", "reasons_on_budget", "warnings")
NESTED = frozenset(
    {
        "price",
        "speed",
        "scorecard",
        "totals_by_payer",
        "monthly_usd",
        "break_even_months",
        "lending",
        "cash_flows",
    }
)
"""Fields of an option that hold fields of their own: they have no place in a cell."""


def write_csv(comparison: Comparison, path: Path) -> None:
    """Write every option to `path`: the plain fields of the JSON, and the reasons in one cell.

    Amounts are in the currency shown, which the names of their columns say (`npv_eur` for `npv_usd`). The file
    appears whole or not at all. Raises BadInput where it cannot be written.
    """
    write_whole(path, csv_of(comparison).encode(), example="options.csv")


def csv_of(comparison: Comparison) -> str:
    """Return the text of the CSV file."""
    options = comparison.to_dict(everything=True)["options"]
    names = [name for name in dict.fromkeys(n for o in options for n in o) if name not in NESTED]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([_heading(name) for name in names])
    for option in options:
        writer.writerow([_cell(name, option.get(name)) for name in names])
    return out.getvalue()


def _heading(name: str) -> str:
    shown = currency()
    if shown is None:
        return name
    return "_".join(shown.code.lower() if part == "usd" else part for part in name.split("_"))


def _cell(name: str, value: Any) -> Any:
    if name in JOINED:
        return "; ".join(value or ())
    if value is not None and "usd" in name.split("_"):
        return converted(value)
    return value
