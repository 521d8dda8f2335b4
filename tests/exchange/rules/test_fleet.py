"""A fleet keeps a size under a price."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offered import MACHINE, claim, gpus, offer

from rackrent.exchange.model import Instance, Lease
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.filter import parse
from rackrent.exchange.rules.fleet import Fleet, Member, Why, member, scale
from rackrent.exchange.rules.offers import offers as offers_of
from rackrent.protocol.words import InstanceState, Intended, LeaseState, Reason, Rental

ONE = parse("num_gpus = 1")


def fleet(size, ceiling=500_000, asked=ONE, disk_gb=0):
    return Fleet(size=size, ceiling_micro_usd=ceiling, asked=asked, disk_gb=disk_gb)


def at(price, machine, **also):
    return offer(
        id=f"{machine}:on_demand:1",
        machine=machine,
        price_micro_usd=price,
        price_per_gpu_micro_usd=price,
        **also,
    )


def machines(scaled):
    return [rent.machine for rent in scaled.rent]


def test_the_cheapest_offers_under_the_ceiling_are_rented():
    there = [at(400_000, "c"), at(300_000, "b"), at(500_001, "d"), at(300_000, "a")]
    assert machines(scale(fleet(2), [], there)) == ["a", "b"]
    scaled = scale(fleet(5), [], there)
    assert (machines(scaled), scaled.missing) == (["a", "b", "c"], 2)
    assert {rent.ceiling_micro_usd for rent in scaled.rent} == {500_000}


def test_the_ceiling_is_on_all_that_an_hour_costs():
    """At $0.10 a GB-month, 100 GB are 13,699 micro-USD an hour."""
    there = [at(486_301, "a"), at(486_302, "b")]
    assert machines(scale(fleet(2, disk_gb=100), [], there)) == ["a"]


def test_only_what_the_filter_asks_for_is_rented():
    there = [at(1, "a", reliability=None), at(2, "b", reliability=0.99)]
    assert machines(scale(fleet(2, asked=parse("reliability > 0.9")), [], there)) == ["b"]
    near = scale(fleet(2, asked=parse("latency_ms < 10")), [], there, {"a": 5.0})
    assert machines(near) == ["a"]


def test_a_machine_takes_as_many_as_its_gpus_its_disk_and_its_addresses_allow():
    machine = replace(MACHINE, min_bid_micro_usd=None, monthly_micro_usd=None)
    there = offers_of(machine, gpus(7), [], 0).offers
    assert len(scale(fleet(9), [], there).rent) == 7
    assert len(scale(fleet(9, disk_gb=300), [], there).rent) == 3
    there = offers_of(replace(machine, addresses=2), gpus(7), [], 0).offers
    assert len(scale(fleet(9), [], there).rent) == 2


def test_shrinking_ends_the_dearest_first_and_of_equals_the_youngest():
    members = [
        Member("a", "own", 300_000, 1),
        Member("b", "own", 400_000, 2),
        Member("c", "own", 400_000, 3),
        Member("d", "own", 100_000, 4),
    ]
    assert list(scale(fleet(2), members, []).end) == ["c", "b"]
    assert scale(fleet(4), members, [at(1, "m")]).end == {}, "what runs is not replaced by what is cheaper"


def test_what_does_not_serve_is_replaced():
    scaled = scale(fleet(1), [Member("a", "own", 100_000, 1, serves=False)], [at(400_000, "m")])
    assert (scaled.end, machines(scaled)) == ({"a": Why.NOT_SERVING}, ["m"])


def test_a_lower_ceiling_ends_what_is_above_it():
    scaled = scale(fleet(1, ceiling=350_000), [Member("a", "own", 400_000, 1)], [at(300_000, "m")])
    assert (scaled.end, machines(scaled)) == ({"a": Why.TOO_DEAR}, ["m"])


@pytest.mark.parametrize("rental", [Rental.INTERRUPTIBLE, Rental.ON_DEMAND])
def test_a_fleet_does_not_take_gpus_from_itself(rental):
    """Its own bid has one of two GPUs: one more at the same bid is to be had, and no third by displacing the first."""
    mine = [claim("own", 1, Rental.INTERRUPTIBLE, 100_000)]
    there = offers_of(MACHINE, gpus(2), mine, 0).offers
    now = [Member("own", "m", 100_000, 1, 100_000)]
    scaled = scale(fleet(3, asked=parse(f"rental = {rental.value} num_gpus = 1")), now, there)
    assert (len(scaled.rent), scaled.missing) == (1, 1)


def test_a_bid_is_rented_at_the_least_that_gets_it_now():
    there = offers_of(MACHINE, gpus(1), [], 0).offers
    (rent,) = scale(fleet(1, asked=parse("rental = interruptible")), [], there).rent
    assert (rent.rental, rent.bid_micro_usd) == (Rental.INTERRUPTIBLE, 100_000)


@pytest.mark.parametrize(
    ("state", "intended", "actual", "expected"),
    [
        (LeaseState.ACTIVE, Intended.RUNNING, InstanceState.RUNNING, True),
        (LeaseState.PENDING, Intended.RUNNING, InstanceState.CREATING, True),
        (LeaseState.ACTIVE, Intended.RUNNING, InstanceState.UNREACHABLE, True),
        (LeaseState.ACTIVE, Intended.RUNNING, InstanceState.INTERRUPTED, False),
        (LeaseState.ACTIVE, Intended.STOPPED, InstanceState.STOPPED, False),
        (LeaseState.RECLAIMING, Intended.ENDED, InstanceState.STOPPING, None),
    ],
)
def test_a_lease_serves_while_it_runs_or_is_about_to(state, intended, actual, expected):
    lease = Lease(id="l", project="p", machine="m", host="h", quote="q", rental=Rental.ON_DEMAND, gpus=1, cpu_cores=1, ram_gb=1,
                  disk_gb=1, address=0, rate_micro_usd=5, storage_rate_micro_usd=2, hold_micro_usd=0, created_ms=3,
                  deadline_ms=0, state=state)  # fmt: skip
    instance = Instance(
        id="l",
        machine="m",
        intended=intended,
        actual=actual,
        reason=Reason.REQUESTED,
        since_ms=0,
        generation=1,
    )
    found = member(lease, instance)
    assert found == (None if expected is None else Member("l", "m", 7, 3, None, expected))


@pytest.mark.parametrize("wrong", [{"size": -1}, {"size": 10_001}, {"ceiling": -1}, {"disk_gb": -1}])
def test_a_fleet_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(Invalid):
        fleet(**{"size": 1} | wrong)


members = st.lists(
    st.builds(
        Member, lease=st.text("abcdef", min_size=1, max_size=4), machine=st.just("own"), rate_micro_usd=st.integers(0, 9),
        since_ms=st.integers(0, 3), serves=st.booleans(),
    ),
    max_size=6, unique_by=lambda m: m.lease,
)  # fmt: skip
prices = st.lists(st.integers(0, 9), max_size=6)


@given(st.integers(0, 6), st.integers(0, 9), members, prices, st.randoms())
def test_a_fleet_reaches_its_size_if_and_only_if_enough_is_offered_under_its_ceiling(
    size, ceiling, now, asks, draw
):
    wanted = fleet(size, ceiling)
    there = [at(price, f"m{n}") for n, price in enumerate(asks)]
    scaled = scale(wanted, now, there)
    stays = [m for m in now if m.lease not in scaled.end]
    cheap = sorted(price for price in asks if price <= ceiling)
    able = [m for m in now if m.serves and m.rate_micro_usd <= ceiling]
    assert all(m.serves and m.rate_micro_usd <= ceiling for m in stays)
    assert len(stays) + len(scaled.rent) == min(size, len(able) + len(cheap))
    assert scaled.missing == size - len(stays) - len(scaled.rent)
    paid = [asks[int(machine[1:])] for machine in machines(scaled)]
    assert paid == cheap[: len(paid)], "no cheaper offer is passed over, none above the ceiling is taken"
    gone = [m.rate_micro_usd for m in now if scaled.end.get(m.lease) is Why.TOO_MANY]
    assert max((m.rate_micro_usd for m in stays), default=0) <= min(gone, default=9)
    assert not (gone and scaled.rent)
    draw.shuffle(now)
    draw.shuffle(there)
    again = scale(wanted, now, there)
    assert (dict(again.end), again.rent) == (dict(scaled.end), scaled.rent)


@given(st.integers(0, 6), st.integers(0, 9), members, prices)
def test_a_fleet_that_has_been_brought_to_its_size_is_left_alone(size, ceiling, now, asks):
    there = [at(price, f"m{n}") for n, price in enumerate(asks)]
    scaled = scale(fleet(size, ceiling), now, there)
    after = [m for m in now if m.lease not in scaled.end]
    after += [
        Member(f"new{n}", rent.machine, asks[int(rent.machine[1:])], 9) for n, rent in enumerate(scaled.rent)
    ]
    left = [o for o in there if o.machine not in machines(scaled)]
    assert (again := scale(fleet(size, ceiling), after, left)).end == {} and again.rent == ()
