"""Time planning: the reserved level, the mix over time, and beside it the forms that it replaces.

Usage: python -m benchmarks.bench_planning     (some minutes: the forms that it replaces take that long)
Each mix runs in a process of its own, so that its memory can be told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measured import Measured, peak_mb
from rackrent.planning import reserved_level
from rackrent.planning.mix import best_mix
from rackrent.planning.supply import HOURS, Committed, Limits, Owned, Pool, Question, Rented

HOURS_OF_MANY = 8_760_000
GPU_TYPES = 6
SLOW_S = 600
MEMORY_MB = 300
GAP = 1e-4
LEVEL_S = 0.15
ROOT = Path(__file__).parent.parent


def synthetic_question(months: int, seed: int = 1) -> Question:
    """Return demand for six GPU types with every kind of supply and limits that bind; the same seed, the same figures."""
    draw = np.random.default_rng(seed)
    hours = np.arange(months * HOURS)
    pools, owned, committed, rented = [], [], [], []
    for kind in range(GPU_TYPES):
        name = f"gpu-{kind}"
        base, price = draw.uniform(20, 120), draw.uniform(1.0, 4.0)
        shape = 1 + 0.35 * np.sin(2 * np.pi * hours / 24) + 0.15 * np.sin(2 * np.pi * hours / 168)
        growth = 1 + draw.uniform(-0.2, 0.5) * hours / hours.size
        load = np.rint(base * shape * growth + draw.normal(0, base / 8, hours.size)).clip(0)
        pools.append(Pool(name, load, gang=4))
        machine = price * 4 * HOURS * draw.uniform(9, 15)
        fall = 0.985 ** np.arange(months + 1)
        owned.append(
            Owned(
                name=f"own {name}", pool=name, gpus=4, price_usd=machine * fall[:-1], resale_usd=0.7 * machine * fall,
                usd_per_month=0.1 * price * 4 * HOURS, usd_per_gpu_hour=0.05, kw=2.5, rack_units=4.0, lead_months=2,
            )
        )  # fmt: skip
        committed += [
            Committed(name=f"1y {name}", pool=name, gpus=4, term_months=12, usd_per_month=0.65 * price * 4 * HOURS),
            Committed(name=f"3y {name}", pool=name, gpus=4, term_months=36, upfront_usd=0.2 * 36 * price * 4 * HOURS,
                      usd_per_month=0.22 * price * 4 * HOURS),
        ]  # fmt: skip
        rented += [
            Rented(name=f"spot {name}", pool=name, gpus=4, usd_per_gpu_hour=0.4 * price, gpus_most=base / 8),
            Rented(name=f"on demand {name}", pool=name, gpus=8, usd_per_gpu_hour=price),
        ]
    limits = Limits(kw=120.0, rack_units=200.0)
    return Question(tuple(pools), tuple(owned), tuple(committed), tuple(rented), limits)


def measured() -> Iterator[Measured]:
    """Yield the mixes, each beside the form that it replaces on the same question, and the reserved level."""
    # The mixes first: a child starts with the memory of its parent on its account.
    for form, months, goal in (
        ("fast", 12, 2.0),
        ("hourly", 12, None),
        ("fast", 36, 6.0),
        ("monthly", 36, None),
    ):
        what = f"mix of {GPU_TYPES} GPU types over {months} months"
        if goal is None:
            what = (
                f"the same with {'a row for every hour' if form == 'hourly' else 'every step of the months'}"
            )
        command = [sys.executable, "-m", "benchmarks.bench_planning", "--one", form, str(months)]
        try:
            told = subprocess.run(
                command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=SLOW_S
            )
        except subprocess.TimeoutExpired:
            yield Measured(what, f"not done in {SLOW_S} s")
            continue
        seconds, memory, usd, gap = json.loads(told.stdout)
        figure = f"{seconds:.2f} s, {memory:.0f} MB: {usd:,.0f} USD, gap {gap:.0e}"
        if goal is None:
            yield Measured(what, figure)
        else:
            within = seconds <= goal and memory <= MEMORY_MB and gap <= GAP
            yield Measured(what, figure, f"<= {goal:g} s, {MEMORY_MB} MB, gap {GAP:.0e}", within)
    draw = np.random.default_rng(1)
    for kind, demand in (
        ("whole GPUs", draw.integers(0, 1_000, HOURS_OF_MANY).astype(float)),
        ("any amount", draw.gamma(2.0, 200.0, HOURS_OF_MANY)),
    ):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            reserved_level(demand, reserved_to_on_demand=0.6)
            times.append(time.perf_counter() - start)
        what = f"reserved level of {HOURS_OF_MANY:,} hours, {kind}"
        yield Measured(what, f"{min(times):.3f} s", f"<= {LEVEL_S} s", min(times) <= LEVEL_S)


def _one(form: str, months: int) -> None:
    question = synthetic_question(months)
    start = time.perf_counter()
    if form == "fast":
        mix = best_mix(question)
        usd, gap = mix.outcome.present_value_usd, mix.gap
    else:
        sys.path.insert(0, str(ROOT / "tests" / "planning"))
        from oracle import hourly_optimum, monthly_optimum

        usd, gap = (hourly_optimum if form == "hourly" else monthly_optimum)(question, gap=GAP), GAP
    seconds = time.perf_counter() - start
    memory = peak_mb()
    print(json.dumps([seconds, memory, usd, gap]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _one(sys.argv[2], int(sys.argv[3]))
    else:
        for row in measured():
            print(f"{row.what}: {row.figure} {row.goal}", flush=True)
