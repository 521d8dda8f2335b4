"""gpuhunt: its published catalogs (a zip with one CSV for each provider), and its live providers where it is installed.

Shape: https://github.com/dstackai/gpuhunt
"""

from __future__ import annotations

import csv
import importlib
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from rackrent.catalog.names import canonical_gpu
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
from rackrent.catalog.sources.http import MB, Client, SourceFailed, TooLarge
from rackrent.i18n import gettext as _

URL = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
PUBLISHED = ("aws", "azure", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda", "cloudrift")
NAMES = {
    "aws": "AWS",
    "azure": "Azure",
    "gcp": "GCP",
    "lambdalabs": "Lambda",
    "nebius": "Nebius",
    "oci": "OCI",
    "runpod": "RunPod",
    "verda": "Verda (DataCrunch)",
    "cloudrift": "CloudRift",
    "vastai": "Vast.ai",
    "digitalocean": "DigitalOcean",
    "crusoe": "Crusoe",
    "hotaisle": "Hot Aisle",
    "vultr": "Vultr",
    "jarvislabs": "JarvisLabs",
}
"""gpuhunt's name of a provider to ours."""
NOT_PLAIN = frozenset({"gcp-dws-calendar-mode", "gcp-g4-preview"})
"""Flags of rows that are no offer of their own: a price for days booked ahead, a second copy of another row."""
MARKETPLACES = frozenset({"vastai", "lium"})
Live = Callable[[], Iterable[Mapping[str, Any]]]
"""Asks a provider itself: rows with the columns of a published catalog."""


class GpuHunt:
    """Prices that gpuhunt collected, each provider for itself."""

    name = "gpuhunt"
    id = "gpuhunt-catalog"

    def __init__(
        self,
        known: Known,
        *,
        url: str = URL,
        providers: Sequence[str] = PUBLISHED,
        live: Mapping[str, Live] | None = None,
    ) -> None:
        """Look at the catalogs of `providers`, and ask those in `live` themselves."""
        self._known, self._url, self._providers = known, url, providers
        self._live = {} if live is None else dict(live)
        self.citation = f"gpuhunt catalogs ({URL})"

    def fetch(self, client: Client, as_of: date, progress: Progress) -> SourceRows:
        """Return the prices of every provider that can be read; the others are named in `failed`."""
        rows: list[Row] = []
        warnings: list[str] = []
        failed: dict[str, str] = {}
        for name in [*self._providers, *self._live]:
            progress(_("gpuhunt: {provider}").format(provider=name))
            try:
                lines = self._ask(name) if name in self._live else self._published(client, name)
                found = list(told_apart(self._rows(lines, name, as_of, warnings)))
                if not found:
                    raise SourceFailed(_("it lists no machine with a GPU"))
                rows += found
            except SourceFailed as error:
                failed[NAMES.get(name, name)] = str(error)
        if not rows:
            raise SourceFailed(next(iter(failed.values()), _("no provider was asked")))
        return source_rows(rows, warnings=warnings, failed=failed)

    def _published(self, client: Client, name: str) -> list[dict[str, Any]]:
        version = client.text(f"{self._url}/{name}/version").strip()
        if not version or "/" in version or len(version) > 40:
            raise SourceFailed(_("the version is {version}").format(version=repr(version)[:40]))
        packed = client.content(f"{self._url}/{name}/{version}/catalog.zip")
        try:
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                if archive.getinfo(f"{name}.csv").file_size > 200 * MB:
                    raise TooLarge(_("its catalog holds more than {mb:,} MB").format(mb=200))
                text = archive.read(f"{name}.csv").decode("utf-8")
        except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, OSError, EOFError):
            raise SourceFailed(
                _("its catalog is not a whole zip with {name}.csv").format(name=name)
            ) from None
        return list(csv.DictReader(io.StringIO(text)))

    def _ask(self, name: str) -> list[dict[str, Any]]:
        try:
            return [dict(row) for row in self._live[name]()]
        except Exception as error:
            # Code of others that reads feeds of others: whatever it raises is that provider's failure alone.
            reason = f"{type(error).__name__}: {error}"[:200]
            raise SourceFailed(_("it raised {reason}").format(reason=reason)) from None

    def _rows(
        self, lines: Sequence[dict[str, Any]], name: str, as_of: date, warnings: list[str]
    ) -> Iterator[Row]:
        where = _("the catalog of {provider}").format(provider=name)
        provider = NAMES.get(name, name)
        seen: set[tuple[object, ...]] = set()
        for line in lines:
            count = number(need(line, "gpu_count", where), "gpu_count", where)
            if not count or NOT_PLAIN.intersection(_flags(line)):
                continue
            raw = need(line, "gpu_name", where) or ""
            memory = number(line.get("gpu_memory"), "gpu_memory", where)
            kind = need(line, "instance_name", where)
            gpu = canonical_gpu(raw, memory, kind)
            if gpu is None:
                warnings.append(_("unknown GPU {name}").format(name=raw or kind))
                continue
            region = need(line, "location", where) or "unspecified"
            if name == "gcp":
                region = re.sub(r"-[a-z]$", "", region)  # it says the zone; prices are those of the region
            market = name in MARKETPLACES
            known = self._known.machine(provider, kind)
            term = "spot" if str(need(line, "spot", where)).casefold() == "true" else "on_demand"
            amount = number(need(line, "price", where), "price", where)
            said = (kind, region, term, amount, gpu, count)
            if said in seen:  # the same price in another zone of the region
                continue
            seen.add(said)
            if amount is None:
                warnings.append(
                    _("{provider} gives no price for {type}").format(provider=provider, type=kind)
                )
            yield offer_row(
                self.id, as_of, provider=provider, instance_type=kind, region=region, gpu=gpu, gpu_count=count,
                gpu_memory_gb=self._known.memory(gpu) or memory,
                vcpus=number(line.get("cpu"), "cpu", where), ram_gb=number(line.get("memory"), "memory", where),
                disk_gb=number(line.get("disk_size"), "disk_size", where),
                term=term, amount=amount,
                country=self._known.country(provider, region), confidence="medium",
                kind="marketplace" if market else known.kind if known else "cloud",
                price_kind="observed_minimum" if market else "list",
            )  # fmt: skip


def _flags(line: Mapping[str, Any]) -> list[str]:
    said = line.get("flags") or ""
    return said.split() if isinstance(said, str) else list(said)


def live_providers(names: Sequence[str]) -> dict[str, Live]:
    """Return a way to ask each of gpuhunt's providers themselves. Raises SourceFailed where it is not installed."""
    try:
        importlib.import_module("gpuhunt")
    except ImportError:
        raise SourceFailed(_("gpuhunt is not installed: pip install 'rackrent[gpuhunt]'")) from None

    def ask(name: str) -> Live:
        def items() -> Iterator[dict[str, Any]]:
            module = importlib.import_module(f"gpuhunt.providers.{name}")
            kind = next(
                k for k in vars(module).values() if isinstance(k, type) and getattr(k, "NAME", None) == name
            )
            return ({k: getattr(i, k) for k in vars(i)} for i in kind().get())

        return items

    return {name: ask(name) for name in names}
