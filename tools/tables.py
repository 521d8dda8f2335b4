"""Print the tables that the exchange's classes make, as SQL: `python -m tools.tables sqlite|postgresql`.

For writing a migration: what a class has gained is seen here, and `tests/exchange/store/test_migrations.py` holds the
migrations to it.
"""

from __future__ import annotations

import sys

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from rackrent.exchange.store.tables import METADATA

DIALECTS = {"postgresql": postgresql.dialect, "sqlite": sqlite.dialect}


def statements(name: str) -> list[str]:
    """Return the statements that make all tables and indexes, by name."""
    dialect = DIALECTS[name]()
    made = []
    for table in METADATA.sorted_tables:
        made.append(str(CreateTable(table).compile(dialect=dialect)).strip().replace("\t", "    "))
        made += [
            str(CreateIndex(i).compile(dialect=dialect)).strip()
            for i in sorted(table.indexes, key=lambda i: str(i.name))
        ]
    return ["\n".join(line.rstrip() for line in one.splitlines()) + ";\n" for one in made]


def main(arguments: list[str]) -> int:
    """Print them."""
    if len(arguments) != 1 or arguments[0] not in DIALECTS:
        print("usage: python -m tools.tables sqlite|postgresql", file=sys.stderr)
        return 2
    print("\n".join(statements(arguments[0])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
