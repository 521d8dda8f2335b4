"""Settling many leases at once: a few queries for all of them, the same rule for each, one write of a kind.

What a lease costs depends on other leases only through the purse and the budget of their project. So the leases of a
project are settled here in the order of their timers if nothing about any of them is out of the ordinary; otherwise all of
them are left for `clock.wake_one`, in the same order, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rackrent.exchange.model import Account, Lease, Machine, Project, Settlement, Timer, Transfer
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.settling import Funds, confirmed_ms, next_ms, settle, suffices_until_next
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.settle import is_late, is_low, spent, within_budget
from rackrent.exchange.values import replace
from rackrent.protocol.words import LeaseState


@dataclass
class _Written:
    """What is to be kept."""

    leases: list[Lease] = field(default_factory=list)
    intervals: list[Settlement] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    projects: list[Project] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)

    def extend(self, other: _Written) -> None:
        """Add what another has."""
        self.leases += other.leases
        self.intervals += other.intervals
        self.transfers += other.transfers
        self.projects += other.projects
        self.timers += other.timers


@dataclass(frozen=True)
class _There:
    """What was found, locked: all that settling needs to know."""

    leases: Mapping[str, Lease]
    machines: Mapping[str, Machine]
    balances: Mapping[str, int]


def settle_many(desk: Desk, timers: Sequence[Timer]) -> list[Timer]:
    """Settle the leases of `timers`, all of which are for settling; return those left to be seen to one by one, in order."""
    if len(timers) < 2:
        return list(timers)
    named = desk.tx.many(Lease, [timer.subject for timer in timers])
    machines = desk.tx.many(Machine, {lease.machine for lease in named.values()}, lock=True)
    leases = desk.tx.many(Lease, named, lock=True)
    projects = desk.tx.many(Project, {lease.project for lease in leases.values()}, lock=True)
    purses = [ledger.wallet(project) for project in projects] + [ledger.hold(lease) for lease in leases]
    accounts = desk.tx.many(Account, purses, lock=True)
    there = _There(leases, machines, {id: account.balance_micro_usd for id, account in accounts.items()})

    of_project: dict[str, list[Timer]] = {}
    left = set()
    for timer in timers:
        lease = leases.get(timer.subject)
        if lease is None or lease.project not in projects:
            left.add(timer.id)
        else:
            of_project.setdefault(lease.project, []).append(timer)
    written = _Written()
    for id, group in of_project.items():
        settled = _settle_project(desk, projects[id], group, there)
        if settled is None:
            left.update(timer.id for timer in group)
        else:
            written.extend(settled)
    _keep(desk, written)
    return [timer for timer in timers if timer.id in left]


def _keep(desk: Desk, written: _Written) -> None:
    desk.tx.add(*written.intervals)
    desk.tx.add(*written.transfers)
    desk.tx.put(*written.leases)
    desk.tx.put(*written.projects)
    desk.tx.arm(*written.timers)


def _settle_project(desk: Desk, project: Project, timers: Sequence[Timer], there: _There) -> _Written | None:
    """Return what settling the leases of a project writes; None where one of them is not an ordinary case.

    Ordinary is an active lease out of grace, settled in time, whose money suffices now and until the next time, and whose
    purse is as full or as low as it was said to be.
    """
    written = _Written()
    begun, purse = project, there.balances.get(ledger.wallet(project.id), 0)
    for timer in timers:
        lease = there.leases[timer.subject]
        machine = there.machines.get(lease.machine)
        if machine is None or lease.state is not LeaseState.ACTIVE or lease.grace_ms is not None:
            return None
        to_ms = confirmed_ms(lease, machine.last_heard_ms, desk.now_ms)
        if is_late(desk, lease, to_ms):
            return None
        # Out of grace nothing is taken from the reserve, so that nobody has to look what is in it.
        funds = Funds(
            within_budget(project, purse, desk.now_ms), there.balances.get(ledger.hold(lease.id), 0), 0
        )
        before = lease
        while (found := settle(lease, to_ms, funds, desk.policy, desk.now_ms)) is not None:
            if found.interval.uncollected_micro_usd:
                return None
            if found.interval.to_ms > found.interval.from_ms:
                written.intervals.append(found.interval)
                written.transfers += found.transfers
            purse -= found.taken_from_purse
            project = spent(project, found.taken_from_purse, desk.now_ms)
            lease, funds = found.lease, found.funds
        lasts = is_low(lease, funds) == lease.low and suffices_until_next(lease, funds, desk.policy)
        if (lease.metering or lease.storing) and not lasts:
            return None
        if lease is not before:
            written.leases.append(lease)
        written.timers.append(replace(timer, due_ms=next_ms(lease, funds.hold, desk.policy, desk.now_ms)))
    if project is not begun:
        written.projects.append(project)
    return written
