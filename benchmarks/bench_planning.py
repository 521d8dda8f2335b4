"""Time planning: the reserved level, the mix over time, and beside it the forms that it replaces.

Usage: python -m benchmarks.bench_planning [--slow]     (--slow: also the hourly and the plain monthly form)
Each mix runs in a process of its own, so that its memory can be told.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from rackrent.planning import reserved_level
from rackrent.planning.mix import best_mix
from rackrent.planning.supply import HOURS, Committed, Limits, Owned, Pool, Question, Rented

HOURS_OF_MANY = 8_760_000
GPU_TYPES = 6
SLOW_S = 600
MIB = 1_024.0
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


def main(arguments: list[str]) -> None:
    """Run one form if one is named, else all of them."""
    if arguments[:1] == ["--one"]:
        _one(arguments[1], int(arguments[2]))
        return
    # The mixes first: a child starts with the memory of its parent on its account.
    runs = [("fast", 12, "goal 2 s, 300 MB"), ("fast", 36, "goal 6 s, 300 MB")]
    if "--slow" in arguments:
        runs += [("hourly", 12, "what it replaces"), ("monthly", 36, "what it replaces")]
    for form, months, note in runs:
        command = [sys.executable, "-m", "benchmarks.bench_planning", "--one", form, str(months)]
        try:
            found = subprocess.run(
                command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=SLOW_S
            )
            said = found.stdout.strip()
        except subprocess.TimeoutExpired:
            said = f"not done in {SLOW_S} s"
        print(f"mix of {GPU_TYPES} GPU types over {months} months, {form} form: {said} ({note})")
    draw = np.random.default_rng(1)
    for what, demand in (
        ("whole GPUs", draw.integers(0, 1_000, HOURS_OF_MANY).astype(float)),
        ("any amount", draw.gamma(2.0, 200.0, HOURS_OF_MANY)),
    ):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            reserved_level(demand, reserved_to_on_demand=0.6)
            times.append(time.perf_counter() - start)
        print(f"reserved level of {HOURS_OF_MANY:,} hours, {what}: {min(times):.3f} s (goal 0.15)")


def _one(form: str, months: int) -> None:
    question = synthetic_question(months)
    start = time.perf_counter()
    if form == "fast":
        mix = best_mix(question)
        answer = f"{mix.outcome.present_value_usd:,.0f} USD, gap {mix.gap:.1e}"
    else:
        sys.path.insert(0, str(ROOT / "tests" / "planning"))
        from oracle import hourly_optimum, monthly_optimum

        solve = hourly_optimum if form == "hourly" else monthly_optimum
        answer = f"{solve(question, gap=1e-4):,.0f} USD"
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB
    print(f"{seconds:.2f} s, {memory:.0f} MB, {answer}")


if __name__ == "__main__":
    main(sys.argv[1:])
