"""A catalog of a few offers, written to a folder and read back as the shipped one is."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from rackrent.catalog.catalog import DATA_DIR, Catalog
from rackrent.catalog.schema import TABLES

DAY = date(2026, 7, 1)

_DEFAULTS: dict[str, Any] = {
    "provider": "Alpha",
    "kind": "cloud",
    "instance_type": "a1",
    "region": "global",
    "gpu": "L4",
    "gpu_count": 1.0,
    "gpu_memory_gb": 24.0,
    "term": "on_demand",
    "amount": 1.0,
    "currency": "USD",
    "per": "machine_hour",
    "upfront": 0.0,
    "minimum_months": 0.0,
    "price_kind": "list",
    "condition": "new",
    "source": "test",
    "observed_on": DAY,
    "confidence": "high",
    "valid_from": DAY,
}


def offer(**changes: Any) -> dict[str, Any]:
    """Return an offer row: an L4 at $1 an hour on demand, but for `changes`."""
    return _DEFAULTS | changes


def write_table(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    """Write a table of the catalog; what a row leaves out is unknown."""
    table = TABLES[name]
    filled = [{c.name: row.get(c.name) for c in table.columns} for row in rows]
    pl.DataFrame(filled, schema=dict(table.dtypes)).write_csv(folder / f"{name}.csv")


def market(folder: Path, *offers: dict[str, Any], as_of: date = date(2026, 11, 30)) -> Catalog:
    """Return a catalog of `offers` with the shipped GPUs and exchange rates."""
    write_table(folder, "offers", *offers)
    for name in ("gpus", "fx"):
        shutil.copy(DATA_DIR / f"{name}.csv", folder / f"{name}.csv")
    return Catalog(as_of, folder)
