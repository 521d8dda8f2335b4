"""How a database comes to have the tables of this version: steps in SQL, taken by Alembic, all in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic import op
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text

HERE = Path(__file__).parent
LOCK = 0x7261636B
"""The advisory lock under which PostgreSQL is migrated: one process at a time."""


def run_file(name: str) -> None:
    """Run the statements of a file beside the steps, for the database at hand."""
    conn = op.get_bind()
    path = HERE / "versions" / f"{name}_{conn.dialect.name}.sql"
    for statement in _statements(path.read_text(encoding="utf-8"), conn.dialect.name):
        conn.exec_driver_sql(statement, execution_options={"no_parameters": True})


def _statements(script: str, dialect: str) -> Iterator[str]:
    """Yield one statement at a time where the driver takes no more; a trigger is one."""
    if dialect != "sqlite":
        yield script
        return
    held = ""
    for line in script.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            yield held
            held = ""


def steps() -> ScriptDirectory:
    """Return the steps there are."""
    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def stands(conn: Connection) -> str:
    """Return where a database stands: `current`, `empty`, `older`, `newer`, or `foreign` where it holds other tables."""
    there = set(inspect(conn).get_table_names())
    at = MigrationContext.configure(conn).get_current_revision() if "alembic_version" in there else None
    if at is None:
        return "foreign" if there - {"alembic_version"} else "empty"
    known = steps()
    try:
        known.get_revision(at)
    except CommandError:
        return "newer"
    return "current" if at == known.get_current_head() else "older"


def upgrade(conn: Connection) -> None:
    """Take the steps that are missing, within the transaction at hand; none is no error."""
    known = steps()
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})

    def missing(at: Any, _context: Any) -> Any:
        return known._upgrade_revs("head", at)

    with EnvironmentContext(Config(), known, fn=missing) as environment:
        environment.configure(connection=conn, transactional_ddl=True)
        environment.run_migrations()
