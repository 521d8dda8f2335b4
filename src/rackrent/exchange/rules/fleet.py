"""A fleet: leases of one kind that are kept at a number, each under a price.

Run again whenever leases or offers have changed. Each time it says what to end and what to rent, so that the same leases
and offers always give the same answer; it never replaces a lease that runs by a cheaper one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rackrent.exchange.model import Instance, Lease
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.choose import holds
from rackrent.exchange.rules.filter import Filter
from rackrent.exchange.rules.offers import Offer
from rackrent.exchange.rules.rating import storage_rate_micro_usd
from rackrent.exchange.rules.states import LIVE
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Intended, LeaseState, Rental

SIZE_MAX, GPUS_MAX = 10_000, 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What is wanted: `size` leases of offers that fulfil a filter, with this disk each.

    `ceiling_micro_usd` is the most that an hour of one lease may cost, its disk included.
    """

    size: int
    ceiling_micro_usd: int
    asked: Filter
    disk_gb: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.size <= SIZE_MAX or self.ceiling_micro_usd < 0 or self.disk_gb < 0:
            raise Invalid(
                _("A fleet has 0 to {most} leases, and neither its ceiling nor its disk is below 0.").format(
                    most=SIZE_MAX
                )
            )


@dataclass(frozen=True, slots=True)
class Member:
    """A lease of the fleet: what an hour of it costs, disk included, and its bid for one GPU (None: a posted price).

    `serves`: it runs or is about to.
    """

    lease: str
    machine: str
    rate_micro_usd: int
    since_ms: int
    bid_micro_usd: int | None = None
    serves: bool = True


class Why(StrEnum):
    """Why a lease of a fleet is ended."""

    TOO_DEAR = "too_dear"
    NOT_SERVING = "not_serving"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class Rent:
    """A lease to make: ask for a quote of this with this ceiling, and take it up. The bid is for one GPU."""

    offer: str
    machine: str
    rental: Rental
    gpus: int
    disk_gb: int
    bid_micro_usd: int | None
    ceiling_micro_usd: int


@dataclass(frozen=True, slots=True)
class Scaled:
    """What to do now, the ends first; `missing` is how many leases there is no offer for."""

    end: Mapping[str, Why]
    rent: tuple[Rent, ...]
    missing: int


def member(lease: Lease, instance: Instance) -> Member | None:
    """Return a lease as a member of a fleet; None where it is over or about to be."""
    if lease.state not in (LeaseState.PENDING, LeaseState.ACTIVE):
        return None
    serves = instance.intended is Intended.RUNNING and instance.actual in LIVE
    bid = lease.rate_micro_usd // lease.gpus if lease.rental is Rental.INTERRUPTIBLE else None
    rate = lease.rate_micro_usd + lease.storage_rate_micro_usd
    return Member(lease.id, lease.machine, rate, lease.created_ms, bid, serves)


def scale(
    fleet: Fleet,
    members: Iterable[Member],
    offers: Iterable[Offer],
    latency_ms: Mapping[str, float] | None = None,
) -> Scaled:
    """Return what brings a fleet to its size.

    What costs more than the ceiling, or does not serve (stopped, failed, interrupted), is ended; of too many, the dearest
    are, the youngest of equals first. The cheapest offers are rented, the lower id of equals first, several leases on one
    machine as far as its GPUs, disk and addresses go. A fleet never outbids or displaces its own leases. `offers` are all
    that the market has: they say what fits a machine.
    """
    end: dict[str, Why] = {}
    kept = []
    for m in sorted(members, key=lambda m: (m.rate_micro_usd, m.since_ms, m.lease)):
        if m.rate_micro_usd > fleet.ceiling_micro_usd:
            end[m.lease] = Why.TOO_DEAR
        elif not m.serves:
            end[m.lease] = Why.NOT_SERVING
        else:
            kept.append(m)
    end |= {m.lease: Why.TOO_MANY for m in kept[fleet.size :][::-1]}
    wanted = max(0, fleet.size - len(kept))
    rent = _rent(fleet, wanted, kept, list(offers), latency_ms or {}) if wanted else ()
    return Scaled(end, rent, wanted - len(rent))


def _rent(
    fleet: Fleet, wanted: int, kept: list[Member], offers: list[Offer], latency_ms: Mapping[str, float]
) -> tuple[Rent, ...]:
    rooms = _rooms(offers)
    for m in kept:
        if m.bid_micro_usd is not None and m.machine in rooms:
            rooms[m.machine].protect(m.bid_micro_usd)
    found: list[Rent] = []
    good = (
        (cost, offer.id, offer)
        for offer in offers
        if (cost := _cost(offer, fleet.disk_gb)) <= fleet.ceiling_micro_usd
        and holds(fleet.asked, offer, latency_ms.get(offer.machine))
    )
    for _cost_micro_usd, _id, offer in sorted(good, key=lambda one: one[:2]):
        room = rooms[offer.machine]
        while len(found) < wanted and room.take(offer, fleet.disk_gb):
            bid = offer.price_per_gpu_micro_usd if offer.rental is Rental.INTERRUPTIBLE else None
            found.append(
                Rent(offer.id, offer.machine, offer.rental, offer.num_gpus, fleet.disk_gb, bid, fleet.ceiling_micro_usd)
            )  # fmt: skip
    return tuple(found)


def _cost(offer: Offer, disk_gb: int) -> int:
    """Return what an hour of a lease of this offer costs, its disk included, in micro-USD."""
    return offer.price_micro_usd + storage_rate_micro_usd(offer.storage_micro_usd_per_gb_month, disk_gb)


class _Room:
    """What is left on a machine for leases that are made one after another.

    An offer of more GPUs on the same term for no more a GPU says that as many can be had at that price. What is had for
    more, or at a posted price, takes GPUs from lower bids; so that these are not the fleet's own, all that it takes has to
    fit into what its lowest bid would get.
    """

    def __init__(self) -> None:
        self.gpus = self.disk_gb = self.addresses = 0
        self.limit = GPUS_MAX
        self.most: dict[tuple[Rental, int], int] = {}

    def at(self, rental: Rental, each_micro_usd: int) -> int:
        """Return how many GPUs can be had on a term at a price for one."""
        return max(
            (n for (r, each), n in self.most.items() if r is rental and each <= each_micro_usd), default=0
        )

    def protect(self, bid_micro_usd: int) -> None:
        """Leave a bid of the fleet its GPUs."""
        self.limit = min(self.limit, self.at(Rental.INTERRUPTIBLE, bid_micro_usd))

    def take(self, offer: Offer, disk_gb: int) -> bool:
        """Take what a lease of this offer needs and return True; False where it is not there."""
        there = min(self.limit, self.at(offer.rental, offer.price_per_gpu_micro_usd))
        fits = (
            self.gpus + offer.num_gpus <= there
            and self.disk_gb + disk_gb <= offer.disk_space
            and self.addresses < offer.addresses
        )
        if fits:
            self.gpus += offer.num_gpus
            self.disk_gb += disk_gb
            self.addresses += 1
            if offer.rental is Rental.INTERRUPTIBLE:
                self.protect(offer.price_per_gpu_micro_usd)
        return fits


def _rooms(offers: Iterable[Offer]) -> dict[str, _Room]:
    rooms: dict[str, _Room] = defaultdict(_Room)
    for offer in offers:
        most, key = rooms[offer.machine].most, (offer.rental, offer.price_per_gpu_micro_usd)
        most[key] = max(most.get(key, 0), offer.num_gpus)
    return dict(rooms)
