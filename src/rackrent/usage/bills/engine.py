"""DuckDB, with a bill's files as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rackrent.errors import RackrentError
from rackrent.i18n import gettext as _
from rackrent.usage.complaints import refusal

MEMORY = "1GB"
"""What DuckDB may take; what does not fit goes to disk."""
WANTED = "pip install 'rackrent[bills]'"


class Missing(RackrentError):
    """The extra for bills is not installed (exit code 2)."""


def connect() -> Any:
    """Return a connection of Ibis to DuckDB in memory. Raises Missing in one sentence where they are not installed."""
    try:
        import duckdb  # noqa: F401
        import ibis
    except ImportError:
        raise Missing(_("reading bills needs Ibis and DuckDB: {command}").format(command=WANTED)) from None
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"SET memory_limit='{MEMORY}'; SET preserve_insertion_order=false; SET TimeZone='UTC'")
    return connection


def table_of(connection: Any, paths: list[Path], nested: bool = False) -> tuple[Any, int]:
    """Return all rows of the files as text, with `file` and `n` (how often the row stands there), and how many
    lines could not be read. A row that overlapping exports share is taken as often as the file that has it most often.

    Raises BadInput for a file that is no table.
    """
    import duckdb
    import ibis

    tables, unreadable = [], 0
    for i, path in enumerate(paths):
        try:
            connection.raw_sql(f"CREATE VIEW bill_{i} AS SELECT * FROM {_scan(path, i)}")
            table = connection.table(f"bill_{i}")
            if not nested:
                table = table.mutate(**{name: table[name].cast("string") for name in table.columns})
        except (duckdb.Error, ibis.common.exceptions.IbisError) as error:
            said = str(error).splitlines()[0]
            if "sniff" in said:
                raise refusal(str(path), _("this CSV breaks off, or a quote in it is not closed")) from None
            raise refusal(str(path), _("this is no readable table ({reason})").format(reason=said)) from None
        tables.append(table.mutate(file=ibis.literal(path.name)))
    if len(tables) == 1:
        return tables[0].mutate(n=ibis.literal(1, "int64")), unreadable
    names = list(dict.fromkeys(n for t in tables for n in t.columns))
    whole = ibis.union(*(_widened(t, names, tables) for t in tables))
    if nested:
        return whole.distinct(on=[n for n in names if n != "file"], keep="first").mutate(
            n=ibis.literal(1, "int64")
        ), 0
    rows = [n for n in names if n != "file"]
    by_file = whole.group_by(names).agg(n=lambda t: t.count())
    return by_file.group_by(rows).agg(n=by_file.n.max(), file=by_file.file.min()), unreadable


def rejected(connection: Any, paths: list[Path]) -> tuple[int, list[int]]:
    """Return how many lines DuckDB could not split into columns, and the first of their numbers. Call it after
    the table has been read."""
    total, lines = 0, []
    for i in range(len(paths)):
        known = connection.raw_sql(
            f"SELECT count(*) FROM duckdb_tables() WHERE table_name = 'rejects_{i}'"
        ).fetchone()[0]
        if known:
            found = connection.raw_sql(f"SELECT DISTINCT line FROM rejects_{i} ORDER BY line").fetchall()
            total += len(found)
            lines += [int(row[0]) for row in found]
    return total, lines


def _scan(path: Path, i: int) -> str:
    name = "'" + str(path).replace("'", "''") + "'"
    with path.open("rb") as file:
        head = file.read(4096)
    if head[:4] == b"PAR1":
        return f"read_parquet({name})"
    if head.lstrip()[:1] in (b"{", b"["):
        return f"read_json({name}, sample_size=-1, format='auto')"
    return (
        f"read_csv({name}, header=true, delim=',', quote='\"', escape='\"', all_varchar=true, "
        f"store_rejects=true, rejects_table='rejects_{i}', rejects_scan='scan_{i}', max_line_size=16000000)"
    )


def _widened(table: Any, names: list[str], tables: list[Any]) -> Any:
    """The columns of all files, in one order."""
    import ibis

    kinds = {n: t.schema()[n] for t in tables for n in t.columns}
    return table.select(**{n: table[n] if n in table.columns else ibis.null(kinds[n]) for n in names})
