"""A host: an agent that does what it is told, reports what it does, and stops by itself when it is cut off.

It keeps the truth as well: when what ran on which GPU, whatever the hub believes. It is as naive as an agent may be: it
starts what it is told to start at once, without looking whether something else still runs on that GPU.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from rackrent.exchange.model import HOUR_MS, Alarm, Machine, Timer
from rackrent.exchange.service.agent import Desired, Report, Status
from rackrent.exchange.simulate.scenario import Fault
from rackrent.exchange.simulate.world import World
from rackrent.protocol.words import InstanceState, Reason

I = InstanceState  # noqa: E741
UP = frozenset({I.CREATING, I.LOADING, I.STARTING, I.RUNNING})
ON_GPU = frozenset({I.STARTING, I.RUNNING, I.STOPPING})
STEPS = {
    I.CREATING: (I.LOADING, 2_000.0),
    I.LOADING: (I.STARTING, 90_000.0),
    I.STARTING: (I.RUNNING, 15_000.0),
}
"""What follows, and how long it takes on average (ms): an assumption."""
STOPPING_MS, DESTROYING_MS = 6_000.0, 10_000.0
SLOW_SHARE, FAILED_SHARE, UNDONE_SHARE = 0.01, 0.02, 0.02
"""Shares of creations that take an hour, that fail, and of instances that end or fail by themselves later."""
AWKWARD_SHARE = 0.3
"""Share of messages of a bad spell that something happens to."""


@dataclass(slots=True)
class Container:
    """What is on a host for a lease. `epoch` goes up when what was to follow no longer is."""

    state: InstanceState
    gpus: tuple[str, ...]
    reason: Reason = Reason.HOST_REPORT
    epoch: int = 0
    dying: bool = False
    again: tuple[str, ...] | None = None


@dataclass(slots=True)
class Ran:
    """When a lease truly ran: closed spells, and since when it runs (None: it does not)."""

    spells: list[tuple[int, int]] = field(default_factory=list)
    since_ms: int | None = None


class Host:
    """A machine's agent. `up`, `linked`, `rough` (messages fare ill) are set by what goes wrong."""

    def __init__(self, world: World, id: str, number: int) -> None:
        self.world, self.id = world, id
        self.draw: Random = world.scenario.stream("host", number)
        self.latency_ms = self.draw.randrange(10, 150)
        self.up, self.linked, self.rough = True, True, False
        self.skew_ms = 0
        self.boots, self.booted_ms = 1, world.now_ms
        self.forgetful = self.draw.random() < 0.5
        self.seq, self.applied = 0, 0
        self.sent_ms = world.now_ms
        self.contact_ms = world.now_ms
        self.heard: list[tuple[int, int]] = [(world.now_ms, world.now_ms)] * 2
        self.containers: dict[str, Container] = {}
        self.unhealthy: tuple[str, ...] = ()
        self.ran: dict[str, Ran] = {}
        self.on_gpu: dict[str, str] = {}
        self.steady = False
        self._told_seq, self._cut, self._spell = 0, 0, 0
        world.hosts[id] = self
        self.meet()

    def __str__(self) -> str:
        return self.id

    # --- being in touch -----------------------------------------------------------------------------------

    @property
    def reachable(self) -> bool:
        """Return whether messages can pass at all."""
        return self.up and self.linked and self.world.hub_up

    def meet(self) -> None:
        """Take account of a change in `up`, `linked`, `rough` or the hub's state."""
        steady = self.reachable and not self.rough
        if steady and not self.steady:
            self.steady = True
            self.world.store.beating.add(self.id)
            self.world.store.disarm(f"{Alarm.SILENCE}:{self.id}")
            self.report()
        elif self.steady and not steady:
            self.beat()
            self.steady = False
            self._told_seq = 0
            store = self.world.store
            store.beating.discard(self.id)
            machine = store.find(Machine, self.id)
            if machine is not None and machine.reachable:
                due_ms = machine.last_heard_ms + self.world.policy.silence_ms
                store.arm(
                    Timer(id=f"{Alarm.SILENCE}:{self.id}", kind=Alarm.SILENCE, subject=self.id, due_ms=due_ms)
                )
            self._mind_fence()

    def fare(self, *, rough: bool) -> None:
        """A spell in which messages fare ill begins, or is over."""
        self.beat()
        self.rough = rough
        self._spell += 1
        self.meet()
        if rough:
            self.pulse(self._spell)

    def beat(self) -> None:
        """Catch up with the heartbeat that arrived last."""
        if not self.steady:
            return
        world = self.world
        beats = (world.now_ms - self.latency_ms - self.sent_ms) // world.policy.heartbeat_ms
        if beats < 1:
            return
        sent_ms = self.sent_ms + beats * world.policy.heartbeat_ms
        self.sent_ms, self.contact_ms = sent_ms, sent_ms
        self.seq += 1
        world.beaten(self)
        said = self._snapshot(sent_ms)
        self.heard = [self.heard[1], (sent_ms, sent_ms + self.latency_ms)]
        world.carried(self, said, sent_ms + self.latency_ms)

    def pulse(self, spell: int) -> None:
        """A heartbeat in a spell in which messages fare ill."""
        if self.rough and spell == self._spell:
            self.report()
            self.world.after(self.world.policy.heartbeat_ms, "pulse", self.pulse, spell)

    def report(self) -> None:
        """Send a report of all that is here now. It takes the place of heartbeats that were under way."""
        if not (self.up and self.linked):
            return
        self.seq += 1
        self.sent_ms = self.world.now_ms
        said = self._snapshot(self.sent_ms)
        for delay_ms in self._delays():
            self.world.after(delay_ms, "report", self.arrive, said, self.sent_ms)

    def arrive(self, said: Report, sent_ms: int) -> None:
        """A report reaches the hub, if it is there; the answer is on its way back."""
        world = self.world
        if not self.linked or not world.hub_up:
            return
        before = self.heard
        self.heard = [before[1], (sent_ms, world.now_ms)]
        if not world.carried(self, said, world.now_ms):
            self.heard = before
            return
        machine = world.store.find(Machine, self.id)
        assert machine is not None
        if self.steady:
            self.contact_ms = max(self.contact_ms, sent_ms)
            if machine.desired_seq > max(said.applied, self._told_seq):
                self.told()
            return
        delays = self._delays()
        for delay_ms in delays:
            world.after(delay_ms, "answer", self.answered, sent_ms)
        if machine.desired_seq > said.applied:
            self.told(delays)

    def answered(self, sent_ms: int) -> None:
        """The hub has had a report: the agent was in touch when it sent it, whenever the answer comes."""
        if self.up:
            self.contact_ms = max(self.contact_ms, sent_ms)

    def told(self, delays: list[int] | None = None) -> None:
        """The hub answers a waiting request for what is wanted."""
        if not self.reachable:
            return
        wanted = self.world.desired(self)
        if self.steady:
            self._told_seq = wanted.seq
        for delay_ms in self._delays() if delays is None else delays:
            self.world.after(delay_ms, "desired", self.apply, wanted)

    def _snapshot(self, sent_ms: int) -> Report:
        statuses = tuple(Status(lease, c.state, c.reason) for lease, c in self.containers.items())
        return Report(
            seq=self.seq, applied=self.applied, boot=f"{self.id}-{self.boots}", monotonic_ms=sent_ms - self.booted_ms,
            wall_ms=sent_ms + self.skew_ms, instances=statuses, unhealthy=self.unhealthy,
        )  # fmt: skip

    def _delays(self) -> list[int]:
        """Return when a message arrives: never, once, or twice."""
        if not self.rough:
            return [self.latency_ms]
        has, draw = self.world.scenario.has, self.draw
        if has(Fault.LOST) and draw.random() < AWKWARD_SHARE:
            return []
        delays = [self.latency_ms]
        if has(Fault.DOUBLED) and draw.random() < AWKWARD_SHARE:
            delays.append(self.latency_ms + draw.randrange(5_000))
        if has(Fault.REORDERED) and draw.random() < AWKWARD_SHARE:
            delays[0] += draw.randrange(10_000)
        if has(Fault.LATE) and draw.random() < AWKWARD_SHARE / 3:
            delays[0] += draw.randrange(60_000)
        return delays

    # --- doing what is wanted -----------------------------------------------------------------------------

    def apply(self, wanted: Desired) -> None:
        """Act on a desired state, unless it is an old one, or it is too late to start anything."""
        cut_off = not self.steady and self.world.now_ms - self.contact_ms >= self.world.policy.fence_ms
        if not self.up or cut_off or wanted.seq <= self.applied:
            return
        self.applied = wanted.seq
        named = {w.lease for w in wanted.instances}
        for lease, container in list(self.containers.items()):
            if lease not in named and not container.dying:
                self._destroy(lease, container)
        for w in wanted.instances:
            found = self.containers.get(w.lease)
            if found is None and w.run:
                self.containers[w.lease] = Container(I.CREATING, w.gpus)
                self._next(w.lease)
            elif found is None or found.dying:
                continue
            elif not w.run:
                found.again = None
                if found.state in UP:
                    self._halt(w.lease, found)
            elif found.state in UP and found.gpus != w.gpus:
                found.again = w.gpus
                self._halt(w.lease, found)
            elif found.state is I.STOPPING:
                found.again = w.gpus
            elif found.state not in UP:
                self._begin(w.lease, found, w.gpus)
        self.report()

    def step(self, lease: str, epoch: int, state: InstanceState, reason: Reason) -> None:
        """A container comes into another state."""
        found = self.containers.get(lease)
        if found is None or found.epoch != epoch or not self.up:
            return
        if found.state is I.RUNNING:
            self.beat()  # it is charged up to the last word
        self._become(lease, found, state, reason)
        if state is I.STOPPED and found.again is not None:
            self._begin(lease, found, found.again)
        elif state in UP:
            self._next(lease)
        self.report()

    def destroyed(self, lease: str, epoch: int) -> None:
        """A container and its data are gone."""
        found = self.containers.get(lease)
        if found is not None and found.epoch == epoch and self.up:
            self._become(lease, found, I.STOPPED, Reason.HOST_REPORT)
            del self.containers[lease]
            self.report()

    def _begin(self, lease: str, container: Container, gpus: tuple[str, ...]) -> None:
        container.again, container.gpus = None, gpus
        container.epoch += 1
        self._become(lease, container, I.CREATING, Reason.HOST_REPORT)
        self._next(lease)

    def _next(self, lease: str) -> None:
        """Draw what comes next of a container, and when."""
        found, draw = self.containers[lease], self.draw
        if found.state is I.RUNNING:
            if draw.random() < UNDONE_SHARE:
                state, reason = (
                    (I.STOPPED, Reason.HOST_REPORT) if draw.random() < 0.5 else (I.FAILED, Reason.HOST_ERROR)
                )
                self._later(lease, found, draw.expovariate(1 / (5 * HOUR_MS)), state, reason)
            return
        following, mean_ms = STEPS[found.state]
        state, reason = following, Reason.HOST_REPORT
        wait_ms = draw.expovariate(1 / mean_ms)
        if found.state is I.LOADING and self.world.scenario.has(Fault.IMAGE):
            if draw.random() < FAILED_SHARE:
                state, reason = I.FAILED, Reason.IMAGE_ERROR
            elif draw.random() < SLOW_SHARE:
                wait_ms += HOUR_MS
        self._later(lease, found, wait_ms, state, reason)

    def _later(
        self, lease: str, found: Container, wait_ms: float, state: InstanceState, reason: Reason
    ) -> None:
        self.world.after(wait_ms, state.value, self.step, lease, found.epoch, state, reason)

    def _halt(self, lease: str, container: Container) -> None:
        container.epoch += 1
        self._wind_down(lease, container)
        self._later(lease, container, self.draw.expovariate(1 / STOPPING_MS), I.STOPPED, Reason.HOST_REPORT)

    def _destroy(self, lease: str, container: Container) -> None:
        container.epoch += 1
        container.dying, container.again = True, None
        self._wind_down(lease, container)
        wait_ms = self.draw.expovariate(1 / DESTROYING_MS)
        self.world.after(wait_ms, "destroyed", self.destroyed, lease, container.epoch)

    def _wind_down(self, lease: str, container: Container) -> None:
        if container.state in ON_GPU:
            self._become(lease, container, I.STOPPING, Reason.HOST_REPORT)
        else:
            container.state = I.STOPPING

    # --- what goes wrong ----------------------------------------------------------------------------------

    def _mind_fence(self) -> None:
        self._cut += 1
        self.world.at(self.contact_ms + self.world.policy.fence_ms, "fence-check", self._fence, self._cut)

    def _fence(self, cut: int) -> None:
        """Stop everything if the hub has not been heard for too long."""
        if cut != self._cut or self.steady or not self.up:
            return
        due_ms = self.contact_ms + self.world.policy.fence_ms
        if due_ms <= self.world.now_ms:
            self.kill(Reason.HOST_FENCED)
            due_ms = self.world.now_ms + self.world.policy.fence_ms
        self.world.at(due_ms, "fence-check", self._fence, cut)

    def kill(self, reason: Reason) -> None:
        """What runs here stops at once."""
        self.beat()
        for lease, container in self.containers.items():
            if container.state in UP or container.state is I.STOPPING:
                container.again = None
                if not container.dying:
                    container.epoch += 1
                self._become(lease, container, I.STOPPED, reason)

    def crash(self) -> None:
        """Lose power."""
        self.kill(Reason.HOST_ERROR)
        self.up = False
        self.meet()

    def boot(self) -> None:
        """Come up again. A forgetful agent has to be told anew what is wanted, others know what they had done."""
        self.up = True
        self.boots += 1
        self.booted_ms = self.world.now_ms
        if self.forgetful:
            self.applied = 0
        for lease, container in list(self.containers.items()):
            if container.dying:
                self._destroy(lease, container)
        self.meet()
        if not self.steady:
            self._mind_fence()

    def fall_ill(self, gpu: str, dies: bool) -> None:
        """A GPU is not well; what runs on it may die of it."""
        self.beat()
        self.unhealthy = (*self.unhealthy, gpu)
        lease = self.on_gpu.get(gpu)
        container = self.containers.get(lease) if lease is not None else None
        if dies and lease is not None and container is not None and container.state in UP:
            container.epoch += 1
            self._become(lease, container, I.FAILED, Reason.GPU_UNHEALTHY)
        self.report()

    def recover(self, gpu: str) -> None:
        """A GPU is well again."""
        self.beat()
        self.unhealthy = tuple(other for other in self.unhealthy if other != gpu)
        self.report()

    def misbehave(self, odd: str) -> None:
        """Say what no agent should: an old number again, or something running that nobody asked for."""
        self.beat()
        if odd == "replay":
            said = self._snapshot(self.world.now_ms)
            self.world.after(self.latency_ms, "replayed", self.arrive, said, self.world.now_ms)
        elif odd not in self.containers:
            self.containers[odd] = Container(I.RUNNING, ())
            self.report()

    # --- the truth ----------------------------------------------------------------------------------------

    def _become(self, lease: str, container: Container, state: InstanceState, reason: Reason) -> None:
        now_ms, was = self.world.now_ms, container.state
        container.state, container.reason = state, reason
        if (was in ON_GPU) != (state in ON_GPU):
            if state in ON_GPU:
                for gpu in container.gpus:
                    self.world.checks.alone_on(gpu, lease, self.on_gpu.get(gpu))
                    self.on_gpu[gpu] = lease
            else:
                for gpu in container.gpus:
                    if self.on_gpu.get(gpu) == lease:
                        del self.on_gpu[gpu]
        if state is I.RUNNING:
            self.ran.setdefault(lease, Ran()).since_ms = now_ms
        elif (
            state is not I.STOPPING and (ran := self.ran.get(lease)) is not None and ran.since_ms is not None
        ):
            ran.spells.append((ran.since_ms, now_ms))
            ran.since_ms = None
