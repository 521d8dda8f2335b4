"""The stores in a database: what SQLite and PostgreSQL have in common. Synchronous SQLAlchemy Core, statements made once.

What differs is in a `Dialect`: how many rows are written at once, how a refusal of the database is read, and what is worth
trying again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import groupby
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import Connection, Engine, Executable, bindparam, select
from sqlalchemy.exc import DBAPIError, ResourceClosedError
from sqlalchemy.exc import TimeoutError as NoConnection

from rackrent.exchange.model import Account, Entity, Request, Timer
from rackrent.exchange.problems import Busy, Refused
from rackrent.exchange.store.schema import APPEND_ONLY, INDEXES, KINDS, checker, fixed, missing
from rackrent.exchange.store.tables import SHAPES, Shape
from rackrent.i18n import gettext as _

E = TypeVar("E", bound=Entity)
T = TypeVar("T")

CHECKERS = {kind: checker(kind) for kind in KINDS}


class Dialect(Protocol):
    """What one database does in its own way."""

    tries: int
    """How often a transaction is run before it is given up."""

    def ids(self, ids: Sequence[str]) -> Any:
        """Return ids as the one parameter of `among`."""

    @staticmethod
    def among(shape: Shape) -> Any:
        """Return the condition that the id of a row is among the parameter `ids`."""

    def add(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows of one kind."""

    def put(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> int:
        """Update rows by their ids; return how many there were."""

    def arm(self, conn: Connection, shape: Shape, values: Sequence[Any]) -> None:
        """Insert rows, or update those with the same ids."""

    def lock_absent(self, conn: Connection, id: str) -> None:
        """Wait for whoever has locked this id of a Request, which need not be there; keep others waiting."""

    def refusal(self, conn: Connection, error: DBAPIError, values: Sequence[Any]) -> Refused | None:
        """Return what a refusal of the database to write `values` means; None: it is something else."""

    def passing(self, error: DBAPIError) -> bool:
        """Return whether the same transaction may succeed when it is run again."""

    def turn(self) -> AbstractContextManager[object]:
        """Return what is held by who writes, within this process."""


class SqlTx:
    """A transaction of a database."""

    def __init__(self, conn: Connection, dialect: Dialect) -> None:
        self._conn, self._dialect = conn, dialect

    def find(self, kind: type[E], id: str, *, lock: bool = False) -> E | None:
        """Return the value with this id, or None."""
        if lock and kind is Request:
            self._dialect.lock_absent(self._conn, id)
        shape = SHAPES[kind]
        with self._refusing():
            row = self._conn.execute(_find(shape, lock), {"id": id}).first()
        return None if row is None else cast(E, shape.value(row))

    def many(self, kind: type[E], ids: Iterable[str], *, lock: bool = False) -> dict[str, E]:
        """Return those values with these ids that are there."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        shape = SHAPES[kind]
        with self._refusing():
            rows = self._conn.execute(
                _many(type(self._dialect), shape, lock), {"ids": self._dialect.ids(wanted)}
            ).all()
        return {value.id: value for value in map(shape.value, rows)}

    def of(self, kind: type[E], **equal: Any) -> list[E]:
        """Return the values whose fields are as given, by id."""
        shape = SHAPES[kind]
        statement = _of(shape, tuple((name, value is None) for name, value in equal.items()))
        given: dict[str, Any] = {
            n: str(v) if isinstance(v, str) else v for n, v in equal.items() if v is not None
        }
        with self._refusing():
            return [shape.value(row) for row in self._conn.execute(statement, given).all()]

    def add(self, *values: Entity) -> None:
        """Keep new values; a transfer also changes balances."""
        for kind, group in groupby(values, type):
            same = list(group)
            for value in same:
                CHECKERS[kind](value)
            if kind is Account:
                raise fixed(kind)
            with self._refusing(same):
                self._dialect.add(self._conn, SHAPES[kind], same)

    def put(self, *values: Entity) -> None:
        """Keep values in place of those with the same ids."""
        for kind, group in groupby(values, type):
            if kind in APPEND_ONLY or kind is Account:
                raise fixed(kind)
            same = list({value.id: value for value in group}.values())
            for value in same:
                CHECKERS[kind](value)
            with self._refusing(same):
                found = self._dialect.put(self._conn, SHAPES[kind], same)
            if found != len(same):
                there: dict[str, Any] = self.many(kind, [value.id for value in same])
                raise missing(next(value for value in same if value.id not in there))

    def arm(self, *timers: Timer) -> None:
        """Set timers, each in place of that with the same id."""
        same = list({timer.id: timer for timer in timers}.values())
        for timer in same:
            CHECKERS[Timer](timer)
        if same:
            with self._refusing(same):
                self._dialect.arm(self._conn, SHAPES[Timer], same)

    def disarm(self, *ids: str) -> None:
        """Remove timers; those that are not there are no error."""
        if ids:
            with self._refusing():
                self._conn.execute(_disarm(type(self._dialect)), {"ids": self._dialect.ids(ids)})

    def due(self, now_ms: int, limit: int) -> list[Timer]:
        """Return timers that are due, earliest first, passing over what others have taken."""
        shape = SHAPES[Timer]
        with self._refusing():
            rows = self._conn.execute(_due(), {"now_ms": now_ms, "most": limit}).all()
        return [shape.value(row) for row in rows]

    @contextmanager
    def _refusing(self, values: Sequence[Any] = ()) -> Iterator[None]:
        """Say what a refusal of the database means."""
        try:
            yield
        except DBAPIError as error:
            refusal = self._dialect.refusal(self._conn, error, values)
            if refusal is None:
                raise
            raise refusal from None


class SqlStore:
    """The exchange's values in a database. For as many threads and processes as like."""

    def __init__(self, engine: Engine, dialect: Dialect) -> None:
        self.engine, self._dialect = engine, dialect

    def run(self, work: Callable[[SqlTx], T]) -> T:
        """Run `work` in a transaction, again where others got in its way; return what it returns. Raises Busy."""
        for attempt in range(self._dialect.tries):
            ending = False
            try:
                with self._dialect.turn(), self.engine.connect() as conn, conn.begin() as transaction:
                    made = work(SqlTx(conn, self._dialect))
                    ending = True
                    transaction.commit()
                    return made
            except NoConnection:
                raise Busy(_("The database has no connection left; try again.")) from None
            except DBAPIError as error:
                if error.connection_invalidated and ending:
                    raise Busy(
                        _("The database went away while this was being kept: look whether it was.")
                    ) from None
                if not self._dialect.passing(error) and not error.connection_invalidated:
                    raise
                time.sleep(random.uniform(0, 0.002 * 2**attempt))
            except ResourceClosedError as error:
                raise Busy(_("The database went away.")) from error
        raise Busy(_("Others kept the database busy; nothing was changed. Try again."))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@cache
def _find(shape: Shape, lock: bool) -> Executable:
    table = shape.table
    found = select(table).where(table.c.id == bindparam("id"))
    return found.with_for_update() if lock else found


@cache
def _many(dialect: type[Dialect], shape: Shape, lock: bool) -> Executable:
    found = select(shape.table).where(dialect.among(shape)).order_by(shape.table.c.id)
    return found.with_for_update() if lock else found


@cache
def _of(shape: Shape, fields: tuple[tuple[str, bool], ...]) -> Executable:
    table = shape.table
    names = tuple(name for name, _null in fields)
    if names and names not in INDEXES.get(shape.kind, ()):
        raise KeyError(f"{shape.kind.__name__} has no index on {names}")
    found = select(table).order_by(table.c.id)
    for name, null in fields:
        found = found.where(table.c[name].is_(None) if null else table.c[name] == bindparam(name))
    return found


@cache
def _disarm(dialect: type[Dialect]) -> Executable:
    shape = SHAPES[Timer]
    return shape.table.delete().where(dialect.among(shape))


@cache
def _due() -> Executable:
    table = SHAPES[Timer].table
    found = select(table).where(table.c.due_ms <= bindparam("now_ms")).order_by(table.c.due_ms, table.c.id)
    return found.limit(bindparam("most")).with_for_update(skip_locked=True)
