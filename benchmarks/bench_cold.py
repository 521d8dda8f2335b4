"""Time what a person waits for: importing the package, one comparison, its report, each in a fresh process.

Usage: python -m benchmarks.bench_cold
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measured import Measured, plain

ROOT = Path(__file__).parent.parent
EXAMPLE = "examples/first-machine.yaml"
RUNS = 5
RUN = "from rackrent.cli import run; run({arguments})"
REPORT = f"""
import time
from pathlib import Path
from rackrent.app.compare import compare
from rackrent.report.html import render_html
result = compare(Path("{EXAMPLE}"))
start = time.perf_counter()
render_html(result)
print(time.perf_counter() - start)
"""


def seconds(program: str) -> float:
    """Return the shortest time of a fresh Python that runs `program`, its start included."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def said_seconds(program: str) -> float:
    """Return the shortest time that a fresh Python prints of itself."""
    command = [sys.executable, "-c", program]
    done = [
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True) for _ in range(RUNS)
    ]
    return min(float(d.stdout) for d in done)


def measured() -> Iterator[Measured]:
    """Yield the measurements."""
    nothing = seconds("pass")
    yield Measured("start of Python itself", f"{nothing:.2f} s")
    for what, program, goal in (
        ("import rackrent, cold", "import rackrent", 0.3),
        (f"rackrent compare {EXAMPLE}, cold", _command("compare", EXAMPLE), 1.5),
        (f"rackrent compare {EXAMPLE} --json, cold", _command("compare", EXAMPLE, "--json"), 1.5),
    ):
        took = seconds(program)
        yield Measured(what, f"{took:.2f} s", f"<= {goal:g} s", took <= goal)
    took = said_seconds(REPORT)
    yield Measured("HTML report of that comparison, first use", f"{took:.2f} s", "<= 2 s", took <= 2)


def _command(*arguments: str) -> str:
    # The exit code 0 of the command line is an exception to Python; what is not 0 must fail.
    return RUN.format(arguments=list(arguments))


if __name__ == "__main__":
    print(plain(list(measured())))
