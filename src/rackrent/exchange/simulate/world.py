"""The virtual clock, the queue of what is to happen, and the way between hub, hosts and renters.

A healthy host beats every half minute, and nothing comes of it. So its heartbeats are not events: they are caught up with,
at the instants at which they would have arrived, just before something looks at the machine. The timer that waits for
its silence is armed only while it can be silent.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar

from rackrent.exchange.model import (
    Alarm,
    Allocation,
    Gpu,
    Instance,
    Lease,
    Machine,
    Settlement,
    Timer,
    Transfer,
)
from rackrent.exchange.problems import Conflict, Refused
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.service import agent, clock
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.simulate.checks import Checks, Violation
from rackrent.exchange.simulate.offers import Offers
from rackrent.exchange.simulate.scenario import START_MS, Scenario
from rackrent.exchange.simulate.tally import Tally
from rackrent.exchange.store.memory import MemoryStore

if TYPE_CHECKING:
    from rackrent.exchange.simulate.host import Host

T = TypeVar("T")
KEPT = 40
"""Events of the history that are shown with a violation."""
COUNTED = (Gpu, Lease, Instance, Allocation, Settlement, Transfer)


class Store(MemoryStore):
    """The store in memory; the silence of machines that certainly beat is not waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.beating: set[str] = set()

    def arm(self, *timers: Timer) -> None:
        """Set timers."""
        for timer in timers:
            if timer.kind is not Alarm.SILENCE or timer.subject not in self.beating:
                super().arm(timer)


class World:
    """One run: `at` puts something in the queue, `run` does what is in it up to an instant."""

    def __init__(self, scenario: Scenario, policy: Policy | None = None) -> None:
        self.scenario, self.policy = scenario, policy or Policy()
        self.now_ms = START_MS
        self.store = Store()
        self.hosts: dict[str, Host] = {}
        self.hub_up = True
        self.hub = self._hub()
        self.ids: Counter[str] = Counter()
        self.tally = Tally(scenario.end_ms)
        self.offers = Offers()
        self.checks = Checks(self)
        self.events = 0
        self._last: deque[tuple[int, str, object, Any, Any]] = deque(maxlen=KEPT)
        self._queue: list[tuple[int, int, str, Callable[..., object], tuple[Any, ...]]] = []
        self._count = 0
        self._digest = blake2b(digest_size=8)
        self._said: list[str] = []

    @property
    def digest(self) -> str:
        """Return a fingerprint of all that has happened."""
        self._flush()
        return self._digest.hexdigest()

    def at(self, ms: int, what: str, work: Callable[..., object], *args: Any) -> None:
        """Have something happen."""
        self._count += 1
        heapq.heappush(self._queue, (ms, self._count, what, work, args))

    def after(self, ms: float, what: str, work: Callable[..., object], *args: Any) -> None:
        """Have something happen in so many milliseconds."""
        self.at(self.now_ms + int(ms), what, work, *args)

    def run(self, until_ms: int) -> None:
        """Do what is to happen up to an instant, that included. Raises Violation."""
        queue, store = self._queue, self.store
        every = self.scenario.check_every
        while True:
            due = store.next_due_ms() if self.hub_up else None
            if due is not None and due <= until_ms and (not queue or due <= queue[0][0]):
                self.now_ms = max(self.now_ms, due)
                self._timer()
            elif queue and queue[0][0] <= until_ms:
                self.now_ms, number, what, work, args = heapq.heappop(queue)
                self._event(what, number, work, args)
                work(*args)
            else:
                break
            if self.events % every == 0:
                self.checks.everything()
        self.now_ms = max(self.now_ms, until_ms)

    def ask(
        self,
        what: str,
        machine: str | None,
        work: Callable[..., T],
        *args: Any,
        **kwargs: Any,
    ) -> T | None:
        """Return what the hub answers to a request that is about a machine; None where it refuses, or is down."""
        if not self.hub_up:
            self.tally.refused[what, "hub-down"] += 1
            return None
        if machine is not None and machine in self.hosts:
            self.hosts[machine].beat()
        try:
            answer = self.hub.do(work, *args, **kwargs)
        except Refused as refusal:
            self._refused(what, refusal, machine)
            return None
        self.looked(what)
        return answer

    def carried(self, host: Host, said: agent.Report, at_ms: int) -> bool:
        """Return whether the hub took a report in, as of an instant that is not in the future."""
        now_ms, self.now_ms = self.now_ms, at_ms
        try:
            self.hub.do(agent.report, host.id, said)
            self.looked("report")
        except Refused as refusal:
            self._refused("report", refusal, host.id)
            return False
        finally:
            self.now_ms = now_ms
        return True

    def _refused(self, what: str, refusal: Refused, machine: str | None) -> None:
        """Count a refusal. One by a constraint of the store means that the rules were about to break it."""
        self.tally.refused[what, refusal.type] += 1
        if isinstance(refusal, Conflict):
            raise Violation("conflict", f"{what}: {refusal}", machine)

    def looked(self, what: str) -> None:
        """Look at what the last transaction changed: check it, count it, and tell hosts of what is wanted of them."""
        changes = self.store.changes
        self.checks.look(what, changes)
        for old, new in changes:
            kind = type(new if new is not None else old)
            if kind is Machine:
                self.offers.machine(new)
                if old is None:
                    self.tally.count(old, new)
                if old is not None and new.desired_seq != old.desired_seq:
                    self.hosts[new.id].told()
            elif kind in COUNTED:
                self.tally.count(old, new)
                self.offers.count(old, new)

    def desired(self, host: Host) -> agent.Desired:
        """Return what the hub wants of a host now."""
        return self.hub.do(agent.desired, host.id)

    def restart_hub(self) -> None:
        """A new hub on the same store."""
        self.hub, self.hub_up = self._hub(), True

    def _hub(self) -> Hub:
        return Hub(self.store, lambda: self.now_ms, self._id, self.policy)

    def _id(self, kind: str) -> str:
        self.ids[kind] += 1
        return f"{kind}{self.ids[kind]:09d}"

    def _timer(self) -> None:
        timer = self.store.next_timer()
        assert timer is not None
        machine: str | None = timer.subject
        if timer.kind not in clock.OF_MACHINES:
            lease = self.store.find(Lease, timer.subject)
            machine = None if lease is None else lease.machine
        self._event(timer.kind, timer.subject)
        if machine is not None:
            self.hosts[machine].beat()
        if self.store.find(Timer, timer.id) == timer:  # the heartbeat may have done away with it
            try:
                self.hub.do(clock.wake, 1)
            except Refused as refusal:  # nobody is there to be refused
                raise Violation("timer", f"{timer.id}: {refusal}", machine, None) from refusal
            self.looked(timer.kind)

    def _event(self, what: str, number: object, work: Any = None, args: Any = ()) -> None:
        self.events += 1
        self._last.append((self.now_ms, what, number, work, args))
        self._said.append(f"{self.now_ms} {what} {number}\n")
        if len(self._said) >= 1_000:
            self._flush()

    def last(self) -> list[str]:
        """Return the last events, a line each: when (seconds since the start), what, of whom, with what."""
        lines = []
        for ms, what, number, work, args in self._last:
            whose = getattr(work, "__self__", number if work is None else "")
            shown = " ".join(_short(a) for a in args if not hasattr(a, "__dict__"))
            lines.append(f"{(ms - START_MS) / 1000:12.3f} {what:<14} {whose} {shown}".rstrip())
        return lines

    def beaten(self, host: Host) -> None:
        """Note that a heartbeat was caught up with."""
        self._event("beat", host)

    def _flush(self) -> None:
        self._digest.update("".join(self._said).encode())
        self._said.clear()


def _short(value: object) -> str:
    """Return a value of a history in few words."""
    if isinstance(value, agent.Report):
        on_it = " ".join(f"{s.lease}={s.state}" for s in value.instances)
        return f"seq {value.seq} applied {value.applied} boot {value.boot} {on_it}"
    if isinstance(value, agent.Desired):
        on_it = " ".join(f"{w.lease}={'run' if w.run else 'rest'}" for w in value.instances)
        return f"seq {value.seq} {on_it}"
    return str(getattr(value, "id", value))
