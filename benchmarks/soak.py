"""Run the soak: many seeds of a big market for a month each, as many at a time as there are cores.

Usage: python -m benchmarks.soak [--hosts 2000] [--days 30] [--seeds 20] [--into build/soak]
A seed that is done is not run again; delete its file to have it run. Exit code 1 where a rule was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

JOB_HOURS = 96.0
"""Longer jobs than the simulator's usual ones: fewer events for the same use, so that a seed takes minutes."""


def run(seed: int, hosts: int, days: float, into: Path) -> dict[str, Any]:
    """Return what one seed came to, from its file if it is there. Progress goes to the file beside it."""
    done, log = into / f"seed-{seed}.json", into / f"seed-{seed}.log"
    if done.exists():
        return json.loads(done.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
    command = [
        sys.executable, "-m", "rackrent.exchange.simulate", "--json", f"--hosts={hosts}", f"--days={days}",
        f"--seed={seed}", f"--job-hours={JOB_HOURS}",
    ]  # fmt: skip
    start = time.perf_counter()
    with log.open("w", encoding="utf-8") as progress:
        found = subprocess.run(command, stdout=subprocess.PIPE, stderr=progress, text=True, check=False)
    if found.returncode not in (0, 1):
        raise RuntimeError(f"seed {seed} did not run: see {log}")
    values: dict[str, Any] = json.loads(found.stdout)
    values["seconds"] = time.perf_counter() - start
    part = done.with_suffix(".part")
    part.write_text(json.dumps(values), encoding="utf-8")
    part.rename(done)
    return values


def main(arguments: list[str]) -> int:
    """Run the seeds that are not done, and sum up."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak")
    parser.add_argument("--hosts", type=int, default=2_000)
    parser.add_argument("--days", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--into", type=Path, default=Path("build/soak"))
    given = parser.parse_args(arguments)
    into = given.into / f"{given.hosts}-hosts-{given.days:g}-days"
    into.mkdir(parents=True, exist_ok=True)
    results = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(1, given.seeds + 1)
        for found in pool.map(lambda seed: run(seed, given.hosts, given.days, into), seeds):
            results.append(found)
            said = found["violation"] or "nothing broken"
            speed = found["events"] / found["seconds"]
            print(
                f"seed {found['seed']}: {found['events']:,} events, {speed:,.0f} a second: {said}", flush=True
            )
    broken = [found["seed"] for found in results if found["violation"]]
    events = sum(found["events"] for found in results)
    print(f"{len(results)} seeds, {events:,} events: " + (f"rules were broken with seeds {broken}" if broken else "no rule was broken"))  # fmt: skip
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
