"""A small market to write cases in: one clock, one hub, machines whose agents do as they are told, when told to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from rackrent.exchange.model import (
    Account,
    Allocation,
    Gpu,
    Incident,
    Instance,
    Lease,
    Machine,
    Project,
    Settlement,
    Transfer,
)
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import agent, lifecycle, money, owner, trade
from rackrent.exchange.service.agent import Report, Status
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.store.base import Store
from rackrent.protocol.words import InstanceState, Reason, Rental

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
USD = 1_000_000


@dataclass
class Agent:
    """The agent of one machine: what it has, and what it last applied."""

    machine: str
    seq: int = 0
    applied: int = 0
    boot: str = "boot-1"
    skew_ms: int = 0
    has: dict[str, InstanceState] = field(default_factory=dict)
    unhealthy: tuple[str, ...] = ()
    monotonic_from_ms: int = 0


class World:
    """A hub on a store, with a clock that moves when a case says so."""

    def __init__(self, store: Store, **policy: Any) -> None:
        self.now = 1_700_000_000_000
        ids = count()
        self.policy = replace(Policy(), **policy)
        self.ids = lambda kind: f"{kind}-{next(ids):05d}"
        self.hub = Hub(store, lambda: self.now, self.ids, self.policy)
        self.store = store
        self.agents: dict[str, Agent] = {}
        self.keys = count()

    def machine(self, id: str = "m1", gpus: int = 1, **fields: Any) -> Machine:
        """Enrol and verify a machine with GPUs at $1.00 an hour each, bids from $0.30, storage $0.10 a GB-month."""
        given = {
            "host": "lender", "country": "DE", "latitude": 52.5, "longitude": 13.4, "cpu_cores": 32, "ram_gb": 128,
            "disk_gb": 1000, "addresses": 8, "on_demand_micro_usd": USD, "min_bid_micro_usd": 300_000,
            "monthly_micro_usd": 700_000, "reserved_1y_micro_usd": 600_000, "storage_micro_usd_per_gb_month": 100_000,
        } | fields  # fmt: skip
        cards = [Gpu(id=f"{id}-gpu{n}", machine=id, name="RTX 4090", memory_gb=24) for n in range(gpus)]
        self.hub.do(owner.enrol, Machine(id=id, **given), cards)  # type: ignore[arg-type]
        self.hub.do(owner.trust, id, TrustEvent.VERIFY)
        self.agents[id] = Agent(id, monotonic_from_ms=self.now)
        return self.at(Machine, id)

    def project(self, id: str = "p1", usd: float = 100.0, budget_usd: float | None = None) -> str:
        """Make a project with money."""
        budget = None if budget_usd is None else round(budget_usd * USD)
        self.hub.do(
            lambda desk: desk.tx.add(Project(id=id, account=f"account of {id}", budget_micro_usd=budget))
        )
        if usd:
            self.hub.do(money.top_up, id, round(usd * USD), f"first of {id}")
        return id

    def quote(
        self,
        project: str = "p1",
        machine: str = "m1",
        rental: Rental = Rental.ON_DEMAND,
        gpus: int = 1,
        disk_gb: int = 0,
        bid: int | None = None,
        **also: Any,
    ):  # type: ignore[no-untyped-def]
        """Ask for a quote."""
        return self.hub.do(trade.quote, project, machine, rental, gpus, disk_gb, bid_micro_usd=bid, **also)

    def rent(
        self,
        project: str = "p1",
        machine: str = "m1",
        rental: Rental = Rental.ON_DEMAND,
        *,
        key: str | None = None,
        **also: Any,
    ) -> Lease:
        """Ask for a quote and take it up."""
        said = self.quote(project, machine, rental, **also)
        ceiling = said.rate_micro_usd + said.storage_rate_micro_usd
        return self.hub.do(trade.rent, project, said.id, rental, ceiling, key or f"key {next(self.keys)}")

    def running(
        self, project: str = "p1", machine: str = "m1", rental: Rental = Rental.ON_DEMAND, **also: Any
    ) -> Lease:
        """Rent, and have it run."""
        lease = self.rent(project, machine, rental, **also)
        self.obey(machine)
        return self.at(Lease, lease.id)

    def obey(self, machine: str = "m1") -> None:
        """The agent pulls what is wanted, does it at once, and says so."""
        a = self.agents[machine]
        for _round in range(4):
            wanted = self.hub.do(agent.desired, machine)
            run, stop = InstanceState.RUNNING, InstanceState.STOPPED
            a.has = {w.lease: run if w.run else stop for w in wanted.instances}
            a.applied = wanted.seq
            self.report(machine)
            if self.hub.do(agent.desired, machine).seq == wanted.seq:
                return

    def report(self, machine: str = "m1", *statuses: Status, **fields: Any) -> None:
        """The agent says what it has (or `statuses`)."""
        a = self.agents[machine]
        a.seq += 1
        said = Report(
            seq=a.seq, applied=a.applied, boot=a.boot, monotonic_ms=self.now - a.monotonic_from_ms,
            wall_ms=self.now + a.skew_ms, unhealthy=a.unhealthy,
            instances=statuses or tuple(Status(lease, state) for lease, state in a.has.items()),
        )  # fmt: skip
        self.hub.do(agent.report, machine, replace(said, **fields))

    def reboot(self, machine: str = "m1") -> None:
        """The machine starts anew; nothing of what ran runs."""
        a = self.agents[machine]
        a.boot, a.monotonic_from_ms = a.boot + "+", self.now
        a.has = dict.fromkeys(a.has, InstanceState.STOPPED)

    def wait(self, ms: int, *silent: str, every: int = 30 * SECOND) -> None:
        """Let time pass; every agent that is not silent is heard each 30 seconds, and does what is wanted."""
        until = self.now + ms
        while self.now < until:
            self.now = min(until, self.now + every)
            for id in self.agents:
                if id not in silent:
                    self.report(id)
            self.hub.wake()
            for id in self.agents:
                if id not in silent:
                    self.obey_if_wanted(id)

    def obey_if_wanted(self, machine: str) -> None:
        """The agent acts where the desired state has moved on."""
        if self.hub.do(agent.desired, machine).seq != self.agents[machine].applied:
            self.obey(machine)

    def stop(self, lease: Lease) -> lifecycle.Remaining:
        """Stop a lease as its renter."""
        return self.hub.do(lifecycle.stop, lease.id, lease.project)

    def start(self, lease: Lease) -> None:
        """Start a lease as its renter."""
        self.hub.do(lifecycle.start, lease.id, lease.project)

    def end(self, lease: Lease) -> None:
        """End a lease as its renter."""
        self.hub.do(lifecycle.end, lease.id, lease.project)

    def at(self, kind: type[Any], id: str) -> Any:
        """Return a value as it is kept."""
        return self.hub.do(lambda desk: desk.get(kind, id, lock=False))

    def lease(self, lease: Lease) -> Lease:
        """Return a lease as it is now."""
        return self.at(Lease, lease.id)  # type: ignore[no-any-return]

    def instance(self, lease: Lease) -> Instance:
        """Return the instance of a lease as it is now."""
        return self.at(Instance, lease.id)  # type: ignore[no-any-return]

    def balance(self, account: str) -> int:
        """Return what is in an account."""
        return self.hub.do(lambda desk: desk.balance(account))

    def settlements(self, lease: Lease) -> list[Settlement]:
        """Return the intervals of a lease in order."""
        found = self.hub.do(lambda desk: desk.tx.of(Settlement, lease=lease.id))
        return sorted(found, key=lambda s: s.number)

    def gpu_billed(self, lease: Lease) -> int:
        """Return what a lease has been charged for GPU time."""
        return sum(s.gpu_micro_usd for s in self.settlements(lease))

    def metered_ms(self, lease: Lease) -> int:
        """Return how long GPU time of a lease has been charged."""
        return sum(s.to_ms - s.from_ms for s in self.settlements(lease) if s.metered)

    def open_allocations(self, machine: str = "m1") -> dict[str, str]:
        """Return GPU to lease for what is allocated."""
        found = self.hub.do(lambda desk: desk.tx.of(Allocation, machine=machine, to_ms=None))
        return {a.gpu: a.lease for a in found}

    def transfers(self, lease: Lease) -> list[Transfer]:
        """Return the transfers of a lease."""
        return self.hub.do(lambda desk: desk.tx.of(Transfer, lease=lease.id))

    def incidents(self, lease: Lease) -> list[str]:
        """Return the reasons of the incidents of a lease."""
        found: list[Incident] = self.hub.do(lambda desk: desk.tx.of(Incident, lease=lease.id))
        return [str(i.reason) for i in found]

    def check(self) -> None:
        """Assert what must hold at every moment."""
        accounts: list[Account] = self.hub.do(lambda desk: desk.tx.of(Account))
        assert sum(a.balance_micro_usd for a in accounts) == 0
        assert [a for a in accounts if a.balance_micro_usd < 0 and a.id != ledger.WORLD] == []
        leases: list[Lease] = self.hub.do(lambda desk: desk.tx.of(Lease))
        for lease in leases:
            intervals = self.settlements(lease)
            if intervals:
                assert intervals[0].from_ms == lease.delivered_ms
                assert intervals[-1].to_ms == lease.settled_ms
            for short in (s for s in intervals if s.uncollected_micro_usd):
                late_ms = self.policy.late_ms + self.policy.settle_storage_ms * (not short.metered)
                assert short.to_ms - short.from_ms > late_ms, short
            assert [a.to_ms for a in intervals[:-1]] == [b.from_ms for b in intervals[1:]]
            if lease.ended_ms is not None:
                assert lease.reason in Reason and lease.data_end is not None
                assert self.balance(ledger.hold(lease.id)) == self.balance(ledger.reserve(lease.id)) == 0
