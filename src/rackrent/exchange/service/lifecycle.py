"""What a renter does with a lease: stop, start, end; and how a lease comes to its end whoever wants it."""

from __future__ import annotations

from dataclasses import dataclass

from rackrent.exchange.model import DAY_MS, Alarm, Allocation, Instance, Lease, Machine
from rackrent.exchange.problems import Illegal, Insufficient, Invalid, NotFound, Unavailable
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.matching import free_for
from rackrent.exchange.rules.rating import for_ms
from rackrent.exchange.rules.settling import period_ms
from rackrent.exchange.rules.states import AT_REST, HOLDING, LEASE, LIVE, InstanceEvent, LeaseEvent, after
from rackrent.exchange.rules.terms import hold_micro_usd, rate_micro_usd
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.money import pay_host
from rackrent.exchange.service.place import claimants, place, rentable, run
from rackrent.exchange.service.settle import (
    fill_hold,
    give_back,
    is_short,
    leave_grace,
    meter,
    rearm,
    settle_now,
)
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Claim, DataEnd, InstanceState, Intended, LeaseState, Reason, Rental, Trust


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a stopped lease goes on costing, and whether it may have to wait for a GPU when it is started again."""

    micro_usd_per_day: int
    gpu_released: bool


def stop(desk: Desk, lease_id: str, project: str, reason: Reason = Reason.REQUESTED) -> Remaining:
    """Stop what runs. The GPU charge ends at this instant; a reserved lease keeps its GPUs and goes on paying for them."""
    machine, lease, instance = desk.lease_of(lease_id, project)
    if lease.state not in (LeaseState.PENDING, LeaseState.ACTIVE) or instance.actual not in LIVE:
        raise Illegal(_("What is {state} cannot {event}.").format(state=instance.actual.value, event="stop"))
    if lease.state is LeaseState.PENDING:
        raise Illegal(_("Lease {id} has not begun to run; end it instead.").format(id=lease.id))
    halt(desk, machine, lease, instance, reason)
    kept = lease.rental.reserved
    rate = lease.storage_rate_micro_usd + (lease.rate_micro_usd if kept else 0)
    return Remaining(for_ms(rate, DAY_MS), gpu_released=not kept)


def halt(desk: Desk, machine: Machine, lease: Lease, instance: Instance, reason: Reason) -> None:
    """Have a live instance stop and stay stopped."""
    if lease.metering and (not lease.rental.reserved or reason is Reason.OUT_OF_FUNDS):
        desk.tx.put(replace(lease, until_ms=desk.now_ms))
    instance = desk.step(replace(instance, intended=Intended.STOPPED), InstanceEvent.STOP, reason)
    desk.tell(instance, machine)


def cover(desk: Desk, machine: Machine, lease: Lease) -> None:
    """Fill the hold of what has begun to be charged; where the money does not last until it is settled next, stop it."""
    if lease.grace_ms is not None and leave_grace(desk, lease):
        lease = desk.get(Lease, lease.id)
    funds = fill_hold(desk, lease)
    if lease.grace_ms is not None or is_short(desk, lease, funds):
        run_out(desk, machine, desk.get(Lease, lease.id))
    rearm(desk, desk.get(Lease, lease.id))


def run_out(desk: Desk, machine: Machine, lease: Lease) -> None:
    """The money of a lease is used up: it stops, does not come back by itself, and its data is kept for the grace period."""
    if lease.grace_ms is None:
        lease = replace(lease, grace_ms=desk.now_ms)
        desk.tx.put(lease)
        notice_ms = max(0, desk.policy.grace_ms - desk.policy.deletion_notice_ms)
        desk.arm(Alarm.GRACE, lease.id, desk.now_ms + notice_ms)
        desk.incident(Reason.OUT_OF_FUNDS, _("The money is used up: stopped."), machine.id, lease.id)
    instance = desk.get(Instance, lease.id)
    if instance.actual in LIVE:
        halt(desk, machine, lease, instance, Reason.OUT_OF_FUNDS)
        return
    if instance.intended is Intended.RUNNING:
        instance = replace(instance, intended=Intended.STOPPED)
    if lease.rental.reserved and instance.actual in AT_REST:
        meter(desk, lease, metering=False, storing=lease.storing)
        desk.free(lease.id, Reason.OUT_OF_FUNDS)
    elif lease.rental.reserved and instance.actual is InstanceState.STOPPING:
        desk.tx.put(replace(lease, until_ms=desk.now_ms if lease.metering else None))
        instance = replace(instance, reason=Reason.OUT_OF_FUNDS)
    desk.tx.put(instance)


def _afford(desk: Desk, lease: Lease) -> None:
    """Fill the hold of a lease; raise Insufficient where it does not last until the lease is settled once it runs."""
    there = fill_hold(desk, lease).hold
    runs = replace(lease, metering=True, storing=True)
    needed = lease.hold_micro_usd
    if lease.state is LeaseState.ACTIVE:
        needed = for_ms(runs.rate_micro_usd + runs.storage_rate_micro_usd, period_ms(runs, desk.policy))
    if there < needed:
        raise Insufficient(
            _("Lease {id} needs {needed} micro-USD set aside; there are {there}: top up first.").format(
                id=lease.id, needed=needed, there=there
            )
        )


def start(desk: Desk, lease_id: str, project: str) -> None:
    """Start what is at rest. Raises Unavailable where there is no GPU for it now: it fails at once and costs nothing."""
    machine, lease, instance = desk.lease_of(lease_id, project)
    if lease.state is not LeaseState.ACTIVE or instance.actual not in AT_REST:
        raise Illegal(_("What is {state} cannot {event}.").format(state=instance.actual.value, event="start"))
    if not machine.reachable:
        raise Unavailable(_("Machine {id} cannot be reached now.").format(id=machine.id))
    if lease.grace_ms is not None and not leave_grace(desk, lease):
        raise Insufficient(_("Lease {id} has run out of money: top up first.").format(id=lease.id))
    _afford(desk, lease)
    others = [c for c in claimants(desk, machine) if c.lease != lease.id]
    instance = replace(instance, intended=Intended.RUNNING)
    desk.tx.put(instance)
    if lease.rental.reserved and desk.tx.of(Allocation, lease=lease.id, to_ms=None):
        run(desk, machine, instance)
        return
    free = free_for(rentable(desk, machine), others, lease.rental, lease.rate_micro_usd // lease.gpus)
    closed = machine.claim is not Claim.UNCLAIMED or machine.trust is Trust.SUSPENDED
    if closed or lease.gpus > free:
        raise Unavailable(
            _("Machine {id} does not have {gpus} GPUs for that now.").format(id=machine.id, gpus=lease.gpus)
        )
    place(desk, machine)


def end(desk: Desk, lease_id: str, project: str, reason: Reason = Reason.REQUESTED) -> None:
    """End a lease: all charges end at this instant, the data is destroyed. A second time changes nothing."""
    machine, lease, _instance = desk.lease_of(lease_id, project)
    if lease.state in (LeaseState.RECLAIMING, LeaseState.ENDED):
        return
    reclaim(desk, machine, lease, reason)


def fail(desk: Desk, machine: Machine, lease: Lease, reason: Reason) -> None:
    """End a lease that could not be delivered: its instance has failed, and its money goes back at once."""
    instance = desk.get(Instance, lease.id)
    if instance.actual in HOLDING:
        desk.step(instance, InstanceEvent.FAIL, reason)
    reclaim(desk, machine, lease, reason)


def reclaim(desk: Desk, machine: Machine, lease: Lease, reason: Reason) -> None:
    """Begin the end of a lease; it is over when its host says so, or is fenced."""
    instance = desk.get(Instance, lease.id)
    charged = lease.metering or lease.storing
    lease = replace(
        lease,
        state=after(LEASE, lease.state, LeaseEvent.RECLAIM),
        reason=reason,
        until_ms=(lease.until_ms or desk.now_ms) if charged else None,
    )
    desk.tx.put(lease)
    desk.disarm(Alarm.CREATION, lease.id)
    desk.disarm(Alarm.TERM, lease.id)
    if not charged:
        give_back(desk, lease)
    unheard = instance.generation == 0
    if unheard or is_fenced(desk, machine):
        finish(desk, machine, lease, DataEnd.NONE_MADE if unheard else DataEnd.UNCONFIRMED, reason)
        return
    instance = replace(instance, intended=Intended.ENDED)
    if instance.actual in LIVE:
        instance = desk.step(instance, InstanceEvent.STOP, reason)
    desk.tell(instance, machine)


def finish(desk: Desk, machine: Machine, lease: Lease, data_end: DataEnd, reason: Reason) -> Machine:
    """End a lease whose instance is gone: settle, give the money back, free what it had. Returns the machine."""
    if lease.metering or lease.storing:
        lease, _funds = settle_now(desk, lease, machine)
    if lease.delivered_ms is not None:
        lease = meter(desk, lease, metering=False, storing=False)
        if lease.rental.reserved and lease.reason is Reason.REQUESTED:
            _forfeit(desk, lease)
    give_back(desk, lease)
    desk.free(lease.id, lease.reason)
    over = data_end is not DataEnd.UNCONFIRMED
    instance = replace(desk.get(Instance, lease.id), intended=Intended.ENDED, over=over)
    if instance.actual in HOLDING | AT_REST:
        instance = desk.step(instance, InstanceEvent.GONE, reason)
    lease = replace(
        lease, state=after(LEASE, lease.state, LeaseEvent.END), ended_ms=desk.now_ms, data_end=data_end
    )
    machine = desk.get(Machine, machine.id)
    machine = replace(
        machine,
        disk_gb_leased=machine.disk_gb_leased - lease.disk_gb,
        addresses_leased=machine.addresses_leased - 1,
    )
    desk.tx.put(lease, machine)
    if not over:
        machine = desk.tell(instance, machine)[1]
    for kind in (Alarm.SETTLE, Alarm.GRACE, Alarm.TERM, Alarm.CREATION):
        desk.disarm(kind, lease.id)
    return place(desk, machine)


def is_fenced(desk: Desk, machine: Machine) -> bool:
    """Return whether a machine has been silent for so long that nothing of ours runs on it any more."""
    silent = desk.now_ms - max(machine.last_heard_ms, 0)
    return not machine.reachable and silent >= desk.policy.fence_ms + desk.policy.fence_margin_ms


def propose_rate(desk: Desk, lease_id: str, host: str, rate_micro_usd: int) -> None:
    """Ask a renter to pay another rate from now on. A lower one holds at once; a higher one only when it is accepted."""
    if rate_micro_usd < 0:
        raise Invalid(_("A rate cannot be negative."))
    found = desk.get(Lease, lease_id, lock=False)
    machine = desk.get(Machine, found.machine)
    lease = desk.get(Lease, lease_id)
    if lease.host != host:
        raise NotFound(_("There is no lease {id}.").format(id=lease_id))
    if rate_micro_usd > lease.rate_micro_usd:
        desk.tx.put(replace(lease, proposed_rate_micro_usd=rate_micro_usd))
    else:
        _set_rate(desk, lease, machine, rate_micro_usd)


def accept_rate(desk: Desk, lease_id: str, project: str, rate_micro_usd: int) -> None:
    """Accept the rate that was proposed; naming it, so that a later proposal is not accepted by mistake."""
    machine, lease, _instance = desk.lease_of(lease_id, project)
    if lease.proposed_rate_micro_usd != rate_micro_usd:
        raise Invalid(
            _("The rate proposed for lease {id} is not {rate}.").format(id=lease.id, rate=rate_micro_usd)
        )
    _set_rate(desk, lease, machine, rate_micro_usd)


def rebid(desk: Desk, lease_id: str, project: str, bid_micro_usd: int) -> None:
    """Bid more or less, for an hour of one GPU, from now on."""
    machine, lease, _instance = desk.lease_of(lease_id, project)
    if lease.rental is not Rental.INTERRUPTIBLE or lease.state not in (LeaseState.PENDING, LeaseState.ACTIVE):
        raise Illegal(_("Lease {id} takes no bids.").format(id=lease.id))
    rate = rate_micro_usd(machine, lease.rental, lease.gpus, bid_micro_usd)
    _set_rate(desk, lease, machine, rate, own=True)
    place(desk, machine)


def _set_rate(desk: Desk, lease: Lease, machine: Machine, rate: int, *, own: bool = False) -> None:
    """The time before is charged at the old rate as far as the host was heard of; where the rate rises, the rest not at all.

    A rise that is the renter's `own` holds from the host's last word: bidding again and again makes no time free.
    """
    if lease.state not in (LeaseState.PENDING, LeaseState.ACTIVE):
        raise Illegal(_("Lease {id} is ending: its rate stays as it is.").format(id=lease.id))
    if lease.delivered_ms is not None:  # before that there is nothing to charge, and no interval
        lease = settle_now(desk, lease, machine)[0]
    from_word = own and desk.now_ms - machine.last_heard_ms <= desk.policy.silence_ms
    if rate > lease.rate_micro_usd and lease.metering and not from_word:
        lease = meter(desk, lease, metering=lease.until_ms is None, storing=lease.storing)
    hold = hold_micro_usd(desk.policy, lease.rental, rate, lease.storage_rate_micro_usd)
    rises = rate > lease.rate_micro_usd
    lease = replace(lease, rate_micro_usd=rate, hold_micro_usd=hold, proposed_rate_micro_usd=None)
    desk.tx.put(lease)
    if rises:
        _afford(desk, lease)
    if lease.state is LeaseState.ACTIVE:
        rearm(desk, lease)


def _forfeit(desk: Desk, lease: Lease) -> None:
    """A reserved lease that its renter ends early pays its host what is held of the term that is left."""
    left = for_ms(lease.rate_micro_usd, max(0, (lease.ends_ms or desk.now_ms) - desk.now_ms))
    pay_host(desk, lease, ledger.hold(lease.id), min(desk.balance(ledger.hold(lease.id)), left))
