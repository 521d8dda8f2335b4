"""Money for decisions: floats in US dollars, formatted for people in the currency they read. (The exchange's ledger uses integers.)

Every amount inside is in dollars; `format_usd` turns it into the currency of `shown_in` on its way to a person.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency to show amounts in, at one dated rate: the mean of `month`. `note` says both in words."""

    code: str
    usd_per_unit: float
    month: date
    source: str
    note: str = ""


_shown: ContextVar[Currency | None] = ContextVar("rackrent_currency", default=None)


@contextmanager
def shown_in(currency: Currency | None) -> Iterator[None]:
    """Show amounts in `currency` (None: US dollars) within this context."""
    before = _shown.set(currency)
    try:
        yield
    finally:
        _shown.reset(before)


def currency() -> Currency | None:
    """Return the currency amounts are shown in; None for US dollars."""
    return _shown.get()


def converted(usd: float) -> float:
    """Return dollars in the currency shown."""
    shown = _shown.get()
    return usd if shown is None else usd / shown.usd_per_unit


def format_usd(usd: float | None, *, decimals: int | None = None) -> str:
    """Format dollars for people, in the currency shown; unknown (None or NaN) is said, never shown as 0.

    >>> format_usd(1234.5), format_usd(0.427), format_usd(None), format_usd(-20)
    ('$1,234', '$0.427', 'unknown', '-$20.00')
    >>> with shown_in(Currency("EUR", 1.25, date(2024, 1, 1), "source")):
    ...     format_usd(1250), format_usd(-20)
    ('EUR 1,000', '-EUR 16.00')
    """
    shown = _shown.get()
    return _format(usd, "$" if shown is None else f"{shown.code} ", decimals)


def format_cell(usd: float | None) -> str:
    """Format dollars for a column whose heading says the currency, unless it is the dollar."""
    return _format(usd, "$" if _shown.get() is None else "", None)


def _format(usd: float | None, sign: str, decimals: int | None) -> str:
    from rackrent.i18n import gettext as _

    if usd is None or math.isnan(usd):
        return _("unknown")
    amount = converted(usd)
    if decimals is None:
        decimals = 0 if abs(amount) >= 1_000 else 2 if abs(amount) >= 1 else 3
        if amount == 0:
            decimals = 0
    text = f"{sign}{abs(amount):,.{decimals}f}"
    return f"-{text}" if amount < 0 else text
