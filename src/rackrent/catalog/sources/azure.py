"""Azure retail prices: pages of meters; on demand, spot and reservations, in any currency.

Shape: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from rackrent.catalog.sources.base import (
    MONTHS,
    Known,
    Progress,
    Row,
    SourceRows,
    need,
    number,
    of_machine,
    offer_row,
    source_rows,
)
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH

URL = "https://prices.azure.com/api/retail/prices"
VERSION = "2023-01-01-preview"
FILTER = "serviceName eq 'Virtual Machines' and startswith(armSkuName, 'Standard_N')"
PAGES_MAX = 2_000
TERMS = {"1 Year": "reserved_1y", "3 Years": "reserved_3y"}
NOT_PLAIN = ("Windows", "Dedicated", "CloudServices", "Cloud Services")


class Azure:
    """Prices of Linux machines with GPUs."""

    name = "azure"
    id = "azure-retail-prices"

    def __init__(self, known: Known, *, url: str = URL, currency: str = "USD") -> None:
        """Ask for prices in `currency`."""
        self._known, self._url, self._currency = known, url, currency
        self.citation = f"Azure Retail Prices API ({URL})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the prices of all pages; if one of them cannot be read nothing is."""
        rows: list[Row] = []
        warnings: list[str] = []
        for item in self._items(client, progress):
            row = self._row(item, as_of, warnings)
            if row is not None:
                rows.append(row)
        if not rows:
            raise SourceFailed(_("it lists no machine with a GPU"))
        return source_rows(rows, warnings=warnings)

    def _items(self, client: Client, progress: Progress) -> Iterator[Any]:
        params: dict[str, str] | None = {
            "api-version": VERSION, "currencyCode": f"'{self._currency}'", "$filter": FILTER
        }  # fmt: skip
        url, seen = self._url, set[str]()
        for page_number in range(1, PAGES_MAX + 1):
            page = client.json(url, params)
            yield from need(page, "Items", _("a page of prices"))
            following = need(page, "NextPageLink", _("a page of prices"))
            if not following:
                return
            if following in seen or urlsplit(following).netloc != urlsplit(self._url).netloc:
                raise SourceFailed(_("its pages do not lead on: {link}").format(link=following[:200]))
            seen.add(following)
            url, params = following, None
            progress(_("Azure: page {n}").format(n=page_number))
        raise SourceFailed(_("it has more than {n} pages").format(n=PAGES_MAX))

    def _row(self, item: Any, as_of: date, warnings: list[str]) -> Row | None:
        name = need(item, "armSkuName", _("a price"))
        product = need(item, "productName", _("a price"))
        kind = need(item, "type", _("a price"))
        meter = need(item, "meterName", _("a price"))
        region = need(item, "armRegionName", _("a price"))
        if kind not in ("Consumption", "Reservation") or any(word in product for word in NOT_PLAIN):
            return None
        if item.get("isPrimaryMeterRegion") is False or not _holds(item, as_of):
            return None
        if "Low Priority" in meter or not name or not region:
            return None
        machine = self._known.machine("Azure", name)
        if machine is None:
            return None
        amount = number(need(item, "retailPrice", _("a price")), "retailPrice", name)
        row = of_machine(machine) | {
            "provider": "Azure",
            "instance_type": name,
            "region": region,
            "country": self._known.country("Azure", region),
            "amount": amount,
            "currency": item.get("currencyCode"),
            "term": "spot" if "Spot" in meter else "on_demand",
        }
        if kind == "Reservation":
            term = TERMS.get(item.get("reservationTerm", ""))
            if term is None:
                return None
            # The feed gives the price of the whole term; paid monthly it costs the same.
            hours = MONTHS[term] * HOURS_PER_MONTH
            row |= {
                "term": term,
                "payment": "no_upfront",
                "amount": None if amount is None else amount / hours,
            }
        elif need(item, "unitOfMeasure", name) != "1 Hour":
            warnings.append(
                _("Azure quotes {type} per {unit}: unknown").format(type=name, unit=item["unitOfMeasure"])
            )
            row["amount"] = None
        if row["amount"] is None:
            warnings.append(_("Azure gives no price for {type}").format(type=name))
        return offer_row(self.id, as_of, **row)


def _holds(item: Any, day: date) -> bool:
    """Whether a meter's price holds on `day`; one that says no days does."""
    start, end = (str(item.get(name) or "")[:10] for name in ("effectiveStartDate", "effectiveEndDate"))
    return start <= day.isoformat() and (not end or day.isoformat() < end)
