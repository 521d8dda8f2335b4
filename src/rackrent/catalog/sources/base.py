"""What a source is, what it hands over, and the facts that several sources need of machines and places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple, Protocol

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.names import canonical_gpu
from rackrent.catalog.schema import TABLES
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _

Progress = Callable[[str], None]
"""Takes one short sentence about what is under way."""
Row = dict[str, Any]

FIGURE_MAX = 1e12
"""No price or size in any unit of a feed is larger."""
MONTHS = {"reserved_1y": 12.0, "reserved_3y": 36.0}
"""Shortest time that must be paid on each term of commitment, months."""


@dataclass(frozen=True)
class SourceRows:
    """What one fetch brought: rows in the schemas of the tables `offers` and `fx`, and what to mind.

    `failed` names providers of which nothing came, with the reason: the rows of theirs that the store holds stay.
    """

    offers: pl.DataFrame
    fx: pl.DataFrame
    warnings: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False
    """Whether the source holds its own history: its rows then replace all that were kept of it."""


class Source(Protocol):
    """A publication of prices. `name` is what a person types, `id` stands in the column `source` of its rows."""

    name: str
    id: str
    citation: str

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return everything the source says on the day `as_of`. Raises SourceFailed: it is all or nothing."""
        ...


class Machine(NamedTuple):
    """What the catalog knows of an instance type."""

    gpu: str
    kind: str
    gpu_count: float | None
    gpu_memory_gb: float | None
    vcpus: float | None
    ram_gb: float | None
    disk_gb: float | None
    storage_usd_gb_month: float | None


class Known:
    """What the catalog knows of machines and places, for feeds that name only a type and a region."""

    def __init__(self, catalog: Catalog) -> None:
        """Read the offers of `catalog` when first asked."""
        self._catalog = catalog

    @cached_property
    def _offers(self) -> pl.DataFrame:
        return self._catalog.all_rows("offers").sort("observed_on", descending=True, maintain_order=True)

    @cached_property
    def _machines(self) -> dict[tuple[str, str], Machine]:
        columns = [pl.col(c).drop_nulls().first() for c in Machine._fields]
        rows = self._offers.group_by("provider", "instance_type").agg(columns).iter_rows()
        return {(provider, name): Machine(*facts) for provider, name, *facts in rows}

    @cached_property
    def _countries(self) -> dict[tuple[str, str], str]:
        rows = (
            self._offers.select("provider", "region", "country").drop_nulls().unique(["provider", "region"])
        )
        return {(provider, region): country for provider, region, country in rows.iter_rows()}

    @cached_property
    def _memory(self) -> dict[str, float]:
        rows = self._catalog.all_rows("gpus").select("gpu", "memory_gb").drop_nulls()
        return dict(rows.iter_rows())

    def machine(self, provider: str, instance_type: str) -> Machine | None:
        """Return what is known of an instance type; None where not even its GPU is.

        Where the catalog has no offer of the type its name may still say which GPU it holds.
        """
        known = self._machines.get((provider, instance_type))
        if known is not None:
            return known
        gpu = canonical_gpu(instance_type)
        return None if gpu is None else Machine(gpu, "cloud", None, self.memory(gpu), None, None, None, None)

    def country(self, provider: str, region: str) -> str | None:
        """Return the country of a provider's region (ISO alpha-3), None where the catalog has none."""
        return self._countries.get((provider, region))

    def memory(self, gpu: str) -> float | None:
        """Return the nominal memory of a GPU, GB."""
        return self._memory.get(gpu)


def offer_row(source: str, as_of: date, **said: Any) -> Row:
    """Return a row of `offers` seen on `as_of`: a list price of the whole machine an hour, but for what is `said`."""
    term = said.get("term", "on_demand")
    return {
        "kind": "cloud",
        "region": "unspecified",
        "term": "on_demand",
        "currency": "USD",
        "per": "machine_hour",
        "upfront": 0.0,
        "minimum_months": MONTHS.get(term, 0.0),
        "price_kind": "list",
        "condition": "new",
        "source": source,
        "observed_on": as_of,
        "confidence": "high",
        "valid_from": as_of,
    } | said


def of_machine(machine: Machine) -> Row:
    """Return the columns of an offer that describe its machine."""
    return machine._asdict()


def table_of(name: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a frame in the schema of the table `name`; what a row leaves out is null."""
    dtypes = dict(TABLES[name].dtypes)
    kept = list(rows)
    return pl.DataFrame({column: [row.get(column) for row in kept] for column in dtypes}, schema=dtypes)


def source_rows(
    offers: Iterable[Row] = (),
    fx: Iterable[Row] = (),
    warnings: Iterable[str] = (),
    failed: Mapping[str, str] | None = None,
) -> SourceRows:
    """Return what a fetch brought, as frames in the schemas of the catalog. Raises SourceFailed for a row that is not whole."""
    rows = without_gaps(table_of("offers", offers))
    return SourceRows(rows, table_of("fx", fx), tuple(dict.fromkeys(warnings)), failed or {})


def without_gaps(offers: pl.DataFrame) -> pl.DataFrame:
    """Return the offers. Raises SourceFailed where a column that every offer has is empty in one."""
    for column in TABLES["offers"].columns:
        if not column.nullable and offers[column.name].null_count():
            raise SourceFailed(_("an offer comes without its {field}").format(field=column.name))
    return offers


def need(row: Any, name: str, where: str) -> Any:
    """Return a field that the published shape always has; raise SourceFailed naming it where it is missing.

    >>> need({"unit": "Hrs"}, "unit", "a price")
    'Hrs'
    """
    if not isinstance(row, Mapping) or name not in row:
        raise SourceFailed(
            _("the field {field} is missing in {where}: the source has changed its shape").format(
                field=repr(name), where=where
            )
        )
    return row[name]


def told_apart(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows in which a type that is listed with several GPUs, or numbers of them, says which in its name.

    Some feeds call a host by its name whatever hangs on it; each is an offer of its own.

    >>> list(told_apart([{"instance_type": "n1", "gpu": g, "gpu_count": 2.0} for g in ("T4", "P4")]))[1]["instance_type"]
    'n1 + 2x P4'
    """
    kept = list(rows)
    gpus: dict[tuple[str, str], set[tuple[str, float | None]]] = defaultdict(set)
    for row in kept:
        gpus[row.get("provider", ""), row["instance_type"]].add((row["gpu"], row["gpu_count"]))
    for row in kept:
        if len(gpus[row.get("provider", ""), row["instance_type"]]) == 1:
            yield row
        else:
            count = "?" if row["gpu_count"] is None else f"{row['gpu_count']:g}"
            yield row | {"instance_type": f"{row['instance_type']} + {count}x {row['gpu']}"}


def number(value: Any, name: str, where: str) -> float | None:
    """Return a figure of a feed; empty is unknown. Raises SourceFailed, naming the field, where it is no figure.

    >>> number("3.06", "price", "a row"), number("", "price", "a row")
    (3.06, None)
    """
    if value is None or value == "":
        return None
    try:
        figure = float(value)
    except (TypeError, ValueError):
        figure = float("nan")
    if not isfinite(figure) or abs(figure) > FIGURE_MAX:
        raise SourceFailed(
            _("the field {field} in {where} is {value}, not a number").format(
                field=repr(name), where=where, value=repr(value)[:40]
            )
        )
    return figure
