"""Putting leases on GPUs: called whenever something on a machine has changed."""

from __future__ import annotations

from rackrent.exchange.model import Allocation, Gpu, Instance, Lease, Machine
from rackrent.exchange.rules import offers
from rackrent.exchange.rules.matching import Claimant, match
from rackrent.exchange.rules.states import AT_REST, LIVE, InstanceEvent
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.values import replace
from rackrent.protocol.words import Claim, InstanceState, Intended, LeaseState, Reason, Rental, Trust


def rentable(desk: Desk, machine: Machine) -> list[str]:
    """Return the ids of the GPUs of a machine that can be leased."""
    return [gpu.id for gpu in offers.rentable(desk.tx.of(Gpu, machine=machine.id))]


def gpus_held(desk: Desk, machine_id: str) -> dict[str, tuple[str, ...]]:
    """Return by lease the GPUs of a machine that it holds."""
    held: dict[str, tuple[str, ...]] = {}
    for allocation in desk.tx.of(Allocation, machine=machine_id, to_ms=None):
        held[allocation.lease] = (*held.get(allocation.lease, ()), allocation.gpu)
    return held


def claimants(desk: Desk, machine: Machine) -> list[Claimant]:
    """Return the leases that hold GPUs of a machine or wait for some."""
    held = gpus_held(desk, machine.id)
    found = []
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        waits = instance.intended is Intended.RUNNING and instance.actual is not InstanceState.ENDED
        if instance.id not in held and not waits:
            continue
        lease = desk.get(Lease, instance.id, lock=False)
        leaving = lease.state is LeaseState.RECLAIMING or (
            instance.actual is InstanceState.STOPPING and not lease.rental.reserved
        )
        if lease.state is LeaseState.RECLAIMING and instance.id not in held:
            continue
        found.append(
            Claimant(
                lease=lease.id,
                rental=lease.rental,
                gpus=lease.gpus,
                rate_micro_usd=lease.rate_micro_usd,
                since_ms=lease.created_ms,
                held=held.get(lease.id, ()),
                leaving=leaving,
            )
        )
    return found


def place(desk: Desk, machine: Machine) -> Machine:
    """Give GPUs to who comes first, and have those give way that come behind. Returns the machine as it then is.

    Nothing is given out on a machine that cannot be reached, is suspended, or is its owner's.
    """
    if not machine.reachable or machine.trust is Trust.SUSPENDED or machine.claim is not Claim.UNCLAIMED:
        return machine
    everyone = claimants(desk, machine)
    if all(c.held for c in everyone):  # nobody waits, so nobody has to give way
        return machine
    matched = match(rentable(desk, machine), everyone)
    bids = {c.lease for c in everyone if c.rental is Rental.INTERRUPTIBLE}
    for lease in matched.displaced:
        outbid = any(c.lease in bids and not c.held for c in everyone)
        machine = interrupt(desk, machine, lease, Reason.OUTBID if outbid else Reason.DISPLACED)
    for lease, gpus in matched.granted.items():
        machine = grant(desk, machine, lease, gpus)
    return machine


def grant(desk: Desk, machine: Machine, lease: str, gpus: tuple[str, ...]) -> Machine:
    """Open the allocations of a lease and have its instance made."""
    for gpu in gpus:
        id = desk.new_id("allocation")
        desk.tx.add(Allocation(id=id, lease=lease, gpu=gpu, machine=machine.id, from_ms=desk.now_ms))
    return run(desk, machine, desk.get(Instance, lease))


def run(desk: Desk, machine: Machine, instance: Instance) -> Machine:
    """Have an instance made that has its GPUs."""
    if instance.actual in AT_REST:
        instance = desk.step(instance, InstanceEvent.RESTART, Reason.REQUESTED)
    else:
        instance = replace(instance, reason=Reason.REQUESTED, since_ms=desk.now_ms)
    return desk.tell(instance, machine)[1]


def interrupt(desk: Desk, machine: Machine, lease: str, reason: Reason, *, wait: bool = True) -> Machine:
    """Have a running lease give up its GPUs; with `wait` it gets them back when it comes first again."""
    instance = desk.get(Instance, lease)
    if instance.actual not in LIVE:
        return machine
    if not wait:
        instance = replace(instance, intended=Intended.STOPPED)
    if instance.generation == 0:  # the host has not heard of it: nothing to wait for
        desk.free(lease, reason)
        desk.step(instance, InstanceEvent.TAKEN, reason)
        return machine
    kept = desk.get(Lease, lease)
    if kept.metering:
        desk.tx.put(replace(kept, until_ms=desk.now_ms))
    instance = desk.step(instance, InstanceEvent.STOP, reason)
    return desk.tell(instance, machine)[1]
