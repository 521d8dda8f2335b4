"""What a client asks of the hub, and what it is told.

A lease is made from a quote, and whoever makes it names again the term and the most it may cost: where that is not what
the quote says, nothing is made. Every request that moves money or makes something carries a key and is done once for it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rackrent.protocol.base import (
    Count,
    DiskGb,
    GpuCount,
    Id,
    Key,
    Message,
    MicroUsd,
    Ms,
    Text,
)
from rackrent.protocol.words import (
    DataEnd,
    InstanceState,
    Intended,
    LeaseState,
    Reason,
    Rental,
)

OFFERS_MAX = 1_000
Gb = Annotated[float, Field(ge=0, le=1e9)]
Mbps = Annotated[float, Field(ge=0, le=1e9)]


class Offer(Message):
    """What can be rented now; null is unknown, except for `until_ms`: lent without an end.

    Prices are of the whole offer for an hour, unless the name says otherwise. Memory and disk are GB, bandwidth Mbps,
    `geolocation` ISO 3166 alpha-2, `reliability` 0 to 1. `distance_km` and `latency_ms` are from where one asked to be near.
    """

    id: Annotated[str, Field(min_length=1, max_length=160)]
    machine: Id
    host: Id
    gpu_name: Annotated[str, Field(min_length=1, max_length=80)]
    num_gpus: GpuCount
    gpu_ram: Gb
    gpu_total_ram: Gb
    cpu_cores: Count
    cpu_ram: Count
    disk_space: DiskGb
    inet_up: Mbps | None
    inet_down: Mbps | None
    geolocation: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    reliability: Annotated[float, Field(ge=0, le=1)] | None
    verified: bool
    rental: Rental
    price_micro_usd: MicroUsd
    price_per_gpu_micro_usd: MicroUsd
    min_bid_micro_usd: MicroUsd | None
    storage_micro_usd_per_gb_month: MicroUsd
    until_ms: Ms | None
    distance_km: Annotated[float, Field(ge=0)] | None = None
    latency_ms: Annotated[float, Field(ge=0)] | None = None


class Offers(Message):
    """The offers found, in order, and how many there are in all."""

    offers: Annotated[tuple[Offer, ...], Field(max_length=OFFERS_MAX)]
    total: Annotated[int, Field(ge=0)]


class QuoteRequest(Message):
    """What a lease would cost. A bid is for one GPU, the ceiling the most an hour of the lease may cost, storage included."""

    machine: Id
    rental: Rental
    gpus: GpuCount
    disk_gb: DiskGb
    bid_micro_usd: MicroUsd | None = None
    ceiling_micro_usd: MicroUsd | None = None


class Quote(Message):
    """What was promised, until when. Rates are an hour of all GPUs, and of the disk; the rest is set aside at the start."""

    id: Id
    machine: Id
    rental: Rental
    gpus: GpuCount
    cpu_cores: Count
    ram_gb: Count
    disk_gb: DiskGb
    rate_micro_usd: MicroUsd
    storage_rate_micro_usd: MicroUsd
    hold_micro_usd: MicroUsd
    reserve_micro_usd: MicroUsd
    expires_ms: Ms


class LeaseCreate(Message):
    """Take up a quote, as this term and for this much an hour at most, storage included."""

    quote: Id
    rental: Rental
    ceiling_micro_usd: MicroUsd
    key: Key


class Instance(Message):
    """What runs under a lease: what the renter wants, what it is, why, and since when."""

    intended_status: Intended
    actual_status: InstanceState
    reason: Reason
    since_ms: Ms
    progress: Annotated[float, Field(ge=0, le=1)] | None = None


class Lease(Message):
    """A contract as it stands; rates are an hour of all GPUs, and of the disk. A proposed rate holds once it is accepted."""

    id: Id
    machine: Id
    quote: Id
    rental: Rental
    state: LeaseState
    reason: Reason
    gpus: GpuCount
    cpu_cores: Count
    ram_gb: Count
    disk_gb: DiskGb
    address: Count
    rate_micro_usd: MicroUsd
    storage_rate_micro_usd: MicroUsd
    proposed_rate_micro_usd: MicroUsd | None
    created_ms: Ms
    delivered_ms: Ms | None
    settled_ms: Ms
    ends_ms: Ms | None
    ended_ms: Ms | None
    data_end: DataEnd | None
    instance: Instance


class TopUp(Message):
    """Put money into the purse of a project."""

    amount_micro_usd: Annotated[int, Field(gt=0, le=1_000_000_000_000)]
    key: Key


class Wallet(Message):
    """What a project can spend, and what is set aside for its leases."""

    available_micro_usd: MicroUsd
    held_micro_usd: MicroUsd


class Problem(Message):
    """Why a request was refused (RFC 9457): a stable `type`, a short title, the HTTP status, and one sentence."""

    type: Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,63}$")]
    title: Annotated[str, Field(max_length=200)]
    status: Annotated[int, Field(ge=400, le=599)]
    detail: Text
