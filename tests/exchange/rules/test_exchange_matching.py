"""Who gets the GPUs: never more than there are, nobody out of turn, nobody back and forth."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rackrent.exchange.rules.matching import Claimant, free_for, match
from rackrent.protocol.words import Rental

RENTALS = [Rental.ON_DEMAND, Rental.INTERRUPTIBLE, Rental.MONTHLY]


@st.composite
def markets(draw: st.DrawFn) -> tuple[list[str], list[Claimant]]:
    """GPUs, and leases of which some hold GPUs that nobody else holds."""
    gpus = [f"g{n}" for n in range(draw(st.integers(1, 8)))]
    free, claimants = list(gpus), []
    for n in range(draw(st.integers(0, 8))):
        count = draw(st.integers(1, 4))
        holds = len(free) >= count and draw(st.booleans())
        held = tuple(free[:count]) if holds else ()
        free = free[count:] if holds else free
        claimants.append(
            Claimant(
                lease=f"l{n}", rental=draw(st.sampled_from(RENTALS)), gpus=count, held=held,
                rate_micro_usd=count * draw(st.integers(1, 3)), since_ms=draw(st.integers(0, 3)),
                leaving=holds and draw(st.booleans()),
            )
        )  # fmt: skip
    return gpus, claimants


@given(markets())
def test_a_gpu_is_granted_once_and_only_if_nobody_holds_it(market: tuple[list[str], list[Claimant]]) -> None:
    gpus, claimants = market
    matched = match(gpus, claimants)
    granted = [gpu for got in matched.granted.values() for gpu in got]
    assert len(granted) == len(set(granted))
    assert set(granted) <= set(gpus) - {gpu for c in claimants for gpu in c.held}
    assert {lease: len(got) for lease, got in matched.granted.items()}.items() <= {
        c.lease: c.gpus for c in claimants
    }.items()


@given(markets())
def test_only_bids_are_displaced(market: tuple[list[str], list[Claimant]]) -> None:
    gpus, claimants = market
    by_id = {c.lease: c for c in claimants}
    for lease in match(gpus, claimants).displaced:
        assert by_id[lease].rental is Rental.INTERRUPTIBLE and by_id[lease].held and not by_id[lease].leaving


@given(markets())
def test_when_the_displaced_have_gone_and_the_granted_have_theirs_nothing_more_happens(
    market: tuple[list[str], list[Claimant]],
) -> None:
    """Repeated until it rests, matching comes to rest: at most one round of displacing and one of granting a lease."""
    gpus, claimants = market
    for _round in range(2 * len(claimants) + 2):
        matched = match(gpus, claimants)
        moved = []
        for c in claimants:
            if c.leaving or c.lease in matched.displaced:
                moved.append(
                    replace(c, held=(), leaving=False)
                    if c.rental is Rental.INTERRUPTIBLE
                    else replace(c, gpus=9, held=(), leaving=False)
                )
            else:
                moved.append(replace(c, held=matched.granted.get(c.lease, c.held)))
        if moved == claimants:
            break
        claimants = moved
    assert match(gpus, claimants).granted == {} and match(gpus, claimants).displaced == ()


@given(markets())
def test_a_bid_that_waits_is_behind_those_that_run_on_no_fewer_gpus(
    market: tuple[list[str], list[Claimant]],
) -> None:
    gpus, everyone = market
    claimants = [
        replace(c, leaving=False) for c in everyone
    ]  # who waits for GPUs on their way to it may be ahead
    matched = match(gpus, claimants)
    bids = [c for c in claimants if c.rental is Rental.INTERRUPTIBLE]
    displaced = sum(len(c.held) for c in bids if c.lease in matched.displaced)
    runs = [c for c in bids if c.lease in matched.granted or (c.held and c.lease not in matched.displaced)]
    waits = [c for c in bids if not c.held and c.lease not in matched.granted]
    for c in runs:
        for other in waits:
            assert c.rank < other.rank or other.gpus > c.gpus or displaced


@given(markets(), st.sampled_from(RENTALS), st.integers(1, 4))
def test_what_is_said_to_be_free_can_be_had(
    market: tuple[list[str], list[Claimant]], rental: Rental, bid: int
) -> None:
    """A new lease of as many GPUs as are said to be free has them once those behind it have given way."""
    gpus, claimants = market
    count = free_for(gpus, claimants, rental, bid)
    if count == 0:
        return
    new = Claimant(lease="new", rental=rental, gpus=count, rate_micro_usd=bid * count, since_ms=99)
    everyone = [c for c in claimants if not c.leaving] + [new]
    matched = match(gpus, everyone)
    for _round in range(len(everyone)):
        if "new" in matched.granted:
            break
        everyone = [
            replace(c, held=())
            if c.lease in matched.displaced
            else replace(c, held=matched.granted.get(c.lease, c.held))
            for c in everyone
        ]
        matched = match(gpus, everyone)
    assert len(matched.granted["new"]) == count


def claimant(lease: str, gpus: int, rental: Rental, *held: str, bid: int = 1, since_ms: int = 0) -> Claimant:
    return Claimant(
        lease=lease, rental=rental, gpus=gpus, rate_micro_usd=bid * gpus, since_ms=since_ms, held=held
    )


def test_who_waits_for_more_than_can_be_had_displaces_nobody() -> None:
    """What is held at a posted price comes first, however old the one that waits: the bid is in nobody's way."""
    waits = claimant("a", 2, Rental.ON_DEMAND)
    firm = claimant("b", 1, Rental.ON_DEMAND, "g0", since_ms=9)
    bid = claimant("c", 1, Rental.INTERRUPTIBLE, "g1")
    matched = match(["g0", "g1"], [waits, firm, bid])
    assert (matched.granted, matched.displaced) == ({}, ())


def test_what_is_kept_for_who_waits_goes_to_nobody_behind_it() -> None:
    waits = claimant("a", 2, Rental.ON_DEMAND)
    behind = claimant("b", 1, Rental.INTERRUPTIBLE, bid=5)
    low = claimant("c", 1, Rental.INTERRUPTIBLE, "g0", bid=1)
    leaves = replace(claimant("d", 1, Rental.ON_DEMAND, "g2"), leaving=True)
    matched = match(["g0", "g1", "g2"], [waits, behind, low, leaves])
    assert (matched.granted, matched.displaced) == ({}, ("c",))
