"""Hostile lenders and tenants, careless operators: nothing that they send is believed, and nothing comes to a standstill."""

from __future__ import annotations

import pytest
from exchange_world import DAY, HOUR, MINUTE, USD, World

from rackrent.exchange.model import Gpu, Kind, Machine
from rackrent.exchange.problems import Invalid, NotFound, Unavailable
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import money, owner, rates
from rackrent.exchange.service.agent import Status
from rackrent.protocol.words import InstanceState, LeaseState, Reason, Rental, Trust


def test_what_runs_on_a_suspended_machine_is_stopped_a_reserved_lease_too(world: World) -> None:
    """It was stopped, kept its GPU, and was started again by the next report."""
    world.machine()
    world.project(usd=2_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.wait(HOUR)
    world.hub.do(owner.trust, "m1", TrustEvent.SUSPEND, Reason.SUSPENDED)
    world.obey()
    billed = world.gpu_billed(lease)
    world.wait(DAY, every=HOUR)
    stopped = world.instance(lease)
    assert (stopped.actual, stopped.reason) == (InstanceState.INTERRUPTED, Reason.SUSPENDED)
    assert world.gpu_billed(lease) == billed and world.open_allocations() == {}
    world.hub.do(owner.trust, "m1", TrustEvent.RESUME)
    world.hub.do(owner.trust, "m1", TrustEvent.VERIFY)
    world.obey()
    assert world.instance(lease).actual is InstanceState.RUNNING and world.lease(lease).metering


@pytest.mark.case("X16")
def test_a_start_on_a_suspended_machine_fails_at_once(world: World) -> None:
    """It said yes and then waited for a GPU that nobody gives out there."""
    world.machine()
    world.project()
    lease = world.running()
    world.stop(lease)
    world.obey()
    world.hub.do(owner.trust, "m1", TrustEvent.SUSPEND, Reason.SUSPENDED)
    with pytest.raises(Unavailable):
        world.start(lease)


def test_what_is_given_back_of_an_ending_lease_does_not_keep_it_from_ending(world: World) -> None:
    """It went to a hold that had been given back; the next reports of the machine, all of them, were refused."""
    world.machine()
    world.project()
    lease = world.running(disk_gb=100)
    world.wait(HOUR + MINUTE)
    used = next(t for t in world.transfers(lease) if t.kind is Kind.USE)
    world.wait(3 * MINUTE, "m1")
    world.end(lease)
    assert world.lease(lease).state is LeaseState.RECLAIMING
    before = world.balance(ledger.wallet("p1"))
    world.hub.do(money.reverse, used.id, "goodwill")
    assert world.balance(ledger.wallet("p1")) == before + used.amount_micro_usd
    world.obey()
    assert world.lease(lease).state is LeaseState.ENDED


def test_a_lender_does_not_say_that_its_machine_is_verified(world: World) -> None:
    forged = Machine(
        id="x", host="h", country="DE", latitude=0, longitude=0, cpu_cores=1, ram_gb=1, disk_gb=10, addresses=1,
        trust=Trust.VERIFIED, report_seq=1 << 60, disk_gb_leased=10, on_demand_micro_usd=USD, inet_up_mbps=100.0,
    )  # fmt: skip
    card = Gpu(id="g", machine="x", name="RTX 4090", memory_gb=24)
    made = world.hub.do(owner.enrol, forged, [card])
    assert (made.trust, made.report_seq, made.disk_gb_leased) == (Trust.UNVERIFIED, 0, 0)
    assert (made.on_demand_micro_usd, made.inet_up_mbps) == (USD, 100.0)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("on_demand_micro_usd", -5, "on_demand_micro_usd of machine x is below zero"),
        ("storage_micro_usd_per_gb_month", -1, "is below zero"),
        ("addresses", -1, "is below zero"),
        ("inet_down_mbps", -0.5, "is below zero"),
        ("latitude", 91.0, "nowhere on Earth: 91.0 degrees north"),
        ("longitude", -180.5, "nowhere on Earth"),
    ],
)
def test_a_machine_that_makes_no_sense_is_not_enrolled(
    world: World, field: str, value: float, says: str
) -> None:
    given = {
        "id": "x", "host": "h", "country": "DE", "latitude": 0, "longitude": 0, "cpu_cores": 1, "ram_gb": 1,
        "disk_gb": 1, "addresses": 1,
    }  # fmt: skip
    with pytest.raises(Invalid, match=says):
        world.hub.do(owner.enrol, Machine(**(given | {field: value})), [])  # type: ignore[arg-type]


def test_storage_always_has_a_price(world: World) -> None:
    world.machine()
    with pytest.raises(Invalid, match="storage_micro_usd_per_gb_month is no price"):
        world.hub.do(owner.set_prices, "m1", "lender", storage_micro_usd_per_gb_month=None)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("fee_ppm", 1_000_001, "fee_ppm of the policy is between 0 and 1000000, not 1000001"),
        ("downtime_ppm", -1, "between 0"),
        ("hold_ms", 0, "hold_ms of the policy is between 60000"),
        ("settle_ms", 0, "settle_ms"),
        ("grace_ms", -1, "grace_ms"),
        ("fence_ms", 1, "silent, then fenced, then lost"),
        (
            "hold_ms",
            119_999,
            r"hold_ms of the policy is at least silence_ms \+ heartbeat_ms, which is 120000",
        ),
        ("hold_reserved_ms", 60_000, "hold_reserved_ms of the policy is at least"),
        ("settle_ms", 60_000, "settle_ms of the policy is at least"),
        ("settle_storage_ms", 60_000, "settle_storage_ms of the policy is at least"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(field: str, value: int, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        Policy(**{field: value})


@pytest.mark.parametrize("field", ["hold_ms", "hold_reserved_ms", "settle_ms", "settle_storage_ms"])
def test_what_is_held_outlasts_the_silence_of_a_machine(field: str) -> None:
    """What a host says after a longer silence was paid by nobody: the hub had settled all that it knew of, and found the hold full."""
    assert getattr(Policy(silence_ms=60_000, **{field: 90_000}), field) == 90_000


@pytest.mark.case("X10")
def test_a_key_is_the_project_s_own(world: World) -> None:
    """Who used a key first kept all others from using it."""
    world.machine(gpus=2)
    world.project()
    world.project("p2")
    first, second = world.rent(key="1"), world.rent("p2", key="1")
    assert (first.project, second.project) == ("p1", "p2") and first.id != second.id


def test_a_host_that_was_paid_out_comes_back_and_owes_nothing(world: World) -> None:
    """It pays for its downtime what it has left with the hub; what it does not have keeps nobody waiting."""
    world.machine(monthly_micro_usd=40 * USD)
    world.project(usd=40_000)
    lease = world.running(rental=Rental.MONTHLY)
    world.wait(2 * HOUR)
    earned = world.balance(ledger.earned("lender"))
    world.hub.do(money.payout, "lender", earned - 5, "all but five")
    purse = world.balance(ledger.wallet("p1"))
    world.wait(10 * HOUR, "m1", every=10 * MINUTE)
    world.report()
    credit = [t for t in world.transfers(lease) if t.kind is Kind.DOWNTIME_CREDIT]
    assert sum(t.amount_micro_usd for t in credit) == world.balance(ledger.wallet("p1")) - purse
    assert len(credit) == 1 and world.balance(ledger.earned("lender")) == 0


def test_a_lender_does_not_change_the_rate_of_another_s_lease(world: World) -> None:
    world.machine()
    world.project()
    lease = world.running()
    with pytest.raises(NotFound, match=f"There is no lease {lease.id}"):
        world.hub.do(rates.propose_rate, lease.id, "another", 0)
    assert world.lease(lease).rate_micro_usd == USD


def test_the_gpu_of_a_silent_host_is_nobody_s_before_it_is_fenced(world: World) -> None:
    """Until then the host may still be running what it has."""
    world.machine()
    world.project()
    lease = world.running()
    heard, policy = world.now, world.policy
    for after, holder in ((policy.fence_ms + policy.fence_margin_ms - 1, lease.id), (1, None)):
        world.now += after
        world.hub.wake()
        assert world.open_allocations().get("m1-gpu0") == holder
    assert world.now == heard + policy.fence_ms + policy.fence_margin_ms


@pytest.mark.case("X7")
@pytest.mark.parametrize("reason", [Reason.HOST_REPORT, Reason.HOST_FENCED])
def test_what_failed_before_it_was_stopped_is_charged_to_the_last_word_that_it_ran(
    world: World, reason: Reason
) -> None:
    world.machine()
    world.project()
    lease = world.running()
    world.wait(MINUTE)
    ran_ms = world.now - world.lease(lease).delivered_ms
    world.now += 20_000
    world.stop(lease)
    world.now += 20_000
    state = InstanceState.FAILED if reason is Reason.HOST_REPORT else InstanceState.STOPPED
    world.report("m1", Status(lease.id, state, reason), applied=world.at(Machine, "m1").desired_seq)
    assert world.metered_ms(lease) == ran_ms


@pytest.mark.case("X8")
def test_a_hub_that_was_down_does_not_take_its_own_silence_for_the_host_s(world: World) -> None:
    world.machine()
    world.project()
    lease = world.running()
    world.now += 3 * HOUR
    world.hub.started_ms = world.now  # it is there again, and has heard nobody yet
    world.hub.wake()
    assert world.at(Machine, "m1").reachable
    world.report()
    world.stop(lease)
    world.obey()
    assert world.metered_ms(lease) == 3 * HOUR
    world.now += world.policy.silence_ms
    world.hub.wake()
    assert not world.at(Machine, "m1").reachable


def test_a_key_is_its_owners_own(world: World) -> None:
    """Who guessed another's key kept their money from coming in."""
    world.machine()
    world.project("p1", usd=0)
    world.project("p2", usd=0)
    first = world.hub.do(money.top_up, "p1", 50 * USD, "1")
    second = world.hub.do(money.top_up, "p2", 60 * USD, "1")
    assert (first.amount_micro_usd, second.amount_micro_usd) == (50 * USD, 60 * USD)
    assert [world.balance(ledger.wallet(p)) for p in ("p1", "p2")] == [50 * USD, 60 * USD]
    lease = world.running()
    world.wait(12 * HOUR, every=MINUTE)
    world.end(lease)
    world.obey()
    earned = world.balance(ledger.earned("lender"))
    assert world.hub.do(money.payout, "lender", earned, "1").amount_micro_usd == earned
    assert world.hub.do(money.reverse, second.id, "1").reverses == second.id


def test_an_owner_with_a_space_in_its_name_has_keys_of_its_own(world: World) -> None:
    """The key `x k` of `p` was the key `k` of `p x`, whose top-up was taken to have come in already."""
    world.project("p", usd=0)
    world.project("p x", usd=0)
    world.project("p%20x", usd=0)
    for owner_, key in (("p", "x k"), ("p x", "k"), ("p%20x", "k")):
        world.hub.do(money.top_up, owner_, 5 * USD, key)
        assert world.balance(ledger.wallet(owner_)) == 5 * USD
