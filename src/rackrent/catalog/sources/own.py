"""One's own table of prices: a CSV or Parquet file, and a small YAML file that says which column means what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from rackrent.catalog.names import canonical_gpu, nominal_memory_gb
from rackrent.catalog.prices import FeedPrice, convert_month, on_demand_price
from rackrent.catalog.schema import OFFERS
from rackrent.catalog.sources.base import Known, Progress, Row, SourceRows, number, offer_row, source_rows
from rackrent.catalog.sources.http import Client
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH

WORDS = {
    "quoted_per": ("machine", "gpu"),
    "memory_unit": ("GB", "GiB", "MiB"),
    "money_unit": ("whole", "cents"),
}
"""What a file may say of the units of its figures; the first is what holds unsaid."""
KEYS = ("file", "columns", "values", *WORDS, "hours_per_month")
FLOORS = ("reserved_amount", "minimum_amount")
"""Prices beside `amount` that markets list: what a machine of one's own costs, and the lowest bid."""
MONEY = ("amount", "upfront", *FLOORS)
FIGURES = frozenset(c.name for c in OFFERS.columns if c.dtype == pl.Float64)
DATES = frozenset({"observed_on", "valid_from", "valid_to"})
TERM_WORDS = {
    "按量": "on_demand",
    "按量付费": "on_demand",
    "按量计费": "on_demand",
    "按小时": "on_demand",
    "竞价": "spot",
    "竞价实例": "spot",
    "抢占式": "spot",
    "抢占式实例": "spot",
    "包月": "monthly",
    "包年": "reserved_1y",
}
"""How Chinese price lists name terms. A price 包月 is one a month; one 包年 is a year's, paid at the start."""
REQUIRED = ("provider", "instance_type", "gpu", "amount")


class Own:
    """A table that a person keeps; `mapping` is the path of the YAML file beside it."""

    id = "own-table"

    def __init__(self, known: Known, mapping: Path) -> None:
        """Read nothing yet."""
        self._known, self._mapping = known, mapping
        self.name = "own"
        self.citation = f"your table {mapping.name}"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the rows of the table. Raises BadInput, naming file and column, where it says something impossible."""
        said = read_mapping(self._mapping)
        file = self._mapping.parent / said["file"]
        progress(_("reading {file}").format(file=file.name))
        table = read_table(file)
        for column in said.get("columns", {}).values():
            if column not in table.columns:
                close = nearest(column, table.columns) or table.columns
                raise BadInput(
                    _("{file} has no column {column}; did you mean {close}?").format(
                        file=file.name, column=repr(column), close=close[0] if close else "-"
                    )
                )
        rows = [
            self._row(line, said, as_of, file, n) for n, line in enumerate(table.iter_rows(named=True), 2)
        ]
        return replace(source_rows(rows), whole=True)

    def _row(self, line: Mapping[str, Any], said: Mapping[str, Any], as_of: date, file: Path, at: int) -> Row:
        row: Row = dict(said.get("values", {}))
        row |= {
            ours: line[theirs] for ours, theirs in said.get("columns", {}).items() if line[theirs] is not None
        }
        where = _("{file}, row {row}").format(file=file.name, row=at)
        for name in row.keys() & (FIGURES | set(FLOORS)):
            row[name] = number(row[name], name, where)
        if said.get("money_unit") == "cents":
            row |= {name: row[name] / 100 for name in MONEY if row.get(name) is not None}
        if any(name in said["columns"] for name in FLOORS):
            price = on_demand_price(FeedPrice(row.get("amount"), *(row.get(name) for name in FLOORS)))
            row["amount"] = price.amount
            row |= {"price_kind": "observed_minimum"} if price.floor else {}
        for name in row.keys() & DATES:
            row[name] = _day(row[name], name, where)
        _in_order(row, as_of, where)
        for name in ("provider", "instance_type", "gpu"):
            if not row.get(name):
                raise BadInput(_("{where} says no {field}").format(where=where, field=name))
        memory = nominal_memory_gb(str(row["gpu"]), row.get("gpu_memory_gb"), said.get("memory_unit", "GB"))
        gpu = canonical_gpu(str(row["gpu"]), memory, str(row["instance_type"])) or str(row["gpu"])
        row |= {"gpu": gpu, "gpu_memory_gb": memory or self._known.memory(gpu)}
        row.setdefault("currency", None)
        row |= _in_our_terms(row)
        if "hours_per_month" in said and row.get("per") == "machine_month" and row.get("amount") is not None:
            month: float = said["hours_per_month"]
            row["amount"] = convert_month(row["amount"], from_hours=month, to_hours=HOURS_PER_MONTH)
        if said.get("quoted_per") == "gpu" and row.get("amount") is not None:
            count = row.get("gpu_count")
            for name in ("amount", "upfront"):
                row[name] = None if count is None or row.get(name) is None else row[name] * count
        for column in OFFERS.columns:
            value = row.get(column.name)
            if column.one_of and value is not None and value not in column.one_of:
                raise BadInput(
                    _("{where}: {field} is {value}; it must be one of {words}").format(
                        where=where, field=column.name, value=repr(value)[:40], words=", ".join(column.one_of)
                    )
                )
        return offer_row(self.id, as_of, **{k: v for k, v in row.items() if k in OFFERS.dtypes})


def _in_our_terms(row: Row) -> Row:
    """Return what a Chinese word for the term makes of a row.

    >>> _in_our_terms({"term": "包年", "amount": 7500.0})
    {'term': 'reserved_1y', 'amount': 0.0, 'upfront': 7500.0, 'payment': 'all_upfront', 'per': 'machine_month'}
    """
    word = row.get("term")
    if word not in TERM_WORDS:
        return {}
    term = TERM_WORDS[word]
    if word == "包年":
        price = row.get("amount")
        paid = {"amount": None if price is None else 0.0, "upfront": price, "payment": "all_upfront"}
        return {"term": term, **paid, "per": "machine_month"}
    if word == "包月":
        return {"term": term, "per": "machine_month", "minimum_months": row.get("minimum_months", 1.0)}
    return {"term": term}


def read_mapping(path: Path) -> dict[str, Any]:
    """Return what the YAML file says. Raises BadInput."""
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(_("{file} cannot be read ({reason})").format(file=path.name, reason=reason)) from None
    if not isinstance(said, dict) or "file" not in said or not isinstance(said.get("columns"), dict):
        raise BadInput(
            _("{file} must say `file:` and under `columns:` which of its columns means what").format(
                file=path.name
            )
        )
    for name in (said["file"], *said["columns"].values()):
        if not isinstance(name, str):
            raise BadInput(
                _("{file}: {name} must be a name in text; write it between quotation marks").format(
                    file=path.name, name=repr(name)[:40]
                )
            )
    for key in said:
        if key not in KEYS:
            close = nearest(str(key), KEYS) or list(KEYS)
            raise BadInput(_("{file}: unknown {key}; did you mean {close}?").format(
                file=path.name, key=repr(key), close=close[0]))  # fmt: skip
    told = {**said["columns"], **(said.get("values") or {})}
    said["values"] = said.get("values") or {}
    for name in told:
        if name not in OFFERS.dtypes and name not in FLOORS:
            close = nearest(str(name), list(OFFERS.dtypes)) or ["provider"]
            raise BadInput(_("{file}: an offer has no {name}; did you mean {close}?").format(
                file=path.name, name=repr(name), close=close[0]))  # fmt: skip
    for key, words in WORDS.items():
        if said.get(key, words[0]) not in words:
            raise BadInput(_("{file}: {key} is {value}; it must be one of {words}").format(
                file=path.name, key=key, value=repr(said[key])[:40], words=", ".join(words)))  # fmt: skip
    month = said.get("hours_per_month", HOURS_PER_MONTH)
    if isinstance(month, bool) or not isinstance(month, int | float) or not 672 <= month <= 744:
        raise BadInput(_("{file}: a month has 672 to 744 hours, not {hours}; 730 is usual").format(
            file=path.name, hours=repr(month)[:40]))  # fmt: skip
    for name in REQUIRED:
        if name not in told and not (name == "amount" and set(FLOORS) & set(told)):
            raise BadInput(_("{file} does not say which column is {name}").format(file=path.name, name=name))
    return said


def read_table(file: Path) -> pl.DataFrame:
    """Return a CSV (every column as text) or Parquet file. Raises BadInput."""
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(file)
        return pl.read_csv(file, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(_("{file} cannot be read ({reason})").format(file=file.name, reason=reason)) from None


def _in_order(row: Row, as_of: date, where: str) -> None:
    """Raise BadInput where a price was seen after today, or ends before it begins."""
    seen, start, end = row.get("observed_on"), row.get("valid_from"), row.get("valid_to")
    if seen is not None and seen > as_of:
        raise BadInput(_("{where}: observed_on is {day}, which is yet to come").format(where=where, day=seen))
    if end is not None and end <= (start or as_of):
        raise BadInput(
            _("{where}: valid_to is {end}; it must be after valid_from ({start})").format(
                where=where, end=end, start=start or as_of
            )
        )


def _day(value: Any, name: str, where: str) -> date:
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise BadInput(
            _("{where}: {field} is {value}; it must be a day written as 2018-09-15").format(
                where=where, field=name, value=repr(value)[:40]
            )
        ) from None
