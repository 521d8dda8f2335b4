"""AWS price list: the bulk offer file of EC2, one for each region, read as a stream (it holds hundreds of megabytes).

Shape: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-an-offer.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import IO, Any, NamedTuple

import ijson
import polars as pl

from rackrent.catalog.sources.base import (
    MONTHS,
    Known,
    Machine,
    Progress,
    Row,
    SourceRows,
    need,
    number,
    of_machine,
    offer_row,
    source_rows,
    table_of,
    without_gaps,
)
from rackrent.catalog.sources.http import Client, SourceFailed, refuse_web_page, shown
from rackrent.i18n import gettext as _

HOST = "https://pricing.us-east-1.amazonaws.com"
INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
REGIONS = ("us-east-1", "us-west-2", "eu-central-1")
PLAIN = {
    "operatingSystem": ("Linux",),
    "tenancy": ("Shared",),
    "capacitystatus": ("Used",),
    "preInstalledSw": ("NA", ""),
    "marketoption": ("OnDemand",),
}
"""Attributes of a plain Linux machine of one's own; a file without one of them is not refused."""
LENGTHS = {"1yr": "reserved_1y", "3yr": "reserved_3y"}
PAYMENTS = {"No Upfront": "no_upfront", "Partial Upfront": "partial_upfront", "All Upfront": "all_upfront"}


class Aws:
    """On-demand and reserved (standard) prices of machines with GPUs."""

    name = "aws"
    id = "aws-price-list"

    def __init__(self, known: Known, *, host: str = HOST, regions: Sequence[str] = REGIONS) -> None:
        """Look at these regions."""
        self._known, self._host, self._regions = known, host, tuple(regions)
        self.citation = f"AWS price list, EC2 offer files ({HOST}{INDEX})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the prices of all regions; if one of them cannot be read nothing is."""
        index = client.json(self._host + INDEX)
        files = need(index, "regions", _("the index of regions"))
        frames = [table_of("offers", ())]
        warnings: list[str] = []
        for region in self._regions:
            if region not in files:
                raise SourceFailed(_("the index of regions has no {region}").format(region=region))
            path = need(files[region], "currentVersionUrl", _("the index of regions"))
            progress(_("AWS {region}: fetching").format(region=region))
            with client.document(self._host + path) as document:
                refuse_web_page(path, document.read(1_000))
                document.seek(0)
                found, warned = offers_of(document, region, self._known, self.id, as_of, path)
            frames.append(found)
            warnings += warned
        return replace(source_rows(warnings=warnings), offers=without_gaps(pl.concat(frames)))


PRICE = {
    "machine": pl.Int64, "term": pl.String, "amount": pl.Float64, "currency": pl.String, "upfront": pl.Float64,
    "minimum_months": pl.Float64, "payment": pl.String,
}  # fmt: skip
"""Columns of the prices: the number of the machine, and those of an offer."""


class Kind(NamedTuple):
    """What a product says of its machine, in its own words; products of one machine share one."""

    instance_type: str
    gpus: str
    vcpus: str
    memory: str
    region: str


@dataclass
class Scan:
    """What is kept of an offer file: which kind each GPU product (SKU) is, and its prices.

    A file of one region may hold a million prices, so they are kept as columns, not as rows.
    """

    region: str
    kinds: dict[Kind, int] = field(default_factory=dict)
    products: dict[str, int] = field(default_factory=dict)
    priced: set[str] = field(default_factory=set)
    terms_read: bool = False
    prices: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in PRICE})

    def keep(self, sku: str, said: dict[str, str]) -> None:
        """Keep a product."""
        kind = Kind(
            said["instanceType"], said["gpu"], said.get("vcpu") or "", said.get("memory") or "",
            said.get("regionCode") or self.region,
        )  # fmt: skip
        self.products[sku] = self.kinds.setdefault(kind, len(self.kinds))

    def price(self, sku: str, price: tuple[Any, ...]) -> None:
        """Keep a price of a product: the columns of `PRICE` but the first."""
        for column, value in zip(self.prices.values(), (self.products[sku], *price), strict=True):
            column.append(value)


def offers_of(
    document: IO[bytes], region: str, known: Known, source: str, as_of: date, path: str = "the offer file"
) -> tuple[pl.DataFrame, list[str]]:
    """Return the offers of one offer file (JSON, products before terms or after), and warnings."""
    found = Scan(region)
    try:
        scan(document, found)
        if not found.terms_read:
            document.seek(0)
            scan(document, found, products_known=True)
    except ijson.JSONError as error:
        raise SourceFailed(
            _("{url} is not whole JSON ({reason})").format(url=shown(path), reason=str(error)[:80].strip())
        ) from None
    names = {number_of: kind.instance_type for kind, number_of in found.kinds.items()}
    unpriced = {sku: kind for sku, kind in found.products.items() if sku not in found.priced}
    for sku in unpriced:
        found.price(sku, ("on_demand", None, None, 0.0, 0.0, None))
    warnings = {_("AWS gives no price for {type}").format(type=names[kind]) for kind in unpriced.values()}
    machines = table_of("offers", (offer_row(source, as_of, **_machine(kind, known)) for kind in found.kinds))
    offers = (
        pl.DataFrame(found.prices, schema=PRICE)
        .join(
            machines.select(pl.exclude(list(PRICE))).with_row_index("machine").cast({"machine": pl.Int64}),
            on="machine",
            how="inner",
            maintain_order="left",
        )
        .select(machines.columns)
    )
    return offers, sorted(warnings)


def scan(document: IO[bytes], found: Scan, *, products_known: bool = False) -> None:
    """Read an offer file in one pass into `found`. Where terms come before products they are left for another pass.

    Everything else is skipped event by event and never built.
    """
    seen = {"products": products_known, "terms": False}
    events = ijson.basic_parse(document, use_float=True)
    for event, value in events:
        if event != "map_key":
            continue
        if value == "products" and not products_known:
            for sku, product in _members(events, lambda _sku: True):
                if attributes := _gpu_machine(product):
                    found.keep(sku, attributes)
        elif value == "terms" and seen["products"]:
            _terms(events, found)
            found.terms_read = True
        else:
            _skip(events)
        if value in seen:
            seen[value] = True
    for name, there in seen.items():
        if not there:
            need({}, name, _("the offer file"))


def _terms(events: Iterator[tuple[str, Any]], found: Scan) -> None:
    """Keep the prices of GPU products under OnDemand and Reserved."""
    _begin(events, "terms")
    for event, kind in events:
        if event == "end_map":
            return
        if kind in ("OnDemand", "Reserved"):
            for sku, terms in _members(events, found.products.__contains__):
                for price in _prices(terms, reserved=kind == "Reserved"):
                    found.price(sku, price)
                    found.priced.add(sku)
        else:
            _skip(events)


def _members(events: Iterator[tuple[str, Any]], keep: Any) -> Iterator[tuple[str, Any]]:
    """Yield (key, value) of the object that begins; values of keys that are not kept are skipped unbuilt."""
    _begin(events, "products")
    for event, key in events:
        if event == "end_map":
            return
        if keep(key):
            yield key, _built(events)
        else:
            _skip(events)


def _begin(events: Iterator[tuple[str, Any]], name: str) -> None:
    if next(events)[0] != "start_map":
        raise SourceFailed(
            _("{field} is not an object: the source has changed its shape").format(field=repr(name))
        )


def _skip(events: Iterator[tuple[str, Any]]) -> None:
    depth = 0
    for event, _value in events:
        if event in ("start_map", "start_array"):
            depth += 1
        elif event in ("end_map", "end_array"):
            depth -= 1
        if depth == 0:
            return


def _built(events: Iterator[tuple[str, Any]]) -> Any:
    builder = ijson.ObjectBuilder()
    depth = 0
    for event, value in events:
        builder.event(event, value)
        if event in ("start_map", "start_array"):
            depth += 1
        elif event in ("end_map", "end_array"):
            depth -= 1
        if depth == 0:
            break
    return builder.value


def _gpu_machine(product: Any) -> dict[str, str] | None:
    """Return the attributes of a plain Linux machine with GPUs, None for all else."""
    if not str(product.get("productFamily", "")).startswith("Compute Instance"):
        return None
    attributes: dict[str, str] = need(product, "attributes", _("a product"))
    if number(attributes.get("gpu"), "gpu", _("a product")) in (None, 0.0):
        return None
    need(attributes, "instanceType", _("a product"))
    if any(attributes.get(name, words[0]) not in words for name, words in PLAIN.items()):
        return None
    return attributes


def _machine(kind: Kind, known: Known) -> Row:
    name = kind.instance_type
    machine = known.machine("AWS", name)
    count = number(kind.gpus, "gpu", name)
    if machine is None:
        machine = Machine(name.split(".")[0], "cloud", count, None, None, None, None, None)
    ram = re.match(r"([\d,.]+) GiB", kind.memory)
    return of_machine(machine) | {
        "gpu_count": machine.gpu_count or count,
        "vcpus": number(kind.vcpus, "vcpu", name) or machine.vcpus,
        "ram_gb": float(ram[1].replace(",", "")) if ram else machine.ram_gb,
        "kind": "bare_metal" if ".metal" in name else "cloud",
        "provider": "AWS",
        "instance_type": name,
        "region": kind.region,
        "country": known.country("AWS", kind.region),
    }


def _prices(terms: dict[str, Any], *, reserved: bool) -> Iterator[tuple[Any, ...]]:
    """Yield (term, amount, currency, upfront, minimum months, payment) of each offer of one SKU.

    Convertible reservations are left out, and those of a length that is neither one year nor three.
    """
    for term in terms.values():
        said = term.get("termAttributes") or {}
        if said.get("OfferingClass", "standard") != "standard":
            continue
        length = LENGTHS.get(said.get("LeaseContractLength", "")) if reserved else "on_demand"
        if length is None:
            continue
        hourly: float | None = None
        upfront, currency = 0.0, None
        for dimension in need(term, "priceDimensions", _("a term")).values():
            price = need(dimension, "pricePerUnit", _("a price"))
            currency = "USD" if "USD" in price else next(iter(price), None)
            amount = number(price.get(currency or ""), "pricePerUnit", _("a price"))
            if need(dimension, "unit", _("a price")) == "Quantity":
                upfront = amount or 0.0
            else:
                hourly = amount
        if reserved and hourly is None and upfront:
            hourly = 0.0
        payment = PAYMENTS.get(said.get("PurchaseOption", "")) if reserved else None
        yield length, hourly, currency, upfront, MONTHS.get(length, 0.0), payment
