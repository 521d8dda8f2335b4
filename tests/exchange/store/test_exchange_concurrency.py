"""Many at once: threads, processes, and a process that is killed in the middle."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import Any, TypeVar

import pytest
from exchange_hub import fund, hub_on, lend
from exchange_values import gpu, project, transfer
from sqlalchemy.exc import DBAPIError, OperationalError

from rackrent.exchange.model import Account, Alarm, Allocation, Gpu, Lease, Timer, Transfer
from rackrent.exchange.problems import Busy, Conflict, Insufficient, Refused, Unavailable
from rackrent.exchange.service import money, trade
from rackrent.exchange.store.base import Tx
from rackrent.exchange.store.open import open_store
from rackrent.exchange.store.sql import SqlStore
from rackrent.protocol.words import Rental

T = TypeVar("T")
WAIT_S = 120


def at_once(work: Sequence[Callable[[], T]]) -> list[T | Refused]:
    """Run functions in threads that begin together; return what they return, or what refusal they raise."""
    begin = Barrier(len(work))

    def one(do: Callable[[], T]) -> T | Refused:
        begin.wait(WAIT_S)
        try:
            return do()
        except Refused as refusal:
            return refusal

    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result(WAIT_S) for future in [pool.submit(one, do) for do in work]]


@pytest.mark.case("X12")
def test_of_a_hundred_who_want_the_last_gpu_at_once_one_gets_it(made: Callable[[str], SqlStore]) -> None:
    hub = hub_on(made("postgresql"))
    lend(hub, addresses=200)
    for n in range(100):
        fund(hub, f"p{n}")
    quotes = [hub.do(trade.quote, f"p{n}", "m", Rental.ON_DEMAND, 1, 1) for n in range(100)]
    said = at_once(
        [
            lambda q=q: hub.do(trade.rent, q.project, q.id, Rental.ON_DEMAND, 10_000_000, q.id)  # type: ignore[misc]
            for q in quotes
        ]
    )
    assert Counter(type(x) for x in said) == {Lease: 1, Unavailable: 99}
    leases, allocations = hub.do(
        lambda desk: (desk.tx.of(Lease), desk.tx.of(Allocation, gpu="m-gpu0", to_ms=None))
    )
    assert (
        [lease.id for lease in leases]
        == [a.lease for a in allocations]
        == [x.id for x in said if isinstance(x, Lease)]
    )


def test_of_many_who_want_many_gpus_at_once_each_gpu_goes_to_one(database: SqlStore) -> None:
    hub = hub_on(database)
    for n in range(3):
        lend(hub, f"m{n}", gpus=4, addresses=200)
    fund(hub, usd=10_000)
    quotes = [hub.do(trade.quote, "p", f"m{n % 3}", Rental.ON_DEMAND, 1, 1) for n in range(24)]
    said = at_once(
        [lambda q=q: hub.do(trade.rent, "p", q.id, Rental.ON_DEMAND, 10_000_000, q.id) for q in quotes]  # type: ignore[misc]
    )
    assert Counter(type(x) for x in said) == {Lease: 12, Unavailable: 12}
    taken = hub.do(
        lambda desk: [a for n in range(3) for a in desk.tx.of(Allocation, machine=f"m{n}", to_ms=None)]
    )
    assert len({a.gpu for a in taken}) == len(taken) == 12
    accounts = hub.do(lambda desk: desk.tx.of(Account))
    assert sum(a.balance_micro_usd for a in accounts) == 0


def test_a_request_sent_twice_at_once_is_done_once(database: SqlStore) -> None:
    hub = hub_on(database)
    fund(hub, usd=1)
    for n in range(10):
        said = at_once([lambda n=n: hub.do(money.top_up, "p", 1_000_000, f"key {n}") for _ in range(4)])  # type: ignore[misc]
        assert len(set(said)) == 1 and isinstance(said[0], Transfer)
    assert hub.do(lambda desk: desk.balance("wallet:p")) == 11_000_000


def test_who_pays_from_one_purse_at_once_never_overdraws_it(database: SqlStore) -> None:
    database.run(lambda tx: tx.add(transfer(amount=10)))

    def pay(n: int) -> object:
        two = [transfer(f"{n}", "wallet:p", "hold:l", 2), transfer(f"{n} b", "hold:l", f"earned:{n % 3}", 1)]
        return database.run(lambda tx: tx.add(*two))

    said = at_once([lambda n=n: pay(n) for n in range(12)])  # type: ignore[misc]
    assert Counter(type(x) for x in said) == {type(None): 5, Insufficient: 7}
    accounts = {a.id: a.balance_micro_usd for a in database.run(lambda tx: tx.of(Account))}
    assert accounts["wallet:p"] == 0 and accounts["hold:l"] == 5 and sum(accounts.values()) == 0


def test_transactions_that_wait_for_each_other_both_come_to_an_end(database: SqlStore) -> None:
    """Each locks what the other wants next: the database ends one, which is run again."""
    database.run(lambda tx: tx.add(project("a"), project("b")))
    met = Barrier(2)

    def work(first: str, second: str) -> Callable[[Tx], str]:
        tried = []

        def both(tx: Tx) -> str:
            tx.find(type(project()), first, lock=True)
            if not tried and database.engine.dialect.name == "postgresql":
                tried.append(first)
                met.wait(WAIT_S)
            found = tx.find(type(project()), second, lock=True)
            assert found is not None
            tx.put(project(second, account=found.account + first))
            return second

        return both

    said = at_once([lambda: database.run(work("a", "b")), lambda: database.run(work("b", "a"))])
    assert said == ["b", "a"]


def test_each_timer_is_taken_by_one(made: Callable[[str], SqlStore]) -> None:
    store = made("postgresql")
    timers = [Timer(id=f"settle:{n:02}", kind=Alarm.SETTLE, subject=f"{n:02}", due_ms=n) for n in range(20)]
    store.run(lambda tx: tx.arm(*timers))

    def outer(tx: Tx) -> tuple[list[Timer], list[Timer]]:
        mine = tx.due(100, 8)
        return mine, store.run(lambda other: other.due(100, 8))

    mine, others = store.run(outer)
    assert mine == timers[:8] and others == timers[8:16]


def test_who_is_in_the_way_too_often_is_a_sentence(
    database: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def work(_tx: Tx) -> None:
        runs.append(1)
        raise OperationalError("UPDATE", {}, Exception("database is locked"))

    monkeypatch.setattr("time.sleep", lambda _s: None)
    monkeypatch.setattr(type(database._dialect), "passing", lambda _self, _error: True)
    with pytest.raises(Busy, match="nothing was changed"):
        database.run(work)
    assert len(runs) == database._dialect.tries


def test_what_cannot_pass_is_not_tried_again(database: SqlStore) -> None:
    runs = []

    def work(_tx: Tx) -> None:
        runs.append(1)
        raise DBAPIError("UPDATE", {}, Exception("no such table"))

    with pytest.raises(DBAPIError):
        database.run(work)
    assert runs == [1]


ADD = """
import sys
from rackrent.exchange.model import Kind, Transfer
from rackrent.exchange.store.open import open_store
store = open_store(sys.argv[1])
for n in range(int(sys.argv[3])):
    added = Transfer(id=f"{sys.argv[2]} {n}", kind=Kind.TOP_UP, debit="world", credit="wallet:p", amount_micro_usd=1, at_ms=n)
    store.run(lambda tx: tx.add(added))
"""
HALF = """
import sys
from rackrent.exchange.model import Gpu, Kind, Transfer
from rackrent.exchange.store.open import open_store
def work(tx):
    for n in range(2000):
        tx.add(Transfer(id=f"half {n}", kind=Kind.USE, debit="wallet:p", credit="fees", amount_micro_usd=1, at_ms=n))
    tx.put(Gpu(id="g", machine="m", name="half", memory_gb=0.0))
    print("half", flush=True)
    sys.stdin.read()
open_store(sys.argv[1]).run(work)
"""


def other(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def balances(store: SqlStore) -> dict[str, int]:
    return {a.id: a.balance_micro_usd for a in store.run(lambda tx: tx.of(Account))}


def test_two_processes_share_a_file(address: Callable[[str], str]) -> None:
    url = address("sqlite")
    both = [other(ADD, url, name, "60") for name in ("one", "two")]
    assert [process.wait(WAIT_S) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    store = open_store(url)
    assert balances(store) == {"wallet:p": 120, "world": -120}
    store.close()


def test_a_process_that_is_killed_in_the_middle_leaves_a_whole_database(
    address: Callable[[str], str],
) -> None:
    url = address("sqlite")
    store = open_store(url)
    before: list[Any] = [gpu(), transfer(amount=5000)]
    store.run(lambda tx: tx.add(*before))
    process = other(HALF, url)
    assert process.stdout is not None and process.stdout.readline() == "half\n"
    process.kill()
    process.communicate()
    assert balances(store) == {"wallet:p": 5000, "world": -5000}
    assert store.run(lambda tx: [*tx.of(Gpu), *tx.of(Transfer)]) == before
    store.run(lambda tx: tx.add(transfer("half 0", "wallet:p", "fees", 1)))
    path = str(store.engine.url.database)
    store.close()
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert whole.execute("SELECT count(*) FROM moving").fetchone() == (0,)


def test_a_key_used_for_something_else_is_refused(store: Any) -> None:
    hub = hub_on(store)
    fund(hub)
    hub.do(money.top_up, "p", 1_000_000, "key")
    assert hub.do(money.top_up, "p", 1_000_000, "key").amount_micro_usd == 1_000_000
    with pytest.raises(Conflict, match="Key key was used for another request"):
        hub.do(money.top_up, "p", 2_000_000, "key")
    assert hub.do(lambda desk: desk.balance("wallet:p")) == 101_000_000
