"""What a machine offers now, and why it does not: the same rules for the list, for a quote, and for the lease made from it.

An offer is 1, 2, 4, ... GPUs of a machine, or all that are free, on one term, with everything else that it names. The
fields have the names that GPU markets use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from rackrent.catalog.names import canonical_gpu
from rackrent.exchange.model import Gpu, Machine
from rackrent.exchange.rules.matching import Claimant, free_for
from rackrent.exchange.rules.terms import TERM_MS, ask_micro_usd
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Claim, Rental, Trust


class Lack(StrEnum):
    """Why something cannot be rented from a machine now."""

    UNVERIFIED = "unverified"
    SUSPENDED = "suspended"
    UNREACHABLE = "unreachable"
    CLOCK_SKEW = "clock_skew"
    OWNER = "owner"
    DRAINING = "draining"
    OVER = "over"
    NO_GPU = "no_gpu"
    MIXED_GPUS = "mixed_gpus"
    NO_ADDRESS = "no_address"
    NOT_PRICED = "not_priced"
    TERM_TOO_LONG = "term_too_long"
    NO_DISK = "no_disk"
    TAKEN = "taken"

    @property
    def text(self) -> str:
        """Return the reason as people read it, the end of a sentence."""
        return _(_TEXT[self])


_TEXT = {
    Lack.UNVERIFIED: N_("it is not verified yet"),
    Lack.SUSPENDED: N_("it is suspended"),
    Lack.UNREACHABLE: N_("it cannot be reached"),
    Lack.CLOCK_SKEW: N_("its clock is wrong"),
    Lack.OWNER: N_("its owner has claimed it"),
    Lack.DRAINING: N_("it begins nothing new"),
    Lack.OVER: N_("the time for which it was lent is over"),
    Lack.NO_GPU: N_("it has no healthy GPU"),
    Lack.MIXED_GPUS: N_("its GPUs are not all of one kind, so that a number of them does not say which"),
    Lack.NO_ADDRESS: N_("all its addresses are in use"),
    Lack.NOT_PRICED: N_("it has no price on that term"),
    Lack.TERM_TOO_LONG: N_("it is not lent for so long"),
    Lack.NO_DISK: N_("it does not have that much disk left"),
    Lack.TAKEN: N_("it does not have that many GPUs free on that term, or at that bid"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a lease needs of a machine; `bid_micro_usd` is an hour of one GPU (nothing where the price is posted)."""

    rental: Rental
    gpus: int
    disk_gb: int
    bid_micro_usd: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What can be rented now. Money is micro-USD an hour of the whole offer, unless the name says otherwise.

    `gpu_name` is written with underscores (RTX_4090); memory and disk are GB, `gpu_ram` that of one GPU; CPU cores and
    memory are the share that comes with these GPUs, disk is what is free in all. Bandwidth is Mbps. `geolocation` is ISO
    3166 alpha-2. `reliability` is the share of time in which the machine was heard of, 0 to 1. None is unknown, except
    for `until_ms`: lent without an end. For `interruptible` the price is the least bid that gets the GPUs now, and
    `min_bid_micro_usd` the least that the lender accepts.
    """

    id: str
    machine: str
    host: str
    gpu_name: str
    num_gpus: int
    gpu_ram: float
    gpu_total_ram: float
    cpu_cores: int
    cpu_ram: int
    disk_space: int
    addresses: int
    inet_up: float | None
    inet_down: float | None
    geolocation: str
    latitude: float
    longitude: float
    reliability: float | None
    verified: bool
    rental: Rental
    price_micro_usd: int
    price_per_gpu_micro_usd: int
    min_bid_micro_usd: int | None
    storage_micro_usd_per_gb_month: int
    until_ms: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The offers of a machine; or, where there is none, why."""

    offers: tuple[Offer, ...]
    why_not: Lack | None = None


def rentable(gpus: Sequence[Gpu]) -> list[Gpu]:
    """Return the GPUs of a machine that can be leased: healthy, and not cut into slices."""
    return [gpu for gpu in devices(gpus) if gpu.healthy]


def devices(gpus: Sequence[Gpu]) -> list[Gpu]:
    """Return the devices that are leased one by one: each MIG slice, and each GPU that is not cut into slices."""
    parents = {gpu.parent for gpu in gpus}
    return [gpu for gpu in gpus if gpu.id not in parents]


def share(machine: Machine, gpus: Sequence[Gpu], wanted: int) -> tuple[int, int]:
    """Return the CPU cores and GB of memory that come with a number of GPUs: the same whether the others are well or ill."""
    there = len(devices(gpus))
    return machine.cpu_cores * wanted // there, machine.ram_gb * wanted // there


def closed(machine: Machine, gpus: Sequence[Gpu], now_ms: int) -> Lack | None:
    """Return why nothing of a machine can be rented by anybody, or None."""
    if machine.trust is not Trust.VERIFIED:
        return Lack.SUSPENDED if machine.trust is Trust.SUSPENDED else Lack.UNVERIFIED
    if not machine.reachable:
        return Lack.UNREACHABLE
    if machine.skewed:
        return Lack.CLOCK_SKEW
    if machine.claim is not Claim.UNCLAIMED:
        return Lack.DRAINING if machine.claim is Claim.DRAINING else Lack.OWNER
    if machine.until_ms is not None and machine.until_ms <= now_ms:
        return Lack.OVER
    if not rentable(gpus):
        return Lack.NO_GPU
    if len({_kind(gpu) for gpu in devices(gpus)}) > 1:
        return Lack.MIXED_GPUS
    return Lack.NO_ADDRESS if machine.addresses_leased >= machine.addresses else None


def lacks(
    machine: Machine, gpus: Sequence[Gpu], claimants: Sequence[Claimant], wanted: Wanted, now_ms: int
) -> Lack | None:
    """Return the first thing that a machine lacks of what is wanted, or None: it can be rented."""
    return closed(machine, gpus, now_ms) or _short(machine, gpus, claimants, wanted, now_ms)


def offers(machine: Machine, gpus: Sequence[Gpu], claimants: Sequence[Claimant], now_ms: int) -> Listing:
    """Return what a machine offers now, term by term, fewest GPUs first; or why it offers nothing."""
    why = closed(machine, gpus, now_ms)
    if why is not None:
        return Listing((), why)
    ids = [gpu.id for gpu in rentable(gpus)]
    found, whys = [], []
    for rental in Rental:
        most = free_for(ids, claimants, rental, sys.maxsize)
        for n in _sizes(most) or [1]:
            bid = _least_bid(machine, ids, claimants, n) if rental is Rental.INTERRUPTIBLE else 0
            why = _short(machine, gpus, claimants, Wanted(rental, n, 0, bid), now_ms)
            if why is not None:
                whys.append(why)
                break
            found.append(_offer(machine, gpus, rental, n, bid))
    return Listing(tuple(found)) if found else Listing((), max(whys, key=list(Lack).index))


def wire_name(gpu: Gpu) -> str:
    """Return the name of a device as offers write it: canonical, with underscores; a slice is named after its profile.

    >>> wire_name(Gpu(id="a", machine="m", name="NVIDIA GeForce RTX 4090", memory_gb=24.0))
    'RTX_4090'
    >>> wire_name(Gpu(id="b", machine="m", name="NVIDIA A100-SXM4-80GB MIG 1g.10gb", memory_gb=10.0, parent="c"))
    'A100_SXM_80GB_MIG_1g.10gb'
    """
    return _wire_name(gpu.name, gpu.memory_gb)


@lru_cache(maxsize=4096)
def _wire_name(name: str, memory_gb: float) -> str:
    whole, mig, profile = name.partition(" MIG ")
    canonical = canonical_gpu(whole, None if mig else memory_gb) or whole
    return "_".join(f"{canonical}{mig}{profile}".split())


def _kind(gpu: Gpu) -> tuple[str, float]:
    return wire_name(gpu), gpu.memory_gb


def _short(
    machine: Machine, gpus: Sequence[Gpu], claimants: Sequence[Claimant], wanted: Wanted, now_ms: int
) -> Lack | None:
    """Return what a machine that is open lacks of what is wanted."""
    if ask_micro_usd(machine, wanted.rental) is None:
        return Lack.NOT_PRICED
    if machine.until_ms is not None and machine.until_ms - now_ms < TERM_MS.get(wanted.rental, 0):
        return Lack.TERM_TOO_LONG
    if wanted.disk_gb > machine.disk_gb - machine.disk_gb_leased:
        return Lack.NO_DISK
    ids = (gpu.id for gpu in rentable(gpus))
    free = free_for(ids, claimants, wanted.rental, wanted.bid_micro_usd)
    return Lack.TAKEN if wanted.gpus > free else None


def _sizes(most: int) -> list[int]:
    """Return 1, 2, 4, ... up to `most`, and `most`.

    >>> _sizes(6), _sizes(8), _sizes(0)
    ([1, 2, 4, 6], [1, 2, 4, 8], [])
    """
    powers = [1 << k for k in range(most.bit_length())]
    return powers if not most or powers[-1] == most else [*powers, most]


def _least_bid(machine: Machine, gpus: Iterable[str], claimants: Sequence[Claimant], n: int) -> int:
    """Return the least bid for one GPU an hour that gets `n` of them now: the lender's least, or just above other bids.

    Nothing (0) where no bid gets them, or none is taken.
    """
    floor, gpus = machine.min_bid_micro_usd, tuple(gpus)
    if floor is None:
        return 0
    bids = {c.rate_micro_usd // c.gpus + 1 for c in claimants if c.rental is Rental.INTERRUPTIBLE}
    tried = [floor, *sorted(bid for bid in bids if bid > floor)]
    return next((bid for bid in tried if free_for(gpus, claimants, Rental.INTERRUPTIBLE, bid) >= n), 0)


def _offer(machine: Machine, gpus: Sequence[Gpu], rental: Rental, n: int, bid: int) -> Offer:
    gpu = rentable(gpus)[0]
    cpu_cores, cpu_ram = share(machine, gpus, n)
    floor = machine.min_bid_micro_usd if rental is Rental.INTERRUPTIBLE else None
    each = bid if rental is Rental.INTERRUPTIBLE else ask_micro_usd(machine, rental) or 0
    return Offer(
        id=f"{machine.id}:{rental.value}:{n}", machine=machine.id, host=machine.host, gpu_name=wire_name(gpu),
        num_gpus=n, gpu_ram=gpu.memory_gb, gpu_total_ram=gpu.memory_gb * n, cpu_cores=cpu_cores, cpu_ram=cpu_ram,
        disk_space=machine.disk_gb - machine.disk_gb_leased, addresses=machine.addresses - machine.addresses_leased,
        inet_up=machine.inet_up_mbps, inet_down=machine.inet_down_mbps, geolocation=machine.country,
        latitude=machine.latitude, longitude=machine.longitude, reliability=machine.reliability,
        verified=machine.trust is Trust.VERIFIED, rental=rental, price_micro_usd=each * n,
        price_per_gpu_micro_usd=each, min_bid_micro_usd=None if floor is None else floor * n,
        storage_micro_usd_per_gb_month=machine.storage_micro_usd_per_gb_month, until_ms=machine.until_ms,
    )  # fmt: skip
