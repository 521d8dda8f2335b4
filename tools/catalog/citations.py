"""Short ids for the sources that price facts name."""

from __future__ import annotations

import re
import zlib

from tools.catalog.common import Row, Sources

_KNOWN = (
    ("karpenter-provider-aws", "karpenter-aws", "Apache-2.0; AWS public list prices"),
    ("karpenter-provider-azure", "karpenter-azure", "Apache-2.0; Azure public list prices"),
    ("doitintl/gcpinstances", "gcpinstances", "GCP public list prices; facts"),
    ("the-full-stack/website", "full-stack-cloud-gpus", "MIT"),
    ("sooddvs/gpu-pricing", "sooddvs", "facts from public price APIs"),
    ("skypilot-catalog catalogs/v8/vast", "skypilot-vast", "Apache-2.0"),
    ("skypilot-catalog catalogs/v8/lambda", "skypilot-lambda", "Apache-2.0"),
    ("gpuhunt", "gpuhunt-crusoe", "MPL-2.0; facts"),
    ("ec2instances", "ec2instances-2017", "AWS public list prices; facts"),
    ("cnbeta", "cnbeta-2024", "facts"),
    ("alexjguy", "aws-list-2018-08", "AWS public list prices; facts"),
    ("jcvib/tco-calculator", "jcvib-egress", "facts"),
)
_CITATIONS = {
    "karpenter-aws": "https://github.com/aws/karpenter-provider-aws, pkg/providers/pricing (AWS price list), to 1d927085 of 2026-07-20",
    "karpenter-azure": "https://github.com/Azure/karpenter-provider-azure, pkg/providers/pricing (Azure retail prices), to 352646f5 of 2026-06-18",
    "full-stack-cloud-gpus": "https://github.com/the-full-stack/website, docs/cloud-gpus/cloud-gpus.csv, 2022-08 to 2025-03-07",
    "sooddvs": "https://github.com/sooddvs/gpu-pricing at 2d9dd3a3, 2026-06-15 (public price APIs)",
    "skypilot-vast": "https://github.com/skypilot-org/skypilot-catalog, catalogs/v8/vast/vms.csv at 01b8cdda, 2026",
    "skypilot-lambda": "https://github.com/skypilot-org/skypilot-catalog, catalogs/v8/lambda/vms.csv at 0f407038, 2026",
    "ec2instances-2017": "https://github.com/vantage-sh/ec2instances.info at 94e1f006 (AWS price list of 2017-11-12), checked against the list of 2018-08-07",
    "aws-list-2018-08": "https://github.com/alexjguy/AWS-costs-markdown at 317a6db7 (AWS price list of 2018-08-07)",
    "cnbeta-2024": "https://m.cnbeta.com.tw/view/1449972.htm, 2024-10",
}
_ATTRIBUTION = {
    "full-stack-cloud-gpus": "Cloud GPU prices of 2022-2025: The Full Stack, cloud-gpus table (MIT).",
    "skypilot-vast": "Marketplace prices: SkyPilot catalog (Apache-2.0).",
    "skypilot-lambda": "Lambda prices: SkyPilot catalog (Apache-2.0).",
    "karpenter-aws": "AWS prices: Karpenter provider AWS (Apache-2.0).",
    "karpenter-azure": "Azure prices: Karpenter provider Azure (Apache-2.0).",
}


def cite(fact: Row, sources: Sources) -> str:
    """Register the source of a fact and return its id."""
    text: str = fact["source"]
    if m := re.match(r"(https://\S+) via https://github.com/tardellirs/gpu-pricing", text):
        slug = re.sub(r"[^a-z0-9]+", "-", fact["provider"].lower()).strip("-")
        return sources.cite(
            f"tardellirs-{slug}",
            f"{m[1]} as transcribed in https://github.com/tardellirs/gpu-pricing at 8f09a680, 2026-05-24",
            "MIT",
            "Prices of GPU clouds and marketplaces: tardellirs/gpu-pricing (MIT).",
        )
    for part, id, licence in _KNOWN:
        if part in text:
            return sources.cite(id, _CITATIONS.get(id, text), licence, _ATTRIBUTION.get(id))
    return sources.cite(_slug(text), text, "facts")


def _slug(text: str) -> str:
    """A readable id; a check sum keeps ids of long texts apart."""
    plain = re.sub(r"https?://(raw\.githubusercontent\.com/|github\.com/)?", "", text.lower())
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug if len(slug) <= 40 else f"{slug[:40].strip('-')}-{zlib.crc32(text.encode()):08x}"
