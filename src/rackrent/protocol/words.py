"""The closed lists of the market: what is rented, and the states and reasons of what happens to it."""

from __future__ import annotations

from enum import StrEnum


class Rental(StrEnum):
    """How a lease is paid and how safe its GPUs are from others."""

    ON_DEMAND = "on_demand"
    """By the second at the posted price; only the owner's claim takes it back, with notice."""
    INTERRUPTIBLE = "interruptible"
    """By the second at the renter's own bid; gives way to the owner, to other terms and to higher bids."""
    MONTHLY = "monthly"
    RESERVED_1Y = "reserved_1y"
    RESERVED_3Y = "reserved_3y"

    @property
    def reserved(self) -> bool:
        """Return whether it is paid for a whole term, used or not, and keeps its GPUs while stopped."""
        return self in (Rental.MONTHLY, Rental.RESERVED_1Y, Rental.RESERVED_3Y)


class LeaseState(StrEnum):
    """A contract: agreed, delivered, being taken back, over."""

    PENDING = "pending"
    ACTIVE = "active"
    RECLAIMING = "reclaiming"
    ENDED = "ended"


class InstanceState(StrEnum):
    """What runs under a lease."""

    CREATING = "creating"
    LOADING = "loading"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    UNREACHABLE = "unreachable"
    FAILED = "failed"
    ENDED = "ended"


class Intended(StrEnum):
    """What the hub wants of an instance."""

    RUNNING = "running"
    STOPPED = "stopped"
    ENDED = "ended"


class Trust(StrEnum):
    """Whether a machine has proven to be what it says."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    SUSPENDED = "suspended"


class Claim(StrEnum):
    """Who has first call on a machine now."""

    OWNER = "owner"
    """The owner uses it; nothing of it is rented."""
    UNCLAIMED = "unclaimed"
    """It may be rented."""
    CLAIMED = "claimed"
    """The owner has asked for it back and waits for the notice to run out."""
    DRAINING = "draining"
    """What runs may end in its own time; nothing new begins."""


class Reason(StrEnum):
    """Why something is in the state it is in. Every change carries one."""

    REQUESTED = "requested"
    WAITING_FOR_GPU = "waiting_for_gpu"
    HOST_REPORT = "host_report"
    HOST_ERROR = "host_error"
    HOST_SILENT = "host_silent"
    HOST_FENCED = "host_fenced"
    HOST_LOST = "host_lost"
    INSTANCE_LOST = "instance_lost"
    ORPHAN = "orphan"
    IMAGE_ERROR = "image_error"
    CREATION_DEADLINE = "creation_deadline"
    GPU_UNHEALTHY = "gpu_unhealthy"
    GPU_MISSING = "gpu_missing"
    CLOCK_SKEW = "clock_skew"
    OWNER_CLAIMED = "owner_claimed"
    OUTBID = "outbid"
    DISPLACED = "displaced"
    OUT_OF_FUNDS = "out_of_funds"
    GRACE_OVER = "grace_over"
    TERM_OVER = "term_over"
    SUSPENDED = "suspended"


class DataEnd(StrEnum):
    """What is known of a lease's data after its end."""

    NONE_MADE = "none_made"
    """The instance never came to life: there was no data."""
    DESTROYED = "destroyed"
    """The host says that the key of the volume is destroyed."""
    UNCONFIRMED = "unconfirmed"
    """The host was fenced or never came back: it is told to destroy the key when it does."""
