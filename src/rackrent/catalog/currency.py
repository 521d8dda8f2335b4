"""Converting amounts to US dollars at a dated rate."""

from __future__ import annotations

from datetime import date

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _


def to_usd(catalog: Catalog, amount: float | None, currency: str | None, on: date) -> Fact:
    """Return `amount` of `currency` in USD at the mean rate of the month of `on`, as a fact with its rate.

    Where that month is not in the table yet, the last month before it is used and the note says so. A null
    amount or currency is unknown (value None). Raises BadInput for a currency without rates, and for a day
    before the first rate.
    """
    if currency is None:
        return Fact("catalog", "fx", "unknown", None, "usd", "", None, "low", note=_("no currency stated"))
    code = currency.strip().upper()
    if code == "USD":
        return Fact("catalog", "fx", "USD", amount, "usd", "USD", on, "high")
    month, rate, source, confidence = _rate(catalog, code, on)
    note = _("{rate:.6g} USD per {currency}, mean of {month}").format(
        rate=rate, currency=code, month=f"{month:%Y-%m}"
    )
    if (month.year, month.month) != (on.year, on.month):
        note += "; " + _("the last known month before {day}").format(day=on.isoformat())
    usd = None if amount is None else amount * rate
    key = f"{code}/{month:%Y-%m}"
    return Fact("catalog", "fx", key, usd, "usd", source, month, confidence, note=note)


def _rate(catalog: Catalog, code: str, on: date) -> tuple[date, float, str, str]:
    by_currency = catalog.once("fx by currency", lambda: _index(catalog.all_rows("fx")))
    if code not in by_currency:
        known = sorted([*by_currency, "USD"])
        guess = (nearest(code, known) or [""])[0]
        hint = _("; did you mean {guess}?").format(guess=guess) if guess else ""
        raise BadInput(
            _("No exchange rate for currency {code!r}{hint} Known: {known}.").format(
                code=code, hint=hint or ".", known=", ".join(known)
            )
        )
    earlier = [row for row in by_currency[code] if row[0] <= on]
    if not earlier:
        first = by_currency[code][0][0]
        raise BadInput(
            _("No exchange rate for {code} on {day}; rates begin in {month}.").format(
                code=code, day=on.isoformat(), month=f"{first:%Y-%m}"
            )
        )
    return earlier[-1]


def _index(rows: pl.DataFrame) -> dict[str, list[tuple[date, float, str, str]]]:
    """Currency -> (month, rate, source, confidence), in order of month."""
    out: dict[str, list[tuple[date, float, str, str]]] = {}
    ordered = rows.sort("month").select("currency", "month", "usd_per_unit", "source", "confidence")
    for code, *row in ordered.iter_rows():
        out.setdefault(code, []).append((row[0], row[1], row[2], row[3]))
    return out
