"""The catalog of one day: typed tables read from CSV, filtered to what held then."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from rackrent.catalog.fact import Fact
from rackrent.catalog.schema import TABLES, Table
from rackrent.catalog.store import Failure, Store
from rackrent.errors import CatalogError
from rackrent.i18n import gettext as _

T = TypeVar("T")

DATA_DIR = Path(__file__).parent / "data"


@dataclass
class Catalog:
    """What existed and what it cost on `as_of`.

    Tables are read on first use. `extra` holds rows added by a person (quotes, own machines); they are joined
    to the shipped rows. `directory` is where the CSV files lie. `store` holds what was refreshed since (None:
    nothing); its rows are joined over the shipped ones.
    """

    as_of: date
    directory: Path = DATA_DIR
    extra: dict[str, pl.DataFrame] = field(default_factory=dict)
    store: Store | None = None
    _tables: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    _known: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict, repr=False)
    _once: dict[str, Any] = field(default_factory=dict, repr=False)

    def all_rows(self, name: str) -> pl.DataFrame:
        """Return every row of table `name`, whatever its validity."""
        if name not in self._tables:
            rows = read_table(self.directory / f"{name}.csv", TABLES[name])
            if self.store is not None:
                rows = self.store.over(name, rows)
            if name in self.extra:
                rows = pl.concat([rows, self.extra[name]], how="diagonal_relaxed")
            self._tables[name] = rows
        return self._tables[name]

    def table(self, name: str) -> pl.DataFrame:
        """Return the rows of table `name` that held on `as_of`.

        In the tables of the market nothing from a later day is shown. In the tables that describe the world
        (electricity, resale, benchmarks, ...) use `known_by` instead: a fact learnt later still informs.
        """
        rows = self.all_rows(name)
        if "valid_from" not in rows.columns:
            return rows
        return rows.filter(
            (pl.col("valid_from") <= self.as_of)
            & (pl.col("valid_to").is_null() | (pl.col("valid_to") > self.as_of))
        )

    def known_by(self, name: str, key: tuple[str, ...]) -> pl.DataFrame:
        """Return one row per `key` of a table that describes the world, and a column `known_later`.

        Among the rows of one key it is the latest that held on `as_of`; where none existed yet it is the
        earliest of later ones, and `known_later` is true: whoever uses it says so.
        """
        if (name, *key) not in self._known:
            rows = self.all_rows(name).filter(
                pl.col("valid_to").is_null() | (pl.col("valid_to") > self.as_of)
            )
            rows = rows.with_columns(known_later=pl.col("valid_from") > self.as_of)
            past = rows.filter(~pl.col("known_later")).sort(
                "valid_from", descending=True, maintain_order=True
            )
            future = rows.filter(pl.col("known_later")).sort("valid_from", maintain_order=True)
            self._known[name, *key] = pl.concat([past, future]).unique(key, keep="first", maintain_order=True)
        return self._known[name, *key]

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` made the first time `name` was asked for: an index of a table, a grouping."""
        if name not in self._once:
            self._once[name] = make()
        made: T = self._once[name]
        return made

    def on(self, day: date) -> Catalog:
        """Return the same catalog as it was on another day."""
        return self if day == self.as_of else Catalog(day, self.directory, self.extra, self.store)

    @cached_property
    def unanswered(self) -> dict[tuple[str, str | None], Failure]:
        """Sources that failed when last refreshed: (source id, provider or None for all of it) to when and why."""
        return {} if self.store is None else self.store.failures()

    @cached_property
    def sources(self) -> dict[str, str]:
        """Source id to citation."""
        shipped = dict(self.all_rows("sources").select("id", "citation").iter_rows())
        return shipped if self.store is None else self.store.citations() | shipped

    def cite(self, source_id: str) -> str:
        """Return the citation behind a `source` column (the id itself if it is a person's own)."""
        return self.sources.get(source_id, source_id)


def fact_of(
    table: str,
    key: str,
    row: Mapping[str, Any],
    value: float | None,
    unit: str,
    *,
    low: float | None = None,
    high: float | None = None,
    note: str = "",
) -> Fact:
    """Return the figure `value` of a catalog row with the row's provenance.

    The note joins the row's own, `note`, and a warning where the row was `known_later` than the day asked for.
    """
    notes = [row["note"] or "", note]
    if row.get("known_later"):
        notes.append(_("known only later: observed {month}").format(month=f"{row['observed_on']:%Y-%m}"))
    return Fact(
        "catalog", table, key, value, unit, row["source"], row["observed_on"], row["confidence"],
        low, high, "; ".join(n for n in notes if n),
    )  # fmt: skip


def load(directory: Path | None = None, as_of: date | None = None) -> Catalog:
    """Open the catalog in `directory` as it was on `as_of` (default: today, UTC).

    Without `directory` it is the one shipped, with what was refreshed since joined over it.
    """
    folder = directory or DATA_DIR
    store = Store.at_hand() if directory is None else None
    if not folder.is_dir():
        raise CatalogError(_("The catalog folder {folder} does not exist.").format(folder=folder))
    return Catalog(as_of or datetime.now(UTC).date(), folder, store=store)


SIZES = "sizes.json"
"""Beside the files of a built package: how many bytes each holds. A file that ends early at a line's end looks whole."""


def read_table(path: Path, table: Table) -> pl.DataFrame:
    """Read one CSV file of the catalog; raise CatalogError if it is missing, cut off, unreadable or of another shape."""
    _whole(path)
    try:
        header = pl.read_csv(path, n_rows=0).columns
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise CatalogError(
            _("The catalog file {path} cannot be read ({reason}).").format(path=path, reason=reason)
        ) from None
    missing = [c.name for c in table.columns if c.name not in header]
    if missing:
        raise CatalogError(
            _("The catalog file {path} lacks the column {column}.").format(path=path, column=missing[0])
        )
    try:
        return pl.read_csv(path, schema_overrides=dict(table.dtypes), columns=list(table.dtypes))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise CatalogError(
            _("The catalog file {path} holds a value of the wrong type ({reason}).").format(
                path=path, reason=reason
            )
        ) from None


def _whole(path: Path) -> None:
    """Raise CatalogError where a file is not as long as it was when the package was built."""
    try:
        told = json.loads((path.parent / SIZES).read_text(encoding="utf-8"))[path.name]
        held = path.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return  # nothing is told of it: a folder of your own, or the source tree
    if held != told:
        raise CatalogError(
            _(
                "The catalog file {path} holds {held:,} bytes in place of {told:,}: it is cut off, or was changed (then remove {sizes} beside it)."
            ).format(path=path, held=held, told=told, sizes=SIZES)
        )
