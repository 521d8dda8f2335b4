"""What every store does, whatever it keeps its values in: the same values back, the same refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from exchange_values import (
    allocation,
    gpu,
    incident,
    instance,
    lease,
    machine,
    project,
    quote,
    request,
    settlement,
    transfer,
)

from rackrent.exchange.model import (
    Account,
    Alarm,
    Allocation,
    Gpu,
    Incident,
    Instance,
    Lease,
    Machine,
    Project,
    Request,
    Settlement,
    Timer,
    Transfer,
)
from rackrent.exchange.problems import Conflict, Insufficient, Invalid, Refused
from rackrent.exchange.store.base import Store, Tx
from rackrent.protocol.words import Claim, DataEnd, LeaseState, Reason

EACH = [
    project(budget_micro_usd=5), project("without"), machine(until_ms=7, claim=Claim.OWNER, reachable=False),
    gpu(parent="whole", healthy=False), quote(), instance(progress=0.1), allocation(to_ms=5, reason=Reason.OUTBID),
    lease(state=LeaseState.ENDED, ended_ms=9, data_end=DataEnd.DESTROYED, metering=True), settlement(), request(),
    Timer(id="settle:l", kind=Alarm.SETTLE, subject="l", due_ms=5), incident(), incident("j", reason="low_balance"),
    transfer(), gpu("Größe 测试 'quoted' \"twice\" %s :x \\"),
]  # fmt: skip


def all_of(store: Store, kind: type[Any], **equal: Any) -> list[Any]:
    return store.run(lambda tx: tx.of(kind, **equal))


def add(store: Store, *values: Any) -> None:
    store.run(lambda tx: tx.add(*values))


def put(store: Store, *values: Any) -> None:
    store.run(lambda tx: tx.put(*values))


def refused(work: Callable[[], object]) -> tuple[type[Refused], str]:
    with pytest.raises(Refused) as caught:
        work()
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("value", EACH, ids=lambda value: f"{type(value).__name__} {value.id}")
def test_what_is_kept_comes_back_the_same(store: Store, value: Any) -> None:
    add(store, value)
    found = store.run(lambda tx: tx.find(type(value), value.id, lock=True))
    assert found == value
    assert [type(x) for x in vars_of(found)] == [type(x) for x in vars_of(value)]


def vars_of(value: Any) -> list[Any]:
    return [getattr(value, name) for name in value.__slots__]


def test_what_is_not_there_is_none(store: Store) -> None:
    assert store.run(lambda tx: tx.find(Lease, "l")) is None
    assert store.run(lambda tx: tx.find(Request, "k", lock=True)) is None
    assert store.run(lambda tx: tx.many(Lease, ["l"])) == {}
    assert store.run(lambda tx: tx.many(Lease, [])) == {}


def test_many_are_found_by_their_ids(store: Store) -> None:
    add(store, gpu("b"), gpu("a"), gpu("c"))
    found = store.run(lambda tx: tx.many(Gpu, ["c", "x", "a", "a"], lock=True))
    assert list(found.items()) == [("a", gpu("a")), ("c", gpu("c"))]


def test_values_are_found_by_the_fields_of_an_index_in_the_order_of_their_ids(store: Store) -> None:
    add(store, *(allocation(id, gpu=id) for id in ("b", "Z", "a", "é", "B")))
    add(store, allocation("closed", gpu="closed", to_ms=3), allocation("elsewhere", gpu="x", machine="n"))
    found = all_of(store, Allocation, machine="m", to_ms=None)
    assert [a.id for a in found] == ["B", "Z", "a", "b", "é"]
    assert [a.id for a in all_of(store, Allocation, lease="l", to_ms=3)] == ["closed"]
    assert len(all_of(store, Allocation)) == 7
    add(store, instance("over", over=True), instance("runs"))
    assert [i.id for i in all_of(store, Instance, machine="m", over=False)] == ["runs"]


def test_a_store_is_asked_only_by_fields_that_have_an_index(store: Store) -> None:
    with pytest.raises(KeyError):
        all_of(store, Lease, host="h")


def test_a_transaction_sees_what_it_wrote(store: Store) -> None:
    def work(tx: Tx) -> tuple[Any, ...]:
        tx.add(machine(), transfer(amount=70), transfer("u", amount=30))
        tx.put(machine(desired_seq=8))
        found, wallet = tx.find(Machine, "m"), tx.find(Account, "wallet:p", lock=True)
        return found and found.desired_seq, wallet and wallet.balance_micro_usd

    assert store.run(work) == (8, 100)


def test_what_fails_changes_nothing(store: Store) -> None:
    timer = Timer(id="settle:l", kind=Alarm.SETTLE, subject="l", due_ms=5)
    store.run(lambda tx: (tx.add(machine(), transfer(amount=70)), tx.arm(timer)))

    def work(tx: Tx) -> None:
        tx.put(machine(desired_seq=8))
        tx.add(transfer("u", amount=30), gpu(), settlement())
        tx.disarm("settle:l")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.run(work)
    assert all_of(store, Machine) == [machine()]
    assert all_of(store, Transfer) == [transfer(amount=70)]
    assert all_of(store, Gpu) == all_of(store, Settlement) == []
    assert all_of(store, Account) == [
        Account(id="wallet:p", balance_micro_usd=70),
        Account(id="world", balance_micro_usd=-70),
    ]
    assert store.run(lambda tx: tx.due(9, 10)) == [timer]


def test_of_a_call_that_is_refused_nothing_is_kept(store: Store) -> None:
    add(store, gpu("b"))
    said = refused(lambda: add(store, gpu("a"), gpu("b"), gpu("c")))
    assert said == (Conflict, "Gpu b is there already.")
    assert all_of(store, Gpu) == [gpu("b")]
    assert refused(lambda: add(store, gpu("x"), gpu("x")))[0] is Conflict


@pytest.mark.parametrize("kind", ["duplicate", "open", "number", "from", "reversed", "quote", "address"])
def test_what_is_once_is_refused_a_second_time(store: Store, kind: str) -> None:
    first, second, said = {
        "duplicate": (gpu(), gpu(name="another"), "Gpu g is there already."),
        "open": (allocation("x"), allocation("y", lease="other"), "A GPU is in at most one open allocation."),
        "number": (settlement(), settlement(id="x", from_ms=1000, to_ms=2000), "A settlement has a number of its own."),
        "from": (settlement(), settlement(2, 0, 2000), "An interval is settled once."),
        "reversed": (
            transfer("r", reverses="t"), transfer("s", reverses="t"), "A transfer is reversed once."
        ),
        "quote": (lease("x", quote="q"), lease("y", quote="q", address=1), "A quote is taken up once."),
        "address": (lease("x"), lease("y"), "An address is one lease's at a time."),
    }[kind]  # fmt: skip
    add(store, first)
    assert refused(lambda: add(store, second)) == (Conflict, said)
    assert all_of(store, type(first)) == [first]


def test_a_gpu_and_an_address_are_free_again_when_they_are_given_back(store: Store) -> None:
    add(store, allocation("x"), lease("x"))
    ended = lease("x", state=LeaseState.ENDED, ended_ms=5, data_end=DataEnd.DESTROYED)
    put(store, allocation("x", to_ms=5, reason=Reason.REQUESTED), ended)
    add(store, allocation("y"), lease("y"))
    assert refused(lambda: put(store, allocation("x")))[1] == "A GPU is in at most one open allocation."
    assert refused(lambda: put(store, lease("x")))[1] == "An address is one lease's at a time."


@pytest.mark.parametrize(
    "value",
    [
        transfer(amount=0), transfer(amount=-5), transfer(credit="world"), settlement(to_ms=0), settlement(gpu_micro_usd=-1),
        settlement(metered=False), settlement(0), allocation(from_ms=5, to_ms=4), machine(disk_gb_leased=1001),
        machine(addresses_leased=-1), machine(addresses_leased=5), lease(gpus=0), lease(rate_micro_usd=-1),
        lease(state=LeaseState.ENDED), lease(ended_ms=5, data_end=DataEnd.DESTROYED),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused(store: Store, value: Any) -> None:
    kind, said = refused(lambda: add(store, value))
    assert kind is Conflict and "breaks the rule" in said
    assert all_of(store, type(value)) == []


def test_intervals_follow_on_one_another(store: Store) -> None:
    add(store, settlement(1, 0, 1000))
    gap = (Conflict, "An interval begins where the one before it ends.")
    assert refused(lambda: add(store, settlement(2, 1001, 2000))) == gap
    assert refused(lambda: add(store, settlement(3, 1000, 2000))) == gap
    assert refused(lambda: add(store, settlement(2, 999, 2000))) == gap
    add(store, settlement(2, 1000, 2000), settlement(3, 2000, 3000))
    assert refused(lambda: add(store, settlement(5, 4000, 5000), settlement(4, 3000, 4001))) == gap
    assert len(all_of(store, Settlement)) == 3


def test_money_is_not_taken_from_where_it_is_not(store: Store) -> None:
    add(store, transfer(amount=100))
    no = (Insufficient, "There is not enough money in wallet:p.")
    assert refused(lambda: add(store, transfer("u", "wallet:p", "hold:l", 101))) == no
    short = [transfer("u", "wallet:p", "hold:l", 60), transfer("v", "wallet:p", "hold:k", 60)]
    assert refused(lambda: add(store, *short)) == no
    assert refused(lambda: add(store, transfer("u", "hold:x", "fees", 1)))[0] is Insufficient
    add(store, transfer("u", "wallet:p", "hold:l", 100), transfer("v", "hold:l", "fees", 40))
    balances = {a.id: a.balance_micro_usd for a in all_of(store, Account)}
    assert balances == {"fees": 40, "hold:l": 60, "wallet:p": 0, "world": -100}


@pytest.mark.parametrize("kind", [Transfer, Settlement, Account])
def test_entries_and_accounts_are_never_changed(store: Store, kind: type[Any]) -> None:
    add(store, transfer(), settlement())
    value = all_of(store, kind)[0]
    assert refused(lambda: put(store, value)) == (Conflict, f"{kind.__name__} is never changed.")
    if kind is Account:
        assert refused(lambda: add(store, Account(id="wallet:q", balance_micro_usd=5)))[0] is Conflict


def test_only_what_is_there_can_be_changed(store: Store) -> None:
    add(store, gpu("a"))
    said = refused(lambda: put(store, gpu("a", healthy=False), gpu("b"), gpu("c")))
    assert said == (Conflict, "There is no Gpu b.")
    assert all_of(store, Gpu) == [gpu("a")]


def test_a_call_that_changes_a_value_twice_keeps_the_last(store: Store) -> None:
    add(store, gpu())
    put(store, gpu(name="one"), gpu(name="two"))
    assert all_of(store, Gpu) == [gpu(name="two")]
    timers = [Timer(id="settle:l", kind=Alarm.SETTLE, subject="l", due_ms=due) for due in (5, 9)]
    store.run(lambda tx: tx.arm(*timers))
    assert all_of(store, Timer) == [timers[1]]


@pytest.mark.parametrize("amount", [2**63, -(2**63) - 1, 2**64, 10**30])
def test_numbers_that_need_more_than_64_bits_are_refused(store: Store, amount: int) -> None:
    said = (Invalid, "Project p holds a number that does not fit into 64 bits.")
    assert refused(lambda: add(store, project(spent_micro_usd=amount))) == said
    assert refused(lambda: add(store, project(budget_micro_usd=amount))) == said
    add(store, project(spent_micro_usd=2**63 - 1, budget_micro_usd=-(2**63) + 1))


def test_a_balance_that_needs_more_than_64_bits_is_refused(store: Store) -> None:
    add(store, transfer(amount=2**63 - 1))
    assert refused(lambda: add(store, transfer("u", amount=1))) == (
        Invalid,
        "A balance does not fit into 64 bits.",
    )
    assert len(all_of(store, Transfer)) == 1


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_must_be_one(store: Store, number: float) -> None:
    assert refused(lambda: add(store, machine(reliability=number)))[0] is Invalid
    assert refused(lambda: add(store, instance(progress=number)))[0] is Invalid


@pytest.mark.parametrize("text", ["\0", "\ud800", "é\0"])
def test_text_that_no_database_holds_is_refused(store: Store, text: str) -> None:
    assert refused(lambda: add(store, machine(boot=text)))[0] is Invalid
    add(store, machine(boot="é 测"))
    assert refused(lambda: put(store, machine(boot=text)))[0] is Invalid


def test_timers_come_when_they_are_due_earliest_first(store: Store) -> None:
    def timer(subject: str, due_ms: int) -> Timer:
        return Timer(id=f"settle:{subject}", kind=Alarm.SETTLE, subject=subject, due_ms=due_ms)

    store.run(lambda tx: tx.arm(timer("c", 5), timer("b", 5), timer("a", 9), timer("d", 1)))
    assert store.run(lambda tx: tx.due(8, 10)) == [timer("d", 1), timer("b", 5), timer("c", 5)]
    assert store.run(lambda tx: tx.due(8, 2)) == [timer("d", 1), timer("b", 5)]
    store.run(lambda tx: (tx.arm(timer("d", 20)), tx.disarm("settle:b", "settle:not there")))
    assert store.run(lambda tx: tx.due(8, 10)) == [timer("c", 5)]
    assert store.run(lambda tx: tx.due(20, 10)) == [timer("c", 5), timer("a", 9), timer("d", 20)]


def test_an_incident_of_another_word_keeps_its_word(store: Store) -> None:
    add(store, incident("a", lease="l"), incident("b", lease="l", reason="low_balance"))
    assert [i.reason for i in all_of(store, Incident, lease="l")] == [Reason.HOST_SILENT, "low_balance"]


def test_changes_reach_the_indexes(store: Store) -> None:
    add(store, machine(), lease(), project())
    put(store, replace(machine(), host="other"))
    assert all_of(store, Machine, host="h") == []
    assert all_of(store, Machine, host="other") == [machine(host="other")]
    assert all_of(store, Project) == [project()]
