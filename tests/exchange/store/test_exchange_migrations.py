"""The steps that make a database, held to the classes; and what is said of databases that cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, MetaData, create_engine, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.schema import CreateTable

from rackrent.errors import BadInput, RackrentError
from rackrent.exchange.store import migrations
from rackrent.exchange.store.open import Unusable, migrate, open_store
from rackrent.exchange.store.tables import METADATA
from tools.postgres import Server

TRIGGERS = {
    "sqlite": {
        "account_append_only", "account_bounded", "account_made", "account_moved", "settlement_append_only", "settlement_chain",
        "settlement_covered", "settlement_numbered", "settlement_replaced", "settlement_unchanged",
        "transfer_append_only", "transfer_counted", "transfer_moves", "transfer_replaced", "transfer_reversed", "transfer_unchanged",
    },
    "postgresql": {
        "account_append_only", "account_moved", "settlement_append_only", "settlement_chain", "transfer_append_only",
        "transfer_moves",
    },
}  # fmt: skip
EXTRA = {"alembic_version", "moving"}


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Server = request.getfixturevalue("server")
    server.run("CREATE DATABASE without_tables")
    yield server.database("without_tables")
    server.run("DROP DATABASE without_tables WITH (FORCE)")


def engine_of(url: str) -> Engine:
    address = make_url(url)
    return create_engine(address.set(drivername="postgresql+psycopg") if "postgres" in url else address)


def described(engine: Engine) -> dict[str, Any]:
    """All that a database says of its tables, as SQL: columns, keys, checks, indexes."""
    reflected = MetaData()
    reflected.reflect(engine)
    look = inspect(engine)
    found: dict[str, Any] = {}
    for table in reflected.sorted_tables:
        if table.name in EXTRA:
            continue
        checks = sorted((str(c["name"]), str(c["sqltext"])) for c in look.get_check_constraints(table.name))
        indexes = sorted(
            (
                str(i["name"]),
                tuple(i["column_names"]),
                bool(i["unique"]),
                sorted((k, str(v)) for k, v in (i.get("dialect_options") or {}).items()),
            )
            for i in look.get_indexes(table.name)
        )
        columns = [
            (c.name, str(c.type), c.nullable, c.primary_key, getattr(c.type, "collation", None))
            for c in table.columns
        ]
        found[table.name] = (columns, checks, indexes, str(CreateTable(table).compile(engine)))
    return found


def triggers(engine: Engine) -> set[str]:
    of = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'",
    }
    with engine.connect() as conn:
        return set(conn.execute(text(of[engine.dialect.name])).scalars())


def test_the_steps_make_the_tables_of_the_classes(
    empty: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    migrate(empty)
    engine = engine_of(empty)
    with engine.connect() as conn:
        context = MigrationContext.configure(
            conn,
            opts={
                "compare_type": True,
                "include_object": lambda _o, name, kind, *_more: kind != "table" or name not in EXTRA,
            },
        )
        assert compare_metadata(context, METADATA) == []
    if engine.dialect.name == "sqlite":
        other = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    else:
        server: Server = request.getfixturevalue("server")
        server.run("DROP DATABASE IF EXISTS made", "CREATE DATABASE made")
        other = engine_of(server.database("made"))
    METADATA.create_all(other)
    assert described(engine) == described(other)
    assert triggers(engine) == TRIGGERS[engine.dialect.name]
    engine.dispose()
    other.dispose()


def test_a_database_that_is_up_to_date_stays_as_it_is(empty: str) -> None:
    migrate(empty)
    engine = engine_of(empty)
    before = described(engine)
    migrate(empty)
    assert described(engine) == before
    engine.dispose()


def test_an_empty_database_is_set_up_when_it_is_opened(empty: str) -> None:
    open_store(empty).close()
    open_store(empty).close()
    engine = engine_of(empty)
    with engine.connect() as conn:
        assert migrations.stands(conn) == "current"
    engine.dispose()


def test_a_step_that_fails_leaves_nothing(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = migrations._statements
    monkeypatch.setattr(
        migrations, "_statements", lambda script, dialect: [*whole(script, dialect), "NO SUCH WORD"]
    )
    with pytest.raises(Unusable):
        migrate(empty)
    engine = engine_of(empty)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def marked(url: str, revision: str) -> None:
    engine = engine_of(url)
    with engine.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})
    engine.dispose()


def test_a_database_of_a_newer_version_is_left_alone(empty: str) -> None:
    migrate(empty)
    marked(empty, "9999")
    for use in (open_store, migrate):
        with pytest.raises(Unusable, match="made by a newer version of rackrent: update rackrent"):
            use(empty)


def test_a_database_of_an_older_version_is_migrated_only_when_asked(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty)
    monkeypatch.setattr(migrations, "stands", lambda _conn: "older")
    with pytest.raises(Unusable, match="older version: back it up, then migrate it"):
        open_store(empty)
    migrate(empty)


def test_tables_of_something_else_are_left_alone(empty: str) -> None:
    engine = engine_of(empty)
    with engine.begin() as conn:
        conn.execute(text("CREATE TABLE shopping (what TEXT)"))
    engine.dispose()
    with pytest.raises(Unusable, match="holds tables of something else"):
        open_store(empty)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hub.db",
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://me@host/db",
        "postgresql",
        "postgresql://h:port/x",
        "http://x",
    ],
)
def test_what_is_no_address_is_said_in_a_sentence(url: str) -> None:
    with pytest.raises(
        BadInput, match=r"no address of a database: give sqlite:///FILE or postgresql://USER@SERVER/NAME\.$"
    ):
        open_store(url)


def test_a_server_that_is_not_there_is_said_in_a_sentence_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(Unusable) as caught:
        open_store(f"postgresql://me:secret@/hub?host={tmp_path}")
    said = str(caught.value)
    assert "cannot be used" in said and "secret" not in said and "\n" not in said


def test_a_file_that_is_no_database_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk.\n" * 200)
    with pytest.raises(Unusable, match=r"cannot be used: file is not a database\.$"):
        open_store(f"sqlite:///{path}")
    assert path.read_text() == "Buy milk.\n" * 200


def test_a_folder_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"cannot be used: unable to open database file\.$"):
        open_store(f"sqlite:///{tmp_path / 'none' / 'hub.db'}")


def test_every_sentence_is_one_that_the_command_line_knows(tmp_path: Path) -> None:
    assert issubclass(Unusable, RackrentError)


def test_the_steps_are_in_the_package() -> None:
    folder = Path(migrations.__file__).parent / "versions"
    steps = migrations.steps()
    assert [step.revision for step in steps.walk_revisions()] == ["0001"]
    assert {p.name for p in folder.glob("*.sql")} == {
        f"v0001_{what}_{dialect}.sql"
        for what in ("tables", "triggers")
        for dialect in ("sqlite", "postgresql")
    }


def test_sqlite_keeps_a_write_ahead_log_and_waits_for_the_disk(made: Callable[[str], Any]) -> None:
    store = made("sqlite", durable=True)
    with store.engine.connect() as conn:
        assert conn.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert conn.execute(text("PRAGMA synchronous")).scalar() == 2
    path = str(store.engine.url.database)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
