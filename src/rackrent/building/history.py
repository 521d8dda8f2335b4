"""One's own prices of parts: what they are now, and whether one has dropped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import median

from rackrent.building.match import match
from rackrent.catalog.components import Component
from rackrent.catalog.fact import Fact
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

WINDOW_DAYS = 180
DROP = 0.2
"""A price this share under the median of the window before is a drop."""
FEWEST = 5
"""Fewest prices in the window that make a median worth saying."""
MOST_ROWS = 200_000

History = tuple[tuple[date, float], ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """A price against the median of the `WINDOW_DAYS` before its day: `share` under it (0.5: half), from `points` prices."""

    part: str
    day: date
    usd: float
    median_usd: float
    share: float
    points: int
    first: date

    @property
    def dropped(self) -> bool:
        """Whether the price is so far under the median that it counts as a drop."""
        return self.share >= DROP

    def sentence(self) -> str:
        """Say it, and whether it speaks for buying now, and what that rests on."""
        if self.dropped:
            text = _(
                "{part}: ${usd:,.0f} is {share:.0%} under the median of the {days} days before: a reason to buy now"
            )
        else:
            text = _(
                "{part}: ${usd:,.0f} against a median of ${median:,.0f} in the {days} days before: no reason to hurry, none to wait"
            )
        said = text.format(
            part=self.part, usd=self.usd, share=self.share, median=self.median_usd, days=WINDOW_DAYS
        )
        rests = _("{said} (rests on {n} of your prices since {first}; nothing is known of what comes)")
        return rests.format(said=said, n=self.points, first=self.first)


def read_prices(text: str, parts: Iterable[Component]) -> dict[str, History]:
    """Read one's own prices: CSV with name, price and date (a price without one counts from the first day on).

    Raises BadInput where a row cannot be read or names a part nobody knows.
    """
    known = tuple(parts)
    rows = csv.DictReader(io.StringIO(text))
    heads = [(h or "").strip().casefold() for h in rows.fieldnames or ()]
    if not {"name", "price"} <= set(heads):
        raise BadInput(_("a file of prices has the columns name, price and date"))
    rows.fieldnames = heads
    found: dict[str, list[tuple[date, float]]] = {}
    named: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        if number > MOST_ROWS:
            raise BadInput(_("a file of prices may have {n:,} lines").format(n=MOST_ROWS))
        typed = (row["name"] or "").strip()
        try:
            usd = float((row["price"] or "").replace("$", "").replace(",", ""))
            day = date.fromisoformat((row.get("date") or "0001-01-01").strip())
        except ValueError:
            usd, day = float("nan"), date.min
        if (row.get("currency") or "USD").strip().upper() != "USD":
            raise BadInput(
                _("line {n} of the prices: they are in USD, not {currency}").format(n=number, currency=repr(row["currency"])[:40])
            )  # fmt: skip
        if not 0 < usd < 1e9 or not typed:
            raise BadInput(
                _("line {n} of the prices: it must hold a name, a price above 0 and a day such as 2018-08-31").format(n=number)
            )  # fmt: skip
        if typed not in named:
            named[typed] = match(typed, known).part.name
        found.setdefault(named[typed], []).append((day, usd))
    return {name: tuple(sorted(prices)) for name, prices in found.items()}


def priced(parts: Iterable[Component], prices: Mapping[str, History], as_of: date) -> tuple[Component, ...]:
    """Return the parts with one's own newest price of `as_of` or before in place of the catalog's."""
    out = []
    for part in parts:
        own = [(day, usd) for day, usd in prices.get(part.name, ()) if day <= as_of]
        if not own:
            out.append(part)
        else:
            day, usd = own[-1]
            price = Fact("workload", "prices", part.name, usd, "USD", _("your prices"), day if day > date.min else as_of, "high")  # fmt: skip
            out.append(replace(part, price=price))
    return tuple(out)


def drop(part: str, history: History, as_of: date) -> Drop | None:
    """Return the newest price against the median of the window before it; None where there are too few.

    >>> days = [(date(2018, 3, 1) + timedelta(n), 800.0) for n in range(183)]
    >>> drop("1920X", (*days, (date(2018, 8, 31), 400.0)), date(2018, 9, 30)).share
    0.5
    """
    known = [(day, usd) for day, usd in history if day <= as_of]
    if not known:
        return None
    day, usd = known[-1]
    before = [(d, p) for d, p in known[:-1] if day - timedelta(WINDOW_DAYS) <= d < day]
    if len(before) < FEWEST:
        return None
    middle = median(p for _d, p in before)
    return Drop(part, day, usd, middle, 1 - usd / middle, len(before), before[0][0])
