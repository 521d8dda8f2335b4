"""SQLite: one file, one writer at a time, write-ahead log."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from sqlalchemy import ClauseElement, Connection, Engine, bindparam, create_engine, event, func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from rackrent.exchange.model import Account, Transfer
from rackrent.exchange.problems import Conflict, Refused
from rackrent.exchange.rules import ledger
from rackrent.exchange.store.schema import CHAINS, UNIQUE, duplicate, fixed, unbounded, uncovered
from rackrent.exchange.store.tables import SHAPES, Shape
from rackrent.i18n import gettext as _

WAIT_S = 10.0
"""How long another process may hold the file before a transaction is tried again."""
CACHE_KIB = 65_536
LOG_PAGES = 8_000
"""After how many pages (32 MiB) the log is written back into the file."""


def engine(url: URL, wait_s: float = WAIT_S) -> Engine:
    """Return an engine whose transactions begin as writers, so that none fails half-way for another's sake."""
    made = create_engine(url, connect_args={"timeout": wait_s, "check_same_thread": False})

    @event.listens_for(made, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # money: what is kept outlives a power cut
        connection.execute("PRAGMA temp_store = MEMORY")  # what a statement may have to take back
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")

    @event.listens_for(made, "begin")
    def _begin(conn: Connection) -> None:
        conn.exec_driver_sql("BEGIN IMMEDIATE")

    return made


UNCOVERED = "ck_account_1"
"""The check that no balance is below zero."""


class Sqlite:
    """How SQLite does it: row by row with a prepared statement, which costs it nothing."""

    tries = 4

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def ids(self, ids: Sequence[str]) -> str:
        """Return ids as a JSON array."""
        return json.dumps(list(ids))

    @staticmethod
    def among(shape: Shape) -> Any:
        """Return the condition that the id of a row is among the parameter `ids`."""
        each = func.json_each(bindparam("ids")).table_valued("value")
        return shape.table.c.id.in_(select(each.c.value))

    def add(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows; a transfer's trigger moves the money of each in turn."""
        if len(values) > 1:
            conn.exec_driver_sql("SAVEPOINT several")
        conn.exec_driver_sql(_insert(shape), [tuple(shape.row(value)) for value in values])
        if len(values) > 1:
            conn.exec_driver_sql("RELEASE several")

    def put(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> int:
        """Update rows by their ids; return how many there were."""
        rows = [(*row, row[0]) for row in map(shape.row, values)]
        return conn.exec_driver_sql(_update(shape), rows).rowcount

    def arm(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows, or update those with the same ids."""
        conn.exec_driver_sql(_upsert(shape), [tuple(shape.row(value)) for value in values])

    def lock_absent(self, conn: Connection, id: str) -> None:
        """There is one writer at a time: everything is locked."""

    def refusal(self, conn: Connection, error: DBAPIError, values: Sequence[Any]) -> Refused | None:
        """Read what SQLite says, which is the constraint's columns or name, or the word of a trigger."""
        if not isinstance(error, IntegrityError):
            return None
        said = str(error.orig)
        what, _colon, rest = said.partition(": ")
        table = rest.partition(".")[0]
        shape = next((s for s in SHAPES.values() if s.table.name == (table or said.rpartition(" ")[2])), None)
        if said.startswith("append only"):
            return fixed(shape.kind if shape is not None else Account)
        if said == "out of range":
            return unbounded()
        if rest == UNCOVERED:
            _undo(conn, values)
            return uncovered(_short(conn, values))
        if said.startswith("chain"):
            return Conflict(_(CHAINS[type(values[0])].text))
        if what == "UNIQUE constraint failed" and shape is not None:
            fields = tuple(part.rpartition(".")[2] for part in rest.split(", "))
            if fields == ("id",):
                _undo(conn, values)
                return duplicate(_first_there(conn, shape, values))
            for rule in UNIQUE.get(shape.kind, ()):
                if rule.fields == fields:
                    return Conflict(_(rule.text))
        return Conflict(_("The database refuses it: {why}.").format(why=said))

    def passing(self, error: DBAPIError) -> bool:
        """Return whether another process had the file."""
        said = str(error.orig)
        return isinstance(error, OperationalError) and ("locked" in said or "busy" in said)

    def turn(self) -> AbstractContextManager[object]:
        """Return the lock that threads queue up at, rather than asking SQLite again and again."""
        return self._turn


def _undo(conn: Connection, values: Sequence[Any]) -> None:
    """Take back the rows of a batch that were written before the one that was refused."""
    if len(values) > 1:
        conn.exec_driver_sql("ROLLBACK TO several")


def _short(conn: Connection, transfers: Sequence[Transfer]) -> str:
    """Return the account that the first of some transfers that is not covered would take from."""
    table = SHAPES[Account].table
    balances: dict[str, int] = {}
    for transfer in transfers:
        for account in (transfer.debit, transfer.credit):
            if account not in balances:
                found = conn.execute(select(table.c.balance_micro_usd).where(table.c.id == account)).scalar()
                balances[account] = found or 0
        balances[transfer.debit] -= transfer.amount_micro_usd
        balances[transfer.credit] += transfer.amount_micro_usd
        if balances[transfer.debit] < 0 and not ledger.may_go_below_zero(transfer.debit):
            return transfer.debit
    return transfers[-1].debit


def _first_there(conn: Connection, shape: Shape, values: Sequence[Any]) -> Any:
    """Return the first value whose id is there already, or stands twice among them."""
    found = select(shape.table.c.id).where(shape.table.c.id.in_([value.id for value in values]))
    seen = set(conn.execute(found).scalars())
    for value in values:
        if value.id in seen:
            return value
        seen.add(value.id)
    return values[0]


@cache
def _insert(shape: Shape) -> str:
    return _compiled(shape.table.insert())


@cache
def _update(shape: Shape) -> str:
    columns: dict[str, Any] = {name: bindparam(name) for name in shape.fields}
    return _compiled(shape.table.update().where(shape.table.c.id == bindparam("which")).values(columns))


@cache
def _upsert(shape: Shape) -> str:
    made = insert(shape.table)
    return _compiled(
        made.on_conflict_do_update(
            index_elements=["id"], set_={name: made.excluded[name] for name in shape.fields if name != "id"}
        )
    )


def _compiled(statement: ClauseElement) -> str:
    """Return a statement as text; its parameters are the columns in the order of the class's fields."""
    return str(statement.compile(dialect=sqlite.dialect()))
