"""Write `offers`: cloud and marketplace prices of today, and those of earlier years with their validity.

Decisions about the known defects of the facts are made here, one small function each, and said in the note of
the row. Nothing is guessed: a price, count or memory that the source leaves out stays null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from rackrent.catalog.names import canonical_gpu
from rackrent.catalog.prices import machine_price
from tools.catalog.citations import cite
from tools.catalog.common import Row, Sources, confidence, day, number, read_facts
from tools.catalog.history import earlier_offers
from tools.catalog.regions import country_of, region_name

MARKETPLACES = {"Vast.ai", "Akash", "Spheron", "TensorDock", "Salad"}
COMMITTED = {"reserved_1y": 12.0, "reserved_3y": 36.0}
GPU_ONLY = re.compile(r"billed separately|excludes vCPU")
PUBLISHED_SPOT = re.compile(r"estimated", re.IGNORECASE)


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `offers`."""
    memory = {row["gpu"]: row["memory_gb"] for row in _gpu_memory(facts)}
    current = [row for fact in _cloud(facts) for row in _offers_of(fact, sources, memory)]
    rows = [*current, *_bare_metal(facts, sources), *_china(facts, sources)]
    rows += earlier_offers(facts, sources, rows)
    return {"offers": _one_per_key(rows)}


def _gpu_memory(facts: Path) -> list[Row]:
    from tools.catalog.gpus import build as build_gpus

    return build_gpus(facts, Sources())["gpus"]


def _cloud(facts: Path) -> list[Row]:
    return read_facts(facts / "cloud_gpu_offers.csv")


def _offers_of(fact: Row, sources: Sources, memory: dict[str, float | None]) -> Iterator[Row]:
    """One row a term that the fact prices; a row of unknown price where it prices none."""
    gpu = canonical_gpu(fact["gpu"], number(fact["gpu_memory_gb_each"]), fact["instance_type"])
    if gpu is None:
        return
    base = _machine(fact, gpu, memory)
    priced = list(_prices(fact))
    for term, amount, changes in priced or [("on_demand", None, {"note": "the source gives no price"})]:
        if amount is None and priced:
            continue
        row = base | {
            "term": term,
            "amount": amount,
            "currency": None if amount is None else "USD",
            "minimum_months": COMMITTED.get(term, 0.0),
            "source": cite(fact, sources),
            "observed_on": _observed(fact, term),
            "confidence": confidence(fact["confidence"]),
        }
        row |= {k: v for k, v in changes.items() if k != "note"}
        row["note"] = "; ".join(n for n in (changes.get("note"), _remark(fact), base["note"]) if n) or None
        row["valid_from"] = row["observed_on"]
        yield _whole_machine(row)


def _machine(fact: Row, gpu: str, memory: dict[str, float | None]) -> Row:
    count, stated = number(fact["gpu_count"]), number(fact["gpu_memory_gb_each"])
    if count in (0.333, 0.167):
        count = {0.333: 1 / 3, 0.167: 1 / 6}[count]
    region = region_name(fact["region"])
    fraction = count is not None and count < 1
    nominal = memory[gpu] if gpu not in ("A100", "V100") else None
    note = None
    if stated and nominal and not fraction and abs(stated - nominal) > 0.02 * nominal:
        note = f"the source says {stated:g} GB of GPU memory"
    return {
        "provider": fact["provider"],
        "kind": _kind(fact),
        "instance_type": _instance_type(fact, gpu),
        "region": region,
        "country": country_of(fact["provider"], region),
        "gpu": gpu,
        "gpu_count": count,
        "gpu_memory_gb": stated if fraction else nominal,
        "vcpus": _lower_end(fact["vcpus"]),
        "ram_gb": _lower_end(fact["ram_gb"]),
        "per": "machine_hour",
        "upfront": 0.0,
        "price_kind": _price_kind(fact),
        "condition": "new",
        "incomplete": "vcpu and ram" if _gpu_only(fact) else None,
        "storage_usd_gb_month": number(fact["storage_usd_gb_month"]),
        "note": note,
    }


def _kind(fact: Row) -> str:
    bare = fact["provider"] == "Latitude.sh" or re.search(r"^BM\.|bare-metal|\.metal", fact["instance_type"])
    if fact["provider"] in MARKETPLACES or fact["pricing_model"] == "community":
        return "marketplace"
    return "bare_metal" if bare else "cloud"


def _instance_type(fact: Row, gpu: str) -> str:
    """The provider's name; where one name stands for several sizes, count and size are put to it."""
    name: str = fact["instance_type"]
    count = fact["gpu_count"]
    if fact["provider"] == "GCP" and name.startswith("n1-"):
        return f"{name} + {count}x {gpu}"
    if re.search(r"\(\d+ ?GB\)$", name):
        size = f", {fact['vcpus']} vCPU {fact['ram_gb']} GB" if fact["vcpus"] else ""
        return f"{count}x {name}{size}"
    return name


def _price_kind(fact: Row) -> str:
    """A marketplace's lowest ask, or a lowest price over regions ("/min"), is a floor."""
    floor = "/min" in (fact["region"] or "") or "marketplace" in fact["pricing_model"]
    return "observed_minimum" if floor else "list"


def _gpu_only(fact: Row) -> bool:
    return bool(GPU_ONLY.search(f"{fact['pricing_model']} {fact['note']}")) or fact["provider"] == "Salad"


def _lower_end(text: str | None) -> float | None:
    return number(text.split("-")[0]) if text else None


def _prices(fact: Row) -> Iterator[tuple[str, float | None, Row]]:
    """(term, price, what else this reading changes) of each price in a fact."""
    note = fact["note"] or ""
    estimated = bool(PUBLISHED_SPOT.search(note))
    if (amount := number(fact["ondemand_usd_h"])) and not (estimated and fact["provider"] == "Crusoe"):
        yield "on_demand", amount, {}
    elif amount:
        yield "on_demand", None, {}
    if amount := number(fact["spot_usd_h"]):
        yield from _spot(fact, amount, estimated)
    if amount := number(fact["commit_1y_usd_h"]):
        yield "reserved_1y", amount, {}
    if amount := number(fact["commit_3y_usd_h"]):
        yield _three_years(fact, amount)
    if m := re.search(r"^6mo: ([\d.]+)", fact["commit_other"] or ""):
        yield "monthly", float(m[1]), {"minimum_months": 6.0, "note": "six-month savings plan"}
    if m := re.search(r"flex price ([\d.]+)", fact["commit_other"] or ""):
        said = "Dynamic Workload Scheduler: start not guaranteed, limited run time"
        yield "on_demand", float(m[1]), {"note": said}


def _spot(fact: Row, amount: float, estimated: bool) -> Iterator[tuple[str, float | None, Row]]:
    """Prices in the spot column are of five sorts; only the published ones of real spot terms are spot."""
    provider = fact["provider"]
    if estimated or (provider == "AWS" and fact["region"].startswith("us-gov")):
        yield "spot", None, {}
    elif provider == "Thunder Compute":
        yield "on_demand", amount, {"note": "prototyping tier: a virtualised GPU over the network"}
    elif provider == "Akash":
        yield "on_demand", amount, {}
    elif provider == "RunPod":
        yield "interruptible", amount, {"price_kind": "observed_minimum"}
    elif provider in MARKETPLACES:
        yield "interruptible", amount, {}
    elif provider == "AWS":
        yield "spot", amount, {"confidence": "low", "note": "spot price of 2025-03, no region stated"}
    else:
        yield "spot", amount, {}


def _three_years(fact: Row, amount: float) -> tuple[str, float, Row]:
    """RunPod's "three-year" prices lie above its six-month ones: they are its three-month plan."""
    if fact["provider"] == "RunPod":
        said = "the source files it under three years, but it is dearer than six months: read as three months"
        return "monthly", amount, {"minimum_months": 3.0, "confidence": "low", "note": said}
    return "reserved_3y", amount, {}


def _observed(fact: Row, term: str) -> date:
    """The day the source showed this price: terms of one row may come from different days."""
    source = fact["source"] or ""
    if term.startswith("reserved") and (m := re.search(r"commits .*? (\d{4}-\d\d-\d\d)", source)):
        return date.fromisoformat(m[1])
    if term == "spot" and (m := re.search(r"spot .*? (\d{4}-\d\d-\d\d)", source)):
        return date.fromisoformat(m[1])
    if "references July 2024" in (fact["note"] or ""):
        return date(2024, 7, 1)
    found = day(fact["date"])
    assert found is not None, fact
    return found


def _remark(fact: Row) -> str | None:
    """What a reader should know, in our words."""
    note = fact["note"] or ""
    if "sold in 8x node" in note:
        return "the source states one eighth of it"
    said = {
        "Spot tier rarely available": "spot capacity is rarely available",
        "Virtualized GPU": None,
        "Marketplace: $": "prices vary between hosts",
        "fluctuates": "price moves by about 15 %",
        "vCPU and RAM are FREE": "vCPU and RAM included; price moves with demand",
        "vCPU/RAM billed separately": "vCPU and RAM are billed on top",
        "vCPU $0.01/h": "vCPU 0.01 USD/h and RAM 0.005 USD/GB/h are billed on top",
        "CPU/RAM/storage billed separately": "serverless; vCPU, RAM and storage are billed on top",
        "Provider page references July 2024": "the provider's page dates from 2024-07",
        "SkyPilot shows one price": "lowest ask for this size; the region is where such hosts were seen",
        "likely spot": "lowest ask, probably interruptible",
        "community/interruptible floor": "community or interruptible floor, not always below on demand",
    }
    return next((ours for theirs, ours in said.items() if theirs in note), None)


def _whole_machine(row: Row) -> Row:
    """Bare metal sold in nodes of eight but quoted per GPU becomes the price of the node."""
    if row["note"] and "one eighth" in row["note"] and row["amount"] is not None:
        return row | {"gpu_count": 8.0, "amount": machine_price(row["amount"], 8.0, "gpu")}
    return row


def _bare_metal(facts: Path, sources: Sources) -> Iterator[Row]:
    """Monthly rents of single machines that the list of servers holds."""
    for fact in read_facts(facts / "prebuilt_servers.csv"):
        amount, observed = number(fact["price"]), day(fact["date"])
        if fact["kind"] != "bare metal" or amount is None or observed is None:
            continue
        gpu = canonical_gpu(fact["gpu"], number(fact["gpu_memory_gb_total"]), fact["product"])
        hetzner = fact["vendor"] == "Hetzner"
        row = {
            "provider": "Hetzner (GEX)" if hetzner else "Neysa",
            "kind": "bare_metal",
            "instance_type": fact["product"].split(" (")[0].replace(" 1-month", ""),
            "region": "unspecified",
            "country": None if hetzner else "IND",
            "gpu": gpu,
            "gpu_count": number(fact["gpu_count"]),
            "gpu_memory_gb": number(fact["gpu_memory_gb_total"]),
            "ram_gb": number(fact["ram_gb"]),
            "currency": fact["currency"][:3],
            "price_kind": "list",
            "condition": "new",
            "source": cite(fact, sources),
            "observed_on": observed,
            "confidence": confidence(fact["confidence"]),
            "valid_from": observed,
        }
        if hetzner:
            said = "set-up fee of 79 EUR from memory; prices were raised on 2026-04-01"
            rent = {"term": "monthly", "amount": amount, "per": "machine_month", "upfront": 79.0}
            yield row | rent | {"minimum_months": 1.0, "note": said}
            continue
        others = re.search(r"on-demand ([\d.]+); 36-month ([\d.]+)", fact["note"])
        assert others is not None
        hourly = row | {"per": "machine_hour", "upfront": 0.0}
        yield hourly | {"term": "monthly", "amount": amount, "minimum_months": 1.0}
        yield hourly | {"term": "on_demand", "amount": float(others[1]), "minimum_months": 0.0}
        yield hourly | {"term": "reserved_3y", "amount": float(others[2]), "minimum_months": 36.0}


def _china(facts: Path, sources: Sources) -> Iterator[Row]:
    """Yearly rents in China, paid in advance; the later reading ends the earlier one."""
    rents = [f for f in read_facts(facts / "china.csv") if f["unit"] == "CNY/year" and f["gpu"]]
    starts = {day(f["period"]): f for f in rents}
    ordered = sorted(d for d in starts if d)
    for start, end in zip(ordered, [*ordered[1:], None], strict=True):
        fact = starts[start]
        yield {
            "provider": "China market",
            "kind": "cloud",
            "instance_type": f"1x {fact['gpu']}",
            "region": "China",
            "country": "CHN",
            "gpu": canonical_gpu(fact["gpu"]),
            "gpu_count": 1.0,
            "gpu_memory_gb": 24.0,
            "term": "reserved_1y",
            "amount": 0.0,
            "currency": "CNY",
            "per": "machine_month",
            "upfront": number(fact["value"]),
            "minimum_months": 12.0,
            "payment": "all_upfront",
            "price_kind": "observed_typical",
            "condition": "new",
            "source": cite(fact, sources),
            "observed_on": day(fact["date"]),
            "confidence": confidence(fact["confidence"]),
            "valid_from": start,
            "valid_to": end,
            "note": "typical yearly rent paid in advance; sellers vary",
        }


def _one_per_key(rows: list[Row]) -> list[Row]:
    """Of two prices for the same thing on the same day the lower stays, and its note names the other."""
    best: dict[tuple[object, ...], Row] = {}
    key_names = (
        "provider",
        "instance_type",
        "region",
        "gpu",
        "term",
        "payment",
        "minimum_months",
        "valid_from",
    )
    for row in rows:
        key = tuple(row.get(k) for k in key_names)
        other = best.get(key)
        if other is None:
            best[key] = row
        elif row["amount"] != other["amount"]:
            low, high = sorted(
                (row, other), key=lambda r: float("inf") if r["amount"] is None else r["amount"]
            )
            said = f"another row of the source says {high['amount']:g}"
            best[key] = low | {"note": "; ".join(n for n in (low["note"], said) if n)}
    return list(best.values())
