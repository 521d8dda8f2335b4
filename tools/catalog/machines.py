"""Machines: systems and their parts, colocation rates, resale."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from tools.catalog.builds import builds
from tools.catalog.common import Row, Sources, day, number, read_facts

SOLD_IN_2018 = (date(2018, 9, 1), date(2020, 1, 1))

PREBUILT: dict[str, dict[str, Any]] = {  # product in the facts: what we make of it
    "DGX-1 (P100)": {"system": "dgx-1-p100", "gpu": "P100 SXM2 16GB", "memory": 16, "form": "rack", "valid": (date(2016, 4, 1), date(2017, 5, 1))},
    "DGX-1 (V100)": {"system": "dgx-1-v100", "gpu": "V100 SXM2 16GB", "memory": 16, "form": "rack", "valid": (date(2017, 5, 1), date(2020, 5, 14))},
    "DGX Station (V100)": {"system": "dgx-station-v100", "gpu": "V100 16GB", "memory": 16, "form": "workstation", "valid": (date(2017, 5, 1), date(2020, 11, 1))},
    "DGX-2": {"system": "dgx-2", "gpu": "V100 SXM3 32GB", "memory": 32, "form": "rack", "valid": (date(2018, 3, 1), date(2020, 5, 14))},
    "DGX A100 (320GB)": {"system": "dgx-a100-320gb", "gpu": "A100 SXM 40GB", "memory": 40, "form": "rack", "disk": 15_000,
        "valid": (date(2020, 5, 14), date(2025, 3, 1)), "note": "taken as on sale until the B200 generation; a later document rounds it to 200,000"},
    "DGX Station A100 (320GB)": {"system": "dgx-station-a100-320gb", "gpu": "A100 SXM 80GB", "memory": 80, "form": "workstation", "valid": (date(2020, 11, 1), date(2025, 3, 1))},
    "DGX H100": {"system": "dgx-h100", "gpu": "H100 SXM 80GB", "memory": 80, "form": "rack", "valid": (date(2023, 1, 1), None)},
    "DGX B200": {"system": "dgx-b200", "gpu": "B200", "memory": 180, "form": "rack", "valid": (date(2025, 3, 1), None)},
    "DGX Spark": {"system": "dgx-spark", "gpu": "GB10", "memory": 128, "form": "desktop", "valid": (date(2025, 10, 1), None), "note": "memory shared with the processor"},
    "XpertStation WS300 (DGX Station GB300)": {"system": "msi-ws300-gb300", "gpu": "GB300", "memory": 252, "form": "workstation", "valid": (date(2026, 6, 1), None)},
    "HGX H100 8-GPU server": {"system": "hgx-h100-8", "gpu": "H100 SXM 80GB", "memory": 80, "form": "rack", "valid": (date(2026, 1, 1), None)},
    "GPU Workstation (4x 2080 Ti class)": {"system": "lambda-4x-rtx-2080-ti", "gpu": "RTX 2080 Ti", "memory": 11, "form": "workstation", "valid": (date(2019, 1, 31), date(2020, 9, 1))},
    "Deep Learning DevBox / MWS-X299MDL": {"system": "mitxpc-1x-gtx-1080-ti", "gpu": "GTX 1080 Ti", "memory": 11, "form": "workstation", "valid": SOLD_IN_2018, "note": "'at least'"},
    "2x RTX 2080 Ti + Core i9": {"system": "exxact-2x-rtx-2080-ti", "gpu": "RTX 2080 Ti", "memory": 11, "form": "workstation", "valid": (date(2018, 12, 1), date(2020, 9, 1)), "note": "starting price; 3-year warranty"},
    "3x RTX 2080 Ti rig": {"system": "northcutt-2019-3x-rtx-2080-ti", "gpu": "RTX 2080 Ti", "memory": 11, "form": "workstation", "valid": (date(2019, 1, 31), date(2020, 9, 1)), "gpu_amount": 3570.0},
    "4x RTX A6000 EPYC rig": {"system": "wallner-2021-4x-rtx-a6000", "gpu": "RTX A6000", "memory": 48, "form": "workstation", "valid": (date(2021, 1, 1), date(2023, 1, 1))},
    "1x GTX 1080 PC": {"system": "deeplearningathome-2016-1x-gtx-1080", "gpu": "GTX 1080", "memory": 8, "form": "desktop", "valid": (date(2016, 9, 30), date(2017, 9, 30))},
}  # fmt: skip
NAMED_SOURCES = {  # in the facts' source: (id, citation)
    "from memory, vendor launch price (not re-fetched)": ("launch-prices", "vendors' launch prices, from memory"),
    "Wikipedia mirror": ("wikipedia-dgx", "Wikipedia, Nvidia DGX (mirror w.owiki.org)"),
    "vengineer": ("vengineer-2025-03", "vengineer.hatenablog.com 2025-03-16"),
    "crowdbyte": ("crowdbyte-2026", "crowdbyte.ai on DGX Station for Windows, 2026-06"),
    "remote-native": ("remote-native-2026", "remote-native.com, GPU infrastructure economics, 2026"),
    "curtisnorthcutt": ("northcutt-2019", "Curtis Northcutt, Build a pro deep learning workstation, 2019-01-31"),
    "emilwallner": ("wallner-2021", "Emil Wallner, ML rig, 2021 (emilwallner.com/p/ml-rig)"),
    "deeplearningathome": ("deeplearningathome-2016", "deeplearningathome.com, Building PC for deep learning: hardware, 2016-09-30"),
    "seed 000": ("chen-part-1-zh", "Jeff Chen part 1, Chinese translation, 2018-09"),
    "Chris Fotache": ("fotache-2018", "Chris Fotache, build article, 2018-12"),
    "85501": ("cbre-2023", "CBRE via channelvisionmag.com/85501-2: asking rents of 2022 and 2023"),
    "datacenterknowledge": ("cbre-2025-h1", "CBRE via datacenterknowledge.com 2026-01-14: asking rents of 2025-H1"),
}  # fmt: skip
CONFIDENCE = {"low-medium": "low"}


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `systems`, `parts` and `resale`."""
    servers = read_facts(facts / "prebuilt_servers.csv")
    systems, parts = builds(facts, sources)
    systems += [_prebuilt(f, sources) for f in servers if f["product"] in PREBUILT]
    systems += _colocation(servers, sources)
    _follow_on(systems)
    return {
        "systems": systems,
        "parts": parts,
        "resale": _resale(facts, sources),
    }


def _source(text: str, sources: Sources) -> str:
    id, citation = next(v for part, v in NAMED_SOURCES.items() if part in text)
    return sources.cite(id, citation, "facts")


def _prebuilt(fact: Row, sources: Sources) -> Row:
    known = PREBUILT[fact["product"]]
    low, likely, high = _range(fact["price"])
    observed = day(fact["date"])
    start, end = known["valid"]
    if observed and observed > start:  # a second price of one product: it holds from its own day
        start = observed
    own = fact["kind"] == "self-build"
    notes = [known.get("note"), fact["note"] if own else None]
    if low is not None:
        notes.append(f"{fact['price_basis']}: the middle of the range is ours")
    power = number(fact["power_kw"])
    return {
        "system": known["system"], "kind": "own_build" if own else "own_prebuilt", "vendor": fact["vendor"],
        "product": fact["product"], "gpu": known["gpu"], "gpu_count": number(fact["gpu_count"]),
        "gpu_memory_gb": known["memory"], "cpu": fact["cpu"], "ram_gb": number(fact["ram_gb"]), "disk_gb": known.get("disk"),
        "amount": likely, "amount_low": low, "amount_high": high, "currency": fact["currency"],
        "gpu_amount": known.get("gpu_amount"),
        "price_kind": {"list": "list", "list at launch": "list", "list 2026": "list"}.get(fact["price_basis"], "quote" if own else "observed_typical"),
        "power_kw": power, "form": known["form"], "condition": "new", "source": _source(fact["source"], sources),
        "observed_on": observed, "confidence": CONFIDENCE.get(fact["confidence"], fact["confidence"]),
        "valid_from": start, "valid_to": end, "note": "; ".join(n for n in notes if n) or None,
    }  # fmt: skip


def _range(text: str) -> tuple[float | None, float | None, float | None]:
    if (value := number(text)) is not None:
        return None, value, None
    low, high = (float(end) for end in text.split("-"))
    return low, (low + high) / 2, high


def _follow_on(systems: list[Row]) -> None:
    """Where one system has several prices, one ends when the next begins."""
    for row in systems:
        later = [
            r["valid_from"]
            for r in systems
            if r["system"] == row["system"] and r["valid_from"] > row["valid_from"]
        ]
        if later:
            row["valid_to"] = min(later)


def _colocation(servers: list[Row], sources: Sources) -> list[Row]:
    rows = []
    for fact in servers:
        if fact["kind"] == "colocation" and "250-500 kW" in fact["product"]:
            rows.append(
                {
                    "amount": number(fact["price"]),
                    "observed_on": day(fact["date"]),
                    "source": _source(fact["source"], sources),
                }
            )
    encor = sources.cite(
        "encor-2025-h2", "encoradvisors.com, data center colocation pricing: 2025-H2", "facts"
    )
    rows.append({"amount": 196.0, "observed_on": date(2025, 7, 1), "source": encor})
    return [
        {
            **row, "system": "colocation-usa", "kind": "colocation", "product": "space for one kW", "currency": "USD",
            "price_kind": "list", "country": "USA", "confidence": "high", "valid_from": row["observed_on"],
            "note": "asking rent of 250-500 kW in primary markets, electricity usually extra; one cabinet costs more: 500-2,000 a month",
        }
        for row in rows
    ]  # fmt: skip


DATACENTRE = (  # age, low, median, high: two published curves; high lifted to what was seen sold at 3.6 years
    (0.0, 0.0, 1.0, 1.0, "the published curves start at the new price"),
    (1.0, 0.0, 0.70, 0.78, "0.78 (anchor curve) and 0.60-0.65"),
    (2.0, 0.0, 0.51, 0.67, "0.60 and 0.40-0.45; H100 PCIe seen sold at 0.67 aged 3.6 years (25 sales)"),
    (3.0, 0.0, 0.38, 0.67, "0.46 and 0.25-0.35; A100 80GB 0.20-0.25; H100 PCIe seen sold at 0.67 aged 3.6 years (25 sales)"),
    (4.0, 0.0, 0.26, 0.67, "0.35 and 0.15-0.20; H100 PCIe seen sold at 0.67 aged 3.6 years (25 sales)"),
    (5.0, 0.0, 0.125, 0.15, "0.10-0.15"),
)  # fmt: skip


def _resale(facts: Path, sources: Sources) -> list[Row]:
    ebay = sources.cite(
        "toms-ebay-2023", "medians of eBay sold averages 2022-06 to 2023-11 published by Tom's Hardware, GeForce RTX", "facts"
    )  # fmt: skip
    rows: list[Row] = [
        {
            "segment": "consumer_gpu", "age_years": number(f["age_years"]) or 0.0, "ratio": number(f["ratio_to_launch_median"]),
            "ratio_low": number(f["ratio_p25"]), "ratio_high": number(f["ratio_p75"]), "points": number(f["points"]),
            "source": ebay, "observed_on": date(2023, 11, 1), "confidence": "medium", "valid_from": date(2023, 11, 1),
            "note": "GeForce RTX only",
        }
        for f in read_facts(facts / "gpu_resale_curve.csv")
    ]  # fmt: skip
    spotwire = sources.cite(
        "dc-resale-2026", "SpotWire valuator data (CC BY 4.0) 2026-05 and 2026-06; H100 residuals of v2-pseo-ai.pages.dev 2026-01-08",
        "CC BY 4.0", "Data-centre GPU resale: SpotWire (CC BY 4.0).",
    )  # fmt: skip
    return rows + [
        {
            "segment": "datacenter_gpu", "age_years": age, "ratio": ratio, "ratio_low": low, "ratio_high": high,
            "source": spotwire, "observed_on": date(2026, 6, 4), "confidence": "low", "valid_from": date(2026, 6, 4),
            "note": f"{said}; low nil by decision: a volatile market",
        }
        for age, low, ratio, high, said in DATACENTRE
    ]  # fmt: skip
