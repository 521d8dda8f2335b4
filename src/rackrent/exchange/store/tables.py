"""The tables of a database, made from the values themselves: a class is a table, a field a column.

What the schema says of keys, indexes and closed lists becomes constraints; what needs a trigger (the ledger, what is never
changed, intervals without a gap) is in the migrations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from types import NoneType
from typing import Any, cast, get_args, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    Index,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.types import TypeEngine

from rackrent.exchange import model as m
from rackrent.exchange.store.schema import CHECKS, INDEXES, KINDS, UNIQUE
from rackrent.exchange.values import maker

METADATA = MetaData()

TEXT: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared by code point everywhere, as Python does: no locale decides an order."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A table and the way between its rows and values of a kind. Enumerations are kept as their values."""

    kind: type[Any]
    table: Table
    fields: tuple[str, ...]
    enums: tuple[tuple[int, Callable[[str], str]], ...]
    read: Callable[[Any], tuple[Any, ...]]
    make: Callable[[Iterable[Any]], Any]

    def row(self, value: Any) -> list[Any]:
        """Return what is kept of a value, in the order of `fields`."""
        row = list(self.read(value))
        for n, _make in self.enums:
            if row[n] is not None:
                row[n] = str(row[n])
        return row

    def value(self, row: Any) -> Any:
        """Return the value that a row holds."""
        values = list(row)
        for n, make in self.enums:
            if values[n] is not None:
                values[n] = make(values[n])
        return self.make(values)


def _column(
    table: str, name: str, hint: Any
) -> tuple[Column[Any], CheckConstraint | None, Callable[[str], str] | None]:
    """Return a column for a field, the check of its closed list, and what makes the field of what is kept."""
    parts = set(get_args(hint) or (hint,))
    nullable = NoneType in parts
    parts -= {NoneType}
    enum = next((p for p in parts if isinstance(p, type) and issubclass(p, StrEnum)), None)
    kinds: dict[Any, TypeEngine[Any]] = {int: BigInteger(), float: Double(), bool: Boolean(), str: TEXT}
    type_ = TEXT if enum is not None else kinds[parts.pop()]
    column: Column[Any] = Column(name, type_, nullable=nullable, primary_key=name == "id")
    if enum is None:
        return column, None, None
    members = cast("Mapping[str, str]", enum._value2member_map_)
    if str in parts:  # a reason from the list, or another word
        return column, None, lambda kept: members.get(kept, kept)
    listed = ", ".join(f"'{member.value}'" for member in enum)
    return column, CheckConstraint(f"{name} IN ({listed})", name=f"ck_{table}_{name}"), members.__getitem__


def _shape(kind: type[Any]) -> Shape:
    name = kind.__name__.lower()
    hints = get_type_hints(kind)
    columns = [_column(name, field, hint) for field, hint in hints.items()]
    table = Table(
        name, METADATA, *(column for column, _check, _make in columns),
        sqlite_with_rowid=kind is not m.Account,  # small rows that every transfer looks up: one tree, not two
    )  # fmt: skip
    for _made, check, _make in columns:
        if check is not None:
            table.append_constraint(check)
    for n, rule in enumerate(CHECKS.get(kind, ()), 1):
        table.append_constraint(CheckConstraint(rule.sql, name=f"ck_{name}_{n}"))
    for unique in UNIQUE.get(kind, ()):
        where = None if unique.where_null is None else text(f"{unique.where_null} IS NULL")
        Index(
            f"uq_{name}_{'_'.join(unique.fields)}", *(table.c[f] for f in unique.fields), unique=True,
            sqlite_where=where, postgresql_where=where,
        )  # fmt: skip
    whole = [unique.fields for unique in UNIQUE.get(kind, ()) if unique.where_null is None]
    for fields in INDEXES.get(kind, ()):
        longer = (o for o in (*INDEXES[kind], *whole) if o[: len(fields)] == fields and o != fields)
        if not any(longer):
            Index(f"ix_{name}_{'_'.join(fields)}", *(table.c[f] for f in fields))
    if kind is m.Timer:
        Index(f"ix_{name}_due_ms", table.c.due_ms, table.c.id)
    fields = tuple(hints)
    enums = tuple((n, make) for n, (_c, _k, make) in enumerate(columns) if make is not None)
    read = cast("Callable[[Any], tuple[Any, ...]]", attrgetter(*fields))
    return Shape(kind, table, fields, enums, read, maker(kind))


SHAPES: Mapping[type[Any], Shape] = {kind: _shape(kind) for kind in KINDS}
