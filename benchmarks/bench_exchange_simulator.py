"""Time the simulator: events a second of one process, every fault on, all checks included.

Usage: python -m benchmarks.bench_exchange_simulator [HOSTS [DAYS]]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from benchmarks.measured import Measured, plain
from benchmarks.soak import JOB_HOURS
from rackrent.exchange.simulate.run import simulate
from rackrent.exchange.simulate.scenario import Scenario

EVENTS_PER_S = 20_000
"""The goal."""


def measured(hosts: int = 400, days: float = 3.0) -> Iterator[Measured]:
    """Yield how fast a market of so many hosts is simulated. Time of the process, so that other programs count less."""
    start = time.process_time()
    outcome = simulate(Scenario(hosts=hosts, days=days, seed=1, job_hours=JOB_HOURS))
    took = time.process_time() - start
    assert outcome.violation is None, outcome.violation
    speed = outcome.world.events / took
    what = f"simulated market, {hosts:,} hosts, {days:g} days, every fault and check"
    yield Measured(what, f"{speed:,.0f} events/s", f">= {EVENTS_PER_S:,} events/s", speed >= EVENTS_PER_S)


if __name__ == "__main__":
    hosts, days = [*sys.argv[1:], *("400", "3")[len(sys.argv) - 1 :]]
    print(plain(list(measured(int(hosts), float(days)))))
