"""What a fleet says can be rented can be rented, one lease after another."""

from __future__ import annotations

from dataclasses import replace

from exchange_world import World
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.exchange.model import Lease
from rackrent.exchange.rules.filter import parse
from rackrent.exchange.rules.fleet import Fleet, member, scale
from rackrent.exchange.service.market import listings
from rackrent.exchange.store.memory import MemoryStore
from rackrent.protocol.words import Rental

BIDS = st.lists(st.tuples(st.integers(1, 2), st.integers(300_000, 900_000)), max_size=3)
ASKS = st.sampled_from(
    ["", "num_gpus = 1", "rental in [on_demand, interruptible]", "rental = interruptible num_gpus <= 2"]
)


def offered(world):
    return [o for listing in world.hub.do(listings).values() for o in listing.offers]


def brought(world, fleet):
    """Do what the fleet says once; return its leases."""
    leases = [lease for lease in world.hub.do(lambda desk: desk.tx.of(Lease)) if lease.project == "fleet"]
    now = [m for lease in leases if (m := member(lease, world.instance(lease))) is not None]
    scaled = scale(fleet, now, offered(world))
    for id in scaled.end:
        world.end(world.at(Lease, id))
    for rent in scaled.rent:
        made = world.rent(
            "fleet", rent.machine, rent.rental, gpus=rent.gpus, disk_gb=rent.disk_gb, bid=rent.bid_micro_usd
        )
        assert made.rate_micro_usd + made.storage_rate_micro_usd <= rent.ceiling_micro_usd
    for machine in world.agents:
        world.obey(machine)
    return scaled


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7),
    st.integers(1, 5),
    BIDS,
    ASKS,
    st.integers(0, 9),
    st.sampled_from([300_000, 950_000, 3_000_000]),
)
def test_all_that_a_fleet_rents_is_had_and_runs(gpus, addresses, bids, asked, size, ceiling):
    world = World(MemoryStore())
    world.machine(gpus=gpus, addresses=addresses + len(bids))
    world.machine("m2", gpus=2, disk_gb=150)
    world.project(usd=10_000.0)
    world.project("fleet", usd=10_000.0)
    for count, bid in bids:
        if any(
            o.rental is Rental.INTERRUPTIBLE and o.num_gpus >= count and o.price_per_gpu_micro_usd <= bid
            for o in offered(world)
            if o.machine == "m1"
        ):
            world.running(rental=Rental.INTERRUPTIBLE, gpus=count, bid=bid)
    fleet = Fleet(size=size, ceiling_micro_usd=ceiling, asked=parse(asked), disk_gb=100)
    scaled = brought(world, fleet)
    leases = [lease for lease in world.hub.do(lambda desk: desk.tx.of(Lease)) if lease.project == "fleet"]
    assert len(leases) == size - scaled.missing
    assert all(world.instance(lease).actual == "running" for lease in leases)
    for _again in range(3):
        brought(world, replace(fleet, size=size + 2))
    ended = [lease for lease in leases if world.lease(lease).state != "active"]
    assert ended == [], "a fleet that grows takes nothing from itself"
    world.check()


def test_a_fleet_replaces_what_is_taken_from_it(world: World) -> None:
    world.machine()
    world.machine("m2")
    world.project()
    world.project("fleet")
    fleet = Fleet(size=1, ceiling_micro_usd=500_000, asked=parse("rental = interruptible"))
    brought(world, fleet)
    assert list(world.open_allocations("m1")) == ["m1-gpu0"]
    world.running()
    assert brought(world, fleet).missing == 0
    assert list(world.open_allocations("m2")) == ["m2-gpu0"]
