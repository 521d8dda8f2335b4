"""The ledger: accounts, and transfers that each debit one and credit another. Integers of micro-USD.

Both sides of an entry are one value, so what one account loses another gains and all balances sum to zero. A transfer is
never changed; a mistake is undone by another in the other direction, once.
"""

from __future__ import annotations

from collections.abc import Iterable

from rackrent.exchange.model import Kind, Transfer
from rackrent.exchange.problems import Insufficient, Invalid
from rackrent.i18n import gettext as _

WORLD = "world"
"""Where money comes from and goes to: its balance is minus all that is inside."""
FEES = "fees"


def wallet(project: str) -> str:
    """Return the account of what a project can spend."""
    return f"wallet:{project}"


def hold(lease: str) -> str:
    """Return the account of what is set aside for the use of a lease."""
    return f"hold:{lease}"


def reserve(lease: str) -> str:
    """Return the account of what is set aside to keep a lease's data through the grace period."""
    return f"reserve:{lease}"


def earned(host: str) -> str:
    """Return the account of what a host has earned and not been paid."""
    return f"earned:{host}"


def may_go_below_zero(account: str) -> bool:
    """Return whether an account may: only the outside world."""
    return account == WORLD


def check(transfer: Transfer) -> None:
    """Raise Invalid unless a transfer moves a positive amount between two accounts."""
    if transfer.amount_micro_usd <= 0:
        raise Invalid(
            _("A transfer must move more than nothing, not {amount} micro-USD.").format(
                amount=transfer.amount_micro_usd
            )
        )
    if transfer.debit == transfer.credit:
        raise Invalid(_("A transfer must be between two accounts."))


def apply(balances: dict[str, int], transfers: Iterable[Transfer]) -> dict[str, int]:
    """Return the balances after transfers, in order. Raises Insufficient where an account would go below zero.

    >>> t = Transfer(id="k", kind=Kind.TOP_UP, debit=WORLD, credit=wallet("p"), amount_micro_usd=5_000_000, at_ms=0)
    >>> after = apply({}, [t])
    >>> after, sum(after.values())
    ({'world': -5000000, 'wallet:p': 5000000}, 0)
    """
    found = dict(balances)
    for t in transfers:
        check(t)
        found[t.debit] = found.get(t.debit, 0) - t.amount_micro_usd
        found[t.credit] = found.get(t.credit, 0) + t.amount_micro_usd
        if found[t.debit] < 0 and not may_go_below_zero(t.debit):
            raise Insufficient(_("There is not enough money in {account}.").format(account=t.debit))
    return found


def reversal(transfer: Transfer, key: str, at_ms: int) -> Transfer:
    """Return the transfer that undoes another. Raises Invalid for one that undoes something itself."""
    if transfer.reverses is not None:
        raise Invalid(_("Transfer {id} is itself a reversal.").format(id=transfer.id))
    return Transfer(
        id=key, kind=Kind.REVERSAL, debit=transfer.credit, credit=transfer.debit, lease=transfer.lease,
        amount_micro_usd=transfer.amount_micro_usd, at_ms=at_ms, reverses=transfer.id,
    )  # fmt: skip
