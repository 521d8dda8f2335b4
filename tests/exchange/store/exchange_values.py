"""Values to keep: one of each kind, with what a case is not about filled in."""

from __future__ import annotations

from typing import Any

from rackrent.exchange.model import (
    Allocation,
    Gpu,
    Incident,
    Instance,
    Kind,
    Lease,
    Machine,
    Project,
    Quote,
    Request,
    Settlement,
    Transfer,
)
from rackrent.protocol.words import InstanceState, Intended, Reason, Rental


def machine(id: str = "m", **other: Any) -> Machine:
    given: dict[str, Any] = {
        "host": "h", "country": "DE", "latitude": 52.5, "longitude": 13.4, "cpu_cores": 32, "ram_gb": 128,
        "disk_gb": 1000, "addresses": 4, "on_demand_micro_usd": 1_000_000, "min_bid_micro_usd": 300_000,
        "monthly_micro_usd": 700_000, "storage_micro_usd_per_gb_month": 100_000,
    }  # fmt: skip
    return Machine(id=id, **(given | other))


def gpu(id: str = "g", **other: Any) -> Gpu:
    return Gpu(id=id, **({"machine": "m", "name": "RTX 4090", "memory_gb": 24.0} | other))


def project(id: str = "p", **other: Any) -> Project:
    return Project(id=id, **({"account": "a"} | other))


def quote(id: str = "q", **other: Any) -> Quote:
    given: dict[str, Any] = {
        "project": "p", "machine": "m", "rental": Rental.ON_DEMAND, "gpus": 1, "cpu_cores": 8, "ram_gb": 32,
        "disk_gb": 10, "rate_micro_usd": 1_000_000, "storage_rate_micro_usd": 1370, "hold_micro_usd": 2_002_740,
        "reserve_micro_usd": 230_160, "expires_ms": 300_000,
    }  # fmt: skip
    return Quote(id=id, **(given | other))


def lease(id: str = "l", **other: Any) -> Lease:
    given: dict[str, Any] = {
        "project": "p", "machine": "m", "host": "h", "quote": f"q of {id}", "rental": Rental.ON_DEMAND, "gpus": 1,
        "cpu_cores": 8, "ram_gb": 32, "disk_gb": 10, "address": 0, "rate_micro_usd": 1_000_000,
        "storage_rate_micro_usd": 1370, "hold_micro_usd": 2_002_740, "created_ms": 0, "deadline_ms": 1_800_000,
    }  # fmt: skip
    return Lease(id=id, **(given | other))


def instance(id: str = "l", **other: Any) -> Instance:
    given: dict[str, Any] = {
        "machine": "m", "intended": Intended.RUNNING, "actual": InstanceState.CREATING,
        "reason": Reason.WAITING_FOR_GPU, "since_ms": 0, "generation": 0,
    }  # fmt: skip
    return Instance(id=id, **(given | other))


def allocation(id: str = "al", **other: Any) -> Allocation:
    return Allocation(id=id, **({"lease": "l", "gpu": "g", "machine": "m", "from_ms": 0} | other))


def settlement(number: int = 1, from_ms: int = 0, to_ms: int = 1000, **other: Any) -> Settlement:
    given: dict[str, Any] = {
        "id": f"l:{number}", "lease": "l", "metered": True, "gpu_micro_usd": 277, "storage_micro_usd": 0,
        "fee_micro_usd": 41,
    }  # fmt: skip
    return Settlement(number=number, from_ms=from_ms, to_ms=to_ms, **(given | other))


def transfer(
    id: str = "t", debit: str = "world", credit: str = "wallet:p", amount: int = 100, **other: Any
) -> Transfer:
    return Transfer(
        id=id, debit=debit, credit=credit, amount_micro_usd=amount, **({"kind": Kind.TOP_UP, "at_ms": 0} | other)
    )  # fmt: skip


def request(id: str = "k", **other: Any) -> Request:
    return Request(id=id, **({"digest": "d", "made": "t", "at_ms": 0} | other))


def incident(id: str = "i", **other: Any) -> Incident:
    return Incident(id=id, **({"at_ms": 0, "reason": Reason.HOST_SILENT} | other))
