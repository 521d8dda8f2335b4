"""Which country a provider's region lies in (ISO 3166 alpha-3), as the providers document it."""

from __future__ import annotations

_PREFIXES = {
    "AWS": {"us-": "USA", "ap-south-1": "IND"},
    "AWS SageMaker": {"us-": "USA", "ap-south-1": "IND"},
    "GCP": {
        "us-": "USA",
        "africa-south1": "ZAF",
        "asia-east1": "TWN",
        "asia-east2": "HKG",
        "asia-northeast1": "JPN",
        "asia-northeast2": "JPN",
        "asia-northeast3": "KOR",
        "asia-south": "IND",
        "asia-southeast1": "SGP",
        "asia-southeast2": "IDN",
        "australia-": "AUS",
        "europe-central2": "POL",
        "europe-north1": "FIN",
        "europe-southwest1": "ESP",
        "europe-west12": "ITA",
        "europe-west10": "DEU",
        "europe-west1": "BEL",
        "europe-west2": "GBR",
        "europe-west3": "DEU",
        "europe-west4": "NLD",
        "europe-west6": "CHE",
        "europe-west8": "ITA",
        "europe-west9": "FRA",
        "me-central1": "QAT",
        "me-central2": "SAU",
        "me-west1": "ISR",
        "northamerica-": "CAN",
        "southamerica-east1": "BRA",
        "southamerica-west1": "CHL",
    },
    "Azure": {
        "australia": "AUS",
        "brazil": "BRA",
        "canada": "CAN",
        "centralindia": "IND",
        "jioindia": "IND",
        "southindia": "IND",
        "eastasia": "HKG",
        "southeastasia": "SGP",
        "france": "FRA",
        "germany": "DEU",
        "indonesia": "IDN",
        "israel": "ISR",
        "italy": "ITA",
        "japan": "JPN",
        "korea": "KOR",
        "malaysia": "MYS",
        "mexico": "MEX",
        "northeurope": "IRL",
        "westeurope": "NLD",
        "norway": "NOR",
        "poland": "POL",
        "qatar": "QAT",
        "southafrica": "ZAF",
        "spain": "ESP",
        "sweden": "SWE",
        "switzerland": "CHE",
        "uae": "ARE",
        "uk": "GBR",
        "centralus": "USA",
        "eastus": "USA",
        "northcentralus": "USA",
        "southcentralus": "USA",
        "westcentralus": "USA",
        "westus": "USA",
    },
}
_PLACES = {
    "Australia": "AUS",
    "Bulgaria": "BGR",
    "CA": "CAN",
    "China": "CHN",
    "Croatia": "HRV",
    "DE": "DEU",
    "Finland": "FIN",
    "France": "FRA",
    "Germany": "DEU",
    "Hungary": "HUN",
    "Iceland": "ISL",
    "Italy": "ITA",
    "Japan": "JPN",
    "Romania": "ROU",
    "Slovenia": "SVN",
    "Sweden": "SWE",
    "TW": "TWN",
    "Taiwan": "TWN",
    "Thailand": "THA",
    "US": "USA",
    "United Kingdom": "GBR",
    "Vietnam": "VNM",
}


def region_name(raw: str | None) -> str:
    """Return the region as we write it: 'global' where one price holds everywhere, 'unspecified' if unsaid."""
    if raw is None or raw == "n/a":
        return "unspecified"
    return "global" if raw.startswith("global") or raw == "all 17 regions" else raw


def country_of(provider: str, region: str) -> str | None:
    """Return the country of a region, or None where it is unknown or spans several."""
    for prefix, country in _PREFIXES.get(provider, {}).items():
        if region.startswith(prefix):
            return country
    return _PLACES.get(region) or _PLACES.get(region.rsplit(" ", 1)[-1])
