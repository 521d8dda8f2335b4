"""Rating and the ledger: nothing is lost by rounding, by splitting time, or between accounts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.exchange.model import HOUR_MS, Kind, Lease, Transfer
from rackrent.exchange.problems import Illegal, Insufficient, Invalid
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.rating import bill_micro_usd, fee, for_ms, rated
from rackrent.exchange.rules.settling import Funds, settle
from rackrent.exchange.rules.states import CLAIM, INSTANCE, LEASE, TRUST, after
from rackrent.protocol.words import InstanceState, LeaseState, Rental

rates = st.integers(0, 200_000_000)
spans = st.lists(st.integers(1, 10 * HOUR_MS), min_size=1, max_size=20)


@given(rates, spans)
def test_splitting_time_never_changes_a_bill(rate: int, parts: list[int]) -> None:
    total, remainder = 0, 0
    for part in parts:
        amount, remainder = rated(rate, part, remainder)
        total += amount
    assert total == bill_micro_usd(rate, 0, sum(parts)) == rate * sum(parts) // HOUR_MS


@given(rates, st.integers(0, 100 * HOUR_MS))
def test_what_is_held_suffices(rate: int, ms: int) -> None:
    assert 0 <= for_ms(rate, ms) - bill_micro_usd(rate, 0, ms) <= 1


@given(st.lists(st.integers(0, 10_000_000), max_size=20), st.integers(0, 1_000_000))
def test_fees_of_parts_are_the_fee_of_the_whole(amounts: list[int], ppm: int) -> None:
    total, remainder = 0, 0
    for amount in amounts:
        share, remainder = fee(amount, ppm, remainder)
        total += share
    assert total == sum(amounts) * ppm // 1_000_000


def leased(**fields: object) -> Lease:
    given = {
        "id": "l", "project": "p", "machine": "m", "host": "h", "quote": "q", "rental": Rental.ON_DEMAND, "gpus": 1,
        "cpu_cores": 1, "ram_gb": 1, "disk_gb": 1, "address": 0, "rate_micro_usd": 1_000_000,
        "storage_rate_micro_usd": 13_699, "hold_micro_usd": 2_027_398, "created_ms": 0, "deadline_ms": 9,
        "state": LeaseState.ACTIVE, "metering": True, "storing": True,
    }  # fmt: skip
    return Lease(**(given | fields))  # type: ignore[arg-type]


money = st.integers(0, 5_000_000)


@given(money, money, money, spans, rates, st.booleans(), st.one_of(st.none(), st.integers(0, 20 * HOUR_MS)))
def test_settling_moves_what_it_says_and_no_more_than_there_is(
    purse: int, hold: int, reserve: int, parts: list[int], rate: int, grace: bool, until: int | None
) -> None:
    lease = leased(rate_micro_usd=rate, grace_ms=0 if grace else None, until_ms=until)
    funds = Funds(purse, hold, reserve)
    balances = {"world": -purse - hold - reserve, "wallet:p": purse, "hold:l": hold, "reserve:l": reserve}
    now, intervals = 0, []
    for part in parts:
        now += part
        while (found := settle(lease, now, funds, Policy(), now)) is not None:
            balances = ledger.apply(balances, found.transfers)
            lease, funds = found.lease, found.funds
            intervals.append(found.interval)
    assert sum(balances.values()) == 0
    assert (balances["wallet:p"], balances["hold:l"], balances["reserve:l"]) == (
        funds.purse,
        funds.hold,
        funds.reserve,
    )
    assert min(funds.purse, funds.hold, funds.reserve) >= 0
    due = sum(i.gpu_micro_usd + i.storage_micro_usd for i in intervals)
    collected = balances.get("earned:h", 0) + balances.get("fees", 0)
    assert collected == due - sum(i.uncollected_micro_usd for i in intervals)
    assert balances.get("fees", 0) == sum(i.fee_micro_usd for i in intervals)
    assert (
        balances.get("fees", 0) == collected * Policy().fee_ppm // 1_000_000
    )  # its remainder is carried too
    assert (intervals[0].from_ms, lease.settled_ms) == (0, now)
    metered = sum(i.to_ms - i.from_ms for i in intervals if i.metered)
    assert metered == (now if until is None else min(until, now))
    assert sum(i.gpu_micro_usd for i in intervals) == rate * metered // HOUR_MS


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["world", "a", "b", "c"]),
            st.sampled_from(["world", "a", "b", "c"]),
            st.integers(1, 50),
        )
    )
)
def test_the_ledger_sums_to_zero_and_nobody_owes(moves: list[tuple[str, str, int]]) -> None:
    balances: dict[str, int] = {}
    for n, (debit, credit, amount) in enumerate(moves):
        transfer = Transfer(
            id=str(n), kind=Kind.USE, debit=debit, credit=credit, amount_micro_usd=amount, at_ms=0
        )
        try:
            balances = ledger.apply(balances, [transfer])
        except (Insufficient, Invalid):
            assert debit == credit or balances.get(debit, 0) < amount
    assert sum(balances.values()) == 0
    assert [a for a, b in balances.items() if b < 0 and a != "world"] == []


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_moves_more_than_nothing(amount: int) -> None:
    with pytest.raises(Invalid):
        ledger.check(Transfer(id="t", kind=Kind.USE, debit="a", credit="b", amount_micro_usd=amount, at_ms=0))


@pytest.mark.parametrize("table", [INSTANCE, LEASE, CLAIM, TRUST])
def test_what_is_not_in_a_table_is_illegal_and_the_error_names_both(table: dict) -> None:  # type: ignore[type-arg]
    states = {type(state) for state, _event in table}.pop()
    events = {type(event) for _state, event in table}.pop()
    for state in states:
        for event in events:
            if (state, event) in table:
                assert after(table, state, event) is table[state, event]
            else:
                with pytest.raises(Illegal, match=f"What is {state.value} cannot {event.value}"):
                    after(table, state, event)


def test_what_has_ended_stays_ended() -> None:
    assert [s for s, _e in INSTANCE if s is InstanceState.ENDED] == []
    assert [s for s, _e in LEASE if s is LeaseState.ENDED] == []
