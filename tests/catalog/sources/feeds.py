"""Small documents of ours in the shapes that the sources publish."""

from __future__ import annotations

import csv
import io
import zipfile
from typing import Any


def aws_product(sku: str, kind: str, gpu: str | None = "1", **changes: Any) -> dict[str, Any]:
    """A product of the EC2 offer file: a plain Linux machine, but for `changes` of its attributes."""
    attributes = {
        "instanceType": kind,
        "vcpu": "8",
        "memory": "61 GiB",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
        "marketoption": "OnDemand",
        "regionCode": "us-east-1",
    } | ({} if gpu is None else {"gpu": gpu})
    return {"sku": sku, "productFamily": "Compute Instance", "attributes": attributes | changes}


def aws_term(sku: str, hourly: str | None, upfront: str | None = None, **said: str) -> dict[str, Any]:
    """A term of a product, priced in USD."""
    dimensions = {}
    if hourly is not None:
        dimensions["h"] = {"unit": "Hrs", "pricePerUnit": {"USD": hourly}}
    if upfront is not None:
        dimensions["q"] = {"unit": "Quantity", "pricePerUnit": {"USD": upfront}}
    return {"sku": sku, "priceDimensions": dimensions, "termAttributes": said}


def aws_offer_file() -> dict[str, Any]:
    """Two GPU machines (one without a price), one without GPUs, one with Windows."""
    one_year = {"LeaseContractLength": "1yr", "OfferingClass": "standard"}
    return {
        "formatVersion": "v1.0",
        "offerCode": "AmazonEC2",
        "products": {
            "V": aws_product("V", "p3.2xlarge"),
            "N": aws_product("N", "g6.xlarge"),
            "C": aws_product("C", "m5.large", gpu=None),
            "W": aws_product("W", "p3.2xlarge", operatingSystem="Windows"),
            "D": {"sku": "D", "productFamily": "Data Transfer", "attributes": {"usagetype": "out"}},
        },
        "terms": {
            "OnDemand": {
                "V": {"V.1": aws_term("V", "3.0600000000")},
                "C": {"C.1": aws_term("C", "0.096")},
                "W": {"W.1": aws_term("W", "3.428")},
            },
            "Reserved": {
                "V": {
                    "V.2": aws_term("V", "1.928", **one_year, PurchaseOption="No Upfront"),
                    "V.3": aws_term("V", "0.9", "7884", **one_year, PurchaseOption="Partial Upfront"),
                    "V.4": aws_term("V", "0.0", "15500", **one_year, PurchaseOption="All Upfront"),
                    "V.5": aws_term(
                        "V", "2.2", **one_year | {"OfferingClass": "convertible"}, PurchaseOption="No Upfront"
                    ),
                }
            },
        },
        "savingsPlan": {},
    }


def aws_index(*regions: str) -> dict[str, Any]:
    """The index of regions."""
    files = {r: {"regionCode": r, "currentVersionUrl": f"/offers/{r}/index.json"} for r in regions}
    return {"formatVersion": "v1.0", "regions": files}


def azure_item(**changes: Any) -> dict[str, Any]:
    """A meter of the retail prices: an A100 machine on demand, but for `changes`."""
    return {
        "currencyCode": "USD",
        "retailPrice": 3.673,
        "unitPrice": 3.673,
        "armRegionName": "eastus",
        "meterName": "NC24ads A100 v4",
        "productName": "Virtual Machines NCads A100 v4 Series",
        "skuName": "NC24ads A100 v4",
        "serviceName": "Virtual Machines",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "armSkuName": "Standard_NC24ads_A100_v4",
    } | changes


def azure_page(*items: dict[str, Any], following: str | None = None) -> dict[str, Any]:
    """A page of retail prices."""
    return {"BillingCurrency": "USD", "Items": list(items), "NextPageLink": following, "Count": len(items)}


def gcp_sku(
    text: str,
    usd: float,
    usage: str = "OnDemand",
    regions: tuple[str, ...] = ("us-central1",),
    unit: str | None = None,
) -> dict[str, Any]:
    """A SKU of the billing catalog; memory is sold by the GB-hour, local disks by the GB-month, the rest by the hour."""
    sold = "GiBy.h" if " Ram " in text else "GiBy.mo" if "Local S" in text else "h"
    units, nanos = int(usd), round((usd - int(usd)) * 1e9)
    price = {"currencyCode": "USD", "units": str(units), "nanos": nanos}
    return {
        "description": text,
        "category": {"resourceFamily": "Compute", "usageType": usage},
        "serviceRegions": list(regions),
        "pricingInfo": [
            {
                "pricingExpression": {
                    "usageUnit": unit or sold,
                    "tieredRates": [{"startUsageAmount": 0, "unitPrice": price}],
                }
            }
        ],
    }


def gcp_ultra(usage: str = "OnDemand", prefix: str = "") -> list[dict[str, Any]]:
    """What an a2-ultragpu machine is made of."""
    return [
        gcp_sku(f"{prefix}A2 Instance Core running in Americas", 0.03, usage),
        gcp_sku(f"{prefix}A2 Instance Ram running in Americas", 0.004, usage),
        gcp_sku(f"{prefix}Nvidia Tesla A100 80GB GPU running in Americas", 3.9, usage),
        gcp_sku(
            "SSD backed Local Storage" + (" attached to Spot Preemptible VMs" if "Spot" in prefix else ""),
            0.04 if "Spot" in prefix else 0.08,
            "OnDemand",
        ),
    ]


def ecb(*days: tuple[str, dict[str, float]]) -> str:
    """Reference rates of some days."""
    cubes = "".join(
        f"<Cube time='{day}'>"
        + "".join(f"<Cube currency='{c}' rate='{r}'/>" for c, r in rates.items())
        + "</Cube>"
        for day, rates in days
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        f'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube>{cubes}</Cube></gesmes:Envelope>'
    )


def table(*rows: dict[str, Any]) -> str:
    """Rows as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def gpuhunt_row(**changes: Any) -> dict[str, Any]:
    """A row of a published gpuhunt catalog."""
    return {
        "instance_name": "gpu_1x_a10", "location": "us-east-1", "price": "0.75", "cpu": "30", "memory": "200.0",
        "gpu_count": "1", "gpu_name": "A10", "gpu_memory": "24.0", "spot": "False", "disk_size": "1400.0",
        "gpu_vendor": "nvidia", "flags": "", "cpu_arch": "x86", "provider_data": "{}",
    } | changes  # fmt: skip


def zipped(name: str, text: str) -> bytes:
    """A zip with one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return out.getvalue()


def gcp_rows(*rows: tuple[str, str, str, str, str]) -> str:
    """Rows of the SkyPilot catalog of Google Cloud: (type of a host or nothing, GPU or nothing, how many, price, spot)."""
    return table(
        *(
            {
                "InstanceType": kind, "vCPUs": "12.0" if kind else "", "MemoryGiB": "85.0" if kind else "",
                "AcceleratorName": gpu, "AcceleratorCount": count, "GpuInfo": "", "Region": "us-central1",
                "AvailabilityZone": zone, "Price": price, "SpotPrice": spot,
            }
            for kind, gpu, count, price, spot in rows
            for zone in ("us-central1-a", "us-central1-b")
        )
    )  # fmt: skip


def vast_row(kind: str, gpu: str, count: int, mib: int, **changes: Any) -> dict[str, Any]:
    """A row of the SkyPilot catalog of Vast.ai: the memory it gives is that of all GPUs together."""
    info = f"{{'Gpus': [{{'Name': '{gpu}', 'Count': {count}, 'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}"
    return skypilot_row(
        InstanceType=kind, AcceleratorName=gpu, AcceleratorCount=str(count), GpuInfo=info, SpotPrice="0.00",
        Region="Quebec, CA, NA", **changes,
    )  # fmt: skip


def skypilot_row(**changes: Any) -> dict[str, Any]:
    """A row of a SkyPilot catalog."""
    return {
        "InstanceType": "p3.2xlarge", "AcceleratorName": "V100", "AcceleratorCount": "1.0", "vCPUs": "8.0",
        "MemoryGiB": "61.0", "Price": "3.06", "Region": "us-east-1", "AvailabilityZone": "us-east-1a",
        "GpuInfo": "{'Gpus': [{'Name': 'V100', 'Count': 1.0, 'MemoryInfo': {'SizeInMiB': 16384}}]}",
        "SpotPrice": "1.05",
    } | changes  # fmt: skip
