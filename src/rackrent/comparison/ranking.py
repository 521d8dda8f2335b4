"""Ranked options, made when they are looked at: a market of offers and the few costed one by one, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np

from rackrent.comparison.evaluate import evaluate
from rackrent.comparison.market import Market
from rackrent.comparison.option import OWNED_KINDS, Option
from rackrent.costing.setting import Setting


class Ranking(Sequence[Option]):
    """Options in order: those that can do the work by present value, then those that are out.

    Entries are options, or numbers of offers in `market` that become options when they are looked at.
    """

    def __init__(self, setting: Setting, entries: list[Option | int], market: Market, feasible: int) -> None:
        self.setting, self.entries, self.market = setting, entries, market
        self._made: dict[int, Option] = {}
        self.ends: dict[tuple[str, float], Ranking] = {}
        """The same question with one range at an end, as far as it was asked."""
        self.feasible_count = feasible
        """How many options, from the first on, can do the work."""

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Option: ...
    @overload
    def __getitem__(self, index: slice) -> list[Option]: ...
    def __getitem__(self, index: int | slice) -> Option | list[Option]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        entry = self.entries[index]
        if isinstance(entry, Option):
            return entry
        place = index % len(self.entries)
        if place not in self._made:
            self._made[place] = evaluate(self.market.candidate(entry), self.setting)
        return self._made[place]

    def npv_by_id(self) -> dict[str, float]:
        """Return the present value of every feasible option, USD, in order."""
        entries = self.entries[: self.feasible_count]
        return {
            self.id_of(i): e.npv_usd if isinstance(e, Option) else float(self.market.npv_usd[e])
            for i, e in enumerate(entries)
        }

    def find(self, id: str) -> Option | None:
        """Return the option with this id; None if there is none."""
        return self[self._places[id]] if id in self._places else None

    def place(self, id: str) -> int:
        """Return the place of the option with this id, from 0; KeyError if there is none."""
        return self._places[id]

    @cached_property
    def _places(self) -> dict[str, int]:
        # Of two options with one id the better one counts.
        return {id: index for index, id in reversed(list(enumerate(self.ids)))}

    def kind_and_term(self, index: int) -> tuple[str, str]:
        """Return kind and term of an option without making it."""
        entry = self.entries[index]
        if isinstance(entry, Option):
            return entry.kind, entry.term
        return self.market.kinds[entry], self.market.terms[entry]

    def first(self, *, owned: bool) -> Option | None:
        """Return the best feasible option that is owned (or rented); None if there is none."""
        for index in range(self.feasible_count):
            if (self.kind_and_term(index)[0] in OWNED_KINDS) == owned:
                return self[index]
        return None

    def best_on_budget(self) -> Option | None:
        """Return the option for which the funding pays least, of those that it may pay; None if there is none."""
        options = [
            e for e in self.entries if isinstance(e, Option) and e.feasible and not e.reasons_on_budget
        ]
        best = min(options, key=lambda o: (o.npv_on_budget_usd, o.id), default=None)
        payable = np.flatnonzero(self.market.payable)
        if not len(payable):
            return best
        offer = int(payable[np.argmin(self.market.npv_on_budget_usd[payable])])
        usd = float(self.market.npv_on_budget_usd[offer])
        if best is not None and best.npv_on_budget_usd <= usd:
            return best
        return self.find(self.market.ids[offer])

    def id_of(self, index: int) -> str:
        """Return the id of an option without making it."""
        entry = self.entries[index]
        return entry.id if isinstance(entry, Option) else self.market.ids[entry]

    @property
    def ids(self) -> list[str]:
        """Option ids in order, without making the options."""
        return [self.id_of(index) for index in range(len(self))]


def rank(setting: Setting, options: list[Option], market: Market) -> Ranking:
    """Return `options` and the market's offers in one ranking; equal costs stand by id."""
    able = [(o.npv_usd, o.id, o) for o in options if o.feasible]
    able_offers = np.flatnonzero(market.feasible)
    entries: list[tuple[float, str, Option | int]] = [*able]
    entries += [(float(market.npv_usd[i]), market.ids[i], int(i)) for i in able_offers]
    entries.sort(key=lambda e: e[:2])
    out: list[tuple[str, Option | int]] = [(o.id, o) for o in options if not o.feasible]
    out += [(market.ids[i], int(i)) for i in np.flatnonzero(~market.feasible)]
    out.sort(key=lambda e: e[0])
    return Ranking(setting, [e[2] for e in entries] + [e[1] for e in out], market, len(entries))
