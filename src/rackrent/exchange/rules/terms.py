"""What a machine asks on each term, and what has to be held for a lease."""

from __future__ import annotations

from rackrent.exchange.model import DAY_MS, Machine
from rackrent.exchange.problems import Invalid, Unavailable
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.rating import for_ms
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Rental

TERM_MS = {Rental.MONTHLY: 30 * DAY_MS, Rental.RESERVED_1Y: 365 * DAY_MS, Rental.RESERVED_3Y: 1095 * DAY_MS}
"""How long a reserved term lasts."""


def ask_micro_usd(machine: Machine, rental: Rental) -> int | None:
    """Return what one GPU costs an hour on a term: for `interruptible` the least bid; None where it is not offered."""
    return {
        Rental.ON_DEMAND: machine.on_demand_micro_usd,
        Rental.INTERRUPTIBLE: machine.min_bid_micro_usd,
        Rental.MONTHLY: machine.monthly_micro_usd,
        Rental.RESERVED_1Y: machine.reserved_1y_micro_usd,
        Rental.RESERVED_3Y: machine.reserved_3y_micro_usd,
    }[rental]


def rate_micro_usd(machine: Machine, rental: Rental, gpus: int, bid_micro_usd: int | None = None) -> int:
    """Return micro-USD an hour of all `gpus`: the posted price, or for `interruptible` the bid (a GPU's) as it is.

    Raises Unavailable where the machine does not offer the term, Invalid where the bid is missing, below the least bid,
    or given for a term that knows none.
    """
    ask = ask_micro_usd(machine, rental)
    if ask is None:
        raise Unavailable(
            _("Machine {id} is not offered as {rental}.").format(id=machine.id, rental=rental.value)
        )
    if rental is not Rental.INTERRUPTIBLE:
        if bid_micro_usd is not None:
            raise Invalid(
                _("A bid is for interruptible leases; {rental} has a posted price.").format(
                    rental=rental.value
                )
            )
        return ask * gpus
    if bid_micro_usd is None or bid_micro_usd < ask:
        raise Invalid(
            _("A bid for machine {id} must be at least {least} micro-USD an hour of one GPU.").format(
                id=machine.id, least=ask
            )
        )
    return bid_micro_usd * gpus


def hold_micro_usd(policy: Policy, rental: Rental, rate: int, storage_rate: int) -> int:
    """Return what is set aside of the purse while a lease lives, so that use is always paid: 2 hours, or 30 days."""
    return for_ms(rate + storage_rate, policy.hold_reserved_ms if rental.reserved else policy.hold_ms)


def reserve_micro_usd(policy: Policy, storage_rate: int) -> int:
    """Return what is set aside to keep the data through the grace period when the purse is empty."""
    return for_ms(storage_rate, policy.grace_ms)
