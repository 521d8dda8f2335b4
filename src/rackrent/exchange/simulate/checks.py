"""What must hold, checked against the store and against what truly ran.

Each transaction is checked for what it touched; everything, now and then. The bill is compared with the truth of the host:
time of a lease at a price by the second is charged only while it truly ran. One tolerance: the hub takes what a report says to hold
until it arrives, so a charge may run on past the true end for as long as that report was under way, and no longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rackrent.exchange.model import (
    DAY_MS,
    HOUR_MS,
    Account,
    Allocation,
    Incident,
    Instance,
    Kind,
    Lease,
    Machine,
    Quote,
    Request,
    Settlement,
    Transfer,
)
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.rating import PPM
from rackrent.exchange.rules.states import AT_REST
from rackrent.protocol.words import DataEnd, InstanceState, Intended, LeaseState, Reason

if TYPE_CHECKING:
    from rackrent.exchange.simulate.host import Host
    from rackrent.exchange.simulate.world import World

AWAKE = (InstanceState.LOADING, InstanceState.STARTING, InstanceState.STOPPING)
ON_ITS_WAY_MS = 2 * HOUR_MS
"""How long an instance may take from one rest to the next where nothing goes wrong: a slow image alone takes an hour."""


class Violation(Exception):
    """Something that must never happen has. `what` names the rule, `machine` and `lease` where."""

    def __init__(self, what: str, text: str, machine: str | None = None, lease: str | None = None) -> None:
        super().__init__(f"{what}: {text}")
        self.what, self.machine, self.lease = what, machine, lease


class Checks:
    """The rules of the market, watched from outside."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.holder: dict[str, str] = {}
        self.covered: dict[str, tuple[int, int]] = {}
        self.rates: dict[str, int] = {}
        self.agreed: set[str] = set()
        self.stopped: dict[str, int] = {}
        self.gaps: dict[str, tuple[int, int | None]] = {}
        self._over: deque[tuple[int, str]] = deque()
        self._quotes: deque[tuple[int, str]] = deque()
        self._requests: deque[tuple[int, str]] = deque()
        self._ids: deque[tuple[type[Any], str]] = deque()
        self._by_kind: dict[type[Any], Callable[[Any, Any], None]] = {
            Account: self._account, Allocation: self._allocation, Lease: self._lease, Settlement: self._settlement,
            Instance: self._instance, Machine: self._machine, Transfer: self._transfer, Quote: self._quote,
            Request: self._request, Incident: self._incident,
        }  # fmt: skip
        self._delta = 0
        self._due: dict[str, int] = {}
        self._paid: dict[str, int] = {}
        self._ended: list[Lease] = []

    # --- after each transaction ---------------------------------------------------------------------------

    def look(self, what: str, changes: list[tuple[Any, Any]]) -> None:
        """Check what a transaction changed. Raises Violation."""
        by_kind = self._by_kind
        for old, new in changes:
            check = by_kind.get(type(new if new is not None else old))
            if check is not None:
                check(old, new)
        if self._delta:
            raise Violation("ledger", f"{what} made {self._delta} micro-USD out of nothing")
        if self._due != self._paid:
            for lease in self._due.keys() | self._paid.keys():
                if self._due.get(lease, 0) != self._paid.get(lease, 0):
                    self._say("payment", lease, f"{self._due.get(lease)} due, {self._paid.get(lease)} paid")
        self._due.clear()
        self._paid.clear()
        if self._ended:
            for ended in self._ended:
                self._end(ended)
            self._ended.clear()

    def alone_on(self, gpu: str, lease: str, other: str | None) -> None:
        """Check that nothing else truly runs on a GPU."""
        if other is not None and other != lease:
            self._say("double use", lease, f"{gpu} is still used by {other}")

    def same(self, what: str, first: str, second: str) -> None:
        """Check that a repeated request made nothing."""
        if first != second or self.world.store.changes:
            raise Violation("retry", f"{what} made {second} after {first}: {self.world.store.changes[:3]}")

    def _say(self, what: str, lease: str, text: str) -> None:
        found = self.world.store.find(Lease, lease)
        raise Violation(what, f"lease {lease}: {text}", None if found is None else found.machine, lease)

    def _account(self, old: Account | None, new: Account) -> None:
        self._delta += new.balance_micro_usd - (old.balance_micro_usd if old is not None else 0)
        if new.balance_micro_usd < 0 and new.id != ledger.WORLD:
            raise Violation("negative balance", f"{new.id} has {new.balance_micro_usd} micro-USD")

    def _allocation(self, old: Allocation | None, new: Allocation) -> None:
        if old is None:
            if new.gpu in self.holder:
                self._say("double allocation", new.lease, f"{new.gpu} is {self.holder[new.gpu]}'s")
            self.holder[new.gpu] = new.lease
            lease = self.world.store.find(Lease, new.lease)
            if lease is None or lease.state not in (LeaseState.PENDING, LeaseState.ACTIVE):
                self._say("dead lease", new.lease, f"it is given {new.gpu}")
        elif new.to_ms is not None and old.to_ms is None:
            self.holder.pop(new.gpu, None)
            if self.world.hosts[new.machine].on_gpu.get(new.gpu) == new.lease:
                self._say("freed early", new.lease, f"{new.gpu} is given up and still in use")

    def _lease(self, old: Lease | None, new: Lease) -> None:
        self.rates[new.id] = new.rate_micro_usd
        if old is None:
            return
        if new.rate_micro_usd > old.rate_micro_usd and new.id not in self.agreed:
            self._say("rate", new.id, f"its rate rose to {new.rate_micro_usd} and nobody agreed")
        if new.state is LeaseState.ENDED and old.state is not LeaseState.ENDED:
            self._ended.append(new)

    def _instance(self, old: Instance | None, new: Instance) -> None:
        if not isinstance(new.reason, Reason):
            self._say("reason", new.id, f"its instance is {new.actual} because of {new.reason!r}")
        if new.actual is InstanceState.RUNNING and new.id in self.stopped:
            del self.stopped[new.id]
        if new.over and (old is None or not old.over):
            self._over.append((self.world.now_ms, new.id))

    def _machine(self, old: Machine | None, new: Machine) -> None:
        if not (0 <= new.disk_gb_leased <= new.disk_gb and 0 <= new.addresses_leased <= new.addresses):
            raise Violation("resources", f"{new.id} has leased {new.disk_gb_leased} GB", new.id)
        if old is not None and old.reachable is not new.reachable:
            since = old.last_heard_ms if old.reachable else self.gaps[new.id][0]
            self.gaps[new.id] = since, None if old.reachable else self.world.now_ms

    def _transfer(self, _old: Transfer | None, new: Transfer) -> None:
        if new.kind in (Kind.USE, Kind.FEE) and new.lease is not None:
            self._paid[new.lease] = self._paid.get(new.lease, 0) + new.amount_micro_usd

    def _settlement(self, _old: Settlement | None, new: Settlement) -> None:
        lease = self.world.store.find(Lease, new.lease)
        assert lease is not None
        number, to_ms = self.covered.get(new.lease, (0, lease.delivered_ms))
        if new.number != number + 1 or new.from_ms != to_ms or new.to_ms <= new.from_ms:
            self._say(
                "coverage", new.lease, f"interval {new.number} from {new.from_ms} follows {number} to {to_ms}"
            )
        if new.to_ms > self.world.now_ms:
            self._say("coverage", new.lease, f"interval {new.number} ends in the future")
        self.covered[new.lease] = new.number, new.to_ms
        due = new.gpu_micro_usd + new.storage_micro_usd - new.uncollected_micro_usd
        if due:
            self._due[new.lease] = self._due.get(new.lease, 0) + due
        if abs(new.fee_micro_usd * PPM - due * self.world.policy.fee_ppm) >= 2 * PPM:
            self._say("amount", new.lease, f"interval {new.number} has a fee of {new.fee_micro_usd} on {due}")
        policy = self.world.policy
        late_ms = policy.late_ms + policy.settle_storage_ms * (not new.metered)
        if new.uncollected_micro_usd and new.to_ms - new.from_ms <= late_ms:
            self._say(
                "uncollected", new.lease, f"interval {new.number} lacks {new.uncollected_micro_usd} micro-USD"
            )
        if new.metered or new.storage_micro_usd:
            since, until = self.gaps.get(lease.machine, (0, 0))
            if new.to_ms > since and (until is None or new.from_ms < until):
                spell = f"{new.from_ms} to {new.to_ms} is charged, silent from {since} to {until}"
                self._say("unreachable", lease.id, spell)
        if new.metered:
            self._metered(lease, new)
        elif new.gpu_micro_usd:
            self._say("amount", new.lease, f"interval {new.number} charges for GPUs that were not metered")

    def _metered(self, lease: Lease, new: Settlement) -> None:
        exact = self.rates[lease.id] * (new.to_ms - new.from_ms)
        if abs(new.gpu_micro_usd * HOUR_MS - exact) >= HOUR_MS:
            self._say("amount", lease.id, f"interval {new.number} costs {new.gpu_micro_usd}")
        if lease.rental.reserved:  # paid for the term, used or not
            return
        stopped_ms = self.stopped.get(lease.id)
        if stopped_ms is not None and new.to_ms > stopped_ms:
            self._say("stopped", lease.id, f"charged to {new.to_ms}, stopped at {stopped_ms}")
        host = self.world.hosts[lease.machine]
        if not _truly_ran(host, lease.id, new.from_ms, new.to_ms):
            self._say(
                "not running", lease.id,
                f"{new.from_ms} to {new.to_ms} is charged; it ran {host.ran.get(lease.id)}, heard {host.heard}",
            )  # fmt: skip

    def _quote(self, old: Quote | None, new: Quote) -> None:
        if old is None:
            self._quotes.append((new.expires_ms, new.id))

    def _request(self, _old: Request | None, new: Request) -> None:
        self._requests.append((new.at_ms, new.id))

    def _incident(self, _old: Incident | None, new: Incident) -> None:
        self.world.tally.incidents[str(new.reason)] += 1
        self._ids.append((Incident, new.id))

    def _end(self, lease: Lease) -> None:
        store = self.world.store
        if not isinstance(lease.reason, Reason) or not isinstance(lease.data_end, DataEnd):
            self._say(
                "reason", lease.id, f"it ended because of {lease.reason!r}, its data {lease.data_end!r}"
            )
        if store.of(Allocation, lease=lease.id, to_ms=None):
            self._say("allocation", lease.id, "it has ended and holds GPUs")
        for account in (ledger.hold(lease.id), ledger.reserve(lease.id)):
            left = store.find(Account, account)
            if left is not None and left.balance_micro_usd:
                self._say("hold", lease.id, f"it has ended and {account} holds {left.balance_micro_usd}")
        number, to_ms = self.covered.get(lease.id, (0, lease.delivered_ms))
        if lease.delivered_ms is None:
            if number:
                self._say("coverage", lease.id, "it never ran and was settled")
        elif to_ms != lease.ended_ms:
            self._say("coverage", lease.id, f"it ended at {lease.ended_ms} and is settled up to {to_ms}")

    # --- now and then, and at the end ---------------------------------------------------------------------

    def everything(self) -> None:
        """Check all there is, and forget what is long over. Raises Violation."""
        self.forget()
        store = self.world.store
        total = sum(account.balance_micro_usd for account in store.each(Account))
        if total:
            raise Violation("ledger", f"all balances together are {total} micro-USD")
        disk: dict[str, int] = {}
        addresses: dict[str, int] = {}
        live = {}
        for lease in store.each(Lease):
            if lease.state is not LeaseState.ENDED:
                live[lease.id] = lease
                disk[lease.machine] = disk.get(lease.machine, 0) + lease.disk_gb
                addresses[lease.machine] = addresses.get(lease.machine, 0) + 1
        for machine in store.each(Machine):
            leased = disk.get(machine.id, 0), addresses.get(machine.id, 0)
            if leased != (machine.disk_gb_leased, machine.addresses_leased):
                raise Violation("resources", f"{machine.id} has leased {leased} (GB, addresses)", machine.id)
        held = {a.gpu: a.lease for a in store.each(Allocation) if a.to_ms is None}
        if held != self.holder:
            raise Violation("double allocation", "GPUs are held otherwise than was seen")
        for gpu, id in held.items():
            if id not in live:
                self._say("dead lease", id, f"it is over and holds {gpu}")
        for lease in live.values():
            host = self.world.hosts[lease.machine]
            ran = host.ran.get(lease.id)
            if lease.metering or ran is None or ran.since_ms is None or lease.state is not LeaseState.ACTIVE:
                continue
            instance = store.find(Instance, lease.id)
            heard_ms = host.heard[1][0]
            if (
                instance is not None
                and instance.actual is InstanceState.RUNNING
                and ran.since_ms < heard_ms
                and host.steady
            ):
                self._say("unpaid", lease.id, "it runs, its host has said so, and is not paid for it")

    def rest(self) -> None:
        """Check that in a quiet market nothing has long been on its way, and no host has what nobody wants.

        Renters come to the end of their money in a quiet market too, and others get their GPUs. Raises Violation.
        """
        store, now_ms = self.world.store, self.world.now_ms
        for lease in store.each(Lease):
            machine, instance = store.find(Machine, lease.machine), store.find(Instance, lease.id)
            assert machine is not None and instance is not None
            moved_ms = max(instance.since_ms, lease.until_ms or 0)
            if not machine.reachable or now_ms - moved_ms < ON_ITS_WAY_MS:
                continue
            creating = instance.actual is InstanceState.CREATING and instance.generation > 0
            if creating or instance.actual in AWAKE or lease.state is LeaseState.RECLAIMING:
                self._say("stuck", lease.id, f"it is {lease.state}, its instance {instance.actual}")
            if instance.actual is InstanceState.UNREACHABLE:
                self._say("stuck", lease.id, "its machine can be reached and it cannot")
        for host in self.world.hosts.values():
            if not host.up:
                continue
            untold = now_ms - host.sent_ms <= host.latency_ms  # its report is under way
            for id, container in host.containers.items():
                here = store.find(Instance, id)
                runs = container.state is InstanceState.RUNNING
                if here is None or here.over or here.machine != host.id:
                    raise Violation("orphan", f"{host.id} still has {id}", host.id, id)
                if untold or now_ms - here.since_ms < ON_ITS_WAY_MS:
                    continue
                if runs and (here.actual in AT_REST or here.intended is not Intended.RUNNING):
                    self._say(
                        "orphan", id, f"it runs on {host.id} and is to be {here.intended}, {here.actual}"
                    )
                if here.actual is InstanceState.RUNNING and not runs:
                    self._say(
                        "stuck", id, f"the hub says that it runs, {host.id} that it is {container.state}"
                    )

    def closed(self) -> None:
        """Check that everything is over once every lease was ended. Raises Violation."""
        store = self.world.store
        for lease in store.each(Lease):
            if lease.state is not LeaseState.ENDED:
                self._say("stuck", lease.id, f"it was to end and is {lease.state}")
        for machine in store.each(Machine):
            if machine.disk_gb_leased or machine.addresses_leased:
                raise Violation("resources", f"{machine.id} has leases left", machine.id)
        if self.holder:
            raise Violation("allocation", f"GPUs are still held: {sorted(self.holder)[:5]}")
        for instance in store.each(Instance):
            if not instance.over and self.world.hosts[instance.machine].up:
                self._say("data", instance.id, "its host is there and its data is not known to be destroyed")
        for host in self.world.hosts.values():
            if host.up and host.containers:
                raise Violation("orphan", f"{host.id} still has {sorted(host.containers)[:5]}", host.id)

    def forget(self) -> None:
        """Drop what has been over for a day: nothing asks for it any more, and months would not fit in memory."""
        store, before = self.world.store, self.world.now_ms - DAY_MS
        while self._over and self._over[0][0] < before:
            id = self._over.popleft()[1]
            lease = store.find(Lease, id)
            if lease is None:
                continue
            for kind in (Settlement, Transfer, Allocation):
                store.forget(kind, *(row.id for row in store.of(kind, lease=id)))
            store.forget(
                Account, *(a for a in (ledger.hold(id), ledger.reserve(id)) if store.find(Account, a))
            )
            self.world.offers.count(lease, None)
            self.world.hosts[lease.machine].ran.pop(id, None)
            store.forget(Lease, id)
            store.forget(Instance, id)
            self.covered.pop(id, None)
            self.rates.pop(id, None)
            self.stopped.pop(id, None)
            self.agreed.discard(id)
        while self._quotes and self._quotes[0][0] < before:
            store.forget(Quote, self._quotes.popleft()[1])
        while self._requests and self._requests[0][0] < before:
            store.forget(Request, self._requests.popleft()[1])
        while self._ids:
            store.forget(*self._ids.popleft())


def _truly_ran(host: Host, lease: str, from_ms: int, to_ms: int) -> bool:
    ran = host.ran.get(lease)
    if ran is None:
        return False
    if ran.since_ms is not None and ran.since_ms <= from_ms:
        return True
    for since_ms, ended_ms in ran.spells:
        if since_ms <= from_ms <= ended_ms:
            return to_ms <= ended_ms or any(sent <= ended_ms and to_ms <= came for sent, came in host.heard)
    return False
