"""The store in memory: dictionaries, and an undo log for what fails. For the simulator and for tests of the rules."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, TypeVar, cast

from rackrent.exchange.model import Account, Entity, Timer, Transfer
from rackrent.exchange.problems import Conflict
from rackrent.exchange.rules import ledger
from rackrent.exchange.store.schema import (
    APPEND_ONLY,
    CHAINS,
    INDEXES,
    KINDS,
    LARGEST,
    UNIQUE,
    Unique,
    checker,
    duplicate,
    fixed,
    missing,
    unbounded,
    uncovered,
)
from rackrent.i18n import gettext as _

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


class _Table:
    """The values of one kind with their indexes. What an index is read by is one field, or a tuple of several."""

    def __init__(self, kind: type[Any]) -> None:
        self.rows: dict[str, Any] = {}
        self.check = checker(kind)
        self.groups: dict[tuple[str, ...], dict[Any, dict[str, None]]] = {
            fields: defaultdict(dict) for fields in INDEXES.get(kind, ())
        }
        self.indexes = [(attrgetter(*fields), groups) for fields, groups in self.groups.items()]
        self.uniques: list[tuple[Unique, Callable[[Any], Any], dict[Any, str]]] = [
            (rule, _key(rule), {}) for rule in UNIQUE.get(kind, ())
        ]
        self.append_only = kind in APPEND_ONLY
        self.chain = CHAINS.get(kind)

    def change(self, old: Any, new: Any) -> None:
        """Replace one value by another; None: there is none."""
        id = (new if new is not None else old).id
        if self.uniques:
            self._change_keys(id, old, new)
        for reads, groups in self.indexes:
            was = reads(old) if old is not None else None
            now = reads(new) if new is not None else None
            if was != now or old is None or new is None:
                if old is not None:
                    ids = groups[was]
                    del ids[id]
                    if not ids:
                        del groups[was]
                if new is not None:
                    groups[now][id] = None
        if new is None:
            del self.rows[id]
        else:
            self.rows[id] = new

    def _change_keys(self, id: str, old: Any, new: Any) -> None:
        changed = []
        for rule, key_of, held in self.uniques:
            before = key_of(old) if old is not None else None
            after = key_of(new) if new is not None else None
            if before != after:
                if after is not None and held.get(after, id) != id:
                    raise Conflict(_(rule.text))
                changed.append((held, before, after))
        for held, before, after in changed:
            if before is not None:
                held.pop(before, None)
            if after is not None:
                held[after] = id

    def follows(self, value: Any) -> None:
        """Raise Conflict where a new value does not follow on the one before it."""
        chain = self.chain
        if chain is None:
            return
        group, number = getattr(value, chain.group), getattr(value, chain.number)
        held = next(
            held for rule, _key_of, held in self.uniques if rule.fields == (chain.group, chain.number)
        )
        before = held.get((group, number - 1))
        if number > 1 and (
            before is None or getattr(self.rows[before], chain.ends) != getattr(value, chain.begins)
        ):
            raise Conflict(_(chain.text))


def _key(rule: Unique) -> Callable[[Any], Any]:
    reads, where, several = attrgetter(*rule.fields), rule.where_null, len(rule.fields) > 1

    def key(value: Any) -> Any:
        if where is not None and getattr(value, where) is not None:
            return None
        found = reads(value)
        return None if several and None in found else found

    return key


class MemoryStore:
    """All values in dictionaries. One transaction at a time: for one thread."""

    def __init__(self) -> None:
        self._tables = {kind: _Table(kind) for kind in KINDS}
        self._timers: list[tuple[int, str]] = []
        self._undo: list[tuple[_Table, Any, Any]] = []

    def run(self, work: Callable[[MemoryStore], T]) -> T:
        """Run `work` in a transaction; if it raises, nothing has changed."""
        self._undo.clear()
        try:
            return work(self)
        except BaseException:
            for table, old, new in reversed(self._undo):
                table.change(new, old)
                if isinstance(old, Timer):
                    heapq.heappush(self._timers, (old.due_ms, old.id))
            raise

    def close(self) -> None:
        """Nothing is held open."""

    def find(self, kind: type[E], id: str, *, lock: bool = False) -> E | None:
        """Return the value with this id, or None."""
        return cast("E | None", self._tables[kind].rows.get(id))

    def many(self, kind: type[E], ids: Iterable[str], *, lock: bool = False) -> dict[str, E]:
        """Return those values with these ids that are there."""
        rows = self._tables[kind].rows
        return {id: rows[id] for id in sorted(set(ids)) if id in rows}

    def of(self, kind: type[E], **equal: Any) -> list[E]:
        """Return the values whose fields are as given, by id."""
        table = self._tables[kind]
        ids: Mapping[str, object] | None = table.rows
        if equal:
            values = tuple(equal.values())
            ids = table.groups[tuple(equal)].get(values if len(values) > 1 else values[0])
        rows = table.rows
        if not ids:
            return []
        return [rows[id] for id in (sorted(ids) if len(ids) > 1 else ids)]

    def add(self, *values: Entity) -> None:
        """Keep new values; a transfer also changes balances."""
        for value in values:
            table = self._tables[type(value)]
            table.check(value)
            if isinstance(value, Account):
                raise fixed(type(value))
            if value.id in table.rows:
                raise duplicate(value)
            table.change(None, value)
            self._undo.append((table, None, value))
            table.follows(value)
            if isinstance(value, Transfer):
                self._move(value.debit, -value.amount_micro_usd)
                self._move(value.credit, value.amount_micro_usd)

    def put(self, *values: Entity) -> None:
        """Keep values in place of those with the same ids."""
        for value in values:
            table = self._tables[type(value)]
            if table.append_only or isinstance(value, Account):
                raise fixed(type(value))
            old = table.rows.get(value.id)
            if old is None:
                raise missing(value)
            self._change(table, old, value)

    def arm(self, *timers: Timer) -> None:
        """Set timers."""
        table = self._tables[Timer]
        for timer in timers:
            self._change(table, table.rows.get(timer.id), timer)
            heapq.heappush(self._timers, (timer.due_ms, timer.id))

    def disarm(self, *ids: str) -> None:
        """Remove timers."""
        table = self._tables[Timer]
        for id in ids:
            old = table.rows.get(id)
            if old is not None:
                self._change(table, old, None)

    def due(self, now_ms: int, limit: int) -> list[Timer]:
        """Return timers that are due, earliest first."""
        found: dict[str, Timer] = {}
        seen: list[tuple[int, str]] = []
        while self._timers and len(found) < limit and self._timers[0][0] <= now_ms:
            entry = heapq.heappop(self._timers)
            timer = self._tables[Timer].rows.get(entry[1])
            if timer is not None and timer.due_ms == entry[0] and timer.id not in found:
                found[timer.id] = timer
                seen.append(entry)
        for entry in seen:  # a timer stays until it is disarmed or set anew
            heapq.heappush(self._timers, entry)
        return list(found.values())

    def next_timer(self) -> Timer | None:
        """Return the timer that is due next; None where none is set."""
        rows = self._tables[Timer].rows
        while self._timers:
            due, id = self._timers[0]
            timer = rows.get(id)
            if timer is not None and timer.due_ms == due:
                return cast("Timer", timer)
            heapq.heappop(self._timers)
        return None

    def next_due_ms(self) -> int | None:
        """Return when the next timer is due; None where none is set."""
        timer = self.next_timer()
        return None if timer is None else timer.due_ms

    @property
    def changes(self) -> list[tuple[Any, Any]]:
        """Return what the last transaction changed, in order: values before and after, None where there is none."""
        return [(old, new) for _table, old, new in self._undo]

    def each(self, kind: type[E]) -> list[E]:
        """Return all values of a kind in no order that means anything."""
        return list(self._tables[kind].rows.values())

    def forget(self, kind: type[Entity], *ids: str) -> None:
        """Drop values that nothing asks for any more, so that months can be simulated. No hub does that."""
        table = self._tables[kind]
        for id in ids:
            table.change(table.rows[id], None)

    def _change(self, table: _Table, old: Any, new: Any) -> None:
        if new is not None:
            table.check(new)
        table.change(old, new)
        self._undo.append((table, old, new))

    def _move(self, account: str, amount: int) -> None:
        table = self._tables[Account]
        old = table.rows.get(account)
        balance = (old.balance_micro_usd if old is not None else 0) + amount
        if abs(balance) > LARGEST:
            raise unbounded()
        if balance < 0 and not ledger.may_go_below_zero(account):
            raise uncovered(account)
        new = Account(id=account, balance_micro_usd=balance)
        table.change(old, new)
        self._undo.append((table, old, new))
