"""Time the checker and the optimiser over the shipped parts.

Usage: python benchmarks/bench_building.py
"""

from __future__ import annotations

import time
from datetime import date
from statistics import median

from rackrent.building.check import check
from rackrent.building.finding import Site
from rackrent.building.optimise import optimise
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.catalog import load
from rackrent.catalog.components import components

REPEATS = 7
CHECK_MS, OPTIMUM_S = 5.0, 2.0


def main() -> None:
    """Print the times beside what is promised."""
    parts = components(load(as_of=date(2026, 11, 30)))
    speeds = {gpu: 1.0 + n % 7 for n, gpu in enumerate(sorted({p.gpu for p in parts if p.gpu}))}
    wanted = BuildRequirements(
        gpus=1, grow_to=4, budget=12_000, discontinued=True, quiet=3, small=2, brand=["ASUS"]
    )
    times = []
    for _repeat in range(REPEATS):
        began = time.perf_counter()
        found = optimise(parts, wanted, speeds)
        times.append(time.perf_counter() - began)
    assert found is not None and found.proven
    print(
        f"optimum over {len(parts)} parts, 4 GPUs, growth and wishes: {median(times):.2f} s (at most {OPTIMUM_S:g})"
    )
    machine = found.found.machine.with_cards(4)
    checks = []
    for _repeat in range(REPEATS * 10):
        began = time.perf_counter()
        check(machine, Site(1440.0, "120 V x 15 A"))
        checks.append(time.perf_counter() - began)
    print(f"check of a machine of 4 GPUs: {1000 * median(checks):.2f} ms (at most {CHECK_MS:g})")


if __name__ == "__main__":
    main()
