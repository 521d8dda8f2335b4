"""Whoever tries to have GPU time or storage without paying for it; each of these once worked."""

from __future__ import annotations

import pytest
from exchange_world import DAY, HOUR, MINUTE, SECOND, USD, World

from rackrent.exchange.model import Lease
from rackrent.exchange.problems import Insufficient
from rackrent.exchange.rules import ledger
from rackrent.exchange.service import money, owner, rates
from rackrent.protocol.words import InstanceState, LeaseState, Reason, Rental


def uncollected(world: World, lease: Lease) -> int:
    return sum(s.uncollected_micro_usd for s in world.settlements(lease))


def test_a_start_needs_a_hold_that_lasts_until_it_is_settled(world: World) -> None:
    """Stopped before every settlement, and started again with a hold that was used up, it ran for nothing."""
    world.machine()
    world.project(usd=3.0)
    lease = world.running()
    world.wait(HOUR + 55 * MINUTE)
    world.stop(lease)
    world.obey()
    world.start(lease)
    world.obey()
    world.wait(55 * MINUTE)
    world.stop(lease)
    world.obey()
    before = world.lease(lease), world.instance(lease)
    with pytest.raises(Insufficient, match="needs 1000000 micro-USD set aside; there are 166667"):
        world.start(lease)
    assert (world.lease(lease), world.instance(lease)) == before
    assert uncollected(world, lease) == 0
    world.hub.do(money.top_up, "p1", USD, "more")
    world.start(lease)
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING


@pytest.mark.parametrize("delivered", [False, True])
def test_a_bid_is_not_raised_beyond_the_money(world: World, delivered: bool) -> None:
    """A dollar outbid everyone for an hour, and was all that was paid for it."""
    world.machine()
    world.project(usd=1.0)
    lease = world.rent(rental=Rental.INTERRUPTIBLE, bid=300_000)
    if delivered:
        world.obey()
    with pytest.raises(Insufficient, match="top up first"):
        world.hub.do(rates.rebid, lease.id, "p1", 100 * USD)
    assert world.lease(lease).rate_micro_usd == 300_000
    world.hub.do(rates.rebid, lease.id, "p1", 400_000)
    assert world.balance(ledger.hold(lease.id)) == 800_000


def test_a_higher_rate_is_accepted_only_where_it_can_be_paid(world: World) -> None:
    world.machine()
    world.project(usd=3.0)
    lease = world.running()
    world.hub.do(rates.propose_rate, lease.id, "lender", 50 * USD)
    with pytest.raises(Insufficient):
        world.hub.do(rates.accept_rate, lease.id, "p1", 50 * USD)
    assert world.lease(lease).rate_micro_usd == USD


@pytest.mark.case("X25")
def test_bidding_again_and_again_makes_no_time_free(world: World) -> None:
    """What lay between the host's last word and a higher bid was not charged: a bid before every report was worth 97 %."""
    world.machine()
    world.project()
    lease = world.running(rental=Rental.INTERRUPTIBLE, bid=300_000)
    for n in range(120):
        world.now += 29 * SECOND
        world.hub.do(rates.rebid, lease.id, "p1", 300_001 + n)
        world.now += SECOND
        world.report()
        world.hub.wake()
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == HOUR
    assert 300_000 <= world.gpu_billed(lease) <= 300_121


def test_a_bid_without_money_does_not_come_back_to_run(world: World) -> None:
    """It was in its grace period, waited for a GPU, got one, and used up the storage reserve."""
    world.machine()
    world.project(usd=3.0)
    world.project("p2", usd=1_000)
    lease = world.running(rental=Rental.INTERRUPTIBLE, bid=300_000, disk_gb=100)
    firm = world.running("p2")
    world.obey()
    assert world.instance(lease).actual is InstanceState.INTERRUPTED
    while world.lease(lease).grace_ms is None:
        world.wait(HOUR, every=HOUR)
    world.end(firm)
    world.obey()
    world.wait(5 * DAY, every=HOUR)
    assert world.instance(lease).actual is InstanceState.INTERRUPTED
    assert world.gpu_billed(lease) == uncollected(world, lease) == 0


def test_a_bid_that_comes_back_with_too_small_a_hold_is_stopped(world: World) -> None:
    world.machine()
    world.project(usd=0.65)
    world.project("p2", usd=1_000)
    lease = world.running(rental=Rental.INTERRUPTIBLE, bid=300_000)
    world.wait(115 * MINUTE)
    firm = world.running("p2")
    world.obey()
    world.end(firm)
    world.obey()
    assert world.instance(lease).reason is Reason.OUT_OF_FUNDS
    world.wait(DAY, every=MINUTE)
    assert uncollected(world, lease) == 0 and world.open_allocations() == {}


@pytest.mark.case("X9")
@pytest.mark.parametrize("resting", [False, True])
def test_a_reserved_lease_without_money_gives_its_gpus_up(world: World, resting: bool) -> None:
    """It kept them through the grace period, a week that nobody paid for."""
    world.machine()
    world.project(usd=505.0)
    lease = world.running(rental=Rental.MONTHLY)
    if resting:
        world.stop(lease)
        world.obey()
    world.hub.do(money.top_up, "p1", 20 * USD, "more")
    world.hub.do(rates.propose_rate, lease.id, "lender", 20 * USD)
    world.hub.do(rates.accept_rate, lease.id, "p1", 20 * USD)
    world.wait(2 * DAY, every=MINUTE * 10)
    assert world.lease(lease).grace_ms is not None
    assert world.open_allocations() == {} and not world.lease(lease).metering
    assert uncollected(world, lease) == 0
    world.quote("p1")  # its GPU is there for others


@pytest.mark.case("X9")
def test_a_second_grace_period_is_paid_for_like_the_first(world: World) -> None:
    world.machine()
    world.project(usd=26.0)
    lease = world.running(disk_gb=1000)
    reserved = world.balance(ledger.reserve(lease.id))
    world.stop(lease)
    world.obey()
    for n in range(3):
        while world.lease(lease).grace_ms is None:
            world.wait(HOUR, every=HOUR)
        world.wait(6 * DAY, every=HOUR)
        world.hub.do(money.top_up, "p1", 5 * USD, f"too little {n}")
        with pytest.raises(Insufficient):
            world.start(lease)
        world.hub.do(money.top_up, "p1", 22 * USD, f"again {n}")
        world.wait(DAY // 2, every=HOUR)
        assert world.lease(lease).grace_ms is None
        assert world.balance(ledger.reserve(lease.id)) == reserved
    assert uncollected(world, lease) == 0


def test_a_volume_that_costs_more_a_day_than_is_held_is_settled_before_the_hold_is_used_up(
    world: World,
) -> None:
    world.machine(disk_gb=10_000)
    world.project(usd=250.0)
    lease = world.running(disk_gb=10_000)
    assert lease.hold_micro_usd < 24 * lease.storage_rate_micro_usd
    world.stop(lease)
    world.obey()
    world.wait(20 * DAY, every=10 * MINUTE)
    assert world.lease(lease).state is LeaseState.ENDED
    assert uncollected(world, lease) == 0


@pytest.mark.parametrize("silent", [False, True])
def test_an_owner_is_not_paid_for_the_gpus_of_a_reserved_lease_that_it_took(
    world: World, silent: bool
) -> None:
    """It was being stopped at the instant at which the notice ended, so that it kept its GPUs, and paid."""
    world.machine()
    world.project(usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.hub.do(owner.claim, "m1", "lender")
    world.wait(world.policy.notice_ms - SECOND)
    world.stop(lease)
    world.now += SECOND
    world.hub.wake()
    assert world.instance(lease).actual is InstanceState.STOPPING
    if silent:
        world.wait(20 * MINUTE, "m1")
        world.agents["m1"].has = {lease.id: InstanceState.STOPPED}
    world.obey()
    billed = world.gpu_billed(lease)
    world.wait(DAY, every=HOUR)
    assert world.gpu_billed(lease) == billed
    assert world.open_allocations() == {}
