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
        at, fills, read = _parts(kind)
        values = list(read(value))
        for name, after in fields.items():
            if name not in at:
                raise TypeError(f"{kind.__name__} has no field {name}")
            values[at[name]] = after
        made = object.__new__(kind)
        for fill, after in zip(fills, values, strict=True):
            fill(made, after)
        return made


@cache
def _parts(kind: type[Any]) -> tuple[dict[str, int], list[Any], Any]:
    """Return which slot of a class is which, what fills each, and what reads all of them."""
    names = list(kind.__dataclass_fields__)
    fills = [getattr(kind, name).__set__ for name in names]
    return {name: i for i, name in enumerate(names)}, fills, attrgetter(*names)
