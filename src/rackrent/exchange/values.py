"""Making the exchange's frozen values twice as quickly as `dataclasses` does: a simulated month makes millions of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import repeat
from operator import attrgetter, call
from typing import TYPE_CHECKING, Any

__all__ = ["maker", "replace"]


def maker(kind: type[Any]) -> Callable[[Iterable[Any]], Any]:
    """Return what makes a value of a frozen dataclass with slots from all its fields in order, as its constructor would.

    >>> from rackrent.exchange.model import Account
    >>> maker(Account)(["fees", 1])
    Account(id='fees', balance_micro_usd=1)
    """
    fills = [getattr(kind, name).__set__ for name in kind.__dataclass_fields__]

    def make(values: Iterable[Any]) -> Any:
        made = object.__new__(kind)
        deque(map(call, fills, repeat(made), values), 0)
        return made

    return make


if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(value: Any, /, **fields: Any) -> Any:
        """Return a frozen dataclass with slots with some fields changed. Raises TypeError for a field it does not have.

        >>> from rackrent.exchange.model import Account
        >>> replace(Account(id="fees", balance_micro_usd=1), balance_micro_usd=2)
        Account(id='fees', balance_micro_usd=2)
        >>> replace(Account(id="fees"), balance=2)
        Traceback (most recent call last):
        TypeError: Account has no field balance
        """
        kind = type(value)
        at, read, make = _parts(kind)
        values = list(read(value))
        for name, after in fields.items():
            if name not in at:
                raise TypeError(f"{kind.__name__} has no field {name}")
            values[at[name]] = after
        return make(values)


@cache
def _parts(kind: type[Any]) -> tuple[dict[str, int], Any, Any]:
    """Return which field of a class is which, what reads all of them, and what makes a value of them."""
    names = list(kind.__dataclass_fields__)
    return {name: i for i, name in enumerate(names)}, attrgetter(*names), maker(kind)
