"""SkyPilot catalog: one CSV a cloud with types, GPUs and prices.

Shape: https://github.com/skypilot-org/skypilot-catalog
"""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from rackrent.catalog.names import canonical_gpu, nominal_memory_gb
from rackrent.catalog.sources.base import (
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

URL = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v7"
CLOUDS = {
    "aws": "AWS",
    "azure": "Azure",
    "gcp": "GCP",
    "lambda": "Lambda",
    "runpod": "RunPod",
    "paperspace": "Paperspace",
    "cudo": "Cudo Compute",
    "nebius": "Nebius",
    "vast": "Vast.ai",
}
"""Folder of the catalog to our name of the provider."""


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
                found = list(
                    self._rows(client.text(f"{self._url}/{cloud}/vms.csv"), provider, as_of, warnings)
                )
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
        seen: set[tuple[object, ...]] = set()
        for line in reader:
            if not line["AcceleratorName"] or line["AcceleratorName"].startswith("tpu"):
                continue
            memory = memory_gb(line.get("GpuInfo") or line.get("GPUInfo"), line["AcceleratorName"])
            name = line["InstanceType"] or line["AcceleratorName"]
            gpu = canonical_gpu(line["AcceleratorName"], memory, name)
            if gpu is None:
                warnings.append(_("unknown GPU {name}").format(name=line["AcceleratorName"]))
                continue
            region = line["Region"] or "unspecified"
            known = self._known.machine(provider, name)
            for term, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
                amount = number(line[column], column, where)
                if amount is None and term == "spot":
                    continue
                key = (name, region, term, amount, gpu, line["AcceleratorCount"])
                if key in seen:  # the same price in another zone of the region
                    continue
                seen.add(key)
                yield offer_row(
                    self.id, as_of, provider=provider, instance_type=name, region=region, term=term, gpu=gpu,
                    gpu_count=number(line["AcceleratorCount"], "AcceleratorCount", where), amount=amount,
                    gpu_memory_gb=self._known.memory(gpu) or memory,
                    vcpus=number(line.get("vCPUs"), "vCPUs", where),
                    ram_gb=number(line.get("MemoryGiB"), "MemoryGiB", where),
                    country=self._known.country(provider, region), confidence="medium",
                    kind="marketplace" if provider == "Vast.ai" else known.kind if known else "cloud",
                    price_kind="observed_minimum" if provider == "Vast.ai" else "list",
                )  # fmt: skip


def memory_gb(info: str | None, gpu: str) -> float | None:
    """Return the memory of one GPU from the column GpuInfo, whose unit is not always what it says.

    >>> memory_gb("{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': 80}}]}", "H100")
    80.0
    """
    if not info:
        return None
    try:
        told: Any = ast.literal_eval(info)
        size = float(told["Gpus"][0]["MemoryInfo"]["SizeInMiB"])
    except (ValueError, SyntaxError, KeyError, IndexError, TypeError, RecursionError, MemoryError):
        return None
    return nominal_memory_gb(gpu, size, "MiB")
