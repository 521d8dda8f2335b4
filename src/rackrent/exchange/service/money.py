"""Money in and out: top-ups, payouts, reversals; and what a host gets that is not the price of an interval."""

from __future__ import annotations

from collections.abc import Callable

from rackrent.exchange.model import Kind, Lease, Project, Transfer
from rackrent.exchange.problems import Invalid, NotFound
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.rating import PPM, fee, rated
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import LeaseState


def top_up(desk: Desk, project: str, amount_micro_usd: int, key: str) -> Transfer:
    """Return the transfer of money that came in for a project; the same one for the same key, which is the project's own."""
    desk.get(Project, project, lock=False)
    return _once(desk, Kind.TOP_UP, project, key, (ledger.WORLD, ledger.wallet(project)), amount_micro_usd)


def payout(desk: Desk, host: str, amount_micro_usd: int, key: str) -> Transfer:
    """Return the transfer of what a host has earned to the outside; the same one for the same key, which is the host's own.

    Raises Invalid below the least, Insufficient.
    """
    if amount_micro_usd < desk.policy.payout_least_micro_usd:
        raise Invalid(
            _("A payout is at least {least} micro-USD.").format(least=desk.policy.payout_least_micro_usd)
        )
    return _once(desk, Kind.PAYOUT, host, key, (ledger.earned(host), ledger.WORLD), amount_micro_usd)


def reverse(desk: Desk, transfer: str, key: str) -> Transfer:
    """Return the transfer that undoes another; the same one for the same key, which is the operator's.

    What a lease that is over, or ending, had paid goes back to its project's purse. Raises NotFound, Conflict where it is undone already,
    Insufficient, Invalid for what only sets money aside and for a reversal.
    """
    return _first(
        desk, Kind.REVERSAL, "", key, transfer, lambda id: _undoing(desk, _transfer(desk, transfer), id)
    )


def _undoing(desk: Desk, transfer: Transfer, id: str) -> Transfer:
    if transfer.kind in (Kind.HOLD, Kind.RELEASE):
        raise Invalid(_("Transfer {id} only sets money aside; end its lease instead.").format(id=transfer.id))
    found = ledger.reversal(transfer, id, desk.now_ms)
    if transfer.lease is not None and found.credit in (
        ledger.hold(transfer.lease),
        ledger.reserve(transfer.lease),
    ):
        lease = desk.get(Lease, transfer.lease)
        if lease.state is not LeaseState.ACTIVE:  # what was left in its hold has gone back, or is about to
            found = replace(found, credit=ledger.wallet(lease.project))
    return found


def pay_host(desk: Desk, lease: Lease, source: str, amount: int) -> None:
    """Pay a host, less the hub's fee, what a lease forfeits."""
    share = fee(amount, desk.policy.fee_ppm)[0]
    for credit, part in ((ledger.earned(lease.host), amount - share), (ledger.FEES, share)):
        if part:
            id = f"{lease.id}:forfeit:{credit}"
            desk.tx.add(
                Transfer(
                    id=id,
                    kind=Kind.FORFEIT,
                    debit=source,
                    credit=credit,
                    amount_micro_usd=part,
                    at_ms=desk.now_ms,
                    lease=lease.id,
                )
            )


def pay_downtime(desk: Desk, lease: Lease, silent_ms: int) -> None:
    """Credit the renter of a reserved lease for downtime, as far as its host has money to be paid out."""
    due = rated(lease.rate_micro_usd * desk.policy.downtime_ppm // PPM, silent_ms)[0]
    amount = min(due, desk.balance(ledger.earned(lease.host)))
    if amount:
        desk.tx.add(
            Transfer(
                id=f"{lease.id}:downtime:{desk.now_ms}",
                kind=Kind.DOWNTIME_CREDIT,
                debit=ledger.earned(lease.host),
                credit=ledger.wallet(lease.project),
                amount_micro_usd=amount,
                at_ms=desk.now_ms,
                lease=lease.id,
            )
        )


def _transfer(desk: Desk, id: str) -> Transfer:
    found = desk.tx.find(Transfer, id)
    if found is None:
        raise NotFound(_("There is no transfer {id}.").format(id=id))
    return found


def _once(desk: Desk, kind: Kind, owner: str, key: str, way: tuple[str, str], amount: int) -> Transfer:
    debit, credit = way

    def make(id: str) -> Transfer:
        made = Transfer(
            id=id, kind=kind, debit=debit, credit=credit, amount_micro_usd=amount, at_ms=desk.now_ms
        )
        ledger.check(made)
        return made

    return _first(desk, kind, owner, key, str(amount), make)


def _first(
    desk: Desk, kind: Kind, owner: str, key: str, digest: str, make: Callable[[str], Transfer]
) -> Transfer:
    def add(id: str) -> str:
        transfer = make(id)
        desk.tx.add(transfer)
        return transfer.id

    return _transfer(desk, desk.once(kind, owner, key, digest, add))
