"""Time reading a large AWS offer file, and storing many offers.

Usage: python -m benchmarks.bench_sources [MEGABYTES SHARE]     (SHARE: of products that have GPUs)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from benchmarks.measured import Measured, peak_mb
from rackrent.catalog.catalog import load
from rackrent.catalog.sources.aws import offers_of
from rackrent.catalog.sources.base import Known, offer_row, table_of
from rackrent.catalog.store import Store, merged

DAY = date(2026, 11, 30)
MEGABYTES, ROWS = 300, 100_000
SHARES = (0.05, 0.75)
"""As in a region of AWS, and a mix that is bad for us."""
WITH_GPU = ("p5.48xlarge", "p4d.24xlarge", "g6.xlarge", "g5.48xlarge", "p3.2xlarge")
ONE_YEAR = {"LeaseContractLength": "1yr", "OfferingClass": "standard", "PurchaseOption": "No Upfront"}


def write_offer_file(out: IO[bytes], megabytes: float, share: float) -> None:
    """Write an EC2 offer file of about that size in the published shape; a share of its products has GPUs."""
    bulk = 1_000_000 * megabytes
    products = max(int(bulk / 2_120), 1)

    def product(n: int) -> dict[str, object]:
        with_gpu = n % 100 < 100 * share
        kind = WITH_GPU[n % len(WITH_GPU)] if with_gpu else f"m{n % 19}.large"
        said = {
            "instanceType": kind, "vcpu": "8", "memory": "61 GiB", "tenancy": "Shared", "capacitystatus": "Used",
            "operatingSystem": "Linux" if n % 3 else "Windows", "preInstalledSw": "NA", "marketoption": "OnDemand",
            "regionCode": "us-east-1", "servicename": "Amazon Elastic Compute Cloud", "location": "US East (N. Virginia)",
            "physicalProcessor": "Intel Xeon Family", "clockSpeed": "2.5 GHz", "networkPerformance": "Up to 10 Gigabit",
            "storage": "EBS only", "usagetype": f"BoxUsage:{kind}", "operation": "RunInstances",
        }  # fmt: skip
        return {
            "sku": f"S{n}", "productFamily": "Compute Instance",
            "attributes": said | ({"gpu": "1"} if with_gpu else {}),
        }  # fmt: skip

    def term(n: int, code: str, said: dict[str, str]) -> dict[str, object]:
        rate = {
            "rateCode": f"S{n}.{code}.R", "description": f"${n % 97}.06 per hour", "beginRange": "0", "endRange": "Inf",
            "unit": "Hrs", "pricePerUnit": {"USD": f"{1 + n % 97}.0600000000"}, "appliesTo": [],
        }  # fmt: skip
        return {
            "offerTermCode": code, "sku": f"S{n}", "effectiveDate": "2026-11-01T00:00:00Z",
            "priceDimensions": {f"S{n}.{code}.R": rate}, "termAttributes": said,
        }  # fmt: skip

    def members(pairs: object) -> None:
        for at, (key, value) in enumerate(pairs):  # type: ignore[var-annotated, arg-type]
            out.write(b"," * bool(at) + json.dumps(key).encode() + b":" + json.dumps(value).encode())

    out.write(b'{"formatVersion":"v1.0","offerCode":"AmazonEC2","products":{')
    members((f"S{n}", product(n)) for n in range(products))
    out.write(b'},"terms":{"OnDemand":{')
    members((f"S{n}", {f"S{n}.A": term(n, "A", {})}) for n in range(products))
    out.write(b'},"Reserved":{')
    members((f"S{n}", {f"S{n}.{c}": term(n, c, ONE_YEAR) for c in "BCD"}) for n in range(products))
    out.write(b"}}}")


class Read(NamedTuple):
    """One offer file: its size, what of it has GPUs, what it took."""

    megabytes: float
    share: float
    seconds: float
    offers: int
    memory_mb: float


def read(megabytes: float, share: float) -> Read:
    """Read a made-up offer file."""
    known = Known(load(as_of=DAY))
    with tempfile.TemporaryFile() as file:
        write_offer_file(file, megabytes, share)
        size = file.tell() / 1e6
        file.seek(0)
        start = time.perf_counter()
        found, _warnings = offers_of(file, "us-east-1", known, "aws", DAY)
        return Read(size, share, time.perf_counter() - start, len(found), peak_mb())


def stored(rows: int) -> tuple[float, float]:
    """Return seconds to store that many offers for the first time, and the same ones again."""
    prices = np.round(np.random.default_rng(1).lognormal(0.5, 0.7, rows), 4)
    offers = [
        offer_row(
            "bench", DAY, provider=f"P{n % 30}", instance_type=f"t{n}", gpu="L4", gpu_count=1.0, amount=float(usd)
        )
        for n, usd in enumerate(prices)
    ]  # fmt: skip
    took = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            start = time.perf_counter()
            fetched = table_of("offers", offers)
            store = Store.open(Path(folder))
            held = store.rows("offers")
            now = merged(fetched.clear() if held is None else held, fetched, "bench", DAY)
            store.write({"offers": now, "fx": table_of("fx", ())}, {})
            took.append(time.perf_counter() - start)
    return took[0], took[1]


def measured() -> Iterator[Measured]:
    """Yield time and memory; each file is read in a process of its own so that the memory is its own."""
    root = Path(__file__).parent.parent
    for share in SHARES:
        command = [sys.executable, "-m", "benchmarks.bench_sources", str(MEGABYTES), str(share)]
        told = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        one = Read(*json.loads(told))
        what = f"AWS offer file of {one.megabytes:.0f} MB, {one.share:.0%} of its products with GPUs"
        yield Measured(what, f"{one.seconds:.1f} s", "<= 60 s", one.seconds <= 60)
        yield Measured(
            f"{what}, memory at most", f"{one.memory_mb:.0f} MB", "<= 500 MB", one.memory_mb <= 500
        )
    first, again = stored(ROWS)
    yield Measured(f"store {ROWS:,} offers", f"{first:.2f} s", "<= 5 s", first <= 5)
    yield Measured(f"store the same {ROWS:,} offers again", f"{again:.2f} s", "<= 5 s", again <= 5)


if __name__ == "__main__":
    given = [float(a) for a in sys.argv[1:3]]
    print(json.dumps(read(*(given + [float(MEGABYTES), SHARES[0]][len(given) :]))))
