"""Time reading usage: a dump of Slurm of a million rows, and a FOCUS bill of so many gigabytes.

Usage: python -m benchmarks.bench_usage [--rows N] [--gb N] [--folder DIR]

Aims: a million rows of sacct in 5 s; a bill of 5 GB in 3 minutes within 2 GB of memory. The files are made here,
always the same for the same size, and deleted afterwards.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from benchmarks.measured import Measured, peak_mb

SACCT = "JobIDRaw|JobID|User|Account|Partition|State|Submit|Eligible|Start|End|Elapsed|AllocTRES\n"
FOCUS = (
    "AvailabilityZone,BilledCost,BillingAccountId,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,"
    "ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,CommitmentDiscountId,CommitmentDiscountStatus,"
    "ConsumedQuantity,ConsumedUnit,ContractedCost,EffectiveCost,ListCost,PricingCategory,PricingQuantity,ProviderName,"
    "RegionId,ResourceId,ResourceType,ServiceCategory,ServiceName,SkuId,SubAccountId,SubAccountName,Tags\n"
)
TYPES = ("g5.4xlarge", "p3.8xlarge", "p4d.24xlarge", "t3.micro", "m5.large", "c6i.xlarge")


def make_sacct(path: Path, rows: int) -> None:
    """Write jobs with their two steps, `rows` lines in all."""
    draw = np.random.default_rng(1)
    jobs = rows // 3
    begin = datetime(2025, 1, 1)
    submitted, waited = draw.integers(0, 365 * 86_400, jobs), draw.integers(0, 86_400, jobs)
    ran, gpus = draw.integers(1, 2 * 86_400, jobs), draw.choice([1, 1, 1, 2, 4, 8], jobs)
    with path.open("w") as file:
        file.write(SACCT)
        for i in range(jobs):
            start = begin + timedelta(seconds=int(submitted[i] + waited[i]))
            end = start + timedelta(seconds=int(ran[i]))
            days, rest = divmod(int(ran[i]), 86_400)
            elapsed = f"{days}-" * (days > 0) + f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
            sent = (begin + timedelta(seconds=int(submitted[i]))).isoformat()
            held = f"billing=8,cpu=8,gres/gpu:v100={gpus[i]},gres/gpu={gpus[i]},mem=10G,node=1"
            for step in ("", ".batch", ".extern"):
                file.write(f"{i}{step}|{i}{step}|user{i % 300}|lab{i % 20}|gpu|COMPLETED|{sent}|{sent}|{start.isoformat()}|{end.isoformat()}|{elapsed}|{held}\n")  # fmt: skip


def make_focus(path: Path, gigabytes: float) -> None:
    """Write a bill: a block of 20,000 rows, again and again with another resource."""
    draw = np.random.default_rng(1)
    begin = datetime(2025, 1, 1)
    block = []
    for i in range(20_000):
        kind, account = TYPES[int(draw.integers(len(TYPES)))], int(draw.integers(50))
        start = begin + timedelta(hours=int(draw.integers(8_759)))
        cost = round(float(draw.uniform(0.01, 30)), 6)
        block.append(
            f"us-east-1a,{cost},123456789012,USD,2026-01-01 00:00:00,2025-01-01 00:00:00,Usage,\"${cost} per On Demand Linux {kind} Instance Hour\","
            f"Usage-Based,{start + timedelta(hours=1)},{start},NULL,NULL,1.000000,Hours,{cost},{cost},{cost},Standard,1.000000,AWS,us-east-1,i-@@@@@@@@{i:06},"
            f"instance,Compute,Amazon Elastic Compute Cloud,SKU{i % 97},9{account:011},lab {account},\"{{\"\"application\"\": \"\"app-{i % 50}\"\", \"\"environment\"\": \"\"prod\"\"}}\"\n"
        )  # fmt: skip
    text = "".join(block)
    with path.open("w") as file:
        file.write(FOCUS)
        for n in range(max(1, round(gigabytes * 1e9 / len(text)))):
            file.write(text.replace("@@@@@@@@", f"{n:08}"))


def read(path: Path) -> None:
    """Read in this process and print seconds, memory in GB and GPU-hours: each reading has a process of its own."""
    from rackrent.usage import load

    began = time.perf_counter()
    usage = load(path, timezone="UTC")
    seconds = time.perf_counter() - began
    print(json.dumps([seconds, peak_mb() / 1e3, usage.gpu_hours]))


def measured(rows: int = 1_000_000, gigabytes: float = 5.0, folder: Path | None = None) -> Iterator[Measured]:
    """Yield the reading of a dump and of a bill; the goals are those of the sizes that are the default."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        sacct, bill = Path(made) / "sacct.txt", Path(made) / "focus.csv"
        make_sacct(sacct, rows)
        seconds, peak, _hours = _timed(sacct)
        yield Measured(f"{rows:,} rows of sacct", f"{seconds:.1f} s, {peak:.2f} GB", "<= 5 s", seconds <= 5)
        make_focus(bill, gigabytes)
        seconds, peak, _hours = _timed(bill)
        within = seconds <= 180 and peak <= 2
        what = f"FOCUS bill of {bill.stat().st_size / 1e9:.1f} GB"
        yield Measured(what, f"{seconds:.0f} s, {peak:.2f} GB", "<= 180 s, 2 GB", within)


def _timed(path: Path) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "benchmarks.bench_usage", "--read", str(path)]
    told = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent.parent
    )
    seconds, peak, hours = json.loads(told.stdout)
    return seconds, peak, hours


def main() -> None:
    """Make, read, delete."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--rows", type=int, default=1_000_000)
    ask.add_argument("--gb", type=float, default=0.5)
    ask.add_argument("--folder", type=Path, default=None)
    ask.add_argument("--read", type=Path, default=None, help=argparse.SUPPRESS)
    said = ask.parse_args()
    if said.read is not None:
        read(said.read)
        return
    for row in measured(said.rows, said.gb, said.folder):
        print(f"{row.what}: {row.figure}", flush=True)


if __name__ == "__main__":
    main()
