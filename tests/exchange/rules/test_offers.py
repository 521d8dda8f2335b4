"""What a machine offers, and why it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offered import MACHINE, claim, gpus

from rackrent.exchange.model import DAY_MS, Gpu
from rackrent.exchange.rules.matching import Claimant, match
from rackrent.exchange.rules.offers import Lack, Wanted, lacks, offers
from rackrent.protocol.words import Claim, Rental, Trust

NOW = 1_000


def listed(machine=MACHINE, there=None, claimants=()):
    return offers(machine, gpus(4) if there is None else there, claimants, NOW)


def sizes(listing, rental=Rental.ON_DEMAND):
    return [o.num_gpus for o in listing.offers if o.rental is rental]


def test_an_offer_is_stated_in_the_markets_fields_and_units():
    one, two = (o for o in listed(there=gpus(2)).offers if o.rental is Rental.ON_DEMAND)
    assert (one.gpu_name, one.gpu_ram, two.gpu_total_ram) == ("RTX_4090", 24.0, 48.0)
    assert (one.cpu_cores, one.cpu_ram, one.disk_space) == (16, 64, 1000)
    assert (two.price_micro_usd, two.price_per_gpu_micro_usd) == (800_000, 400_000)


@pytest.mark.parametrize(
    ("there", "taken", "expected"),
    [(1, 0, [1]), (4, 0, [1, 2, 4]), (6, 0, [1, 2, 4, 6]), (8, 1, [1, 2, 4, 7]), (4, 4, [])],
)
def test_sizes_are_powers_of_two_and_all_that_is_free(there, taken, expected):
    listing = listed(there=gpus(there), claimants=[claim("a", taken)] if taken else [])
    assert sizes(listing) == expected


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"trust": Trust.UNVERIFIED}, Lack.UNVERIFIED),
        ({"trust": Trust.SUSPENDED}, Lack.SUSPENDED),
        ({"reachable": False}, Lack.UNREACHABLE),
        ({"skewed": True}, Lack.CLOCK_SKEW),
        ({"claim": Claim.OWNER}, Lack.OWNER),
        ({"claim": Claim.CLAIMED}, Lack.OWNER),
        ({"claim": Claim.DRAINING}, Lack.DRAINING),
        ({"until_ms": NOW}, Lack.OVER),
        ({"addresses_leased": 8}, Lack.NO_ADDRESS),
        (
            {"on_demand_micro_usd": None, "min_bid_micro_usd": None, "monthly_micro_usd": None},
            Lack.NOT_PRICED,
        ),
    ],
)
@pytest.mark.case("X4")
def test_a_machine_that_cannot_be_rented_says_why(changed, why):
    listing = listed(replace(MACHINE, **changed))
    assert (listing.offers, listing.why_not) == ((), why)
    assert why.text


def test_a_machine_whose_gpus_are_all_taken_says_so():
    machine = replace(MACHINE, min_bid_micro_usd=None)
    assert listed(machine, claimants=[claim("a", 4)]).why_not is Lack.TAKEN


@pytest.mark.case("X14")
def test_an_unhealthy_gpu_is_not_offered():
    there = [replace(g, healthy=g.id != "g1") for g in gpus(2)]
    assert sizes(listed(there=there)) == [1]
    assert listed(there=[replace(g, healthy=False) for g in there]).why_not is Lack.NO_GPU


@pytest.mark.case("X13")
def test_a_slice_is_a_device_of_its_own_and_its_parent_is_not_offered():
    parent = Gpu(id="p", machine="m", name="NVIDIA A100-SXM4-80GB", memory_gb=80.0)
    slices = [
        Gpu(id=f"s{i}", machine="m", name=f"{parent.name} MIG 1g.10gb", memory_gb=10.0, parent="p")
        for i in range(3)
    ]
    listing = listed(there=[parent, *slices])
    assert sizes(listing) == [1, 2, 3]
    assert {(o.gpu_name, o.gpu_ram) for o in listing.offers} == {("A100_SXM_80GB_MIG_1g.10gb", 10.0)}


def test_gpus_of_two_kinds_are_not_offered_by_number():
    both = [*gpus(1), Gpu(id="x", machine="m", name="NVIDIA GeForce RTX 3090", memory_gb=24.0)]
    assert listed(there=both).why_not is Lack.MIXED_GPUS


def test_the_share_of_the_machine_does_not_grow_when_a_gpu_falls_ill():
    ill = [replace(g, healthy=g.id != "g3") for g in gpus(4)]
    assert [o.cpu_cores for o in listed(there=ill).offers if o.rental is Rental.ON_DEMAND] == [8, 16, 24]


def test_a_term_that_outlasts_the_loan_is_not_offered():
    until = NOW + 30 * DAY_MS
    assert sizes(listed(replace(MACHINE, until_ms=until)), Rental.MONTHLY) == [1, 2, 4]
    short = replace(MACHINE, until_ms=until - 1)
    assert sizes(listed(short), Rental.MONTHLY) == []
    assert lacks(short, gpus(4), [], Wanted(Rental.MONTHLY, 1, 0), NOW) is Lack.TERM_TOO_LONG


def test_disk_that_is_leased_is_not_offered():
    machine = replace(MACHINE, disk_gb_leased=990)
    assert {o.disk_space for o in listed(machine).offers} == {10}
    assert lacks(machine, gpus(4), [], Wanted(Rental.ON_DEMAND, 1, 10), NOW) is None
    assert lacks(machine, gpus(4), [], Wanted(Rental.ON_DEMAND, 1, 11), NOW) is Lack.NO_DISK


def test_an_interruptible_offer_costs_the_least_bid_that_gets_the_gpus():
    bids = [claim("a", 2, Rental.INTERRUPTIBLE, 150_000), claim("b", 1, Rental.INTERRUPTIBLE, 100_000)]
    found = {
        o.num_gpus: o.price_per_gpu_micro_usd
        for o in listed(claimants=bids).offers
        if o.rental == "interruptible"
    }
    assert found == {1: 100_000, 2: 100_001, 4: 150_001}


rentals = st.sampled_from(Rental)
claims = st.lists(st.tuples(rentals, st.integers(1, 3), st.integers(50_000, 400_000)), max_size=4)


@given(claims, st.integers(1, 8))
def test_what_is_offered_is_had_by_whoever_takes_it_up(made, there):
    """The list, the quote and the matching agree: an offer that is taken up displaces enough bids, and no more is had."""
    held = iter(g.id for g in gpus(there))
    claimants, left = [], there
    for n, (rental, count, bid) in enumerate(made):
        if count <= left:
            left -= count
            ids = tuple(next(held) for _ in range(count))
            claimants.append(
                Claimant(
                    lease=f"l{n}", rental=rental, gpus=count, rate_micro_usd=bid * count, since_ms=n, held=ids
                )
            )
    listing = listed(there=gpus(there), claimants=claimants)
    for o in listing.offers:
        assert (
            lacks(
                MACHINE,
                gpus(there),
                claimants,
                Wanted(o.rental, o.num_gpus, 0, o.price_per_gpu_micro_usd),
                NOW,
            )
            is None
        )
        new = Claimant(
            lease="new", rental=o.rental, gpus=o.num_gpus, rate_micro_usd=o.price_micro_usd, since_ms=99
        )
        waiting = [*claimants, new]
        first = match([g.id for g in gpus(there)], waiting)
        gone = {c.lease for c in claimants if c.lease in first.displaced}
        after = [c for c in waiting if c.lease not in gone]
        assert "new" in {**first.granted, **match([g.id for g in gpus(there)], after).granted}
