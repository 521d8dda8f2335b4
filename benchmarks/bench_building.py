"""Time the optimiser and the checker over the shipped parts, and the builds that a comparison needs.

Usage: python -m benchmarks.bench_building
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import date

from benchmarks.measured import Measured, plain
from rackrent.building.check import check
from rackrent.building.finding import Site
from rackrent.building.optimise import optimise
from rackrent.building.ready import ready_builds
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.catalog import load
from rackrent.catalog.components import components

REPEATS = 7
CHECK_MS, OPTIMUM_S = 5.0, 2.0
DAY = date(2026, 11, 30)
SITE = Site(1440.0, "120 V x 15 A")


def measured() -> Iterator[Measured]:
    """Yield the times beside what is promised."""
    parts = components(load(as_of=DAY))
    speeds = {gpu: 1.0 + n % 7 for n, gpu in enumerate(sorted({p.gpu for p in parts if p.gpu}))}
    wanted = BuildRequirements.model_validate(
        {"gpus": 1, "grow_to": 4, "budget": 12_000, "discontinued": True, "quiet": 3, "small": 2, "brand": ["ASUS"]}
    )  # fmt: skip
    found = optimise(parts, wanted, speeds)
    assert found is not None and found.proven
    seconds = _shortest(lambda: optimise(parts, wanted, speeds))
    what = f"optimum over {len(parts)} parts, 1 GPU growing to 4, wishes, proven"
    yield Measured(what, f"{seconds:.3f} s", f"<= {OPTIMUM_S:g} s", seconds <= OPTIMUM_S)
    machine = found.found.machine.with_cards(4)
    ms = 1000 * _shortest(lambda: check(machine, SITE))
    yield Measured("check of a machine of 4 GPUs", f"{ms:.2f} ms", f"<= {CHECK_MS:g} ms", ms <= CHECK_MS)
    for counts in ((1,), (1, 2, 4)):
        began = time.perf_counter()
        made = ready_builds(load(as_of=DAY), counts)
        took = time.perf_counter() - began
        words = " or ".join(str(n) for n in counts)
        yield Measured(f"the {len(made)} builds of a comparison with {words} GPUs", f"{took:.2f} s")


def _shortest(work: Callable[[], object]) -> float:
    times = []
    for _repeat in range(REPEATS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    print(plain(list(measured())))
