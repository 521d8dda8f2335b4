"""Settling leases: when it is due, when metering changes, when they end; and what follows when the money runs out."""

from __future__ import annotations

from datetime import UTC, datetime

from rackrent.exchange.model import DAY_MS, Alarm, Kind, Lease, Machine, Project, Transfer
from rackrent.exchange.problems import Insufficient
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.rating import for_ms
from rackrent.exchange.rules.settling import Funds, confirmed_ms, next_ms, settle, suffices_until_next
from rackrent.exchange.rules.terms import reserve_micro_usd
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _


def settle_to(desk: Desk, lease: Lease, to_ms: int) -> tuple[Lease, Funds]:
    """Return a lease settled up to an instant, kept with its intervals and transfers, and what funds are left for it."""
    project = desk.get(Project, lease.project)
    funds = _funds(desk, lease, project)
    while (found := settle(lease, to_ms, funds, desk.policy, desk.now_ms)) is not None:
        interval = found.interval
        if interval.to_ms > interval.from_ms:
            desk.tx.add(interval)
            desk.tx.add(*found.transfers)
        if interval.uncollected_micro_usd:
            desk.incident(
                "uncollected", _("The money did not suffice for an interval."), lease.machine, lease.id
            )
        project = spend(desk, project, found.taken_from_purse)
        lease, funds = found.lease, found.funds
        desk.tx.put(lease)
    return lease, funds


def settle_now(desk: Desk, lease: Lease, machine: Machine) -> tuple[Lease, Funds]:
    """Return a lease settled as far as its host has been heard of; late settlement is an incident."""
    to_ms = confirmed_ms(lease, machine.last_heard_ms, desk.now_ms)
    if is_late(desk, lease, to_ms):
        desk.incident("late_settlement", _("An interval was settled late."), machine.id, lease.id)
    return settle_to(desk, lease, to_ms)


def is_late(desk: Desk, lease: Lease, to_ms: int) -> bool:
    """Return whether so much is settled at once that people should know."""
    return to_ms - lease.settled_ms > desk.policy.late_ms + desk.policy.settle_storage_ms * (
        not lease.metering
    )


def meter(desk: Desk, lease: Lease, *, metering: bool, storing: bool) -> Lease:
    """Return a lease whose charges run, or do not, from now on; the time before must have been settled as it was.

    What lies between the settlement before and now is an interval without charges.
    """
    lease = replace(lease, metering=False, storing=False, until_ms=None)
    lease, _funds_left = settle_to(desk, lease, desk.now_ms)
    lease = replace(lease, metering=metering, storing=storing)
    desk.tx.put(lease)
    return lease


def is_short(desk: Desk, lease: Lease, funds: Funds) -> bool:
    """Return whether the money does not last until the next settlement; notice is given once when it is nearly so."""
    low = is_low(lease, funds)
    if low != lease.low:
        desk.tx.put(replace(lease, low=low))
        if low:
            desk.incident("low_balance", _("The purse lasts less than a day."), lease.machine, lease.id)
    return not suffices_until_next(lease, funds, desk.policy)


def is_low(lease: Lease, funds: Funds) -> bool:
    """Return whether the purse lasts less than a day."""
    return funds.purse < for_ms(lease.rate_micro_usd * lease.metering + lease.storage_rate_micro_usd, DAY_MS)


def rearm(desk: Desk, lease: Lease) -> None:
    """Set when a lease is settled next."""
    hold = desk.balance(ledger.hold(lease.id))
    desk.arm(Alarm.SETTLE, lease.id, next_ms(lease, hold, desk.policy, desk.now_ms))


def leave_grace(desk: Desk, lease: Lease) -> bool:
    """End the grace period of a lease whose purse is filled again; return whether that could be.

    Its hold is filled too, and its storage reserve: the next grace period is paid for like the first.
    """
    funds = _funds(desk, lease, desk.get(Project, lease.project))
    reserve = reserve_micro_usd(desk.policy, lease.storage_rate_micro_usd)
    missing = (
        (ledger.hold(lease.id), max(0, lease.hold_micro_usd - funds.hold)),
        (ledger.reserve(lease.id), max(0, reserve - funds.reserve)),
    )
    if sum(amount for _account, amount in missing) > funds.purse:
        return False
    for account, amount in missing:
        _fill(desk, lease, account, amount)
    desk.tx.put(replace(lease, grace_ms=None, low=False))
    desk.disarm(Alarm.GRACE, lease.id)
    return True


def fill_hold(desk: Desk, lease: Lease) -> Funds:
    """Fill the hold of a lease as far as its purse goes, as what it costs begins or rises; return what there is then."""
    funds = _funds(desk, lease, desk.get(Project, lease.project))
    amount = min(max(0, lease.hold_micro_usd - funds.hold), funds.purse)
    _fill(desk, lease, ledger.hold(lease.id), amount)
    return Funds(funds.purse - amount, funds.hold + amount, funds.reserve)


def _fill(desk: Desk, lease: Lease, account: str, amount: int) -> None:
    if amount:
        desk.tx.add(
            Transfer(
                id=f"{account}:{desk.new_id('fill')}", kind=Kind.HOLD, debit=ledger.wallet(lease.project),
                credit=account, amount_micro_usd=amount, at_ms=desk.now_ms, lease=lease.id,
            )
        )  # fmt: skip
        spend(desk, desk.get(Project, lease.project), amount)


def set_aside(desk: Desk, lease: Lease, reserve: int) -> None:
    """Move the hold and the storage reserve of a new lease out of its project's purse.

    Raises Insufficient where the purse or the month's budget does not have them.
    """
    project = desk.get(Project, lease.project)
    funds = _funds(desk, lease, project)
    if lease.hold_micro_usd + reserve > funds.purse:
        raise Insufficient(
            _(
                "This lease needs {needed} micro-USD set aside; the purse has {there} within its budget."
            ).format(needed=lease.hold_micro_usd + reserve, there=max(0, funds.purse))
        )
    source = ledger.wallet(lease.project)
    for account, amount in (
        (ledger.hold(lease.id), lease.hold_micro_usd),
        (ledger.reserve(lease.id), reserve),
    ):
        if amount:
            desk.tx.add(
                Transfer(
                    id=f"{account}:begin",
                    kind=Kind.HOLD,
                    debit=source,
                    credit=account,
                    amount_micro_usd=amount,
                    at_ms=desk.now_ms,
                    lease=lease.id,
                )
            )
    spend(desk, project, lease.hold_micro_usd + reserve)


def give_back(desk: Desk, lease: Lease) -> None:
    """Return to the purse what is left in the hold and the reserve of a lease."""
    back = 0
    for account in (ledger.hold(lease.id), ledger.reserve(lease.id)):
        amount = desk.balance(account)
        if amount:
            desk.tx.add(
                Transfer(
                    id=f"{account}:end",
                    kind=Kind.RELEASE,
                    debit=account,
                    credit=ledger.wallet(lease.project),
                    amount_micro_usd=amount,
                    at_ms=desk.now_ms,
                    lease=lease.id,
                )
            )
            back += amount
    project = desk.get(Project, lease.project)
    if back and project.budget_micro_usd is not None:
        spend(desk, project, -min(back, _of_this_month(desk, lease)))


def _of_this_month(desk: Desk, lease: Lease) -> int:
    """Return what was set aside for a lease this month: what an earlier month's budget bore is not given back to this one's."""
    month = _month(desk.now_ms)
    aside = (t for t in desk.tx.of(Transfer, lease=lease.id) if t.kind is Kind.HOLD)
    return sum(t.amount_micro_usd for t in aside if _month(t.at_ms) == month)


def spend(desk: Desk, project: Project, amount: int) -> Project:
    """Return a project that has set aside more, or less, of its month's budget."""
    after = spent(project, amount, desk.now_ms)
    if after is not project:
        desk.tx.put(after)
    return after


def spent(project: Project, amount: int, now_ms: int) -> Project:
    """Return a project whose month has cost more, or less; the same where it has no budget."""
    if project.budget_micro_usd is None or not amount:
        return project
    month = _month(now_ms)
    before = project.spent_micro_usd if project.month == month else 0
    return replace(project, month=month, spent_micro_usd=max(0, before + amount))


def within_budget(project: Project, purse: int, now_ms: int) -> int:
    """Return how much of what is in the purse may be spent this month."""
    if project.budget_micro_usd is None:
        return purse
    used = project.spent_micro_usd if project.month == _month(now_ms) else 0
    return max(0, min(purse, project.budget_micro_usd - used))


def _funds(desk: Desk, lease: Lease, project: Project) -> Funds:
    purse = within_budget(project, desk.balance(ledger.wallet(lease.project)), desk.now_ms)
    return Funds(purse, desk.balance(ledger.hold(lease.id)), desk.balance(ledger.reserve(lease.id)))


def _month(now_ms: int) -> str:
    return datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m")
