"""What happens when its time comes, whether or not anybody asks."""

from __future__ import annotations

from itertools import groupby

from rackrent.exchange.model import SECOND_MS, Alarm, Lease, Machine, Timer
from rackrent.exchange.service.agent import fence, lost, silence
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.lifecycle import fail, reclaim, run_out
from rackrent.exchange.service.owner import take
from rackrent.exchange.service.settle import is_short, leave_grace, rearm, settle_now
from rackrent.exchange.service.settle_many import settle_many
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import LeaseState, Reason

BATCH = 500
PUT_OFF_MS = 300 * SECOND_MS
OF_MACHINES = frozenset({Alarm.SILENCE, Alarm.FENCE, Alarm.LOST, Alarm.NOTICE})
"""The alarms whose subject is a machine; those of the others are leases."""


def wake(desk: Desk, limit: int = BATCH, until_ms: int | None = None) -> int:
    """Do what is due (by `until_ms`, or now), earliest first; return how many things that were. Call again until it returns 0."""
    timers = due(desk, limit, until_ms)
    for settling, run in groupby(timers, key=lambda timer: timer.kind is Alarm.SETTLE):
        for timer in settle_many(desk, list(run)) if settling else run:
            wake_one(desk, timer)
    return len(timers)


def due(desk: Desk, limit: int = BATCH, until_ms: int | None = None) -> list[Timer]:
    """Return what is due, by `until_ms` or now, earliest first."""
    return desk.tx.due(desk.now_ms if until_ms is None else min(desk.now_ms, until_ms), limit)


def wake_this(desk: Desk, timer: Timer) -> None:
    """Do what one timer stands for, unless somebody else has."""
    if desk.tx.find(Timer, timer.id, lock=True) == timer:
        wake_one(desk, timer)


def put_off(desk: Desk, timer: Timer, error: Exception) -> None:
    """Set a timer anew whose work raised an error, and record that it did: a fault of ours, not of who is concerned."""
    if desk.tx.find(Timer, timer.id, lock=True) == timer:
        desk.tx.arm(replace(timer, due_ms=desk.now_ms + PUT_OFF_MS))
        text = _("What was due raised {error}; it is tried again.").format(
            error=repr(error).replace("\0", "")
        )
        desk.incident(f"{timer.kind}_failed", text, timer.subject if timer.kind in OF_MACHINES else None,
                      None if timer.kind in OF_MACHINES else timer.subject)  # fmt: skip


def wake_one(desk: Desk, timer: Timer) -> None:
    """Do what a timer stands for; it is set anew where it recurs."""
    desk.tx.disarm(timer.id)
    if timer.kind in OF_MACHINES:
        machine = desk.tx.find(Machine, timer.subject, lock=True)
        if machine is not None:
            {Alarm.SILENCE: silence, Alarm.FENCE: fence, Alarm.LOST: lost, Alarm.NOTICE: take}[timer.kind](
                desk, machine
            )
        return
    found = desk.tx.find(Lease, timer.subject)
    if found is None or found.state is LeaseState.ENDED:
        return
    machine = desk.get(Machine, found.machine)
    lease = desk.get(Lease, timer.subject)
    if timer.kind is Alarm.CREATION and lease.state is LeaseState.PENDING:
        fail(desk, machine, lease, Reason.CREATION_DEADLINE)
    elif timer.kind is Alarm.SETTLE and lease.state is LeaseState.ACTIVE:
        settle_due(desk, machine, lease)
    elif timer.kind is Alarm.GRACE and lease.state is LeaseState.ACTIVE and lease.grace_ms is not None:
        end_of_grace(desk, machine, lease, lease.grace_ms + desk.policy.grace_ms)
    elif timer.kind is Alarm.TERM and lease.state is LeaseState.ACTIVE:
        reclaim(desk, machine, settle_now(desk, lease, machine)[0], Reason.TERM_OVER)


def end_of_grace(desk: Desk, machine: Machine, lease: Lease, ends_ms: int) -> None:
    """Give notice that the data of a lease without money is to be deleted, and when the notice is over, delete it."""
    if desk.now_ms < ends_ms:
        desk.incident(
            "deletion_notice", _("The data is deleted when the grace period ends."), machine.id, lease.id
        )
        desk.arm(Alarm.GRACE, lease.id, ends_ms)
    else:
        reclaim(desk, machine, settle_now(desk, lease, machine)[0], Reason.GRACE_OVER)


def settle_due(desk: Desk, machine: Machine, lease: Lease) -> None:
    """Settle a lease; where its money does not last, stop it, and keep its data for the grace period."""
    lease, funds = settle_now(desk, lease, machine)
    if lease.grace_ms is not None:
        leave_grace(desk, lease)
    elif (lease.metering or lease.storing) and is_short(desk, lease, funds):
        run_out(desk, machine, desk.get(Lease, lease.id))
    rearm(desk, desk.get(Lease, lease.id))
