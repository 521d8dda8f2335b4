"""Published parts lists, with the prices they state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rackrent.catalog.names import canonical_gpu
from tools.catalog.common import Row, Sources, day, number, read_facts

REST_W = 100
"""Watts left for board, memory, disks and fans when a power supply is checked."""
SEPTEMBER_2018 = date(2018, 9, 1)
JULY_2025 = date(2025, 7, 23)
YEAR_LATER = date(2019, 10, 1)
"""A dated parts list is taken to hold for about a year."""


@dataclass(frozen=True)
class Build:
    """A parts list: beginnings of part names as in the facts, and what is said about the whole."""

    id: str
    product: str
    vendor: str | None
    gpus: int
    parts: tuple[str, ...]
    valid_from: date
    valid_to: date | None
    note: str
    low: float | None = None
    high: float | None = None
    form: str = "desktop"


CHEN = (
    "AMD Ryzen Threadripper 1920X (12c", "Fractal Design Celsius S24", "MSI X399 Gaming Pro Carbon AC",
    "Corsair Vengeance RGB 64GB", "Samsung 970 EVO 1TB", "EVGA SuperNOVA 1600 P2", "Lian Li PC-O11 Air",
    "Cooler Master 80mm",
)  # fmt: skip

BUILDS = (
    Build(
        "chen-2018-1x-gtx-1080-ti", "1x GTX 1080 Ti, Threadripper 1920X, 64 GB", "Jeff Chen", 1,
        ("NVIDIA GTX 1080 Ti Founders", *CHEN), SEPTEMBER_2018, YEAR_LATER,
        "the published list; his text rounds it to 3,000 and assumes 1 kW",
    ),
    Build(
        "chen-2018-4x-gtx-1080-ti", "4x GTX 1080 Ti, Threadripper 1920X, 64 GB", "Jeff Chen", 4,
        ("NVIDIA GTX 1080 Ti Founders", *CHEN), SEPTEMBER_2018, YEAR_LATER,
        "the list with three more cards; his table uses 4,400, his text says 3,000 + 3 x 700; assumes 2 kW",
        low=4_400, high=5_100,
    ),
    Build(
        "chen-2018-1x-rtx-2080-ti", "1x RTX 2080 Ti blower, Threadripper 1920X, 64 GB", "Jeff Chen", 1,
        ("RTX 2080 Ti Turbo", *CHEN), SEPTEMBER_2018, YEAR_LATER,
        "the list with the newer card; his text says 500 more, 3,500",
    ),
)  # fmt: skip


def builds(facts: Path, sources: Sources) -> tuple[list[Row], list[Row]]:
    """Return the rows of `systems` and `parts` of every build."""
    stock = read_facts(facts / "pc_parts.csv")
    stock_2018 = read_facts(facts / "parts_2018.csv")
    systems, parts = [], []
    for build in BUILDS:
        chosen = [_find(name, stock, stock_2018) for name in build.parts]
        _check_fit(build, chosen)
        rows = [_part(build, part, sources) for part in chosen]
        parts += rows
        systems.append(_system(build, chosen, rows))
    return systems, parts


def _find(name: str, stock: list[Row], stock_2018: list[Row]) -> Row:
    found = [p for p in (*stock, *stock_2018) if p["name"].startswith(name) and _price(p) is not None]
    exact = [p for p in found if p["name"] == name]
    assert found, f"no priced part is called {name}"
    return (exact or found)[0]


def _price(part: Row) -> float | None:
    return number(part.get("price_est_2018_09_usd") or part["price_usd"])


def _part(build: Build, part: Row, sources: Sources) -> Row:
    is_gpu = part["part_type"] == "gpu"
    price, source, observed, confidence, note = _price(part), *_origin(part, sources)
    return {
        "system": build.id, "part_type": {"psu": "power_supply"}.get(part["part_type"], part["part_type"]),
        "name": _full_name(part), "quantity": float(build.gpus if is_gpu else 1), "amount": price, "currency": "USD",
        "source": source, "observed_on": observed, "confidence": confidence, "valid_from": build.valid_from,
        "valid_to": build.valid_to, "note": note or None,
    }  # fmt: skip


def _full_name(part: Row) -> str:
    maker, name = part.get("manufacturer") or "", part["name"]
    short = re.split(r" ATX (Mid|Full) Tower| EATX Mid Tower| Fully Modular|, w/", name)[0]
    return short if short.casefold().startswith(maker.casefold()) else f"{maker} {short}"


def _origin(part: Row, sources: Sources) -> tuple[str, date | None, str, str]:
    """Return source id, day, confidence and note of a part's price."""
    if "price_est_2018_09_usd" in part:
        basis = part["price_basis"]
        if basis.startswith("2018-09"):
            return _chen(sources), SEPTEMBER_2018, "high", ""
        if basis.startswith("2019-05"):
            scaled = "; scaled back to 2018-09" if part["part_type"] in ("memory", "storage") else ""
            source = sources.cite(
                "pcpartpicker-2019-05", "PCPartPicker US lowest prices, 2019-05-28", "facts"
            )
            return source, date(2019, 5, 28), "low" if scaled else "medium", f"price of 2019-05{scaled}"
        source = sources.cite("launch-prices", "vendors' launch prices, from memory", "facts")
        return source, day(part["launch"]), "low", basis
    if part["price_date"] == "2018-09":
        return _chen(sources), SEPTEMBER_2018, "high", ""
    if part["price_date"] == "launch":
        source = sources.cite("launch-prices", "vendors' launch prices, from memory", "facts")
        return source, JULY_2025, "low", "launch price"
    source = sources.cite(
        "pc-part-dataset-2025-07", "docyx/pc-part-dataset@c52a04ca, PCPartPicker prices of 2025-07-23", "MIT",
        "Attributes of PC parts: BuildCores OpenDB, made available under the Open Data Commons Attribution License (ODC-By) 1.0.",
    )  # fmt: skip
    quartile = re.search(r"lower[ -]quartile of [^)]*", part["price_source"])
    notes = [
        quartile[0] if quartile else "",
        "memory has become dearer since" if part["part_type"] == "memory" else "",
    ]
    return source, JULY_2025, "medium", "; ".join(n for n in notes if n)


def _chen(sources: Sources) -> str:
    return sources.cite(
        "chen-part-1", "Jeff Chen, Why building your own deep learning computer is 10x cheaper than AWS, 2018-09, parts table", "facts"
    )  # fmt: skip


def _system(build: Build, chosen: list[Row], parts: list[Row]) -> Row:
    by_type = {p["part_type"]: p for p in chosen}
    gpu = by_type["gpu"]
    amounts = [p["amount"] * p["quantity"] if p["amount"] is not None else None for p in parts]
    known = [a for a in amounts if a is not None]
    weakest = max(parts, key=lambda p: ("high", "medium", "low").index(p["confidence"]))
    total = round(sum(known), 2) if len(known) == len(amounts) else None
    return {
        "system": build.id, "kind": "own_build", "vendor": build.vendor, "product": build.product,
        "gpu": canonical_gpu(gpu["gpu_chipset"], memory_gb=number(gpu["gpu_memory_gb"])),
        "gpu_count": float(build.gpus), "gpu_memory_gb": number(gpu["gpu_memory_gb"]),
        "cpu": by_type["cpu"]["name"], "cpu_cores": number(by_type["cpu"]["cores"]),
        "ram_gb": number(by_type["memory"]["capacity_gb"]), "disk_gb": number(by_type["storage"]["capacity_gb"]),
        "amount": total, "amount_low": build.low, "amount_high": build.high, "currency": "USD",
        "gpu_amount": next(a for p, a in zip(parts, amounts, strict=True) if p["part_type"] == "gpu"),
        "price_kind": "list", "form": build.form, "condition": "new",
        "source": _main_source(parts), "observed_on": build.valid_from,
        "confidence": weakest["confidence"], "valid_from": build.valid_from, "valid_to": build.valid_to, "note": build.note,
    }  # fmt: skip


def _main_source(parts: list[Row]) -> str:
    """The source of most of the money."""
    money: dict[str, float] = {}
    for part in parts:
        money[part["source"]] = money.get(part["source"], 0.0) + (part["amount"] or 0.0) * part["quantity"]
    return max(money, key=lambda source: money[source])


def _check_fit(build: Build, chosen: list[Row]) -> None:
    """Assert what the facts let us check: socket, memory, power, slots, length."""
    part = {p["part_type"]: p for p in chosen}
    gpu, cpu, board, psu, case = (part[t] for t in ("gpu", "cpu", "motherboard", "psu", "case"))
    same = [re.sub(r"\s", "", s) for s in (cpu["socket"], board["socket"])]
    assert same[0] == same[1], f"{build.id}: {cpu['name']} does not fit {board['name']}"
    sockets = re.split(r"[;/]", part["cpu_cooler"]["socket"] or cpu["socket"])
    assert cpu["socket"] in sockets, f"{build.id}: the cooler does not fit {cpu['socket']}"
    assert part["memory"]["mem_type"] == board["mem_type"], f"{build.id}: memory"
    needed = build.gpus * (number(gpu["tdp_w"]) or 0) + (number(cpu["tdp_w"]) or 0) + REST_W
    assert needed <= (number(psu["wattage"]) or 0), f"{build.id}: {needed} W from {psu['wattage']} W"
    slots = number(board["max_dual_slot_gpus"])
    assert slots is None or build.gpus <= slots, f"{build.id}: {build.gpus} cards on {slots} places"
    assert (number(gpu["length_mm"]) or 0) <= (number(case["max_gpu_length_mm"]) or 0), f"{build.id}: length"
