"""What passes between the hub and the agent of a machine: desired state out, reports in; and what silence means.

A report names all that is on the machine, so that a lost one is made good by the next. Desired state is pulled. Both are
numbered; a report that is not newer than the last is refused, and what it says of an instance counts only if the agent
had already applied the desired state that last spoke of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rackrent.exchange.model import Alarm, Allocation, Gpu, Instance, Lease, Machine
from rackrent.exchange.problems import Replayed
from rackrent.exchange.rules.states import AT_REST, HOLDING, LEASE, LIVE, InstanceEvent, LeaseEvent, after
from rackrent.exchange.rules.terms import TERM_MS
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.lifecycle import cover, fail, finish, reclaim
from rackrent.exchange.service.money import pay_downtime
from rackrent.exchange.service.place import gpus_held, place, run
from rackrent.exchange.service.settle import meter, rearm, settle_now
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import DataEnd, InstanceState, Intended, LeaseState, Reason, Rental

GIVEN_UP = frozenset({Reason.OWNER_CLAIMED, Reason.SUSPENDED, Reason.OUTBID, Reason.DISPLACED})
"""Why an instance was stopped that its renter did not stop."""
NOT_KEPT = GIVEN_UP | {Reason.OUT_OF_FUNDS}
"""Why a reserved lease, too, gives its GPUs up when it stops, and pays for them no longer."""


@dataclass(frozen=True, slots=True)
class Status:
    """What an agent says of the instance of a lease; `progress` is the share done of what the state names, 0 to 1."""

    lease: str
    state: InstanceState
    reason: Reason = Reason.HOST_REPORT
    progress: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that is on a machine. `applied` is the last desired state that the agent has acted on.

    `monotonic_ms` is since the machine's boot, which `boot` names; `wall_ms` what its clock says. `unhealthy` are ids of GPUs.
    """

    seq: int
    applied: int
    boot: str
    monotonic_ms: int
    wall_ms: int
    instances: tuple[Status, ...] = ()
    unhealthy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be on a machine for a lease; `gpus` are the ids of those it runs on."""

    lease: str
    run: bool
    gpus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Desired:
    """All that is to be on a machine; what is not named is to be destroyed, with its data."""

    seq: int
    instances: tuple[Wanted, ...]


def desired(desk: Desk, machine_id: str) -> Desired:
    """Return what is to be on a machine."""
    machine = desk.get(Machine, machine_id, lock=False)
    held = gpus_held(desk, machine_id)
    wanted = []
    for i in desk.tx.of(Instance, machine=machine_id, over=False):
        if i.intended is Intended.ENDED or i.generation == 0:
            continue
        to_run = i.intended is Intended.RUNNING and i.actual in LIVE
        wanted.append(Wanted(i.id, to_run, held.get(i.id, ()) if to_run else ()))
    return Desired(machine.desired_seq, tuple(wanted))


def report(desk: Desk, machine_id: str, said: Report) -> None:
    """Take in what an agent says. Raises Replayed where it is not newer than what was said before."""
    machine = desk.get(Machine, machine_id)
    if said.seq <= machine.report_seq:
        raise Replayed(_("Report {seq} of machine {id} is not new.").format(seq=said.seq, id=machine_id))
    statuses = {status.lease: status for status in said.instances}
    unbroken = machine.boot == said.boot and said.monotonic_ms >= machine.monotonic_ms
    instances = desk.tx.of(Instance, machine=machine_id, over=False)
    if machine.reachable:
        _break_off(desk, machine, instances, statuses, said.applied, unbroken=unbroken)
    returned, silent_ms = not machine.reachable, desk.now_ms - machine.last_heard_ms
    skewed = abs(said.wall_ms - desk.now_ms) > desk.policy.skew_ms
    if skewed and not machine.skewed:
        desk.incident(
            Reason.CLOCK_SKEW,
            _("The clock of the machine is wrong: not for rent until it is right."),
            machine_id,
        )
    machine = replace(
        machine, reachable=True, last_heard_ms=desk.now_ms, boot=said.boot, monotonic_ms=said.monotonic_ms,
        report_seq=said.seq, skewed=skewed,
    )  # fmt: skip
    desk.tx.put(machine)
    moved = _health(desk, machine, said.unhealthy) or returned
    for instance in instances:
        machine = _observe(desk, machine, instance, statuses.pop(instance.id, None), said.applied)
        moved = moved or desk.tx.find(Instance, instance.id) != instance
    for orphan, status in statuses.items():
        if status.state is InstanceState.STOPPING:  # it is being destroyed
            continue
        desk.incident(Reason.ORPHAN, _("The machine runs something that is no lease's."), machine_id, orphan)
        if said.applied >= machine.desired_seq:
            machine = replace(machine, desired_seq=machine.desired_seq + 1)
            desk.tx.put(machine)
    if returned:
        desk.disarm(Alarm.FENCE, machine_id)
        desk.disarm(Alarm.LOST, machine_id)
        _welcome(desk, machine, silent_ms)
    desk.arm(Alarm.SILENCE, machine_id, desk.now_ms + desk.policy.silence_ms)
    if moved:
        place(desk, _resume_reserved(desk, machine))


def silence(desk: Desk, machine: Machine) -> None:
    """A machine has not been heard of for too long: what runs on it is charged up to the last word and no further."""
    heard = max(machine.last_heard_ms, desk.started_ms)
    if not machine.reachable:
        return
    if desk.now_ms - heard < desk.policy.silence_ms:
        desk.arm(Alarm.SILENCE, machine.id, heard + desk.policy.silence_ms)
        return
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        if instance.actual is InstanceState.ENDED:
            continue
        lease = desk.get(Lease, instance.id)
        if lease.metering or lease.storing:
            lease, _funds = settle_now(desk, lease, machine)
            lease = meter(desk, lease, metering=False, storing=False)
        if (
            instance.actual in LIVE
            and instance.generation > 0
            and instance.actual is not InstanceState.UNREACHABLE
        ):
            desk.step(instance, InstanceEvent.SILENT, Reason.HOST_SILENT)
    desk.tx.put(replace(machine, reachable=False, reason=Reason.HOST_SILENT))
    desk.incident(Reason.HOST_SILENT, _("The machine has fallen silent."), machine.id)
    policy = desk.policy
    desk.arm(Alarm.FENCE, machine.id, heard + policy.fence_ms + policy.fence_margin_ms)
    desk.arm(Alarm.LOST, machine.id, heard + policy.lost_ms)


def fence(desk: Desk, machine: Machine) -> None:
    """A machine has been silent for so long that it has stopped everything by itself: its GPUs are nobody's any more.

    Reserved leases keep theirs, and run again when it comes back; so do bids. Others are at rest until they are started.
    """
    if machine.reachable:
        return
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        lease = desk.get(Lease, instance.id)
        if lease.state is LeaseState.RECLAIMING:
            machine = finish(desk, machine, lease, DataEnd.UNCONFIRMED, Reason.HOST_FENCED)
            continue
        if instance.actual not in HOLDING or instance.generation == 0:
            continue
        if lease.state is LeaseState.PENDING:
            reclaim(desk, machine, lease, Reason.HOST_SILENT)
            machine = desk.get(Machine, machine.id)
            continue
        given_up = instance.actual is InstanceState.STOPPING and instance.reason in NOT_KEPT
        if given_up or not lease.rental.reserved:
            desk.free(lease.id, Reason.HOST_FENCED)
        wish = Intended.STOPPED if lease.rental is Rental.ON_DEMAND else instance.intended
        event = InstanceEvent.STOPPED if instance.actual is InstanceState.STOPPING else InstanceEvent.TAKEN
        stopped = desk.step(replace(instance, intended=wish), event, Reason.HOST_FENCED)
        machine = desk.tell(stopped, machine)[1]


def lost(desk: Desk, machine: Machine) -> None:
    """A machine has not come back: its leases end, and their money is given back."""
    if machine.reachable:
        return
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        lease = desk.get(Lease, instance.id)
        if lease.state in (LeaseState.PENDING, LeaseState.ACTIVE):
            reclaim(desk, desk.get(Machine, machine.id), lease, Reason.HOST_LOST)


def _break_off(
    desk: Desk,
    machine: Machine,
    instances: Sequence[Instance],
    statuses: dict[str, Status],
    applied: int,
    *,
    unbroken: bool,
) -> None:
    """Charge what is not said to have run on without a break only up to the word before.

    What was told to stop, and did, ran until then; but not if it failed, if the agent had not yet heard of it, or after a
    long time without a word (the hub was away): then it may have stopped by itself long before.
    """
    lately = desk.now_ms - machine.last_heard_ms <= desk.policy.silence_ms
    for instance in instances:
        if instance.actual not in HOLDING:
            continue
        status = statuses.get(instance.id)
        runs = status is not None and status.state is InstanceState.RUNNING
        fenced = status is not None and status.reason is Reason.HOST_FENCED
        failed = status is not None and status.state is InstanceState.FAILED
        told = instance.actual is InstanceState.STOPPING and applied >= instance.generation
        stopped_as_told = told and lately and not fenced and not failed
        if unbroken and (runs or stopped_as_told):
            continue
        lease = desk.get(Lease, instance.id)
        if lease.metering:
            lease, _funds = settle_now(desk, lease, machine)
            meter(desk, lease, metering=lease.rental.reserved and lease.metering, storing=lease.storing)


def _health(desk: Desk, machine: Machine, unhealthy: tuple[str, ...]) -> bool:
    """Take in which GPUs are not well; return whether that has changed."""
    changed = False
    for gpu in desk.tx.of(Gpu, machine=machine.id):
        healthy = gpu.id not in unhealthy
        if healthy != gpu.healthy:
            desk.tx.put(replace(gpu, healthy=healthy))
            if not healthy:
                desk.incident(Reason.GPU_UNHEALTHY, _("GPU {id} is not well.").format(id=gpu.id), machine.id)
            changed = True
    return changed


EVENTS = {
    InstanceState.LOADING: InstanceEvent.LOAD,
    InstanceState.STARTING: InstanceEvent.START,
    InstanceState.RUNNING: InstanceEvent.RUN,
}
ORDER = [InstanceState.CREATING, InstanceState.LOADING, InstanceState.STARTING, InstanceState.RUNNING]


def _observe(
    desk: Desk, machine: Machine, instance: Instance, status: Status | None, applied: int
) -> Machine:
    """Take in what a report says, or does not say, of one instance. Returns the machine as it then is."""
    if instance.generation == 0 or applied < instance.generation:
        return machine
    if instance.actual is InstanceState.ENDED:
        _confirm_destroyed(desk, instance, status)
        return machine
    if status is None:
        return _absent(desk, machine, instance)
    if instance.intended is Intended.ENDED:
        return machine
    if status.state in (InstanceState.FAILED, InstanceState.STOPPED):
        return _at_rest(desk, machine, instance, status)
    if status.state in EVENTS and instance.actual in LIVE:
        return _alive(desk, machine, instance, status)
    return machine


def _alive(desk: Desk, machine: Machine, instance: Instance, status: Status) -> Machine:
    if status.progress != instance.progress and status.state is instance.actual:
        desk.tx.put(replace(instance, progress=status.progress))
    known = instance.actual is not InstanceState.UNREACHABLE
    if known and ORDER.index(status.state) <= ORDER.index(instance.actual):
        if status.state is InstanceState.RUNNING:
            _charge_again(desk, machine, desk.get(Lease, instance.id))
        return desk.get(Machine, machine.id)
    instance = desk.step(instance, EVENTS[status.state], status.reason)
    lease = desk.get(Lease, instance.id)
    if instance.actual is not InstanceState.RUNNING:
        return machine
    if lease.state is LeaseState.PENDING:
        ends = [t for t in (lease.ends_ms, _term_end(lease, desk.now_ms)) if t is not None]
        lease = replace(
            lease, state=after(LEASE, lease.state, LeaseEvent.DELIVER), delivered_ms=desk.now_ms,
            settled_ms=desk.now_ms, ends_ms=min(ends, default=None),
        )  # fmt: skip
        desk.disarm(Alarm.CREATION, lease.id)
        if lease.ends_ms is not None:
            desk.arm(Alarm.TERM, lease.id, lease.ends_ms)
    elif lease.metering or lease.storing:
        lease, _funds = settle_now(desk, lease, machine)
    cover(desk, machine, meter(desk, lease, metering=True, storing=True))
    return desk.get(Machine, machine.id)


def _charge_again(desk: Desk, machine: Machine, lease: Lease) -> None:
    """What was broken off, by a reboot for one, and is said to run again is charged from this word on."""
    if lease.state is LeaseState.ACTIVE and not lease.metering:
        if lease.storing:
            lease, _funds = settle_now(desk, lease, machine)
        cover(desk, machine, meter(desk, lease, metering=True, storing=True))


def _term_end(lease: Lease, now_ms: int) -> int | None:
    term = TERM_MS.get(lease.rental)
    return None if term is None else now_ms + term


def _at_rest(desk: Desk, machine: Machine, instance: Instance, status: Status) -> Machine:
    """It stopped as told, or failed, or ended by itself."""
    if instance.actual in AT_REST:
        return machine
    told = instance.actual is InstanceState.STOPPING
    fenced = status.reason is Reason.HOST_FENCED and not told
    taken = fenced or (told and instance.reason in GIVEN_UP)
    lease = desk.get(Lease, instance.id)
    if lease.state is LeaseState.PENDING:
        why = status.reason if status.reason is not Reason.HOST_REPORT else Reason.HOST_ERROR
        fail(desk, machine, lease, why)
        return desk.get(Machine, machine.id)
    kept = lease.rental.reserved and not (told and instance.reason in NOT_KEPT)
    paid = kept and (told or status.reason is Reason.HOST_REPORT) and not taken
    if lease.metering and not paid:
        lease, _funds = settle_now(desk, lease, machine)
        lease = meter(desk, lease, metering=False, storing=lease.storing)
        rearm(desk, lease)
    if not kept:
        desk.free(lease.id, instance.reason if told else status.reason)
    if not told and (not fenced or lease.rental is Rental.ON_DEMAND):
        instance = replace(instance, intended=Intended.STOPPED)
    event = InstanceEvent.TAKEN if taken else InstanceEvent.STOPPED if told else InstanceEvent.FAIL
    stopped = desk.step(instance, event, instance.reason if told else status.reason)
    return machine if told else desk.tell(stopped, machine)[1]


def _absent(desk: Desk, machine: Machine, instance: Instance) -> Machine:
    """A machine that has acted on what was wanted does not have it: it is destroyed as told, or lost."""
    lease = desk.get(Lease, instance.id)
    if lease.state is LeaseState.RECLAIMING:
        return finish(desk, machine, lease, DataEnd.DESTROYED, lease.reason)
    desk.incident(Reason.INSTANCE_LOST, _("The machine does not have what it should."), machine.id, lease.id)
    reclaim(desk, machine, lease, Reason.INSTANCE_LOST)
    return desk.get(Machine, machine.id)


def _confirm_destroyed(desk: Desk, instance: Instance, status: Status | None) -> None:
    if status is None:
        lease = desk.get(Lease, instance.id)
        if lease.data_end is DataEnd.UNCONFIRMED:
            desk.tx.put(replace(lease, data_end=DataEnd.DESTROYED), replace(instance, over=True))


def _welcome(desk: Desk, machine: Machine, silent_ms: int) -> None:
    """A machine is back: what rests there is stored, and charged, again.

    A reserved lease was not charged while its host was away; the host pays for a share of that time as well.
    """
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        lease = desk.get(Lease, instance.id)
        if lease.state is not LeaseState.ACTIVE:
            continue
        if lease.rental.reserved:
            pay_downtime(desk, lease, silent_ms)
        if instance.actual in AT_REST:
            held = desk.tx.of(Allocation, lease=lease.id, to_ms=None)
            waits = instance.intended is Intended.STOPPED
            paid = lease.rental.reserved and bool(held) and waits
            cover(desk, machine, meter(desk, lease, metering=paid, storing=True))


def _resume_reserved(desk: Desk, machine: Machine) -> Machine:
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        waits = instance.actual in AT_REST and instance.intended is Intended.RUNNING
        if waits and desk.tx.of(Allocation, lease=instance.id, to_ms=None):
            machine = run(desk, machine, instance)
    return machine
