"""Time OfferQuery over synthetic offers, beside gpuhunt's own filter on the same rows, in one run.

Usage: python -m benchmarks.bench_query [ROWS ...]     (gpuhunt: pip install 'rackrent[bench]')
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date

import numpy as np
import polars as pl

from benchmarks.measured import Measured, plain
from rackrent.catalog.query import OfferQuery, search

PROVIDERS = ("aws", "azure", "verda", "gcp", "lambdalabs", "nebius", "oci", "runpod", "cloudrift")
GPUS = {
    "A100 80GB": 80.0,
    "H100 80GB": 80.0,
    "L4": 24.0,
    "T4": 16.0,
    "L40S": 48.0,
    "RTX 4090": 24.0,
    "A10": 24.0,
}
REPEATS = 7
MS_PER_ROW = 25 / 50_000
"""The goal: 25 ms for 50,000 offers, 100 ms for 200,000."""
QUERY = OfferQuery(
    gpu=["H100 80GB", "A100 80GB"], gpu_count_min=2, price_usd_per_hour_max=40, term=["on_demand"]
)


def synthetic_offers(rows: int, seed: int = 1) -> pl.DataFrame:
    """Return judged offers with the columns that a search reads; the same seed gives the same rows."""
    draw = np.random.default_rng(seed)
    names = np.array(list(GPUS))
    gpu = draw.choice(names, rows)
    count = draw.choice([1.0, 2.0, 4.0, 8.0], rows)
    each = np.round(draw.lognormal(0.5, 0.7, rows), 4)
    return pl.DataFrame(
        {
            "offer_id": [f"cloud/p/type-{i}/r/on_demand" for i in range(rows)],
            "provider": draw.choice(np.array(PROVIDERS), rows),
            "kind": np.full(rows, "cloud"),
            "instance_type": [f"type-{i}" for i in range(rows)],
            "region": draw.choice(np.array(["us-east-1", "eu-west-1", "ap-south-1"]), rows),
            "country": draw.choice(np.array(["USA", "IRL", "IND"]), rows),
            "gpu": gpu,
            "gpu_count": count,
            "gpu_memory_gb": np.array([GPUS[g] for g in gpu]),
            "vcpus": count * 12,
            "ram_gb": count * 120,
            "term": draw.choice(np.array(["on_demand", "spot"]), rows, p=[0.6, 0.4]),
            "usd_per_hour": each * count,
            "usd_per_gpu_hour": each,
            "age_days": draw.integers(0, 300, rows),
            "floor": np.zeros(rows, dtype=bool),
            "doubt": pl.Series([None] * rows, dtype=pl.String),
            "rankable": np.ones(rows, dtype=bool),
            "observed_on": pl.Series([date(2026, 7, 1)] * rows),
        }
    )


def best_ms(work: Callable[[], object]) -> float:
    """Return the shortest of several timings, milliseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1_000 * min(times)


def gpuhunt_query(offers: pl.DataFrame) -> Callable[[], list[object]]:
    """Return gpuhunt's own query over the same rows, held in memory as it holds them."""
    from gpuhunt import AcceleratorVendor, Catalog, CatalogItem
    from gpuhunt._internal.catalog import ProviderCatalog

    catalog = Catalog(auto_reload=False)
    catalog.loaded_at = time.monotonic()  # type: ignore[assignment]
    items: dict[str, list[CatalogItem]] = {p: [] for p in PROVIDERS}
    for row in offers.iter_rows(named=True):
        item = CatalogItem(
            provider=row["provider"],
            instance_name=row["instance_type"],
            location=row["region"],
            price=row["usd_per_hour"],
            cpu=int(row["vcpus"]),
            memory=row["ram_gb"],
            gpu_count=int(row["gpu_count"]),
            gpu_name=row["gpu"],
            gpu_memory=row["gpu_memory_gb"],
            spot=row["term"] == "spot",
            disk_size=None,
            gpu_vendor=AcceleratorVendor.NVIDIA,
        )
        items[row["provider"]].append(item)
    catalog.catalog = {p: ProviderCatalog("synthetic", held) for p, held in items.items()}
    return lambda: catalog.query(
        provider=list(PROVIDERS),
        gpu_name=list(QUERY.gpu),
        min_gpu_count=2,
        max_price=QUERY.price_usd_per_hour_max,
        spot=False,
    )


def measured(sizes: Sequence[int] = (50_000, 200_000)) -> Iterator[Measured]:
    """Yield the time of a search for each size, and gpuhunt's on the same rows where it is installed."""
    for rows in sizes:
        offers = synthetic_offers(rows)
        ours = best_ms(lambda: search(offers, QUERY))  # noqa: B023
        goal = rows * MS_PER_ROW
        yield Measured(f"OfferQuery over {rows:,} offers", f"{ours:.1f} ms", f"<= {goal:g} ms", ours <= goal)
        try:
            theirs_query = gpuhunt_query(offers)
        except ImportError:
            yield Measured(f"gpuhunt over {rows:,} offers", "not installed")
            continue
        theirs, found = best_ms(theirs_query), search(offers, QUERY).height
        assert len(theirs_query()) == found, "both find the same offers"
        figure = f"{theirs:.1f} ms: {theirs / ours:.1f} times as long"
        yield Measured(f"gpuhunt over the same {rows:,} offers", figure)


if __name__ == "__main__":
    print(plain(list(measured([int(a) for a in sys.argv[1:]] or (50_000, 200_000)))))
