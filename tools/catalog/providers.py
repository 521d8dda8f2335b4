"""Write `providers` and `egress`: each provider's rules, typed, and its prices for data out.

A certificate or agreement that nobody can point to ("from memory") is no evidence: it becomes unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tools.catalog.citations import cite
from tools.catalog.common import Row, Sources, confidence, day, number, read_facts

YEAR_READ = date(2026, 1, 1)
MONTH_S = 730 * 3_600.0
JURISDICTIONS = {
    "US": "USA",
    "US (DigitalOcean)": "USA",
    "UK": "GBR",
    "Finland": "FIN",
    "India": "IND",
    "France": "FRA",
    "Switzerland (A1 group)": "CHE",
    "Germany": "DEU",
    "Netherlands": "NLD",
    "China": "CHN",
    "China / Singapore": "CHN",
}
STOPPED = (
    (r"cannot be stopped", "cannot_stop"),
    (r"depends on the shape", None),
    (
        r"^(disk|volume|notebook volume|storage|snapshot|hibernated|paused|compute not billed|economical)",
        "disk",
    ),
    (r"^(no charge|stopped: disk|powered off: (disk|no charge))", "disk"),
    (r"full price|still billed|billed while", "full"),
    (r"nothing", "nothing"),
)
"""What the text on stopping means, first match; an Oracle machine depends on its shape and stays unknown."""
DISK_FACTORS = {"RunPod": 2.0, "Thunder Compute": 0.05 / 0.219}
BILLING_S = (("second", 1.0), ("continuous", 1.0), ("minute", 60.0), ("hour", 3_600.0), ("month", MONTH_S))
MINIMUM_S = (
    (r"^none", 0.0),
    (r"^60 s", 60.0),
    (r"^1 minute", 60.0),
    (r"^60 minutes|^1 hour", 3_600.0),
    (r"^1 month", MONTH_S),
)
HOSTS = (
    (r"^own DC$", "own"),
    (r"^own and leased|^leased", "leased"),
    (r"^third-party hosts|^third-party data", "third_party"),
    (r"partner|other clouds", "mixed"),
)
FIELDS = {
    "jurisdiction": "hq_jurisdiction",
    "billing": "billing_granularity",
    "minimum": "minimum_charge",
    "stopped": "stopped_cost",
    "storage": "storage_usd_gb_month",
    "spot_notice": "spot_notice_s",
    "hosts": "host_model",
    "isolation": "isolation",
    "certificates": "certifications",
    "baa": "hipaa_baa",
    "baa_covers_gpu": "hipaa_covers_gpu",
    "dpa": "gdpr_dpa",
    "quota": "quota_note",
}
NAMES = {"Hetzner dedicated (GEX)": "Hetzner (GEX)", "OVHcloud Public Cloud": "OVHcloud"}
DEFAULT_REGIONS = {
    "AWS": "us-east-1",
    "Azure": "eastus",
    "GCP": "North America (destination), most regions",
    "OCI": "North America, Europe, UK",
    "Alibaba Cloud": "mainland China",
}


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `providers` and `egress`."""
    rows = [_provider(fact, sources) for fact in read_facts(facts / "providers.csv")]
    aws = next(row for row in rows if row["provider"] == "AWS")
    rows.append(_aws_2018(aws, facts, sources))
    return {"providers": rows, "egress": [*_egress(facts, sources), *_aws_egress_2018(facts, sources)]}


def _provider(fact: Row, sources: Sources) -> Row:
    source = sources.cite(
        "provider-pages",
        "Providers' documentation, price and trust pages",
        "facts",
    )
    return {
        "provider": fact["provider"],
        "jurisdiction": JURISDICTIONS.get(fact["hq_jurisdiction"] or ""),
        "billing_s": _billing(fact["billing_granularity"]),
        "minimum_s": _first(MINIMUM_S, fact["minimum_charge"]),
        "stopped": _first(STOPPED, fact["stopped_cost"]),
        "stopped_disk_factor": DISK_FACTORS.get(fact["provider"]),
        "storage_usd_gb_month": _storage(fact["storage_usd_gb_month"]),
        "spot_notice_s": _notice(fact["spot_notice_s"]),
        "hosts": _first(HOSTS, fact["host_model"]),
        "isolation": _isolation(fact["isolation"]),
        "certificates": _certificates(fact),
        "baa": _agreement(fact, "hipaa_baa"),
        "baa_covers_gpu": "unknown",
        "dpa": _agreement(fact, "gdpr_dpa"),
        "quota": fact["quota_note"],
        "field_evidence": _evidence(fact),
        "source": source,
        "observed_on": day(fact["date"]),
        "confidence": confidence(fact["confidence"]),
        "valid_from": YEAR_READ,
        "note": _note(fact),
    }


def _first(rules: tuple[tuple[str, object], ...], text: str | None) -> object:
    return next((value for pattern, value in rules if text and re.search(pattern, text)), None)


def _billing(text: str | None) -> float | None:
    if text and (m := re.search(r"about (\d+) s", text)):
        return float(m[1])
    return next((s for word, s in BILLING_S if text and text.startswith(word)), None)


def _storage(text: str | None) -> float | None:
    """The first figure (of a range the lower end); 0 where the disk comes with the machine."""
    if text and text.startswith("included"):
        return 0.0
    return float(m[0]) if text and (m := re.match(r"\d+\.\d+", text)) else None


def _notice(text: str | None) -> float | None:
    return float(m[1]) if text and (m := re.match(r"(?:about )?(\d+)", text)) else None


def _isolation(text: str | None) -> str | None:
    if text is None:
        return None
    words = {w for w in ("bare metal", "VM", "container", "notebooks", "virtual GPU") if w in text}
    if "by contract" in text:
        words = {"VM"}
    single = {"bare metal": "bare_metal", "VM": "vm", "container": "container"}
    return single.get(words.pop(), "mixed") if len(words) == 1 else "mixed"


def _remembered(fact: Row, column: str) -> bool:
    return (fact[f"{column}_source"] or "from memory").startswith("from memory")


def _certificates(fact: Row) -> str | None:
    """Certificates the provider's own page names, one by one; none where nothing can be pointed to."""
    text = fact["certifications"]
    if text is None or _remembered(fact, "certifications"):
        return None
    found: list[str] = []
    for part in re.split(r"; | and ", text):
        name = re.sub(r"\b(named|stated|Secure Cloud hosts).*", "", part).strip()
        family, _, rest = name.partition("/")
        numbers = [family, *(f"{family.rsplit(' ', 1)[0]} {n}" for n in rest.split("/") if n)]
        found += [n for n in numbers if n and n not in found]
    return ";".join(found)


def _agreement(fact: Row, column: str) -> str:
    text = fact[column]
    if text is None or _remembered(fact, column):
        return "unknown"
    if text == "no":
        return "not_offered"
    return "offered" if text.startswith(("yes", "named")) else "unknown"


def _evidence(fact: Row) -> str:
    said = []
    for ours, theirs in FIELDS.items():
        if fact[theirs] is not None:
            said.append(f"{ours}: {'memory' if _remembered(fact, theirs) else fact[f'{theirs}_source']}")
    return "; ".join(said)


def _note(fact: Row) -> str | None:
    """The wording behind the typed fields, where it says more than they can."""
    labels = {
        "stopped_cost": "stopped",
        "storage_usd_gb_month": "storage",
        "minimum_charge": "minimum",
        "host_model": "hosts",
        "hipaa_covers_gpu": "HIPAA for GPUs",
    }
    said = [f"{label}: {fact[column]}" for column, label in labels.items() if fact[column]]
    return "; ".join(said) or None


def _aws_2018(aws: Row, facts: Path, sources: Sources) -> Row:
    fact = next(f for f in read_facts(facts / "aws_2018.csv") if f["item"] == "EBS gp2")
    return aws | {
        "storage_usd_gb_month": number(fact["effective_usd_h"]),
        "certificates": None,
        "baa": "unknown",
        "dpa": "unknown",
        "source": cite(fact | {"provider": "AWS"}, sources),
        "observed_on": date(2018, 8, 7),
        "confidence": "high",
        "valid_from": date(2017, 11, 12),
        "valid_to": date(2020, 1, 1),
        "note": "storage: EBS gp2; other fields as remembered",
    }


def _egress(facts: Path, sources: Sources) -> Iterator[Row]:
    """Tiers counted from 0: where a list starts at the end of its allowance, the first tier is drawn to 0."""
    by_table: dict[tuple[str, str], list[Row]] = {}
    for fact in read_facts(facts / "egress_tiers.csv"):
        if "between zones" in (fact["region_or_zone"] or ""):
            continue
        second = fact["network_tier"] and re.search(r"ISP|Standard", fact["network_tier"])
        region = f"{fact['region_or_zone']}, {fact['network_tier']}" if second else fact["region_or_zone"]
        by_table.setdefault((NAMES.get(fact["provider"], fact["provider"]), region), []).append(fact)
    providers = {p for p, _ in by_table}
    only = {p for p in providers if sum(q == p for q, _ in by_table) == 1}
    for (provider, region), tiers in by_table.items():
        tiers.sort(key=lambda f: number(f["from_gb"]) or 0.0)
        start = max(d for f in tiers if (d := day(f["date"])))
        for place, fact in enumerate(tiers):
            yield {
                "provider": provider,
                "region": region,
                "from_gb": 0.0 if place == 0 else number(fact["from_gb"]),
                "to_gb": number(fact["to_gb"]),
                "usd_per_gb": number(fact["usd_per_gb"]),
                "free_gb": number(fact["free_gb_month"]),
                "default": provider in only or DEFAULT_REGIONS.get(provider) == region,
                "source": cite(fact, sources),
                "observed_on": day(fact["date"]),
                "confidence": confidence(fact["confidence"]),
                "valid_from": start,
                "note": fact["note"],
            }


def _aws_egress_2018(facts: Path, sources: Sources) -> Iterator[Row]:
    """Internet egress of 2018: the same tiers as today's list, with 1 GB a month free."""
    edges = {
        "egress 1 GB-10 TB": (0.0, 10_240.0),
        "egress 10-50 TB": (10_240.0, 51_200.0),
        "egress 50-150 TB": (51_200.0, 153_600.0),
        "egress over 150 TB": (153_600.0, None),
    }
    for fact in read_facts(facts / "aws_2018.csv"):
        if fact["item"] in edges:
            assert fact["unit"] == "USD/GB", fact
            start, end = edges[fact["item"]]
            yield {
                "provider": "AWS",
                "region": "us-east-1",
                "from_gb": start,
                "to_gb": end,
                "usd_per_gb": number(fact["effective_usd_h"]),
                "free_gb": 1.0,
                "default": True,
                "source": cite(fact | {"provider": "AWS"}, sources),
                "observed_on": date(2018, 8, 7),
                "confidence": confidence(fact["confidence"]),
                "valid_from": date(2017, 11, 12),
                "valid_to": date(2026, 7, 21),
                "note": "first 1 GB a month free",
            }
