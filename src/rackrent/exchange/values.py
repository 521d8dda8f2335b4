"""`replace` of `dataclasses` for the exchange's frozen values, twice as quick: a simulated month makes millions of them."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["replace"]

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
        slots, read = _parts(kind)
        made = object.__new__(kind)
        for (name, fill), before in zip(slots, read(value), strict=True):
            fill(made, fields.pop(name) if name in fields else before)
        if fields:
            raise TypeError(f"{kind.__name__} has no field {', '.join(fields)}")
        return made


@cache
def _parts(kind: type[Any]) -> tuple[list[tuple[str, Any]], Any]:
    """The slots of a class with what fills each, and what reads all of them."""
    names = list(kind.__dataclass_fields__)
    return [(name, getattr(kind, name).__set__) for name in names], attrgetter(*names)
