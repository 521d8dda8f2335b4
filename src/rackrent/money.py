"""Money for decisions: floats in US dollars, formatted for people. (The exchange's ledger uses integers.)"""

from __future__ import annotations

import math


def format_usd(usd: float | None, *, decimals: int | None = None) -> str:
    """Format dollars for a table; unknown (None or NaN) is said, never shown as 0.

    >>> format_usd(1234.5), format_usd(0.427), format_usd(None), format_usd(-20)
    ('$1,234', '$0.427', 'unknown', '-$20.00')
    """
    from rackrent.i18n import gettext as _

    if usd is None or math.isnan(usd):
        return _("unknown")
    if decimals is None:
        decimals = 0 if abs(usd) >= 1_000 else 2 if abs(usd) >= 1 else 3
        if usd == 0:
            decimals = 0
    text = f"${abs(usd):,.{decimals}f}"
    return f"-{text}" if usd < 0 else text
