"""Measure everything: `python -m benchmarks [--write docs/benchmarks.md]`. Exit code 0, whether goals are met or not."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import (
    bench_building,
    bench_cold,
    bench_compare,
    bench_exchange,
    bench_exchange_simulator,
    bench_exchange_store,
    bench_planning,
    bench_query,
    bench_sources,
    bench_usage,
)
from benchmarks.measured import Measured, markdown, plain

BENCHES = (
    bench_cold, bench_query, bench_compare, bench_building, bench_sources, bench_planning, bench_usage, bench_exchange,
    bench_exchange_store, bench_exchange_simulator,
)  # fmt: skip
"""What is measured, in this order."""
QUIET = 1.5
"""Load of the machine above which times say little."""
PAGE = """\
# Benchmarks

What `make bench` measured on {day}: {machine}. {load}
`make bench` measures again on your machine; `python -m benchmarks --write docs/benchmarks.md` rewrites this page.

{table}

Times are the shortest of several runs; "cold" is a fresh process, the start of Python included, with files in the page cache. The search is timed
beside gpuhunt 0.1.34 on the same rows, in the same run: its figures on other machines say nothing about ours. The market of 50,000 offers is made up
(`benchmarks/market.py`), so are the offer file (in the published shape), the dump and the bill; the comparison is the public one, and memory is the
most that the process ever held, Python and its libraries included. The mixes are solved beside the forms that the load-duration form replaces (the
tests' oracle), on the same question. None of this is a test: a slow machine fails nothing, and all of it takes a quarter of an hour.
"""


def machine() -> str:
    """Return what this was measured on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model
        )
    except OSError:
        pass
    return f"{os.cpu_count()} cores ({model}), {platform.system()}, Python {platform.python_version()}"


def load() -> str:
    """Return how busy the machine was before the measurement."""
    now = os.getloadavg()[0]
    if now < QUIET:
        return "Nothing else ran."
    return f"Other programs ran (load {now:.1f}), so that times are longer than on a quiet machine."


def main(arguments: list[str]) -> int:
    """Measure, print, and write the page where one is named."""
    if arguments and (arguments[0] != "--write" or len(arguments) != 2):
        print("usage: python -m benchmarks [--write FILE]", file=sys.stderr)
        return 2
    busy, rows = load(), []
    for bench in BENCHES:
        for row in bench.measured():
            print(f"{row.what}: {row.figure}", file=sys.stderr)
            rows.append(row)
    print(f"{machine()}. {busy}\n\n{plain(rows)}")
    if arguments:
        path = Path(arguments[1])
        path.write_text(page(rows, busy) + by_hand(path), encoding="utf-8")
    return 0


def by_hand(path: Path) -> str:
    """Return what the page says below its first heading of second rank: it is written by hand, and stays."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    _table, heading, kept = before.partition("\n## ")
    return heading + kept


def page(rows: list[Measured], busy: str) -> str:
    """Return the page of documentation."""
    day = datetime.now(UTC).date().isoformat()
    return PAGE.format(day=day, machine=machine(), load=busy, table=markdown(rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
