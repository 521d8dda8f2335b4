"""What the whole market offers now."""

from __future__ import annotations

from rackrent.exchange.model import Gpu, Machine
from rackrent.exchange.rules.offers import Listing, offers
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.place import claimants


def listings(desk: Desk) -> dict[str, Listing]:
    """Return by machine what it offers, or why it offers nothing: a lender is shown the reason."""
    return {
        machine.id: offers(
            machine, desk.tx.of(Gpu, machine=machine.id), claimants(desk, machine), desk.now_ms
        )
        for machine in desk.tx.of(Machine)
    }
