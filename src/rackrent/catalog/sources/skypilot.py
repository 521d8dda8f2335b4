"""SkyPilot catalog: one CSV a cloud with types, GPUs and prices.

Shape: https://github.com/skypilot-org/skypilot-catalog
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from rackrent.catalog.names import canonical_gpu, nominal_memory_gb
from rackrent.catalog.prices import assembled_price
from rackrent.catalog.sources.base import (
    Known,
    Progress,
    Row,
    SourceRows,
    need,
    number,
    offer_row,
    source_rows,
    told_apart,
)
from rackrent.catalog.sources.gcp_machines import SHAPES
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.i18n import gettext as _

URL = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8"
CLOUDS = {
    "aws": "AWS",
    "azure": "Azure",
    "gcp": "GCP",
    "lambda": "Lambda",
    "runpod": "RunPod",
    "nebius": "Nebius",
    "oci": "OCI",
    "verda": "Verda (DataCrunch)",
    "cudo": "Cudo Compute",
    "hyperstack": "Hyperstack",
    "jarvislabs": "JarvisLabs",
    "vast": "Vast.ai",
}
"""Folder of the catalog to our name of the provider."""
GCP_PARTS = {
    "A100-80GB": "A100 80GB",
    "H100": "H100 80GB",
    "H100-MEGA": "H100 80GB Mega",
    "H200": "H200 141GB",
    "RTXPRO6000": "RTX 6000 96GB",
}
"""The catalog's name of a GPU of Google Cloud to that among parts; the others are called alike."""
GCP_HOSTS_ELSEWHERE = ("A3Plus", "A3Ultra")
"""Families whose hosts the catalog prices as if they were A3 (`SERIES_TO_DESCRIPTION` in its fetch_gcp.py)."""
VAST_TYPE = re.compile(r"^\d+x-(?P<gpu>.+?)-\d+-\d+$")
"""Types of Vast.ai name their GPU exactly; the column does not ("RTX3060" for a 3060 Ti)."""


class SkyPilot:
    """Prices of several clouds as SkyPilot collected them: second hand."""

    name = "skypilot"
    id = "skypilot-catalog"

    def __init__(self, known: Known, *, url: str = URL, clouds: Sequence[str] = tuple(CLOUDS)) -> None:
        """Look at these clouds."""
        self._known, self._url, self._clouds = known, url, clouds
        self.citation = f"SkyPilot catalog ({URL})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the prices of every cloud that can be read; the others are named in `failed`."""
        rows: list[Row] = []
        warnings: list[str] = []
        failed: dict[str, str] = {}
        for cloud in self._clouds:
            provider = CLOUDS.get(cloud, cloud)
            progress(_("SkyPilot: {provider}").format(provider=provider))
            try:
                text = client.text(f"{self._url}/{cloud}/vms.csv")
                found = list(told_apart(self._rows(text, provider, as_of, warnings)))
                if not found:
                    raise SourceFailed(_("it lists no machine with a GPU"))
                rows += found
            except SourceFailed as error:
                failed[provider] = str(error)
        if not rows:
            raise SourceFailed(next(iter(failed.values())))
        return source_rows(rows, warnings=warnings, failed=failed)

    def _rows(self, text: str, provider: str, as_of: date, warnings: list[str]) -> Iterator[Row]:
        reader = csv.DictReader(io.StringIO(text))
        where = _("the catalog of {provider}").format(provider=provider)
        for column in ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region"):
            need(dict.fromkeys(reader.fieldnames or ()), column, where)
        whole = _whole(reader, where)
        lines = _gcp_machines(whole, warnings) if provider == "GCP" else whole
        seen: set[tuple[object, ...]] = set()
        for line in lines:
            if not line["AcceleratorName"] or line["AcceleratorName"].startswith("tpu"):
                continue
            name = line["InstanceType"] or line["AcceleratorName"]
            gpu, memory = _gpu(line, provider, name)
            if gpu is None:
                warnings.append(_("unknown GPU {name}").format(name=line["AcceleratorName"]))
                continue
            region = line["Region"] or "unspecified"
            known = self._known.machine(provider, name)
            for term, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
                amount = number(line[column], column, where)
                if amount is None and (term == "spot" or line.get("spot_only")):
                    continue
                if amount is None:
                    warnings.append(
                        _("{provider} gives no price for {type}").format(provider=provider, type=name)
                    )
                key = (name, region, term, amount, gpu, line["AcceleratorCount"])
                if key in seen:  # the same price in another zone of the region
                    continue
                seen.add(key)
                yield offer_row(
                    self.id, as_of, provider=provider, instance_type=name, region=region, term=term, gpu=gpu,
                    gpu_count=number(line["AcceleratorCount"], "AcceleratorCount", where), amount=amount,
                    gpu_memory_gb=self._known.memory(gpu) or memory, incomplete=line.get("incomplete"),
                    vcpus=number(line.get("vCPUs"), "vCPUs", where),
                    ram_gb=number(line.get("MemoryGiB"), "MemoryGiB", where),
                    country=self._known.country(provider, region), confidence="medium",
                    kind="marketplace" if provider == "Vast.ai" else known.kind if known else "cloud",
                    price_kind="observed_minimum" if provider == "Vast.ai" else "list",
                )  # fmt: skip


def _whole(rows: Iterable[dict[str, Any]], where: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file. Raises SourceFailed where one has fewer cells than the head: a price may be cut in two."""
    for n, row in enumerate(rows, 2):
        if None in row.values():
            raise SourceFailed(_("{where} breaks off in row {n}").format(where=where, n=n))
        yield row


def _gpu(line: Mapping[str, Any], provider: str, name: str) -> tuple[str | None, float | None]:
    """Return (canonical name, memory of one in GB) of the GPUs of a row."""
    said, info = line["AcceleratorName"], line.get("GpuInfo") or line.get("GPUInfo")
    memory = memory_gb(info, said, of_all=provider == "Vast.ai")
    if provider == "Vast.ai" and (exact := VAST_TYPE.match(name)):
        said = exact["gpu"].replace("_", " ")
    inside = re.search(r"'Name': '([^']*)'", info or "")
    return canonical_gpu(said, memory, f"{name} {inside[1]}" if inside else name), memory


def _gcp_machines(lines: Iterable[dict[str, Any]], warnings: list[str]) -> Iterator[dict[str, Any]]:
    """Put the machines of Google Cloud together: the catalog has rows of hosts without GPUs and of GPUs without hosts.

    A price that leaves out the local disks which come with a machine says so. A GPU of which no machine is known is not
    listed, with a warning: it cannot be had alone.
    """
    alone: set[str] = set()
    hosts: dict[tuple[str, str], dict[str, Any]] = {}
    cards: dict[tuple[str, float, str], dict[str, Any]] = {}
    for line in lines:
        zone = line.get("AvailabilityZone") or line["Region"]
        if line["AcceleratorName"]:
            part = GCP_PARTS.get(line["AcceleratorName"], line["AcceleratorName"])
            count = number(line["AcceleratorCount"], "AcceleratorCount", "GCP") or 0.0
            cards[part, count, zone] = line
            alone.add(line["AcceleratorName"])
        else:
            hosts[line["InstanceType"], zone] = line
    nothing: dict[str, Any] = {"Price": 0.0, "SpotPrice": 0.0, "vCPUs": None, "MemoryGiB": None}
    for name, shape in SHAPES.items():
        if shape.family in GCP_HOSTS_ELSEWHERE:
            continue
        for (part, count, zone), card in cards.items():
            host = hosts.get((name.split(" + ")[0], zone)) if shape.family else nothing
            if (part, count) != (shape.part, shape.gpus) or host is None:
                continue
            alone.discard(card["AcceleratorName"])
            said = card | {"InstanceType": name, "vCPUs": host["vCPUs"], "MemoryGiB": host["MemoryGiB"]}
            for column in ("Price", "SpotPrice"):
                parts = (number(row[column], column, "GCP") for row in (host, card))
                whole = assembled_price(*parts)
                said[column] = None if whole is None else round(whole, 5)
            if not shape.on_demand:
                said |= {"Price": None, "spot_only": True}
            yield said | {"incomplete": "local disk" if shape.ssds else None}
    warnings += [
        _("GCP: no machine is known that holds {gpu}").format(gpu=gpu)
        for gpu in sorted(alone)
        if not gpu.startswith("tpu")
    ]


def memory_gb(info: str | None, gpu: str, *, of_all: bool = False) -> float | None:
    """Return the memory of one GPU from the column GpuInfo, whose unit is not always what it says.

    `of_all` says that the figure is that of all GPUs of the machine together.

    >>> memory_gb("{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': 80}}]}", "H100")
    80.0
    """
    if not info:
        return None
    try:
        told: Any = ast.literal_eval(info)["Gpus"][0]
        size = float(told["MemoryInfo"]["SizeInMiB"]) / (float(told["Count"]) if of_all else 1.0)
    except (
        ValueError,
        SyntaxError,
        KeyError,
        IndexError,
        TypeError,
        RecursionError,
        MemoryError,
        ZeroDivisionError,
    ):
        return None
    return nominal_memory_gb(gpu, size, "MiB")
