"""A small market of made-up machines, for tests of what is offered."""

from __future__ import annotations

from dataclasses import replace

from rackrent.exchange.model import Gpu, Machine
from rackrent.exchange.rules.matching import Claimant
from rackrent.exchange.rules.offers import Offer
from rackrent.protocol.words import Rental, Trust

MACHINE = Machine(
    id="m", host="h", country="DE", latitude=52.5, longitude=13.4, cpu_cores=32, ram_gb=128, disk_gb=1000, addresses=8,
    inet_down_mbps=900.0, inet_up_mbps=100.0, reliability=0.99, on_demand_micro_usd=400_000, min_bid_micro_usd=100_000,
    monthly_micro_usd=300_000, storage_micro_usd_per_gb_month=100_000, trust=Trust.VERIFIED,
)  # fmt: skip
OFFER = Offer(
    id="m:on_demand:1", machine="m", host="h", gpu_name="RTX_4090", num_gpus=1, gpu_ram=24.0, gpu_total_ram=24.0,
    cpu_cores=8, cpu_ram=32, disk_space=1000, addresses=8, inet_up=100.0, inet_down=900.0, geolocation="DE",
    latitude=52.5, longitude=13.4, reliability=0.99, verified=True, rental=Rental.ON_DEMAND, price_micro_usd=400_000,
    price_per_gpu_micro_usd=400_000, min_bid_micro_usd=None, storage_micro_usd_per_gb_month=100_000, until_ms=None,
)  # fmt: skip


def gpus(n: int, name: str = "NVIDIA GeForce RTX 4090", memory_gb: float = 24.0) -> list[Gpu]:
    return [Gpu(id=f"g{i}", machine="m", name=name, memory_gb=memory_gb) for i in range(n)]


def offer(**changed: object) -> Offer:
    return replace(OFFER, **changed)


def claim(lease: str, n: int, rental: Rental = Rental.ON_DEMAND, bid: int = 400_000) -> Claimant:
    """A lease of n GPUs of the machine; `bid` is micro-USD an hour of one."""
    return Claimant(lease=lease, rental=rental, gpus=n, rate_micro_usd=bid * n, since_ms=0)
