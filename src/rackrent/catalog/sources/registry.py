"""All sources by name, set up from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.sources.aws import HOST, REGIONS, Aws
from rackrent.catalog.sources.azure import URL as AZURE
from rackrent.catalog.sources.azure import Azure
from rackrent.catalog.sources.base import Known, Source
from rackrent.catalog.sources.ecb import URL as ECB
from rackrent.catalog.sources.ecb import Ecb
from rackrent.catalog.sources.gcp import URL as GCP
from rackrent.catalog.sources.gcp import Gcp
from rackrent.catalog.sources.gpuhunt import PUBLISHED, GpuHunt, live_providers
from rackrent.catalog.sources.gpuhunt import URL as GPUHUNT
from rackrent.catalog.sources.own import Own
from rackrent.catalog.sources.skypilot import CLOUDS, SkyPilot
from rackrent.catalog.sources.skypilot import URL as SKYPILOT
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

NAMES = ("aws", "azure", "gcp", "gpuhunt", "skypilot", "ecb", "own")


def sources(catalog: Catalog, environment: Mapping[str, str], wanted: list[str]) -> list[Source]:
    """Return the sources that `wanted` names; all that need nothing of yours where it names none.

    From the environment: RACKRENT_AWS_REGIONS and RACKRENT_GPUHUNT_LIVE (names with commas between),
    RACKRENT_AZURE_CURRENCY, RACKRENT_GCP_KEY, RACKRENT_OWN_PRICES (the mapping file of your own table), and
    RACKRENT_<SOURCE>_URL for a mirror. Raises BadInput for a name nobody knows.
    """
    known = Known(catalog)
    names = wanted or [n for n in NAMES if n not in ("gcp", "own") or _has(n, environment)]
    return [_source(name.strip().casefold(), known, environment) for name in dict.fromkeys(names)]


def _has(name: str, environment: Mapping[str, str]) -> bool:
    return bool(environment.get({"gcp": "RACKRENT_GCP_KEY", "own": "RACKRENT_OWN_PRICES"}[name]))


def _source(name: str, known: Known, environment: Mapping[str, str]) -> Source:
    def url(usual: str) -> str:
        return (environment.get(f"RACKRENT_{name.upper()}_URL") or usual).rstrip("/")

    def listed(variable: str, usual: tuple[str, ...]) -> tuple[str, ...]:
        given = environment.get(variable)
        return usual if not given else tuple(w.strip() for w in given.split(",") if w.strip())

    match name:
        case "aws":
            return Aws(known, host=url(HOST), regions=listed("RACKRENT_AWS_REGIONS", REGIONS))
        case "azure":
            return Azure(known, url=url(AZURE), currency=environment.get("RACKRENT_AZURE_CURRENCY") or "USD")
        case "gcp":
            return Gcp(known, key=environment.get("RACKRENT_GCP_KEY"), url=url(GCP))
        case "gpuhunt":
            live = listed("RACKRENT_GPUHUNT_LIVE", ())
            providers = listed("RACKRENT_GPUHUNT_PROVIDERS", PUBLISHED)
            return GpuHunt(
                known, url=url(GPUHUNT), providers=providers, live=live_providers(live) if live else None
            )
        case "skypilot":
            return SkyPilot(
                known, url=url(SKYPILOT), clouds=listed("RACKRENT_SKYPILOT_CLOUDS", tuple(CLOUDS))
            )
        case "ecb":
            return Ecb(url=url(ECB))
        case "own":
            mapping = environment.get("RACKRENT_OWN_PRICES")
            if not mapping:
                raise BadInput(
                    _("The source own wants the path of your mapping file in RACKRENT_OWN_PRICES.")
                )
            return Own(known, Path(mapping))
    close = nearest(name, NAMES) or list(NAMES)
    raise BadInput(
        _("Unknown source {name}; did you mean {close}? Known: {known}.").format(
            name=repr(name), close=close[0], known=", ".join(NAMES)
        )
    )
