"""GCP billing catalog: prices of cores, memory, GPUs and local disks, put together into the machines they make.

Shape: https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from rackrent.catalog.prices import assembled_price
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
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH

URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
PAGES_MAX = 500
SSD_GB = 375.0
"""One local SSD, GB (GCP sells and forces them in this size)."""


class Shape(NamedTuple):
    """What a machine type is made of; `ssds` local disks are forced on it."""

    family: str
    vcpus: float
    ram_gb: float
    gpu: str
    sku: str
    gpus: float
    ssds: int = 0


def _shapes() -> dict[str, Shape]:
    """Machine types and their parts (https://cloud.google.com/compute/docs/gpus and .../accelerator-optimized-machines)."""
    a100, a100_80 = "Nvidia Tesla A100 GPU", "Nvidia Tesla A100 80GB GPU"
    out = {
        f"a2-highgpu-{n}g": Shape("A2", 12.0 * n, 85.0 * n, "A100 SXM 40GB", a100, n) for n in (1, 2, 4, 8)
    }
    out["a2-megagpu-16g"] = Shape("A2", 96, 1360, "A100 SXM 40GB", a100, 16)
    for n in (1, 2, 4, 8):
        out[f"a2-ultragpu-{n}g"] = Shape("A2", 12.0 * n, 170.0 * n, "A100 SXM 80GB", a100_80, n, n)
    for vcpus, gpus in ((4, 1), (8, 1), (12, 1), (16, 1), (24, 2), (32, 1), (48, 4), (96, 8)):
        out[f"g2-standard-{vcpus}"] = Shape("G2", vcpus, 4.0 * vcpus, "L4", "Nvidia L4 GPU", gpus)
    out["a3-highgpu-8g"] = Shape("A3", 208, 1872, "H100 SXM 80GB", "Nvidia H100 80GB GPU", 8, 16)
    return out


SHAPES = _shapes()
TERMS = {
    "OnDemand": "on_demand",
    "Preemptible": "spot",
    "Commit1Yr": "reserved_1y",
    "Commit3Yr": "reserved_3y",
}
NOT_PLAIN = re.compile(
    r"Sole Tenancy|Custom|Calendar Mode|DWS|Reserved|Premium|Extended|suspended", re.IGNORECASE
)
PART = re.compile(
    r"^(?:Spot Preemptible |Preemptible |Commitment v1: )?"
    r"(?:(?P<family>[A-Z]\d)(?: Instance| Predefined Instance)? (?P<part>Core|Cpu|Ram)|(?P<gpu>Nvidia .+? GPU))\b"
)
SSD = re.compile(r"SSD backed Local Storage", re.IGNORECASE)

Parts = dict[tuple[str, str, str], float]
"""(region, term, part) to USD: an hour of a core, a GB, a GPU; an hour of one GB of local disk."""


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
            progress(_("GCP: {n} pages").format(n=page_number))
            if not token:
                return
            if token in seen:
                raise SourceFailed(_("its pages do not lead on: {link}").format(link=token[:40]))
            seen.add(token)
        raise SourceFailed(_("it has more than {n} pages").format(n=PAGES_MAX))

    def _machines(self, parts: Parts, as_of: date, warnings: list[str]) -> Iterator[Row]:
        for name, shape in SHAPES.items():
            places = sorted({(region, term) for region, term, part in parts if part == shape.sku})
            for region, term in places:
                amount = machine_price(shape, region, term, parts)
                if amount is None:
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


def machine_price(
    shape: Shape, region: str, term: str, parts: Mapping[tuple[str, str, str], float]
) -> float | None:
    """Return USD an hour of a machine: its cores, its memory, its GPUs and the disks the type forces on it.

    Unknown where the price of one part is.

    >>> parts = {("r", "on_demand", "X Core"): 1.0, ("r", "on_demand", "X Ram"): 0.5, ("r", "on_demand", "G"): 40.0}
    >>> machine_price(Shape("X", 6, 8, "L4", "G", 2), "r", "on_demand", parts)
    90.0
    """

    def part(name: str, times: float) -> float | None:
        each = parts.get((region, term, name))
        return None if each is None else each * times

    host = assembled_price(
        part(f"{shape.family} Core", shape.vcpus), part(f"{shape.family} Ram", shape.ram_gb)
    )
    extras = [part("SSD", SSD_GB * shape.ssds)] if shape.ssds else []
    total = assembled_price(host, part(shape.sku, shape.gpus), *extras)
    return None if total is None else round(total, 6)


def _add(parts: Parts, sku: Any, warnings: list[str]) -> None:
    """Note the price of a SKU that is a part of a GPU machine."""
    said = need(sku, "description", _("a SKU"))
    category = need(sku, "category", _("a SKU"))
    term = TERMS.get(need(category, "usageType", _("a SKU")))
    ssd, found = SSD.search(said), PART.match(said)
    if term is None or NOT_PLAIN.search(said) or not (ssd or found):
        return
    price = _usd(sku, said)
    if price is None:
        warnings.append(_("GCP gives no price for {type}").format(type=said))
        return
    if ssd or found is None:
        name, price = "SSD", price / HOURS_PER_MONTH
    elif found["gpu"]:
        name = found["gpu"]
    else:
        name = f"{found['family']} {'Ram' if found['part'] == 'Ram' else 'Core'}"
    for region in need(sku, "serviceRegions", said):
        parts[region, term, name] = price


def _usd(sku: Any, said: str) -> float | None:
    """Return the price of the last tier (a first tier may be a free allowance); zero is unknown."""
    info = need(sku, "pricingInfo", said)
    if not info:
        return None
    expression = need(info[-1], "pricingExpression", said)
    for tier in reversed(need(expression, "tieredRates", said)):
        price = need(tier, "unitPrice", said)
        if price.get("currencyCode", "USD") != "USD":
            return None
        amount = (number(price.get("units"), "units", said) or 0.0) + (
            number(price.get("nanos"), "nanos", said) or 0.0
        ) / 1e9
        return amount or None
    return None
