"""AWS price list: the bulk offer file of EC2, one for each region, read as a stream (it holds hundreds of megabytes).

Shape: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-an-offer.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import IO, Any

import ijson

from rackrent.catalog.sources.base import (
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
        rows: list[Row] = []
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
            rows += found
            warnings += warned
        return source_rows(rows, warnings=warnings)


def offers_of(
    document: IO[bytes], region: str, known: Known, source: str, as_of: date, path: str = "the offer file"
) -> tuple[list[Row], list[str]]:
    """Return the offer rows of one offer file (JSON, products before terms or after), and warnings.

    Only GPU machines are held in memory.
    """
    try:
        products, terms = scan(document)
        if terms is None:
            document.seek(0)
            terms = scan(document, products)[1]
    except ijson.JSONError as error:
        raise SourceFailed(
            _("{url} is not whole JSON ({reason})").format(url=shown(path), reason=str(error)[:80].strip())
        ) from None
    if not products and terms is None:
        need({}, "products", path)
    rows, warnings, priced = [], [], set()
    for sku, machine_terms in terms or ():
        attributes = products[sku]
        base = _machine(attributes, region, known)
        for row in _prices(machine_terms):
            priced.add(sku)
            rows.append(offer_row(source, as_of, **base | row))
    for sku in products.keys() - priced:
        warnings.append(
            _("AWS gives no price for {type}").format(type=products[sku].get("instanceType", sku))
        )
        base = _machine(products[sku], region, known)
        rows.append(offer_row(source, as_of, **base | {"amount": None, "currency": None}))
    return rows, sorted(warnings)


def scan(
    document: IO[bytes], products: dict[str, dict[str, str]] | None = None
) -> tuple[dict[str, dict[str, str]], list[tuple[str, dict[str, Any]]] | None]:
    """Return (GPU products by SKU, [(SKU, a term)]) in one pass; terms are None where they come before products.

    Everything else is skipped event by event and never built.
    """
    told = products is not None
    found: dict[str, dict[str, str]] = products or {}
    terms: list[tuple[str, dict[str, Any]]] = []
    early = seen_products = seen_terms = False
    events = ijson.basic_parse(document, use_float=True)
    for event, value in events:
        if event != "map_key":
            continue
        if value == "products" and not told:
            seen_products = True
            for sku, product in _members(events, lambda _sku: True):
                if attributes := _gpu_machine(product):
                    found[sku] = attributes
        elif value == "terms":
            seen_terms = True
            if not (seen_products or told):
                early = True
                _skip(events)
                continue
            terms += _terms(events, found)
        else:
            _skip(events)
    if not told and not seen_products:
        need({}, "products", _("the offer file"))
    if not seen_terms:
        need({}, "terms", _("the offer file"))
    return found, None if early else terms


def _terms(events: Iterator[tuple[str, Any]], wanted: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (SKU, {code: term}) of wanted SKUs under OnDemand and Reserved."""
    _begin(events, "terms")
    for event, kind in events:
        if event == "end_map":
            return
        if kind in ("OnDemand", "Reserved"):
            yield from _members(events, wanted.__contains__)
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


def _machine(attributes: dict[str, str], region: str, known: Known) -> Row:
    name = attributes["instanceType"]
    machine = known.machine("AWS", name)
    count = number(attributes["gpu"], "gpu", name)
    if machine is None:
        machine = Machine(name.split(".")[0], "cloud", count, None, None, None, None, None)
    base = of_machine(machine)
    ram = re.match(r"([\d,.]+) GiB", attributes.get("memory", ""))
    base |= {
        "gpu_count": machine.gpu_count or count,
        "vcpus": number(attributes.get("vcpu"), "vcpu", name) or machine.vcpus,
        "ram_gb": float(ram[1].replace(",", "")) if ram else machine.ram_gb,
        "kind": "bare_metal" if ".metal" in name else "cloud",
    }
    place = attributes.get("regionCode", region)
    return base | {
        "provider": "AWS",
        "instance_type": name,
        "region": place,
        "country": known.country("AWS", place),
    }


def _prices(terms: dict[str, Any]) -> Iterator[Row]:
    """Yield term, amount, payment of each offer of one SKU; convertible reservations are left out."""
    for term in terms.values():
        said = term.get("termAttributes") or {}
        if said.get("OfferingClass", "standard") != "standard":
            continue
        length = LENGTHS.get(said.get("LeaseContractLength", ""))
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
        row: Row = {"amount": hourly, "currency": currency, "upfront": upfront}
        if length is not None:
            row |= {"term": length, "payment": PAYMENTS.get(said.get("PurchaseOption", ""))}
            if hourly is None and upfront:
                row["amount"] = 0.0
        yield row
