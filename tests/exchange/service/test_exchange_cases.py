"""What went wrong on other markets, and what must happen here: the cases that rules and store decide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from exchange_world import DAY, HOUR, MINUTE, SECOND, USD, World

from rackrent.exchange.model import Gpu, Kind, Machine, Quote
from rackrent.exchange.problems import (
    Conflict,
    Illegal,
    Insufficient,
    Invalid,
    NotFound,
    QuoteMismatch,
    Replayed,
    Unavailable,
)
from rackrent.exchange.rules import ledger
from rackrent.exchange.service import agent, lifecycle, money, owner, rates, trade
from rackrent.exchange.service.agent import Status
from rackrent.protocol.words import Claim, DataEnd, InstanceState, LeaseState, Reason, Rental

pytestmark = pytest.mark.filterwarnings("error")


def opened(world: World, gpus: int = 1, usd: float = 100.0, **fields: object) -> None:
    world.machine(gpus=gpus, **fields)
    world.project(usd=usd)


@pytest.mark.case("X1")
def test_stopping_shows_what_goes_on_costing_and_ends_the_gpu_charge_that_second(world: World) -> None:
    opened(world)
    lease = world.running(disk_gb=100)
    world.wait(10 * MINUTE + 7 * SECOND)
    stopped_at = world.now
    remaining = world.stop(lease)
    assert remaining.gpu_released and remaining.micro_usd_per_day == 13_699 * 24
    world.wait(3 * DAY, every=HOUR)
    assert world.metered_ms(lease) == stopped_at - world.lease(lease).delivered_ms
    assert world.gpu_billed(lease) == 607 * SECOND * USD // HOUR
    assert world.open_allocations() == {}


@pytest.mark.case("X1")
def test_a_purse_never_owes(world: World) -> None:
    opened(world, usd=5.0)
    lease = world.running(disk_gb=100)
    world.stop(lease)
    world.wait(40 * DAY, every=12 * HOUR)
    assert world.balance(ledger.wallet("p1")) >= 0
    assert world.lease(lease).state is LeaseState.ENDED


@pytest.mark.case("X2")
def test_what_is_rented_is_what_was_named(world: World) -> None:
    opened(world)
    said = world.quote(rental=Rental.ON_DEMAND)
    with pytest.raises(
        QuoteMismatch, match="is on_demand at 1000000 micro-USD an hour, which is not what you asked for"
    ):
        world.hub.do(trade.rent, "p1", said.id, Rental.INTERRUPTIBLE, 10 * USD, "k")
    assert QuoteMismatch.status == 409 and world.open_allocations() == {}
    lease = world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")
    assert (lease.rental, lease.rate_micro_usd) == (Rental.ON_DEMAND, USD)


@pytest.mark.case("X3")
def test_eight_gpus_cost_what_the_quote_says_and_not_eight_times_that(world: World) -> None:
    opened(world, gpus=8, on_demand_micro_usd=160_000)
    said = world.quote(gpus=8)
    assert said.rate_micro_usd == 1_280_000
    lease = world.running(gpus=8)
    world.wait(HOUR)
    world.stop(lease)
    world.obey()
    assert world.gpu_billed(lease) == 1_280_000


@pytest.mark.case("X3")
def test_a_ceiling_is_never_exceeded(world: World) -> None:
    opened(world)
    with pytest.raises(Unavailable, match="above your ceiling of 999999"):
        world.quote(ceiling_micro_usd=999_999)
    said = world.quote(disk_gb=100)  # a dollar, and the storage
    with pytest.raises(QuoteMismatch):
        world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")


@pytest.mark.case("X3")
def test_a_price_that_rises_between_quote_and_rent_is_not_taken(world: World) -> None:
    opened(world)
    said = world.quote()
    world.hub.do(owner.set_prices, "m1", "lender", on_demand_micro_usd=1_100_000)
    with pytest.raises(QuoteMismatch, match="has risen"):
        world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")


def test_a_quote_is_over_after_its_time_and_after_its_use(world: World) -> None:
    opened(world, gpus=2)
    said = world.quote()
    world.now = said.expires_ms
    with pytest.raises(QuoteMismatch, match="is over"):
        world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")
    again = world.quote()
    world.hub.do(trade.rent, "p1", again.id, Rental.ON_DEMAND, USD, "k")
    with pytest.raises(QuoteMismatch, match="is over"):
        world.hub.do(trade.rent, "p1", again.id, Rental.ON_DEMAND, USD, "another key")


def test_a_quote_of_somebody_else_is_no_quote(world: World) -> None:
    opened(world)
    world.project("p2")
    said = world.quote("p2")
    with pytest.raises(QuoteMismatch, match="There is no quote"):
        world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")


@pytest.mark.case("X4")
@pytest.mark.parametrize(
    ("field", "value", "why"),
    [("addresses", 1, "all its addresses are in use"), ("disk_gb", 150, "does not have that much disk left")],
)
def test_an_offer_needs_every_resource_it_names(world: World, field: str, value: int, why: str) -> None:
    opened(world, gpus=2, **{field: value})
    world.running(disk_gb=100)
    with pytest.raises(Unavailable, match=why):
        world.quote(disk_gb=100)


@pytest.mark.case("X4")
def test_what_never_comes_to_run_fails_at_its_deadline_and_the_hold_is_released(world: World) -> None:
    opened(world)
    lease = world.rent(disk_gb=10)
    held = world.balance(ledger.hold(lease.id)) + world.balance(ledger.reserve(lease.id))
    assert held > 0
    for now in (lease.deadline_ms - 1, lease.deadline_ms):
        assert world.lease(lease).state is LeaseState.PENDING
        world.now = now
        world.report("m1", Status(lease.id, InstanceState.LOADING), applied=1)
        world.hub.wake()
    assert world.instance(lease).actual is InstanceState.FAILED
    assert world.instance(lease).reason is Reason.CREATION_DEADLINE
    assert world.balance(ledger.wallet("p1")) == 100 * USD
    world.obey()
    done = world.lease(lease)
    assert (done.state, done.reason, done.data_end) == (
        LeaseState.ENDED,
        Reason.CREATION_DEADLINE,
        DataEnd.DESTROYED,
    )
    assert world.settlements(lease) == [] and world.open_allocations() == {}


@pytest.mark.case("X5")
def test_a_slow_image_shows_its_progress_and_costs_nothing(world: World) -> None:
    opened(world)
    lease = world.rent()
    wanted = world.hub.do(agent.desired, "m1")
    for minute in range(25):
        world.now += MINUTE
        world.report("m1", Status(lease.id, InstanceState.LOADING, progress=minute / 25), applied=wanted.seq)
        world.hub.wake()
    assert world.instance(lease).actual is InstanceState.LOADING
    assert world.instance(lease).progress == pytest.approx(24 / 25)
    world.report("m1", Status(lease.id, InstanceState.RUNNING), applied=wanted.seq)
    assert world.lease(lease).delivered_ms == world.now and world.gpu_billed(lease) == 0


@pytest.mark.case("X6")
def test_a_lease_ends_only_with_the_host_s_word_and_is_not_charged_until_then(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    ended_at = world.now
    world.end(lease)
    world.report("m1", Status(lease.id, InstanceState.RUNNING))  # it has not heard yet
    assert world.lease(lease).state is LeaseState.RECLAIMING
    assert world.open_allocations() == {"m1-gpu0": lease.id}
    world.now += 5 * MINUTE
    world.obey()
    done = world.lease(lease)
    assert (done.state, done.data_end) == (LeaseState.ENDED, DataEnd.DESTROYED)
    assert world.metered_ms(lease) == ended_at - done.delivered_ms
    assert world.open_allocations() == {}


@pytest.mark.case("X6")
def test_an_orphan_is_found_and_ended(world: World) -> None:
    opened(world)
    world.report("m1", Status("nobody's", InstanceState.RUNNING))
    before = world.hub.do(agent.desired, "m1")
    assert before.seq > 0 and before.instances == ()  # what is not wanted is to be destroyed
    world.obey()
    assert world.agents["m1"].has == {}


@pytest.mark.case("X7")
@pytest.mark.parametrize("away", [2 * MINUTE, 10 * MINUTE, 3 * HOUR, DAY])
def test_the_time_a_host_is_silent_is_never_billed(world: World, away: int) -> None:
    opened(world)
    lease = world.running()
    world.wait(10 * MINUTE)
    last_word = world.now
    world.wait(away, "m1", every=MINUTE)
    assert world.instance(lease).actual in (InstanceState.UNREACHABLE, InstanceState.INTERRUPTED)
    if away > world.policy.fence_ms:
        world.agents["m1"].has = {lease.id: InstanceState.STOPPED}  # it has fenced itself
    world.report()
    world.wait(10 * MINUTE)
    metered = [(s.from_ms, s.to_ms) for s in world.settlements(lease) if s.metered]
    assert all(end <= last_word or begin >= last_word + away for begin, end in metered)
    assert sum(min(end, last_word) - begin for begin, end in metered if begin < last_word) == 10 * MINUTE


@pytest.mark.case("X7")
@pytest.mark.case("X23")
@pytest.mark.parametrize("seen_by", ["boot", "counter", "both"])
def test_a_reboot_between_two_words_is_charged_to_the_first(world: World, seen_by: str) -> None:
    """Whatever it says runs now: another boot, or a counter that went back, tells of a break that a clock would hide."""
    opened(world)
    lease = world.running()
    world.wait(10 * MINUTE)
    last_word = world.now
    world.now += 30 * SECOND
    host = world.agents["m1"]
    before = replace(host, has=dict(host.has))
    world.reboot()
    host.has = before.has
    if seen_by == "boot":
        host.monotonic_from_ms = before.monotonic_from_ms
    elif seen_by == "counter":
        host.boot = before.boot
    world.report()
    assert world.metered_ms(lease) == last_word - world.lease(lease).delivered_ms


@pytest.mark.case("X8")
def test_a_hub_that_was_down_bills_what_really_ran_once(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.now += 10 * MINUTE  # the hub is down; the host runs on
    world.hub.started_ms = world.now
    world.report()
    world.hub.wake()
    assert world.instance(lease).actual is InstanceState.RUNNING
    world.wait(HOUR)
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == world.now - world.lease(lease).delivered_ms == 2 * HOUR + 10 * MINUTE


@pytest.mark.case("X8")
def test_settling_late_raises_an_alarm(world: World) -> None:
    opened(world)
    lease = world.running()
    for _minute in range(8 * 60):  # words come in, but nothing is settled
        world.now += MINUTE
        world.report()
    world.hub.wake()
    assert "late_settlement" in world.incidents(lease)
    assert world.metered_ms(lease) == 8 * HOUR


@pytest.mark.case("X9")
def test_out_of_money_is_notice_then_stop_then_grace_then_notice_then_deletion(world: World) -> None:
    opened(world, usd=8.0)
    lease = world.running(disk_gb=100)
    world.wait(8 * HOUR, every=10 * MINUTE)
    assert "low_balance" in world.incidents(lease)
    now = world.lease(lease)
    assert world.instance(lease).actual is InstanceState.STOPPED
    assert world.instance(lease).reason is Reason.OUT_OF_FUNDS
    assert world.open_allocations() == {} and now.grace_ms is not None
    world.wait(now.grace_ms + world.policy.grace_ms - DAY - world.now + HOUR, every=HOUR)
    assert "deletion_notice" in world.incidents(lease)
    assert world.lease(lease).state is LeaseState.ACTIVE  # the data is there still
    world.wait(DAY, every=HOUR)
    done = world.lease(lease)
    assert (done.state, done.reason, done.data_end) == (
        LeaseState.ENDED,
        Reason.GRACE_OVER,
        DataEnd.DESTROYED,
    )
    assert all(s.uncollected_micro_usd == 0 for s in world.settlements(lease))


@pytest.mark.case("X9")
def test_a_top_up_in_the_grace_period_saves_the_data(world: World) -> None:
    opened(world, usd=8.0)
    lease = world.running(disk_gb=100)
    world.wait(8 * HOUR, every=10 * MINUTE)
    with pytest.raises(Insufficient, match="top up first"):
        world.start(lease)
    world.hub.do(money.top_up, "p1", 50 * USD, "second")
    world.start(lease)
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING and world.lease(lease).grace_ms is None
    world.wait(DAY, every=HOUR)
    assert world.instance(lease).actual is InstanceState.RUNNING


@pytest.mark.case("X10")
def test_a_retried_top_up_comes_in_once(world: World) -> None:
    opened(world, usd=0)
    first = world.hub.do(money.top_up, "p1", 5 * USD, "k")
    assert world.hub.do(money.top_up, "p1", 5 * USD, "k") == first
    assert world.balance(ledger.wallet("p1")) == 5 * USD
    with pytest.raises(Conflict, match="was used for another request"):
        world.hub.do(money.top_up, "p1", 6 * USD, "k")


@pytest.mark.case("X10")
def test_a_retried_rent_makes_one_lease(world: World) -> None:
    opened(world, gpus=2)
    said = world.quote()
    first = world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k")
    assert world.hub.do(trade.rent, "p1", said.id, Rental.ON_DEMAND, USD, "k").id == first.id
    assert len(world.open_allocations()) == 1


@pytest.mark.case("X11")
def test_what_the_host_no_longer_has_is_ended_and_its_gpu_freed(world: World) -> None:
    opened(world)
    lease = world.running()
    world.agents["m1"].has = {}
    world.report()
    world.obey()
    done = world.lease(lease)
    assert (done.state, done.reason) == (LeaseState.ENDED, Reason.INSTANCE_LOST)
    assert world.open_allocations() == {}
    world.running()  # and it can be rented again


@pytest.mark.case("X12")
def test_a_gpu_is_in_one_lease(world: World) -> None:
    opened(world, gpus=2)
    world.rent(gpus=1)
    with pytest.raises(Unavailable):
        world.rent(gpus=2)
    world.rent(gpus=1)
    with pytest.raises(Unavailable):
        world.rent(gpus=1)
    assert len(set(world.open_allocations().values())) == 2


@pytest.mark.case("X12")
def test_two_quotes_for_the_last_gpu_make_one_lease(world: World) -> None:
    opened(world)
    one, two = world.quote(), world.quote()
    world.hub.do(trade.rent, "p1", one.id, Rental.ON_DEMAND, USD, "k1")
    with pytest.raises(Unavailable):
        world.hub.do(trade.rent, "p1", two.id, Rental.ON_DEMAND, USD, "k2")
    assert world.at(Quote, two.id).lease is None


@pytest.mark.case("X13")
def test_a_slice_is_a_device_and_what_is_cut_into_slices_is_none(world: World) -> None:
    world.project()
    host = Machine(
        id="m2", host="lender", country="DE", latitude=0, longitude=0, cpu_cores=70, ram_gb=70, disk_gb=100, addresses=9,
        on_demand_micro_usd=100_000,
    )  # fmt: skip
    card = Gpu(id="A100", machine="m2", name="A100 80GB", memory_gb=80)
    slices = [
        Gpu(id=f"MIG-{n}", machine="m2", name="A100 80GB 1g.10gb", memory_gb=10, parent="A100")
        for n in range(7)
    ]
    world.hub.do(owner.enrol, host, [card, *slices])
    world.hub.do(owner.trust, "m2", owner.TrustEvent.VERIFY)
    for n in range(7):
        assert world.rent(machine="m2").cpu_cores == 10, n
    with pytest.raises(Unavailable):
        world.quote(machine="m2")
    assert set(world.open_allocations("m2")) == {f"MIG-{n}" for n in range(7)}


@pytest.mark.case("X14")
def test_an_unwell_gpu_is_not_offered_and_its_lease_is_kept(world: World) -> None:
    opened(world, gpus=2)
    lease = world.running()
    world.agents["m1"].unhealthy = ("m1-gpu0", "m1-gpu1")
    world.report()
    assert world.instance(lease).actual is InstanceState.RUNNING
    with pytest.raises(Unavailable):
        world.quote()
    world.agents["m1"].unhealthy = ()
    world.report()
    world.quote()


@pytest.mark.case("X16")
def test_a_start_without_a_free_gpu_fails_at_once_and_costs_nothing(world: World) -> None:
    opened(world)
    first = world.running(disk_gb=100)
    assert world.stop(first).gpu_released  # it is said at stop
    world.obey()
    world.running()
    before = world.instance(first)
    with pytest.raises(Unavailable, match="does not have 1 GPUs for that now"):
        world.start(first)
    assert world.instance(first) == before  # nothing has changed, the data is kept
    assert world.lease(first).storing and not world.lease(first).metering


@pytest.mark.case("X16")
def test_a_reserved_lease_keeps_its_gpu_while_it_is_stopped_and_pays_for_it(world: World) -> None:
    opened(world, usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    assert not world.stop(lease).gpu_released
    world.obey()
    with pytest.raises(Unavailable):
        world.quote()
    world.wait(DAY, every=HOUR)
    world.start(lease)
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING
    world.wait(29 * DAY + MINUTE, every=6 * HOUR)
    done = world.lease(lease)
    assert (done.state, done.reason) == (LeaseState.ENDED, Reason.TERM_OVER)
    assert world.metered_ms(lease) == 30 * DAY
    assert world.gpu_billed(lease) == 700_000 * 24 * 30


@pytest.mark.case("X19")
def test_the_address_is_the_lease_s_until_it_ends(world: World) -> None:
    opened(world, gpus=2)
    first, second = world.running(), world.running()
    assert {first.address, second.address} == {0, 1}
    world.stop(first)
    world.obey()
    third = world.running()
    assert third.address == 2
    world.end(third)
    world.obey()
    world.start(first)
    world.obey()
    assert world.lease(first).address == first.address


@pytest.mark.case("X21")
def test_three_seconds_of_trouble_change_nothing(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.wait(80 * SECOND, "m1", every=SECOND)
    assert world.instance(lease).actual is InstanceState.RUNNING
    world.report()
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == HOUR + 80 * SECOND


@pytest.mark.case("X21")
def test_an_old_or_doubled_report_is_refused(world: World) -> None:
    opened(world)
    lease = world.running()
    seq = world.agents["m1"].seq
    with pytest.raises(Replayed, match="is not new"):
        world.report("m1", Status(lease.id, InstanceState.FAILED), seq=seq)
    assert world.instance(lease).actual is InstanceState.RUNNING


@pytest.mark.case("X23")
def test_a_clock_that_is_wrong_unlists_and_changes_no_bill(world: World) -> None:
    opened(world, gpus=2)
    lease = world.running()
    world.agents["m1"].skew_ms = 30 * MINUTE
    world.wait(HOUR)
    with pytest.raises(Unavailable, match="its clock is wrong"):
        world.quote()
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == HOUR
    world.agents["m1"].skew_ms = 0
    world.report()
    world.quote()


@pytest.mark.case("X25")
def test_a_rate_rises_only_when_its_renter_accepts_it(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.hub.do(owner.set_prices, "m1", "lender", on_demand_micro_usd=2 * USD)
    world.hub.do(rates.propose_rate, lease.id, "lender", 2 * USD)
    world.wait(HOUR)
    assert world.gpu_billed(lease) <= 2 * USD and world.lease(lease).rate_micro_usd == USD
    with pytest.raises(Invalid, match="is not 3000000"):
        world.hub.do(rates.accept_rate, lease.id, "p1", 3 * USD)
    world.hub.do(rates.accept_rate, lease.id, "p1", 2 * USD)
    world.wait(HOUR)
    world.stop(lease)
    world.obey()
    assert world.gpu_billed(lease) == 4 * USD


@pytest.mark.case("X25")
def test_what_lies_between_the_last_word_and_an_accepted_rise_is_charged_at_neither_rate(
    world: World,
) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.hub.do(rates.propose_rate, lease.id, "lender", 2 * USD)
    world.now += 20 * SECOND
    world.hub.do(rates.accept_rate, lease.id, "p1", 2 * USD)
    world.now += 10 * SECOND
    world.report()
    world.wait(HOUR - 10 * SECOND)
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == 2 * HOUR
    assert world.now - world.lease(lease).delivered_ms == 2 * HOUR + 20 * SECOND
    assert world.gpu_billed(lease) == 3 * USD


@pytest.mark.case("X25")
def test_a_lower_rate_holds_at_once(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.hub.do(rates.propose_rate, lease.id, "lender", USD // 2)
    world.wait(HOUR)
    world.stop(lease)
    world.obey()
    assert world.gpu_billed(lease) == USD + USD // 2


def test_the_owner_comes_first_with_notice_for_what_is_paid_at_the_posted_price(world: World) -> None:
    opened(world, gpus=2)
    firm = world.running()
    bid = world.running(rental=Rental.INTERRUPTIBLE, bid=400_000)
    world.hub.do(owner.claim, "m1", "lender")
    world.obey()
    assert world.instance(bid).actual is InstanceState.INTERRUPTED
    assert world.instance(bid).reason is Reason.OWNER_CLAIMED
    assert world.instance(firm).actual is InstanceState.RUNNING
    world.wait(world.policy.notice_ms)
    assert world.instance(firm).actual is InstanceState.INTERRUPTED
    assert world.at(Machine, "m1").claim is Claim.OWNER and world.open_allocations() == {}
    world.hub.do(owner.give, "m1", "lender")
    world.obey()
    assert world.instance(bid).actual is InstanceState.RUNNING  # a bid comes back by itself
    assert world.instance(firm).actual is InstanceState.INTERRUPTED  # this one when its renter says so


def test_the_higher_bid_has_the_gpu_and_the_lower_one_gets_it_back(world: World) -> None:
    opened(world)
    low = world.running(rental=Rental.INTERRUPTIBLE, bid=300_000)
    high = world.rent(rental=Rental.INTERRUPTIBLE, bid=500_000)
    assert world.open_allocations() == {"m1-gpu0": low.id}  # until the host says that it has stopped
    world.obey()
    assert world.open_allocations() == {"m1-gpu0": high.id}
    assert (world.instance(low).actual, world.instance(low).reason) == (
        InstanceState.INTERRUPTED,
        Reason.OUTBID,
    )
    with pytest.raises(Unavailable):
        world.rent(rental=Rental.INTERRUPTIBLE, bid=500_000)  # an equal bid displaces nobody
    world.end(high)
    world.obey()
    assert world.open_allocations() == {"m1-gpu0": low.id}
    assert world.instance(low).actual is InstanceState.RUNNING


def test_a_posted_price_displaces_a_bid(world: World) -> None:
    opened(world)
    bid = world.running(rental=Rental.INTERRUPTIBLE, bid=900_000)
    firm = world.rent()
    world.obey()
    assert world.open_allocations() == {"m1-gpu0": firm.id}
    assert world.instance(bid).reason is Reason.DISPLACED


def test_a_budget_of_a_month_is_not_exceeded(world: World) -> None:
    world.machine()
    world.project(usd=1_000, budget_usd=10.0)
    lease = world.running()
    world.wait(2 * DAY, every=30 * MINUTE)
    assert world.instance(lease).reason is Reason.OUT_OF_FUNDS
    assert world.gpu_billed(lease) <= 10 * USD


def test_a_uuid_is_once_in_the_network(world: World) -> None:
    world.machine()
    with pytest.raises(Conflict, match="in the network already"):
        world.hub.do(
            owner.enrol, Machine(
                id="m9", host="x", country="DE", latitude=0, longitude=0, cpu_cores=1, ram_gb=1, disk_gb=1, addresses=1,
            ), [Gpu(id="m1-gpu0", machine="m9", name="RTX 4090", memory_gb=24)],
        )  # fmt: skip


def test_a_lost_machine_ends_its_leases_and_gives_the_money_back(world: World) -> None:
    opened(world)
    lease = world.running(disk_gb=10)
    world.wait(HOUR)
    charged = world.gpu_billed(lease)
    world.wait(3 * DAY, "m1", every=10 * MINUTE)
    done = world.lease(lease)
    assert (done.state, done.reason, done.data_end) == (
        LeaseState.ENDED,
        Reason.HOST_LOST,
        DataEnd.UNCONFIRMED,
    )
    assert world.gpu_billed(lease) == charged == USD
    world.obey()  # it comes back, is told to destroy the data, and says so
    assert world.lease(lease).data_end is DataEnd.DESTROYED


def test_a_reserved_lease_whose_host_fails_it_is_not_charged_and_gets_a_credit(world: World) -> None:
    opened(world, usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.wait(5 * DAY, every=HOUR)
    purse = world.balance(ledger.wallet("p1"))
    world.wait(10 * HOUR, "m1", every=10 * MINUTE)
    world.agents["m1"].has = {lease.id: InstanceState.STOPPED}
    world.report()
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING
    assert world.balance(ledger.wallet("p1")) - purse == 700_000  # a tenth of ten hours' price


def test_a_reserved_lease_ended_early_pays_what_is_held(world: World) -> None:
    opened(world, usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.wait(10 * DAY, every=HOUR)
    world.end(lease)
    world.obey()
    assert world.lease(lease).state is LeaseState.ENDED
    assert world.balance(ledger.wallet("p1")) == 2_000 * USD - 700_000 * 24 * 30
    assert world.balance(ledger.FEES) == 700_000 * 24 * 30 * 15 // 100


def test_payouts_have_a_least_and_never_exceed_what_was_earned(world: World) -> None:
    opened(world, on_demand_micro_usd=20 * USD)
    world.running()
    world.wait(HOUR + MINUTE)
    earned = world.balance(ledger.earned("lender"))
    assert earned == 20 * USD * 85 // 100
    with pytest.raises(Invalid, match="at least"):
        world.hub.do(money.payout, "lender", USD, "k1")
    with pytest.raises(Insufficient):
        world.hub.do(money.payout, "lender", earned + 1, "k2")
    world.hub.do(money.payout, "lender", earned, "k3")
    world.hub.do(money.payout, "lender", earned, "k3")
    assert world.balance(ledger.earned("lender")) == 0


def test_a_transfer_is_reversed_once(world: World) -> None:
    world.project(usd=0)
    paid = world.hub.do(money.top_up, "p1", 5 * USD, "k")
    world.hub.do(money.reverse, paid.id, "r1")
    assert world.balance(ledger.wallet("p1")) == 0
    with pytest.raises(Conflict, match="reversed once"):
        world.hub.do(money.reverse, paid.id, "r2")


@pytest.mark.parametrize("act", ["stop", "start", "end"])
def test_somebody_else_s_lease_is_no_lease(world: World, act: str) -> None:
    opened(world)
    lease = world.running()
    world.project("p2")
    with pytest.raises(NotFound, match="There is no lease"):
        world.hub.do(getattr(lifecycle, act), lease.id, "p2")


def test_an_illegal_transition_names_state_and_event(world: World) -> None:
    opened(world)
    lease = world.running()
    with pytest.raises(Illegal, match="What is running cannot start"):
        world.start(lease)


def test_what_rests_on_a_machine_that_was_away_is_charged_for_its_storage_again(world: World) -> None:
    opened(world)
    lease = world.running(disk_gb=1000)
    world.stop(lease)
    world.obey()
    world.wait(HOUR)
    away_from = world.now
    world.wait(5 * HOUR, "m1", every=10 * MINUTE)
    back = world.now
    world.report()
    world.wait(2 * DAY, every=HOUR)
    stored = [(s.from_ms, s.to_ms) for s in world.settlements(lease) if s.storage_micro_usd]
    assert all(end <= away_from or begin >= back for begin, end in stored)
    assert sum(end - begin for begin, end in stored if begin >= back) >= DAY


def test_the_owner_gets_the_gpus_of_a_reserved_lease_at_rest_and_it_does_not_pay_for_them(
    world: World,
) -> None:
    opened(world, usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.stop(lease)
    world.obey()
    world.wait(HOUR)
    world.hub.do(owner.claim, "m1", "lender")
    world.wait(world.policy.notice_ms)
    assert world.open_allocations() == {} and not world.lease(lease).metering
    world.hub.do(owner.give, "m1", "lender")
    world.start(lease)
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING and world.lease(lease).metering


def test_what_is_given_back_of_an_ended_lease_goes_to_the_purse(world: World) -> None:
    opened(world)
    lease = world.running()
    world.wait(HOUR)
    world.end(lease)
    world.obey()
    used = next(t for t in world.transfers(lease) if t.kind is Kind.USE)
    before = world.balance(ledger.wallet("p1"))
    world.hub.do(money.reverse, used.id, "goodwill")
    assert world.balance(ledger.wallet("p1")) == before + used.amount_micro_usd
    aside = next(t for t in world.transfers(lease) if t.kind is Kind.HOLD)
    with pytest.raises(Invalid, match="only sets money aside"):
        world.hub.do(money.reverse, aside.id, "by mistake")
