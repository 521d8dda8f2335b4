"""European Central Bank: daily reference rates as monthly means in dollars.

Shape: https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from datetime import date
from statistics import fmean

from rackrent.catalog.sources.base import Progress, SourceRows, need, number, source_rows
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml"
CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


class Ecb:
    """Exchange rates."""

    name = "ecb"
    id = "ecb-reference-rates"

    def __init__(self, *, url: str = URL) -> None:
        """Read the file of the last 90 days."""
        self._url = url
        self.citation = f"European Central Bank, euro foreign exchange reference rates ({URL})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return a row a month and currency. A first month of which the file lacks the start is left out."""
        progress(_("European Central Bank: fetching rates"))
        text = client.text(self._url)
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise SourceFailed(_("the rates carry a document type, which they never do"))
        try:
            root = ET.fromstring(text)
        except ET.ParseError as error:
            raise SourceFailed(_("the rates are not whole XML ({reason})").format(reason=error)) from None
        days = {cube.get("time"): cube for cube in root.iter(CUBE) if cube.get("time")}
        if not days:
            need({}, "time", _("the rates"))
        usd: dict[tuple[date, str], list[float]] = defaultdict(list)
        seen: dict[date, date] = {}
        first = min(date.fromisoformat(str(day)) for day in days)
        for text_day, cube in days.items():
            day = date.fromisoformat(str(text_day))
            rates = {need(c.attrib, "currency", _("a rate")): _rate(c.attrib) for c in cube}
            dollar = need(rates, "USD", _("the rates of {day}").format(day=day))
            month = day.replace(day=1)
            if day > as_of or (month == first.replace(day=1) and first.day > 4):
                continue
            seen[month] = max(day, seen.get(month, day))
            usd[month, "EUR"].append(dollar)
            for code, rate in rates.items():
                if code != "USD":
                    usd[month, code].append(dollar / rate)
        rows = [
            {
                "month": month, "currency": code, "usd_per_unit": round(fmean(values), 8), "source": self.id,
                "observed_on": seen[month], "confidence": "high", "valid_from": month,
            }
            for (month, code), values in sorted(usd.items())
        ]  # fmt: skip
        return source_rows(fx=rows)


def _rate(cube: dict[str, str]) -> float:
    rate = number(need(cube, "rate", _("a rate")), "rate", _("a rate"))
    if rate is None or rate <= 0:
        raise SourceFailed(_("the rate of {currency} is {rate}").format(currency=cube["currency"], rate=rate))
    return rate
