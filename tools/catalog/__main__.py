"""Write every table: `python -m tools.catalog FACTS_DIR [TABLE ...]`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from rackrent.catalog.catalog import DATA_DIR
from tools.catalog.common import Row, Sources, write_table

WRITERS = (
    "gpus",
    "offers",
    "providers",
    "currency",
    "machines",
    "components",
    "benchmarks",
    "places",
    "judgement",
)


def main() -> None:
    """Build all tables from the facts and write them (or only those named)."""
    facts, only = Path(sys.argv[1]), set(sys.argv[2:])
    sources, tables = Sources(), {}
    for writer in WRITERS:
        module = import_module(f"tools.catalog.{writer}")
        built: dict[str, list[Row]] = module.build(facts, sources)
        tables.update(built)
    cited = {row["source"] for rows in tables.values() for row in rows if "source" in row}
    tables["sources"] = [row for id, row in sources.rows.items() if id in cited]
    for name, rows in tables.items():
        if not only or name in only:
            write_table(name, rows, DATA_DIR)
            print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
