"""Where a request is worked on: a transaction, the policy, the instant, and how new ids are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from rackrent.exchange.model import (
    Account,
    Alarm,
    Allocation,
    Entity,
    Incident,
    Instance,
    Lease,
    Machine,
    Request,
    Timer,
)
from rackrent.exchange.problems import Conflict, NotFound
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.states import INSTANCE, InstanceEvent, after
from rackrent.exchange.store.base import Tx
from rackrent.exchange.values import replace
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Reason

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Desk:
    """One request, at one instant. `started_ms`: since when this hub has been listening; before it silence says nothing."""

    tx: Tx
    policy: Policy
    now_ms: int
    new_id: Callable[[str], str]
    started_ms: int = 0

    def get(self, kind: type[E], id: str, *, lock: bool = True) -> E:
        """Return the value with this id, locked. Raises NotFound."""
        found = self.tx.find(kind, id, lock=lock)
        if found is None:
            raise NotFound(_("There is no {kind} {id}.").format(kind=kind.__name__.lower(), id=id))
        return found

    def lease_of(self, lease: str, project: str) -> tuple[Machine, Lease, Instance]:
        """Return a lease of a project with its machine and instance, the machine locked first. Raises NotFound."""
        found = self.tx.find(Lease, lease)
        if found is None or found.project != project:
            raise NotFound(_("There is no lease {id}.").format(id=lease))
        machine = self.get(Machine, found.machine)
        return machine, self.get(Lease, lease), self.get(Instance, lease)

    def balance(self, account: str) -> int:
        """Return what is in an account, in micro-USD."""
        found = self.tx.find(Account, account, lock=True)
        return 0 if found is None else found.balance_micro_usd

    def once(self, kind: str, owner: str, key: str, digest: str, make: Callable[[str], str]) -> str:
        """Return the id of what a request made, making it (of the request's own id) only the first time.

        A key belongs to what `kind` of thing is asked for, and to who asks. Raises Conflict where the key was used there
        for something else.
        """
        name = owner.replace("%", "%25").replace(
            " ", "%20"
        )  # where a name ends and a key begins is never in doubt
        id = f"{kind} {name} {key}"
        done = self.tx.find(Request, id, lock=True)  # the same request at the same time waits for this one
        if done is not None:
            if done.digest != digest:
                raise Conflict(_("Key {key} was used for another request.").format(key=key))
            return done.made
        made = make(id)
        self.tx.add(Request(id=id, digest=digest, made=made, at_ms=self.now_ms))
        return made

    def arm(self, kind: Alarm, subject: str, due_ms: int) -> None:
        """Set the timer of this kind for a subject."""
        self.tx.arm(Timer(id=f"{kind}:{subject}", kind=kind, subject=subject, due_ms=due_ms))

    def disarm(self, kind: Alarm, *subjects: str) -> None:
        """Remove the timers of this kind."""
        self.tx.disarm(*(f"{kind}:{subject}" for subject in subjects))

    def incident(
        self, reason: Reason | str, text: str, machine: str | None = None, lease: str | None = None
    ) -> None:
        """Record something that people should know of."""
        id = self.new_id("incident")
        self.tx.add(
            Incident(id=id, at_ms=self.now_ms, reason=reason, machine=machine, lease=lease, text=text)
        )

    def step(self, instance: Instance, event: InstanceEvent, reason: Reason) -> Instance:
        """Return the instance after an event, kept."""
        moved = replace(
            instance,
            actual=after(INSTANCE, instance.actual, event),
            reason=reason,
            since_ms=self.now_ms,
            progress=None,
        )
        self.tx.put(moved)
        return moved

    def tell(self, instance: Instance, machine: Machine) -> tuple[Instance, Machine]:
        """Make the next desired state of the machine speak of an instance."""
        machine = replace(machine, desired_seq=machine.desired_seq + 1)
        instance = replace(instance, generation=machine.desired_seq)
        self.tx.put(machine, instance)
        return instance, machine

    def free(self, lease: str, reason: Reason) -> None:
        """Close the open allocations of a lease."""
        for allocation in self.tx.of(Allocation, lease=lease, to_ms=None):
            self.tx.put(replace(allocation, to_ms=self.now_ms, reason=reason))
