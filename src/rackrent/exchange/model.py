"""What the exchange keeps: values, one class a table. Instants are milliseconds of UTC since 1970, money is micro-USD.

All are frozen: a rule takes some and returns others. `id` is the key of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rackrent.protocol.words import (
    Claim,
    DataEnd,
    InstanceState,
    Intended,
    LeaseState,
    Reason,
    Rental,
    Trust,
)

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
MONTH_MS = 730 * HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Who rents: a purse of its own, and what a calendar month may cost (None: no limit)."""

    id: str
    account: str
    budget_micro_usd: int | None = None
    month: str = ""
    spent_micro_usd: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A lender's machine: place, resources (whole and leased), asking prices, and what was last heard of it.

    Prices are micro-USD an hour of one GPU; None: not offered on that term. Bandwidth and reliability are None until they
    are measured. `last_heard_ms` is on the hub's clock.
    `desired_seq` counts what the hub wants of it, `report_seq` what it said.
    """

    id: str
    host: str
    country: str
    latitude: float
    longitude: float
    cpu_cores: int
    ram_gb: int
    disk_gb: int
    addresses: int
    disk_gb_leased: int = 0
    addresses_leased: int = 0
    inet_down_mbps: float | None = None
    inet_up_mbps: float | None = None
    reliability: float | None = None
    on_demand_micro_usd: int | None = None
    min_bid_micro_usd: int | None = None
    monthly_micro_usd: int | None = None
    reserved_1y_micro_usd: int | None = None
    reserved_3y_micro_usd: int | None = None
    storage_micro_usd_per_gb_month: int = 0
    until_ms: int | None = None
    trust: Trust = Trust.UNVERIFIED
    claim: Claim = Claim.UNCLAIMED
    reason: Reason = Reason.REQUESTED
    reachable: bool = True
    last_heard_ms: int = 0
    boot: str = ""
    monotonic_ms: int = 0
    skewed: bool = False
    desired_seq: int = 0
    report_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A device that can be rented, by its UUID, which is once in the network. A MIG slice has a parent, which cannot be."""

    id: str
    machine: str
    name: str
    memory_gb: float
    parent: str | None = None
    healthy: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a renter was told, to be taken up until `expires_ms`. Rates are micro-USD an hour of all its GPUs."""

    id: str
    project: str
    machine: str
    rental: Rental
    gpus: int
    cpu_cores: int
    ram_gb: int
    disk_gb: int
    rate_micro_usd: int
    storage_rate_micro_usd: int
    hold_micro_usd: int
    reserve_micro_usd: int
    expires_ms: int
    lease: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A contract: rate, resources, address, data. The rate is a snapshot; a rise needs acceptance.

    Settled up to `settled_ms`, as settlement number `settlements`; the remainders are what rounding left, in
    micro-USD-milliseconds an hour. `metering` and `storing` say whether GPU time and the volume are charged from there on,
    GPU time until `until_ms` at most; once it is `reclaiming`, both. `address` is its own until it ends. `grace_ms`:
    since when only the storage reserve pays; `low`: that its purse is nearly empty has been said.
    """

    id: str
    project: str
    machine: str
    host: str
    quote: str
    rental: Rental
    gpus: int
    cpu_cores: int
    ram_gb: int
    disk_gb: int
    address: int
    rate_micro_usd: int
    storage_rate_micro_usd: int
    hold_micro_usd: int
    created_ms: int
    deadline_ms: int
    state: LeaseState = LeaseState.PENDING
    reason: Reason = Reason.REQUESTED
    delivered_ms: int | None = None
    ends_ms: int | None = None
    ended_ms: int | None = None
    settled_ms: int = 0
    settlements: int = 0
    metering: bool = False
    storing: bool = False
    until_ms: int | None = None
    gpu_remainder: int = 0
    storage_remainder: int = 0
    fee_remainder: int = 0
    grace_ms: int | None = None
    low: bool = False
    proposed_rate_micro_usd: int | None = None
    data_end: DataEnd | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """What runs under a lease (its id is the lease's).

    `intended` is the renter's wish: an interrupted instance that is to run waits for a GPU. `generation` is the desired
    state of its machine that last spoke of it; 0: the host has not heard of it. `over`: ended, and its data accounted for.
    """

    id: str
    machine: str
    intended: Intended
    actual: InstanceState
    reason: Reason
    since_ms: int
    generation: int
    progress: float | None = None
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A GPU for a lease, from when to when (None: open). A GPU has at most one open allocation."""

    id: str
    lease: str
    gpu: str
    machine: str
    from_ms: int
    to_ms: int | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What one interval of a lease cost. The intervals of a lease follow on one another without gap or overlap.

    `gpu_micro_usd` is zero where no GPU time ran. `uncollected_micro_usd` is what the money did not suffice for: it is
    nobody's debt.
    """

    id: str
    lease: str
    number: int
    from_ms: int
    to_ms: int
    metered: bool
    gpu_micro_usd: int
    storage_micro_usd: int
    fee_micro_usd: int
    uncollected_micro_usd: int = 0


class Kind(StrEnum):
    """What a transfer of money is for."""

    TOP_UP = "top_up"
    HOLD = "hold"
    RELEASE = "release"
    USE = "use"
    FEE = "fee"
    FORFEIT = "forfeit"
    DOWNTIME_CREDIT = "downtime_credit"
    PAYOUT = "payout"
    REVERSAL = "reversal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A purse of the ledger. Only the outside world may be below zero: it has given what the others have."""

    id: str
    balance_micro_usd: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Money from one account to another: both sides of the entry in one row, never changed. `id` is its idempotency key."""

    id: str
    kind: Kind
    debit: str
    credit: str
    amount_micro_usd: int
    at_ms: int
    lease: str | None = None
    reverses: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that has been done: its idempotency key, a digest of what it asked for, and the id of what it made."""

    id: str
    digest: str
    made: str
    at_ms: int


class Alarm(StrEnum):
    """What becomes due."""

    CREATION = "creation"
    SETTLE = "settle"
    SILENCE = "silence"
    FENCE = "fence"
    LOST = "lost"
    GRACE = "grace"
    TERM = "term"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """Something to look at when `due_ms` comes: `id` is `kind:subject`, so that each subject has one of a kind."""

    id: str
    kind: Alarm
    subject: str
    due_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Something that people should know of: a late settlement, a lost machine, money that did not suffice."""

    id: str
    at_ms: int
    reason: Reason | str
    machine: str | None = None
    lease: str | None = None
    text: str = ""


Entity = (
    Project | Machine | Gpu | Quote | Lease | Instance | Allocation | Settlement | Account | Transfer | Request | Timer | Incident
)  # fmt: skip
"""Everything a store keeps."""
