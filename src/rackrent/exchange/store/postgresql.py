"""PostgreSQL, through psycopg 3: many writers, rows locked; a batch is one statement, its columns as arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Text,
    any_,
    bindparam,
    cast,
    column,
    create_engine,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.selectable import TableValuedAlias

from rackrent.exchange.problems import Conflict, Invalid, Refused
from rackrent.exchange.store.schema import CHAINS, UNIQUE, duplicate, fixed, unbounded, uncovered
from rackrent.exchange.store.tables import SHAPES, Shape
from rackrent.i18n import gettext as _

CONNECTIONS = 16
OPTIONS = "-c lock_timeout=10s -c idle_in_transaction_session_timeout=60s -c jit=off -c timezone=UTC"
"""Nobody waits for ever, neither for a lock nor for a hub that hangs."""
SERIALIZATION, DEADLOCK, NO_LOCK, TOO_LARGE = "40001", "40P01", "55P03", "22003"


def engine(url: URL, connections: int = CONNECTIONS) -> Engine:
    """Return an engine. Transactions see what is committed; what is decided on is locked first."""
    return create_engine(
        url.set(drivername="postgresql+psycopg"), isolation_level="READ COMMITTED",
        pool_size=connections, max_overflow=0, connect_args={"connect_timeout": 10, "options": OPTIONS},
    )  # fmt: skip


class Postgresql:
    """How PostgreSQL does it."""

    tries = 8

    def ids(self, ids: Sequence[str]) -> list[str]:
        """Return ids as an array."""
        return list(ids)

    @staticmethod
    def among(shape: Shape) -> Any:
        """Return the condition that the id of a row is among the parameter `ids`."""
        return shape.table.c.id == any_(bindparam("ids", type_=ARRAY(Text)))

    def add(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows; a transfer's trigger moves the money of all of them at once."""
        conn.execute(_insert(shape), _arrays(shape, values))

    def put(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> int:
        """Update rows by their ids; return how many there were."""
        return conn.execute(_update(shape), _arrays(shape, values)).rowcount

    def arm(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows, or update those with the same ids, in the order of their ids."""
        conn.execute(_upsert(shape), _arrays(shape, sorted(values, key=lambda value: str(value.id))))

    def lock_absent(self, conn: Connection, id: str) -> None:
        """Take the lock of a name, which ends with the transaction."""
        conn.execute(_name_lock(), {"id": id})

    def refusal(self, conn: Connection, error: DBAPIError, values: Sequence[Any]) -> Refused | None:
        """Read what PostgreSQL says: its code, and the constraint's name, which our triggers give as well."""
        said: Any = error.orig
        code, diag = str(said.sqlstate or ""), said.diag
        if code == TOO_LARGE:
            return unbounded()
        if code.startswith("22"):
            return Invalid(_("The database refuses it: {why}.").format(why=diag.message_primary))
        if not code.startswith("23"):
            return None
        name, detail = diag.constraint_name or "", diag.message_detail or ""
        shape = next((s for s in SHAPES.values() if s.table.name == diag.table_name), None)
        kind = type(values[0]) if values else None if shape is None else shape.kind
        if name == "append_only" and kind is not None:
            return fixed(kind)
        if name == "covered":
            return uncovered(detail)
        if name == "chain" and kind is not None:
            return Conflict(_(CHAINS[kind].text))
        if shape is not None and name == f"{shape.table.name}_pkey":
            found = re.search(r"=\((.*)\)", detail)
            return duplicate(next((v for v in values if found is not None and v.id == found[1]), values[0]))
        for rule in UNIQUE.get(shape.kind, ()) if shape is not None else ():
            if name == f"uq_{diag.table_name}_{'_'.join(rule.fields)}":
                return Conflict(_(rule.text))
        return Conflict(_("The database refuses it: {why}.").format(why=diag.message_primary))

    def passing(self, error: DBAPIError) -> bool:
        """Return whether another transaction was in the way."""
        return getattr(error.orig, "sqlstate", None) in (SERIALIZATION, DEADLOCK, NO_LOCK)

    def turn(self) -> AbstractContextManager[object]:
        """Nobody waits for a turn: rows are locked."""
        return nullcontext()


def _arrays(shape: Shape, values: Sequence[Any]) -> dict[str, str]:
    """Return the parameters of a batch: the columns of its rows as array literals."""
    columns = zip(*map(shape.row, values), strict=True)
    return {f"new_{name}": literal(column) for name, column in zip(shape.fields, columns, strict=True)}


def literal(items: Sequence[str | float | bool | None]) -> str:
    r"""Return a PostgreSQL array as text: faster for whole columns than a driver that looks at each item's type.

    >>> literal(["a", None, 'x"y\\z', "", "NULL"]), literal([1, None, -2]), literal([True, False]), literal([0.1])
    ('{"a",NULL,"x\\"y\\\\z","","NULL"}', '{1, NULL, -2}', '{True, False}', '{0.1}')
    """
    kinds = set(map(type, items))
    if str not in kinds:
        return "{" + str(list(items))[1:-1].replace("None", "NULL") + "}"
    if kinds == {str}:
        joined = '","'.join(items)  # type: ignore[arg-type]
        if "\\" not in joined and joined.count('"') == 2 * len(items) - 2:
            return f'{{"{joined}"}}'
    return "{" + ",".join(map(_text, items)) + "}"  # type: ignore[arg-type]


def _text(item: str | None) -> str:
    return "NULL" if item is None else '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def _given(shape: Shape) -> TableValuedAlias:
    """Return the rows that the parameters, an array a column, stand for."""
    columns = shape.table.c
    arrays = [cast(bindparam(f"new_{c.name}", type_=Text), ARRAY(_plain(c.type))) for c in columns]
    return (
        func.unnest(*arrays)
        .table_valued(*(column(c.name, c.type) for c in columns), name="given")
        .render_derived()
    )


def _plain(type_: Any) -> Any:
    return Text() if isinstance(type_, Text) else type_


@cache
def _insert(shape: Shape) -> Executable:
    return shape.table.insert().from_select(list(shape.fields), select(*_given(shape).c))


@cache
def _update(shape: Shape) -> Executable:
    given = _given(shape)
    columns = {name: given.c[name] for name in shape.fields if name != "id"}
    return shape.table.update().where(shape.table.c.id == given.c.id).values(columns)


@cache
def _upsert(shape: Shape) -> Executable:
    made = insert(shape.table).from_select(list(shape.fields), select(*_given(shape).c))
    return made.on_conflict_do_update(
        index_elements=["id"], set_={name: made.excluded[name] for name in shape.fields if name != "id"}
    )


@cache
def _name_lock() -> Executable:
    return select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("id", type_=Text), 0)))
