"""Time reading a large AWS offer file, and storing many rows.

Usage: python -m benchmarks.bench_sources [MEGABYTES ROWS GPUS]     (goals: 300 MB in 60 s and 500 MB; 100,000 rows in 5 s)

GPUS is the share of products that have GPUs: 0.05 as in a real region, or 0.75 for a bad mix.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import IO

import numpy as np

from rackrent.catalog.catalog import load
from rackrent.catalog.sources.aws import offers_of
from rackrent.catalog.sources.base import Known, offer_row, table_of
from rackrent.catalog.store import Store, merged

DAY = date(2026, 11, 30)
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


def peak_mb() -> float:
    """Return what this process used at most so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def main() -> None:
    """Print a line for each of the two."""
    given = [float(a) for a in sys.argv[1:4]]
    megabytes, rows, share = given + [300.0, 100_000.0, 0.05][len(given) :]
    known = Known(load(as_of=DAY))
    with tempfile.TemporaryFile() as file:
        write_offer_file(file, megabytes, share)
        size = file.tell() / 1e6
        file.seek(0)
        start = time.perf_counter()
        found, _warnings = offers_of(file, "us-east-1", known, "aws", DAY)
        took = time.perf_counter() - start
    print(
        f"AWS offer file of {size:,.0f} MB, {share:.0%} with GPUs: {took:.1f} s, {len(found):,} offers, "
        f"{peak_mb():,.0f} MB at most"
    )

    draw = np.random.default_rng(1)
    prices = np.round(draw.lognormal(0.5, 0.7, int(rows)), 4)
    offers = [
        offer_row(
            "bench",
            DAY,
            provider=f"P{n % 30}",
            instance_type=f"t{n}",
            gpu="L4",
            gpu_count=1.0,
            amount=float(p),
        )
        for n, p in enumerate(prices)
    ]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        fetched = table_of("offers", offers)
        store = Store.open(Path(folder)).write(
            {"offers": merged(fetched.clear(), fetched, "bench", DAY), "fx": table_of("fx", ())}, {}
        )
        first = time.perf_counter() - start
        start = time.perf_counter()
        held = store.rows("offers")
        assert held is not None
        store.write({"offers": merged(held, fetched, "bench", DAY), "fx": table_of("fx", ())}, {})
        again = time.perf_counter() - start
    print(f"{int(rows):,} rows: stored in {first:.2f} s, the same again in {again:.2f} s")


if __name__ == "__main__":
    main()
