"""What a lease costs from now on: a rate that its lender proposes and its renter accepts, or a bid that is changed."""

from __future__ import annotations

from rackrent.exchange.model import Lease, Machine
from rackrent.exchange.problems import Illegal, Invalid, NotFound
from rackrent.exchange.rules.terms import hold_micro_usd, rate_micro_usd
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.lifecycle import afford
from rackrent.exchange.service.place import place
from rackrent.exchange.service.settle import meter, rearm, settle_now
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import LeaseState, Rental


def propose_rate(desk: Desk, lease_id: str, host: str, rate_micro_usd: int) -> None:
    """Ask a renter to pay another rate (micro-USD an hour of all GPUs) from now on: a higher one holds once it is accepted.

    A lower one holds at once. Raises Invalid for one below zero, NotFound where the lease is not of this host, Illegal where
    it is ending.
    """
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
    """Accept the rate that was proposed; naming it, so that a later proposal is not accepted by mistake.

    Raises NotFound, Invalid where another rate is proposed or none, Insufficient, Illegal where the lease is ending.
    """
    machine, lease, _instance = desk.lease_of(lease_id, project)
    if lease.proposed_rate_micro_usd != rate_micro_usd:
        raise Invalid(
            _("The rate proposed for lease {id} is not {rate}.").format(id=lease.id, rate=rate_micro_usd)
        )
    _set_rate(desk, lease, machine, rate_micro_usd)


def rebid(desk: Desk, lease_id: str, project: str, bid_micro_usd: int) -> None:
    """Bid more or less, in micro-USD for an hour of one GPU, from now on.

    Raises NotFound, Illegal for a lease that is not interruptible or is ending, Invalid below the machine's least bid,
    Insufficient where the money does not last at the higher one.
    """
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
        afford(desk, lease)
    if lease.state is LeaseState.ACTIVE:
        rearm(desk, lease)
