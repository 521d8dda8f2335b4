"""Quotes, and leases made from them."""

from __future__ import annotations

from rackrent.exchange.model import Alarm, Gpu, Instance, Lease, Machine, Project, Quote
from rackrent.exchange.problems import Invalid, QuoteMismatch, Unavailable
from rackrent.exchange.rules.offers import Wanted, lacks, share
from rackrent.exchange.rules.rating import storage_rate_micro_usd
from rackrent.exchange.rules.terms import hold_micro_usd, rate_micro_usd, reserve_micro_usd
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.place import claimants, place
from rackrent.exchange.service.settle import set_aside
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import InstanceState, Intended, Reason, Rental


def quote(
    desk: Desk,
    project: str,
    machine_id: str,
    rental: Rental,
    gpus: int,
    disk_gb: int,
    *,
    bid_micro_usd: int | None = None,
    ceiling_micro_usd: int | None = None,
) -> Quote:
    """Return what a lease would cost, kept until it expires. Nothing is set aside yet.

    `bid_micro_usd` is an hour of one GPU, `ceiling_micro_usd` the most that an hour of the lease may cost, storage
    included. Raises Invalid, NotFound, or Unavailable where the machine does not have what is asked for, at that price.
    """
    if gpus < 1 or disk_gb < 0:
        raise Invalid(_("A lease has at least one GPU and no less than 0 GB of disk."))
    desk.get(Project, project, lock=False)
    machine = desk.get(Machine, machine_id, lock=False)
    rate = rate_micro_usd(machine, rental, gpus, bid_micro_usd)
    storage = storage_rate_micro_usd(machine.storage_micro_usd_per_gb_month, disk_gb)
    if ceiling_micro_usd is not None and rate + storage > ceiling_micro_usd:
        raise Unavailable(
            _("An hour costs {rate} micro-USD, above your ceiling of {ceiling}.").format(
                rate=rate + storage, ceiling=ceiling_micro_usd
            )
        )
    cpu_cores, ram_gb = _have(desk, machine, Wanted(rental, gpus, disk_gb, bid_micro_usd or 0))
    found = Quote(
        id=desk.new_id("quote"), project=project, machine=machine.id, rental=rental, gpus=gpus,
        cpu_cores=cpu_cores, ram_gb=ram_gb, disk_gb=disk_gb,
        rate_micro_usd=rate, storage_rate_micro_usd=storage,
        hold_micro_usd=hold_micro_usd(desk.policy, rental, rate, storage),
        reserve_micro_usd=reserve_micro_usd(desk.policy, storage), expires_ms=desk.now_ms + desk.policy.quote_ms,
    )  # fmt: skip
    desk.tx.add(found)
    return found


def rent(desk: Desk, project: str, quote_id: str, rental: Rental, ceiling_micro_usd: int, key: str) -> Lease:
    """Return the lease that a quote promised; the same one for the same key, which is the project's own.

    `rental` and `ceiling_micro_usd` (an hour, storage included) are what the renter believes: Raises QuoteMismatch where
    the quote says otherwise, is over or used up; Unavailable where the machine no longer has it; Insufficient.
    """
    made = desk.once(
        "rent", project, key, f"{quote_id} {rental} {ceiling_micro_usd}",
        lambda _id: _make(desk, project, quote_id, rental, ceiling_micro_usd).id,
    )  # fmt: skip
    return desk.get(Lease, made)


def _make(desk: Desk, project: str, quote_id: str, rental: Rental, ceiling: int) -> Lease:
    said = desk.tx.find(Quote, quote_id)
    if said is None or said.project != project:
        raise QuoteMismatch(_("There is no quote {id}.").format(id=quote_id))
    machine = desk.get(Machine, said.machine)
    said = desk.get(Quote, quote_id)
    if said.lease is not None or desk.now_ms >= said.expires_ms:
        raise QuoteMismatch(_("Quote {id} is over; ask for another.").format(id=quote_id))
    cost = said.rate_micro_usd + said.storage_rate_micro_usd
    if said.rental is not rental or cost > ceiling:
        raise QuoteMismatch(
            _("Quote {id} is {rental} at {rate} micro-USD an hour, which is not what you asked for.").format(
                id=quote_id, rental=said.rental.value, rate=cost
            )
        )
    bid = said.rate_micro_usd // said.gpus if rental is Rental.INTERRUPTIBLE else None
    if rate_micro_usd(machine, rental, said.gpus, bid) > said.rate_micro_usd:
        raise QuoteMismatch(_("The price has risen since quote {id}; ask for another.").format(id=quote_id))
    _have(desk, machine, Wanted(rental, said.gpus, said.disk_gb, bid or 0))
    id = desk.new_id("lease")
    lease = Lease(
        id=id, project=project, machine=machine.id, host=machine.host, quote=said.id, rental=rental, gpus=said.gpus,
        cpu_cores=said.cpu_cores, ram_gb=said.ram_gb, disk_gb=said.disk_gb, address=_address(desk, machine),
        rate_micro_usd=said.rate_micro_usd, storage_rate_micro_usd=said.storage_rate_micro_usd,
        hold_micro_usd=said.hold_micro_usd, created_ms=desk.now_ms, deadline_ms=desk.now_ms + desk.policy.creation_ms,
        ends_ms=machine.until_ms,
    )  # fmt: skip
    machine = replace(
        machine,
        disk_gb_leased=machine.disk_gb_leased + lease.disk_gb,
        addresses_leased=machine.addresses_leased + 1,
    )
    desk.tx.put(machine, replace(said, lease=id))
    desk.tx.add(
        lease,
        Instance(
            id=id, machine=machine.id, intended=Intended.RUNNING, actual=InstanceState.CREATING,
            reason=Reason.WAITING_FOR_GPU, since_ms=desk.now_ms, generation=0,
        ),
    )  # fmt: skip
    set_aside(desk, lease, said.reserve_micro_usd)
    desk.arm(Alarm.CREATION, id, lease.deadline_ms)
    place(desk, machine)
    return lease


def _have(desk: Desk, machine: Machine, wanted: Wanted) -> tuple[int, int]:
    """Return the CPU cores and GB of memory that come with what is wanted; raise Unavailable where it is not there now."""
    gpus = desk.tx.of(Gpu, machine=machine.id)
    why = lacks(machine, gpus, claimants(desk, machine), wanted, desk.now_ms)
    if why is not None:
        raise Unavailable(_("Machine {id} cannot be rented so: {why}.").format(id=machine.id, why=why.text))
    return share(machine, gpus, wanted.gpus)


def _address(desk: Desk, machine: Machine) -> int:
    """Return the lowest address (a port slot of the machine) that no lease has."""
    there = desk.tx.of(Instance, machine=machine.id, over=False)
    leases = [desk.get(Lease, instance.id, lock=False) for instance in there]
    taken = {lease.address for lease in leases if lease.ended_ms is None}
    return next(n for n in range(machine.addresses) if n not in taken)
