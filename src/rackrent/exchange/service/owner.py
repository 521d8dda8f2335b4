"""What a lender does with a machine: list it, price it, claim it back, drain it, give it out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from rackrent.exchange.model import Alarm, Gpu, Instance, Lease, Machine
from rackrent.exchange.problems import Conflict, Invalid, NotFound
from rackrent.exchange.rules.states import AT_REST, CLAIM, LIVE, TRUST, ClaimEvent, TrustEvent, after
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.lifecycle import reclaim
from rackrent.exchange.service.place import interrupt, place
from rackrent.exchange.service.settle import meter, settle_now
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Claim, InstanceState, Intended, LeaseState, Reason, Rental

PRICES = (
    "on_demand_micro_usd", "min_bid_micro_usd", "monthly_micro_usd", "reserved_1y_micro_usd", "reserved_3y_micro_usd",
    "storage_micro_usd_per_gb_month",
)  # fmt: skip
RESOURCES = ("cpu_cores", "ram_gb", "disk_gb", "addresses", "inet_down_mbps", "inet_up_mbps")
GIVEN = frozenset({"id", "host", "country", "latitude", "longitude", "until_ms", *RESOURCES, *PRICES})
"""What a lender says of a machine; the rest is the hub's."""


def enrol(desk: Desk, machine: Machine, gpus: Sequence[Gpu]) -> Machine:
    """Add a machine with its GPUs, unverified: what is the hub's to say of it begins anew, whatever the lender says.

    Raises Invalid for a price or resource below zero and a place that is none, Conflict where one of the UUIDs is in the
    network already.
    """
    _sound(machine)
    for gpu in gpus:
        if gpu.machine != machine.id:
            raise Invalid(_("GPU {id} is not of machine {machine}.").format(id=gpu.id, machine=machine.id))
        if desk.tx.find(Gpu, gpu.id) is not None:
            raise Conflict(_("GPU {id} is in the network already.").format(id=gpu.id))
    given = {f.name: getattr(machine, f.name) for f in fields(Machine) if f.name in GIVEN}
    machine = Machine(**given, last_heard_ms=desk.now_ms)
    desk.tx.add(machine, *gpus)
    desk.arm(Alarm.SILENCE, machine.id, desk.now_ms + desk.policy.silence_ms)
    return machine


def set_prices(desk: Desk, machine_id: str, host: str, **prices: int | None) -> Machine:
    """Ask other prices from now on: of new leases, never of those there are. None: not offered on that term."""
    for name, price in prices.items():
        no_storage = name == "storage_micro_usd_per_gb_month" and price is None  # every lease has a disk
        if name not in PRICES or no_storage or (price is not None and price < 0):
            raise Invalid(_("{name} is no price, or a negative one.").format(name=name))
    machine = replace(_owned(desk, machine_id, host), **prices)  # type: ignore[arg-type]
    desk.tx.put(machine)
    return machine


def trust(desk: Desk, machine_id: str, event: TrustEvent, reason: Reason = Reason.REQUESTED) -> Machine:
    """Verify, suspend or resume a machine. What runs on a suspended one is stopped."""
    machine = desk.get(Machine, machine_id)
    machine = replace(machine, trust=after(TRUST, machine.trust, event), reason=reason)
    desk.tx.put(machine)
    if event is TrustEvent.SUSPEND:
        return _take(desk, machine, Reason.SUSPENDED, everything=True)
    return place(desk, machine)


def claim(desk: Desk, machine_id: str, host: str) -> Machine:
    """Ask for a machine back: bids end now, everything else when the notice is over."""
    machine = _owned(desk, machine_id, host)
    machine = replace(machine, claim=after(CLAIM, machine.claim, ClaimEvent.ASK), reason=Reason.OWNER_CLAIMED)
    desk.tx.put(machine)
    desk.arm(Alarm.NOTICE, machine_id, desk.now_ms + desk.policy.notice_ms)
    return _take(desk, machine, Reason.OWNER_CLAIMED, everything=False)


def take(desk: Desk, machine: Machine) -> Machine:
    """The notice is over: the machine is its owner's."""
    if machine.claim is not Claim.CLAIMED:
        return machine
    machine = replace(machine, claim=after(CLAIM, machine.claim, ClaimEvent.TAKE))
    desk.tx.put(machine)
    return _take(desk, machine, Reason.OWNER_CLAIMED, everything=True)


def drain(desk: Desk, machine_id: str, host: str) -> Machine:
    """Begin nothing new on a machine."""
    machine = _owned(desk, machine_id, host)
    machine = replace(machine, claim=after(CLAIM, machine.claim, ClaimEvent.DRAIN))
    desk.tx.put(machine)
    return machine


def give(desk: Desk, machine_id: str, host: str) -> Machine:
    """Give a machine out again: reserved leases run on, bids come back, new ones begin."""
    machine = _owned(desk, machine_id, host)
    machine = replace(machine, claim=after(CLAIM, machine.claim, ClaimEvent.GIVE), reason=Reason.REQUESTED)
    desk.tx.put(machine)
    desk.disarm(Alarm.NOTICE, machine_id)
    return place(desk, machine)


def _take(desk: Desk, machine: Machine, reason: Reason, *, everything: bool) -> Machine:
    for instance in desk.tx.of(Instance, machine=machine.id, over=False):
        lease = desk.get(Lease, instance.id)
        if instance.actual in AT_REST and everything:
            _release(desk, machine, lease, reason)
        if instance.actual is InstanceState.STOPPING and everything and lease.rental.reserved:
            _not_kept(desk, lease, instance, reason)
        if instance.actual not in LIVE:
            continue
        if lease.state is LeaseState.PENDING and (everything or lease.rental is Rental.INTERRUPTIBLE):
            reclaim(desk, machine, lease, reason)
            machine = desk.get(Machine, machine.id)
        elif everything or lease.rental is Rental.INTERRUPTIBLE:
            machine = interrupt(desk, machine, lease.id, reason, wait=lease.rental is not Rental.ON_DEMAND)
    return machine


def _release(desk: Desk, machine: Machine, lease: Lease, reason: Reason) -> None:
    """A reserved lease at rest loses the GPUs it keeps to the owner, and does not pay for them until it runs again."""
    if lease.metering:
        lease, _funds = settle_now(desk, lease, machine)
        meter(desk, lease, metering=False, storing=lease.storing)
    desk.free(lease.id, reason)


def _not_kept(desk: Desk, lease: Lease, instance: Instance, reason: Reason) -> None:
    """A reserved lease that is about to come to rest will not keep its GPUs, and pays for them up to now."""
    if lease.metering and lease.until_ms is None:
        desk.tx.put(replace(lease, until_ms=desk.now_ms))
    if instance.intended is not Intended.ENDED:
        desk.tx.put(replace(instance, reason=reason))


def _sound(machine: Machine) -> None:
    for name in (*PRICES, *RESOURCES):
        if (getattr(machine, name) or 0) < 0:
            raise Invalid(_("{name} of machine {id} is below zero.").format(name=name, id=machine.id))
    if abs(machine.latitude) > 90 or abs(machine.longitude) > 180:
        raise Invalid(
            _("Machine {id} is nowhere on Earth: {latitude} degrees north, {longitude} east.").format(
                id=machine.id, latitude=machine.latitude, longitude=machine.longitude
            )
        )


def _owned(desk: Desk, machine_id: str, host: str) -> Machine:
    machine = desk.tx.find(Machine, machine_id, lock=True)
    if machine is None or machine.host != host:
        raise NotFound(_("There is no machine {id}.").format(id=machine_id))
    return machine
