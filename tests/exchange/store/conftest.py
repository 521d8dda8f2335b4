"""Three stores with nothing in them: in memory, in SQLite, in a PostgreSQL that is started for the session."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import event

from rackrent.exchange.store.base import Store
from rackrent.exchange.store.memory import MemoryStore
from rackrent.exchange.store.open import migrate, open_store
from rackrent.exchange.store.tables import METADATA
from tools.postgres import Server, private

KINDS = ("memory", "sqlite", "postgresql")
DATABASE = "tests"
numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL for this session (for this worker, where there are several). Where it does not start, tests fail."""
    with private(durable=False) as running:
        running.run(f"CREATE DATABASE {DATABASE}")
        migrate(running.database(DATABASE))
        yield running


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables and no rows."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return what gives the address of a migrated database of a kind with no rows: a new file, or the server's, emptied."""

    def make(kind: str) -> str:
        if kind == "sqlite":
            path = tmp_path / f"{next(numbers)}.db"
            shutil.copy(request.getfixturevalue("migrated"), path)
            return f"sqlite:///{path}"
        server = request.getfixturevalue("server")
        empty(server)
        return str(server.database(DATABASE))

    return make


def empty(server: Server) -> None:
    """Take all rows out of the database, past the triggers that forbid it."""
    gone = "; ".join(f"DELETE FROM {table.name}" for table in METADATA.sorted_tables)
    server.run(f"SET session_replication_role = replica; {gone}", database=DATABASE)


@pytest.fixture
def made(address: Callable[[str], str]) -> Iterator[Callable[..., Store]]:
    """Return what makes a new store of a kind; one that is not `durable` does not wait for the disk."""
    with ExitStack() as done:

        def make(kind: str, *, durable: bool = False) -> Store:
            if kind == "memory":
                return MemoryStore()
            store = open_store(address(kind))
            done.callback(store.close)
            if kind == "sqlite" and not durable:
                store.engine.dispose()
                event.listen(
                    store.engine, "connect", lambda c, _record: c.execute("PRAGMA synchronous = OFF")
                )
            return store

        yield make


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, made: Callable[[str], Store]) -> Store:
    """Each store in turn."""
    return made(request.param)


@pytest.fixture(params=KINDS[1:])
def database(request: pytest.FixtureRequest, made: Callable[[str], Store]) -> Store:
    """Each store in a database in turn."""
    return made(request.param)
