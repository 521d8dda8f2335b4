"""Time the comparison of a large market with all its uncertainty, and what it keeps in memory.

Usage: python -m benchmarks.bench_compare [OFFERS DRAWS]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import rackrent
from benchmarks.market import synthetic_catalog
from benchmarks.measured import Measured, peak_mb
from rackrent.comparison.uncertainty import uncertainty

WORKLOAD = {
    "demand": {"utilisation": 0.3, "reference_gpu": "A100 PCIe 80GB"},
    "data": {"storage_gb": 500, "egress_gb_per_month": 100},
    "interruptible": True,
}
OFFERS, DRAWS = 50_000, 4_096
SIZES = ((OFFERS // 4, DRAWS), (OFFERS, DRAWS // 4), (OFFERS, DRAWS))
LINEAR = 1.25
"""Four times the offers (or draws) may take this times four times as long."""
REPEATS = 3


class Timed(NamedTuple):
    """One size: seconds to rank, seconds with all states (best of a few), memory at most so far, MB."""

    offers: int
    draws: int
    ranked_s: float
    total_s: float
    memory_mb: float


def timed(offers: int, draws: int) -> Timed:
    """Compare a market of `offers` in `draws` states."""
    best = (float("inf"), float("inf"))
    for _ in range(REPEATS):
        catalog = synthetic_catalog(offers)
        start = time.perf_counter()
        result = rackrent.compare(WORKLOAD, catalog)
        ranked = time.perf_counter() - start
        uncertainty(result.options, draws=draws)
        best = min(best, (time.perf_counter() - start, ranked))
    return Timed(offers, draws, best[1], best[0], peak_mb())


def measured() -> Iterator[Measured]:
    """Yield time, memory and growth, taken in a process of its own so that the memory is its own."""
    command = [sys.executable, "-m", "benchmarks.bench_compare"]
    root = Path(__file__).parent.parent
    told = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    sizes = [Timed(*json.loads(line)) for line in told.splitlines()]
    few_offers, few_draws, full = sizes
    what = f"compare {full.offers:,} offers in {full.draws:,} states"
    yield Measured(f"{what}, ranking alone", f"{full.ranked_s:.2f} s")
    yield Measured(what, f"{full.total_s:.2f} s", "<= 3 s", full.total_s <= 3)
    yield Measured(f"{what}, memory at most", f"{full.memory_mb:.0f} MB", "<= 600 MB", full.memory_mb <= 600)
    for less, name in ((few_offers, "offers"), (few_draws, "states")):
        ratio = full.total_s / less.total_s
        goal = f"<= {4 * LINEAR:g} times (linear: 4)"
        yield Measured(
            f"the same against a quarter of the {name}", f"{ratio:.1f} times", goal, ratio <= 4 * LINEAR
        )


if __name__ == "__main__":
    rackrent.compare(WORKLOAD, synthetic_catalog(1_000)).uncertainty  # noqa: B018 - imports and first use
    for size in [(int(sys.argv[1]), int(sys.argv[2]))] if len(sys.argv) == 3 else SIZES:
        print(json.dumps(timed(*size)))
