"""What the service asks of a store. All of it happens within a transaction: whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from rackrent.exchange.model import Entity, Timer

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


class Tx(Protocol):
    """A transaction. It sees what others had finished when it asks, and what it wrote itself.

    Where a method raises, the transaction is over: nothing more can be asked of it.
    """

    def find(self, kind: type[E], id: str, *, lock: bool = False) -> E | None:
        """Return the value with this id, or None. `lock`: nobody else changes it until this transaction is over.

        A Request that is not there can be locked too: who else asks for it with `lock` waits until this one is over.
        """

    def many(self, kind: type[E], ids: Iterable[str], *, lock: bool = False) -> dict[str, E]:
        """Return those values with these ids that are there. They are locked in the order of their ids."""

    def of(self, kind: type[E], **equal: Any) -> list[E]:
        """Return the values whose fields are as given (None: null), by id. Fields must be in the schema's indexes."""

    def add(self, *values: Entity) -> None:
        """Keep new values. Raises Conflict where a key or another rule of the schema forbids one, Invalid for a number
        or text that no database holds.

        A Transfer also changes the balances of its two accounts, which are made if they are not there; Insufficient is
        raised where one would go below zero. The transfers of one call are given in an order in which each is covered.
        Accounts are changed in no other way.
        """

    def put(self, *values: Entity) -> None:
        """Keep values in place of those with the same ids. Transfers and settlements cannot be; nor accounts."""

    def arm(self, *timers: Timer) -> None:
        """Set timers, each in place of that with the same id."""

    def disarm(self, *ids: str) -> None:
        """Remove timers; those that are not there are no error."""

    def due(self, now_ms: int, limit: int) -> list[Timer]:
        """Return timers that are due, earliest first, and keep other transactions from taking the same ones."""


class Store(Protocol):
    """A place to keep the exchange's values."""

    def run(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a transaction and return what it returns. If it raises, nothing has changed.

        `work` may run more than once where transactions got in each other's way, so it does nothing else. Raises Busy
        where they did so too often.
        """

    def close(self) -> None:
        """Give back what the store holds open."""
