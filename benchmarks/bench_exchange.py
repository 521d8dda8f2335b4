"""Time the exchange: search over the offers of a made-up market.

Usage: python -m benchmarks.bench_exchange
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.measured import Measured, plain
from rackrent.catalog.catalog import load
from rackrent.catalog.places import country_points
from rackrent.exchange.model import Gpu, Machine
from rackrent.exchange.rules.offers import Offer, offers
from rackrent.exchange.search import OfferBook, OfferSearch
from rackrent.protocol.words import Trust

GPUS = {
    "RTX 3090": 24.0,
    "RTX 4090": 24.0,
    "A100 SXM 80GB": 80.0,
    "A100 PCIe 80GB": 80.0,
    "H100 SXM 80GB": 80.0,
    "L4": 24.0,
}
SEARCHES = (
    "price <= 2.5 gpu_name in [RTX_4090, A100_80GB] reliability > 0.98 near=52.5,13.4",
    "rental in [on_demand, interruptible, monthly] near=US",
    "num_gpus >= 2 gpu_name != L4 geolocation notin [CN, RU] until > 2030-01-01 near=DE",
    "",
)
"""From what people type to the worst: all offers, the country with the most places, no condition at all."""
REPEATS = 100


def synthetic_offers(count: int, seed: int = 1) -> list[Offer]:
    """Return offers of made-up machines all over the world; the same seed gives the same ones."""
    draw = np.random.default_rng(seed)
    countries = sorted(country_points(load()).items())
    names = list(GPUS)
    found: list[Offer] = []
    while len(found) < count:
        country, points = countries[draw.integers(len(countries))]
        latitude, longitude = points[draw.integers(len(points))]
        name, id, ask = names[draw.integers(len(names))], f"m{len(found):07d}", int(draw.lognormal(13.4, 0.7))
        machine = Machine(
            id=id, host=f"h{len(found) % 5000}", country=country, latitude=latitude, longitude=longitude, cpu_cores=64,
            ram_gb=256, disk_gb=2000, addresses=16, reliability=float(draw.uniform(0.9, 1.0)) if draw.random() < 0.9 else None,
            on_demand_micro_usd=ask, min_bid_micro_usd=ask // 2, monthly_micro_usd=ask * 3 // 4, trust=Trust.VERIFIED,
        )  # fmt: skip
        cards = [
            Gpu(id=f"{id}-{n}", machine=id, name=name, memory_gb=GPUS[name])
            for n in range(draw.integers(1, 9))
        ]
        found += offers(machine, cards, (), 0).offers
    return found[:count]


def search_ms(book: OfferBook, text: str, repeats: int = REPEATS) -> tuple[float, float]:
    """Return the median and the 99th percentile of searches with one filter, in milliseconds, after a first one."""
    asked, times = OfferSearch(filter=text), []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        book.search(asked)
        times.append(1_000 * (time.perf_counter() - start))
    return float(np.percentile(times[1:], 50)), float(np.percentile(times[1:], 99))


def search(count: int = 100_000, repeats: int = REPEATS) -> Iterator[Measured]:
    """Yield how long it takes to make the table of offers, and to search it."""
    market = synthetic_offers(count)
    start = time.perf_counter()
    book = OfferBook(market, country_points(load()))
    yield Measured(f"table of {count:,} offers of the exchange", f"{time.perf_counter() - start:.2f} s")
    for text in SEARCHES:
        p50, p99 = search_ms(book, text, repeats)
        what = (
            f"search '{text}' over {count:,} offers: p50, p99"
            if text
            else f"search without a filter over {count:,} offers: p50, p99"
        )
        yield Measured(what, f"{p50:.1f} ms, {p99:.1f} ms", "p99 <= 50 ms", p99 <= 50)


def measured() -> Iterator[Measured]:
    """Yield all measurements of the exchange."""
    yield from search()


if __name__ == "__main__":
    print(plain(list(measured())))
