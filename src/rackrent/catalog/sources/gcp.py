"""GCP billing catalog: prices of cores, memory, GPUs and local disks, put together into the machines they make.

Shape: https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from rackrent.catalog.sources.base import (
    MONTHS,
    Known,
    Progress,
    Row,
    SourceRows,
    need,
    number,
    offer_row,
    source_rows,
)
from rackrent.catalog.sources.gcp_machines import SHAPES, SSD_GB, machine_price, parts_needed
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH

URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
PAGES_MAX = 500
TERMS = {
    "OnDemand": "on_demand",
    "Preemptible": "spot",
    "Commit1Yr": "reserved_1y",
    "Commit3Yr": "reserved_3y",
}
NOT_PLAIN = re.compile(
    r"Sole Tenancy|Custom|Calendar Mode|DWS|Flex|Reserved|Premium|Extended|suspended|Workstation",
    re.IGNORECASE,
)
_BEFORE = r"^(?:Spot Preemptible |Preemptible |Commitment v1: )?"
HOST = re.compile(
    _BEFORE
    + r"(?P<family>[A-Z]\d(?: ?(?:Plus|Ultra))?)(?: Predefined)?(?: Instance)? (?P<part>Core|Cpu|Ram)\b"
)
N1_COMMITTED = re.compile(r"^Commitment v1: (?P<part>Cpu|Ram)\b")
"""Commitments to the oldest family do not name it."""
GPU = re.compile(
    _BEFORE
    + r"(?:Nvidia )?(?:Tesla )?(?P<gpu>A100 80GB|A100|H100 80GB Mega|H100 Mega 80GB|H100 80GB Plus|H100 80GB|"
    r"H200 141GB|L4|T4|P4|P100|V100) GPU\b"
)
WITHOUT_GPU_IN_NAME = re.compile(
    _BEFORE + r"(?:A4 Nvidia (?P<slice>B200) \(1 gpu slice\)|(?P<gpu>RTX 6000 96GB)\b)"
)
SSD = re.compile(r"^(?:Commitment v1: )?(?:SSD backed Local Storage|Local SSD)\b")
SAME = {"H100 Mega 80GB": "H100 80GB Mega", "H100 80GB Plus": "H100 80GB Mega"}
"""Names of one part that differ from region to region."""
UNITS = {"h": 1.0, "GiBy.h": 1.0, "GiBy.mo": HOURS_PER_MONTH}
"""Unit of a price to the hours it buys; any other unit is unknown."""

Parts = dict[tuple[str, str, str], float]


class Gcp:
    """Prices of accelerator-optimised machines: on demand, spot and committed. Needs an API key of your own."""

    name = "gcp"
    id = "gcp-billing-catalog"

    def __init__(self, known: Known, *, key: str | None, url: str = URL) -> None:
        """Read with the API key `key`."""
        self._known, self._key, self._url = known, key, url
        self.citation = f"Google Cloud Billing catalog, Compute Engine SKUs ({URL})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the prices of all pages put together; if one of them cannot be read nothing is."""
        if not self._key:
            raise SourceFailed(_("it wants an API key of yours in RACKRENT_GCP_KEY"))
        parts: Parts = {}
        warnings: list[str] = []
        for sku in self._skus(client, self._key, progress):
            _add(parts, sku, warnings)
        if not parts:
            raise SourceFailed(_("it lists no machine with a GPU"))
        return source_rows(self._machines(parts, as_of, warnings), warnings=warnings)

    def _skus(self, client: Client, key: str, progress: Progress) -> Iterator[Any]:
        token, seen = "", set[str]()
        for page_number in range(1, PAGES_MAX + 1):
            params = {"key": key, "currencyCode": "USD", "pageSize": "5000"}
            page = client.json(self._url, params | ({"pageToken": token} if token else {}))
            yield from need(page, "skus", _("a page of SKUs"))
            token = page.get("nextPageToken") or ""
            progress(_("GCP: page {n}").format(n=page_number))
            if not token:
                return
            if token in seen:
                raise SourceFailed(_("its pages do not lead on: {link}").format(link=token[:40]))
            seen.add(token)
        raise SourceFailed(_("it has more than {n} pages").format(n=PAGES_MAX))

    def _machines(self, parts: Parts, as_of: date, warnings: list[str]) -> Iterator[Row]:
        for name, shape in SHAPES.items():
            places = sorted({(region, term) for region, term, part in parts if part == shape.part})
            for region, term in places:
                if term == "on_demand" and not shape.on_demand:
                    continue
                amount = machine_price(shape, region, term, parts)
                if amount is None:
                    if not any(
                        (region, term, part) in parts for part in parts_needed(shape) if part != shape.part
                    ):
                        continue  # its GPUs have a price there for another machine, and this one is not sold there
                    warnings.append(
                        _("GCP gives no price for a part of {type} in {region}").format(
                            type=name, region=region
                        )
                    )
                yield offer_row(
                    self.id, as_of, provider="GCP", instance_type=name, region=region, term=term, gpu=shape.gpu,
                    gpu_count=float(shape.gpus), gpu_memory_gb=self._known.memory(shape.gpu), vcpus=float(shape.vcpus),
                    ram_gb=float(shape.ram_gb), disk_gb=SSD_GB * shape.ssds or None, amount=amount,
                    country=self._known.country("GCP", region),
                    payment="no_upfront" if term in MONTHS else None,
                )  # fmt: skip


def part_of(said: str) -> str | None:
    """Return which part of a GPU machine a SKU is, from its description; None if it is none.

    >>> part_of("Nvidia H100 80GB Plus GPU attached to Spot Preemptible VMs running in Americas")
    'H100 80GB Mega'
    >>> part_of("Commitment v1: A2 Cpu in Americas for 1 Year"), part_of("Nvidia L4 Virtual Workstation GPU running in Iowa")
    ('A2 Core', None)
    """
    if NOT_PLAIN.search(said):
        return None
    if SSD.match(said):
        return "SSD"
    if gpu := GPU.match(said):
        return SAME.get(gpu["gpu"], gpu["gpu"])
    if gpu := WITHOUT_GPU_IN_NAME.match(said):
        return gpu["slice"] or gpu["gpu"]
    if host := HOST.match(said):
        return f"{host['family'].replace(' ', '')} {'Ram' if host['part'] == 'Ram' else 'Core'}"
    if host := N1_COMMITTED.match(said):
        return f"N1 {'Ram' if host['part'] == 'Ram' else 'Core'}"
    return None


def _add(parts: Parts, sku: Any, warnings: list[str]) -> None:
    """Note the price of a SKU that is a part of a GPU machine; of two prices for one part the lower."""
    said = need(sku, "description", _("a SKU"))
    category = need(sku, "category", _("a SKU"))
    term = TERMS.get(need(category, "usageType", _("a SKU")))
    name = part_of(said)
    if term is None or name is None:
        return
    if "Preemptible" in said:
        term = "spot"  # some of these SKUs are filed under on demand
    price = _usd_per_hour(sku, said)
    if price is None:
        warnings.append(_("GCP gives no price for {type}").format(type=said))
        return
    for region in need(sku, "serviceRegions", said):
        other = parts.get((region, term, name), price)
        if other != price:
            warnings.append(
                _(
                    "GCP gives two prices for {part} in {region}: ${low:g} is used, ${high:g} is said too"
                ).format(part=name, region=region, low=min(price, other), high=max(price, other))
            )
        parts[region, term, name] = min(price, other)


def _usd_per_hour(sku: Any, said: str) -> float | None:
    """Return the price of the last tier (a first tier may be a free allowance); zero and a strange unit are unknown."""
    info = need(sku, "pricingInfo", said)
    if not info:
        return None
    expression = need(info[-1], "pricingExpression", said)
    hours = UNITS.get(need(expression, "usageUnit", said))
    for tier in reversed(need(expression, "tieredRates", said)):
        price = need(tier, "unitPrice", said)
        if price.get("currencyCode", "USD") != "USD" or hours is None:
            return None
        amount = (number(price.get("units"), "units", said) or 0.0) + (
            number(price.get("nanos"), "nanos", said) or 0.0
        ) / 1e9
        return amount / hours or None
    return None
