"""Time the comparison of a large market with all its uncertainty, and what it keeps in memory.

Usage: python -m benchmarks.bench_compare [OFFERS DRAWS]
"""

from __future__ import annotations

import resource
import sys
import time

from benchmarks.market import synthetic_catalog

import rackrent
from rackrent.comparison.uncertainty import uncertainty

WORKLOAD = {
    "demand": {"utilisation": 0.3, "reference_gpu": "A100 PCIe 80GB"},
    "data": {"storage_gb": 500, "egress_gb_per_month": 100},
    "interruptible": True,
}
SIZES = ((12_500, 4_096), (25_000, 4_096), (50_000, 1_024), (50_000, 2_048), (50_000, 4_096))


def main() -> None:
    """Print a line for each size: seconds to rank, seconds with all states, memory at most."""
    sizes = [(int(sys.argv[1]), int(sys.argv[2]))] if len(sys.argv) == 3 else list(SIZES)
    rackrent.compare(WORKLOAD, synthetic_catalog(1_000)).uncertainty  # noqa: B018 - imports and first use
    for offers, draws in sizes:
        catalog = synthetic_catalog(offers)
        start = time.perf_counter()
        result = rackrent.compare(WORKLOAD, catalog)
        ranked = time.perf_counter() - start
        states = uncertainty(result.options, draws=draws)
        total = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
        print(
            f"compare {offers:>6,} offers x {draws:>5,} states: {ranked:.2f} s ranked, {total:.2f} s in all, "
            f"{result.options.feasible_count:,} feasible, P(best) {states.probability_best.max():.2f}, "
            f"{memory:,.0f} MB at most so far"
        )


if __name__ == "__main__":
    main()
