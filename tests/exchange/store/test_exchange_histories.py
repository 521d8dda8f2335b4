"""The stores held to each other: any history of requests ends the same on all of them, in answers and in contents.

A fourth market, in memory, settles its leases one by one, so that settling many at once is held to that too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from exchange_world import DAY, HOUR, MINUTE, SECOND, USD, World
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rackrent.exchange.model import Account, Allocation, Gpu, Lease, Machine, Quote, Settlement, Transfer
from rackrent.exchange.problems import Refused
from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import agent, clock, lifecycle, money, owner, rates, trade
from rackrent.exchange.service.agent import Report, Status
from rackrent.exchange.service.clock import wake_one
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.settle_many import settle_many
from rackrent.exchange.store.base import Store
from rackrent.exchange.store.memory import MemoryStore
from rackrent.exchange.store.schema import KINDS
from rackrent.protocol.words import InstanceState, Reason, Rental

MACHINES, PROJECTS = ("m1", "m2"), ("p1", "p2")
machines, projects = st.sampled_from(MACHINES), st.sampled_from(PROJECTS)
chosen = st.integers(0, 10)
"""Which of what there is: counted round and round."""


def wake_singly(desk: Desk, limit: int = 500) -> int:
    """Do what is due, one thing at a time."""
    timers = desk.tx.due(desk.now_ms, limit)
    for timer in timers:
        wake_one(desk, timer)
    return len(timers)


def contents(store: Store) -> dict[str, list[Any]]:
    """Return all that a store keeps."""
    return {kind.__name__: store.run(lambda tx, kind=kind: tx.of(kind)) for kind in KINDS}  # type: ignore[misc]


def outcome(do: Callable[[World], Any], world: World) -> tuple[Any, ...]:
    """Return what a request returns, or what it is refused with."""
    try:
        return "returned", do(world)
    except Refused as refusal:
        return type(refusal).__name__, str(refusal)


class Markets(RuleBasedStateMachine):
    """The same requests to several markets, each on a store of its own."""

    def __init__(self, make: Callable[[str], Store]) -> None:
        super().__init__()
        self.worlds = {kind: World(make(kind)) for kind in ("memory", "singly", "sqlite", "postgresql")}
        singly = self.worlds["singly"].hub

        def wake() -> int:
            return sum(iter(lambda: singly.do(wake_singly), 0))

        singly.wake = wake  # type: ignore[method-assign]
        self.quotes: list[Quote] = []
        self.leases: list[Lease] = []

    def each(self, do: Callable[[World], Any]) -> Any:
        """Ask all of the markets the same; they answer the same."""
        said = {kind: outcome(do, world) for kind, world in self.worlds.items()}
        first = said["memory"]
        assert all(other == first for other in said.values()), said
        return first[1] if first[0] == "returned" else None

    @initialize(usd=st.sampled_from([3, 20]), budget=st.sampled_from([None, 1.0, 8.0]))
    def begin(self, usd: int, budget: float | None) -> None:
        def do(world: World) -> None:
            world.machine("m1", gpus=2)
            world.machine("m2", gpus=1, host="another", until_ms=world.now + 3 * DAY)
            world.project("p1", usd)
            world.project("p2", 10, budget_usd=budget)

        self.each(do)

    @rule(project=projects, usd=st.sampled_from([-1, 1, 5, 40]), key=st.integers(0, 3))
    def top_up(self, project: str, usd: int, key: int) -> None:
        self.each(lambda w: w.hub.do(money.top_up, project, usd * USD, f"top-up {key}"))

    @rule(project=projects, machine=machines, rental=st.sampled_from([Rental.ON_DEMAND, Rental.INTERRUPTIBLE, Rental.MONTHLY]),
          gpus=st.integers(1, 2), disk=st.sampled_from([0, 50, 600]), bid=st.sampled_from([None, 300_000, 400_000]))  # fmt: skip
    def quote(
        self, project: str, machine: str, rental: Rental, gpus: int, disk: int, bid: int | None
    ) -> None:
        bid = bid if rental is Rental.INTERRUPTIBLE else None
        said = self.each(
            lambda w: w.hub.do(trade.quote, project, machine, rental, gpus, disk, bid_micro_usd=bid)
        )
        if said is not None:
            self.quotes.append(said)

    @precondition(lambda self: self.quotes)
    @rule(which=chosen, key=st.integers(0, 6), ceiling=st.sampled_from([1, 10]))
    def rent(self, which: int, key: int, ceiling: int) -> None:
        said = self.quotes[-1 - which % len(self.quotes)]
        lease = self.each(
            lambda w: w.hub.do(trade.rent, said.project, said.id, said.rental, ceiling * USD, f"rent {key}")
        )
        if lease is not None and lease.id not in {known.id for known in self.leases}:
            self.leases.append(lease)

    @precondition(lambda self: self.leases)
    @rule(
        which=chosen,
        what=st.sampled_from([lifecycle.stop, lifecycle.start, lifecycle.end]),
        project=st.none() | projects,
    )
    def ask(self, which: int, what: Callable[..., Any], project: str | None) -> None:
        lease = self.leases[-1 - which % len(self.leases)]
        self.each(lambda w: w.hub.do(what, lease.id, project or lease.project))

    @precondition(lambda self: self.leases)
    @rule(which=chosen, rate=st.sampled_from([200_000, 900_000, 2_000_000]), accept=st.booleans())
    def change_rate(self, which: int, rate: int, accept: bool) -> None:
        lease = self.leases[-1 - which % len(self.leases)]
        self.each(lambda w: w.hub.do(rates.propose_rate, lease.id, lease.host, rate))
        if accept:
            self.each(lambda w: w.hub.do(rates.accept_rate, lease.id, lease.project, rate))

    @rule(machine=machines)
    def obey(self, machine: str) -> None:
        self.each(lambda w: w.obey(machine))

    @rule(machine=machines, state=st.sampled_from([s for s in InstanceState if s is not InstanceState.ENDED]),
          reason=st.sampled_from([Reason.HOST_REPORT, Reason.HOST_FENCED, Reason.IMAGE_ERROR]), boot=st.sampled_from(["boot-1", "again"]),
          known=st.booleans(), seq=st.integers(-1, 2))  # fmt: skip
    def report(
        self, machine: str, state: InstanceState, reason: Reason, boot: str, known: bool, seq: int
    ) -> None:
        there = [lease.id for lease in self.leases if lease.machine == machine and known]

        def do(world: World) -> None:
            heard = world.agents[machine]
            heard.seq = max(1, heard.seq + seq)
            said = Report(
                seq=heard.seq, applied=heard.applied, boot=boot, monotonic_ms=world.now, wall_ms=world.now,
                instances=tuple(Status(id, state, reason, 0.5) for id in there),
                unhealthy=(f"{machine}-gpu0",) if state is InstanceState.UNREACHABLE else (),
            )  # fmt: skip
            world.hub.do(agent.report, machine, said)

        self.each(do)

    @rule(
        machine=machines,
        what=st.sampled_from([owner.claim, owner.drain, owner.give]),
        host=st.sampled_from(["lender", "another"]),
    )
    def own(self, machine: str, what: Callable[..., Any], host: str) -> None:
        self.each(lambda w: w.hub.do(what, machine, host))

    @rule(machine=machines, event=st.sampled_from(list(TrustEvent)))
    def trust(self, machine: str, event: TrustEvent) -> None:
        self.each(lambda w: w.hub.do(owner.trust, machine, event))

    @rule(machine=machines, price=st.sampled_from([None, 400_000, 1_500_000]))
    def price(self, machine: str, price: int | None) -> None:
        self.each(lambda w: w.hub.do(owner.set_prices, machine, "lender", on_demand_micro_usd=price))

    @rule(
        ms=st.sampled_from([1, SECOND, 5 * MINUTE, HOUR, HOUR, DAY, 8 * DAY]),
        silent=st.sampled_from([(), (), ("m1",), ("m2",), MACHINES]),
        early=st.booleans(),
    )
    def wait(self, ms: int, silent: tuple[str, ...], early: bool) -> None:
        """Time passes; who is not silent is heard, before or after the hub looks at what is due."""

        def do(world: World) -> int:
            world.now += ms
            heard = [id for id in MACHINES if id not in silent]
            done = 0
            for step in ("report", "wake") if early else ("wake", "report"):
                if step == "wake":
                    done += world.hub.wake()
                else:
                    for id in heard:
                        world.report(id)
            for id in heard:
                world.obey_if_wanted(id)
            return done

        self.each(do)

    @rule(host=st.sampled_from(["lender", "another"]), usd=st.sampled_from([1, 10]), key=st.integers(0, 2))
    def pay_out(self, host: str, usd: int, key: int) -> None:
        self.each(lambda w: w.hub.do(money.payout, host, usd * USD, f"payout {key}"))

    @rule(which=chosen, key=st.integers(0, 2))
    def reverse(self, which: int, key: int) -> None:
        there = self.worlds["memory"].hub.do(lambda desk: desk.tx.of(Transfer))
        found = there[which % len(there)] if there else None
        id = found.id if found is not None else "none"
        self.each(lambda w: w.hub.do(money.reverse, id, f"reversal {key}"))

    @rule()
    def enrol_again(self) -> None:
        def do(world: World) -> None:
            card = Gpu(id="m1-gpu1", machine="m9", name="RTX 4090", memory_gb=24)
            world.hub.do(owner.enrol, replace(world.at(Machine, "m1"), id="m9"), [card])

        self.each(do)

    @invariant()
    def what_must_hold(self) -> None:
        world = self.worlds["memory"]
        look = world.hub.do
        open_now = [a for a in look(lambda desk: desk.tx.of(Allocation)) if a.to_ms is None]
        assert len({a.gpu for a in open_now}) == len(open_now)
        for machine in look(lambda desk: desk.tx.of(Machine)):
            there = look(lambda desk, id=machine.id: desk.tx.of(Gpu, machine=id))
            assert {a.gpu for a in open_now if a.machine == machine.id} <= {gpu.id for gpu in there}
            assert 0 <= machine.disk_gb_leased <= machine.disk_gb
            assert 0 <= machine.addresses_leased <= machine.addresses
        for lease in look(lambda desk: desk.tx.of(Lease)):
            intervals = world.settlements(lease)
            assert all(a.to_ms == b.from_ms for a, b in pairwise(intervals))
        balances = [a.balance_micro_usd for a in look(lambda desk: desk.tx.of(Account))]
        assert sum(balances) == 0

    def teardown(self) -> None:
        kept = {kind: contents(world.store) for kind, world in self.worlds.items()}
        try:
            assert kept["memory"] == kept["singly"] == kept["sqlite"] == kept["postgresql"]
            for world in self.worlds.values():
                world.check()
        finally:
            for world in self.worlds.values():
                world.store.close()


@pytest.mark.brief("B10")
def test_any_history_ends_the_same_on_every_store(made: Callable[[str], Store]) -> None:
    run_state_machine_as_test(
        lambda: Markets(lambda kind: MemoryStore() if kind == "singly" else made(kind)),  # type: ignore[arg-type]
        settings=settings(
            max_examples=20, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def crowd(store: Store) -> World:
    """A market of forty leases of eight projects: rich and poor, on a budget, at rest, being stopped."""
    world = World(store)
    for n in range(10):
        world.machine(f"m{n}", gpus=4, addresses=8)
    for n in range(8):
        world.project(f"p{n}", usd=[40.0, 11.5, 400.0, 60.0, 25.5, 13.0, 90.0, 14.0][n], budget_usd=[None, None, 500.0, 14.0, None, 30.0, None, None][n])  # fmt: skip
    leases = []
    for n in range(40):
        try:
            leases.append(world.rent(f"p{n % 8}", f"m{n % 10}", disk_gb=[0, 20][n % 2]))
        except Refused:
            continue
    for n in range(10):
        world.obey(f"m{n}")
    for lease in leases[::7]:
        world.stop(lease)
    return world


def test_settling_many_at_once_is_settling_each(
    made: Callable[[str], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways are taken: most leases are settled together, and those out of the ordinary by themselves."""
    ends, together, left = [], [], []

    def counted(desk: Desk, timers: Any) -> Any:
        rest = settle_many(desk, timers)
        together.append(len(timers) - len(rest))
        left.append(len(rest))
        return rest

    for kind in ("singly", "memory", "sqlite", "postgresql"):
        world = crowd(MemoryStore() if kind == "singly" else made(kind))
        one_by_one = kind == "singly"
        monkeypatch.setattr(clock, "settle_many", (lambda _desk, timers: timers) if one_by_one else counted)
        for _hour in range(6):
            world.now += HOUR
            for n in range(10):
                world.report(f"m{n}")
            world.hub.wake()
            for n in range(10):
                world.obey_if_wanted(f"m{n}")
        world.check()
        ends.append(contents(world.store))
    assert ends[0] == ends[1] == ends[2] == ends[3]
    assert sum(together) > 100 and sum(left) > 20
    assert len(ends[0][Settlement.__name__]) > 100
