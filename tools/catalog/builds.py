"""Ready-made own builds: parts lists with real prices, of parts that fit together."""

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
    gpu_price: tuple[float, str, str] | None = None
    """A later price of one GPU, its day, and the source id, in place of the list's."""


CHEN = (
    "AMD Ryzen Threadripper 1920X (12c", "Fractal Design Celsius S24", "MSI X399 Gaming Pro Carbon AC",
    "Corsair Vengeance RGB 64GB", "Samsung 970 EVO 1TB", "EVGA SuperNOVA 1600 P2", "Lian Li PC-O11 Air",
    "Cooler Master 80mm",
)  # fmt: skip
AM5 = (
    "ASUS ProArt X870E-CREATOR WIFI", "Corsair Vengeance 64 GB DDR5-6000", "Thermalright Phantom Spirit 120 SE",
    "Samsung 990 Pro 2000 GB", "MSI MPG A1000G", "Fractal Design Torrent EATX",
)  # fmt: skip
X299 = (
    "ASUS WS X299 SAGE/10G", "Intel Core i9 10900X", "Noctua NH-D15 Air", "G.Skill Ripjaws V 128 GB",
    "Samsung 990 Pro 4000 GB", "EVGA SuperNOVA 1600 G2 ATX", "Fractal Design Meshify 2 XL",
)  # fmt: skip
TIGHT = "its 1,600 W supply is below 1.25 times the load: limit the cards' power"
TODAY = "prices of 2025-07-23, the newest we have: memory has become dearer since"

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
    Build(
        "budget-2018-1x-gtx-1080-ti", "1x GTX 1080 Ti, Threadripper 1900X, 32 GB", None, 1,
        ("GTX 1080 Ti Founders Edition", "Ryzen Threadripper 1900X", "X399 Phantom Gaming 6", "MasterAir MA621P TR4",
         "Vengeance LPX 32GB (4x8)", "660p 1TB", "HX1200", "H500"), SEPTEMBER_2018, YEAR_LATER,
        "our list for the 2,000 that the article says cheaper parts cost; room for three cards; most prices are of "
        "2019-05 or launch prices, memory scaled back to 2018-09",
    ),
    Build(
        "2025-1x-rtx-5070-ti", "1x RTX 5070 Ti, Ryzen 7 9700X, 64 GB", None, 1,
        ("MSI GeForce RTX 5070 Ti VENTUS 3X", "AMD Ryzen 7 9700X", *AM5), JULY_2025, None, TODAY,
    ),
    Build(
        "2025-1x-rtx-4090", "1x RTX 4090, Ryzen 9 9900X, 64 GB", None, 1,
        ("NVIDIA Founders Edition GeForce RTX 4090", "AMD Ryzen 9 9900X", *AM5), JULY_2025, date(2026, 3, 1), TODAY,
    ),
    Build(
        "2025-1x-rtx-4090", "1x RTX 4090, Ryzen 9 9900X, 64 GB", None, 1,
        ("NVIDIA Founders Edition GeForce RTX 4090", "AMD Ryzen 9 9900X", *AM5), date(2026, 3, 1), None,
        f"{TODAY}; the GPU of 2026-03", gpu_price=(2749, "2026-03-01", "component-listings-2026"),
    ),
    Build(
        "2025-1x-rtx-5090", "1x RTX 5090, Ryzen 9 9900X, 64 GB", None, 1,
        ("NVIDIA GeForce RTX 5090 Founders Edition", "AMD Ryzen 9 9900X", *AM5), JULY_2025, None, TODAY,
    ),
    Build(
        "2025-2x-rtx-5090", "2x RTX 5090, Ryzen 9 9950X, 128 GB", None, 2,
        ("NVIDIA GeForce RTX 5090 Founders Edition", "AMD Ryzen 9 9950X", "ASUS ProArt X870E-CREATOR WIFI",
         "Crucial Pro 128 GB DDR5-5600", "Noctua NH-D15 Air", "Samsung 990 Pro 4000 GB", "SeaSonic PRIME TX-1600",
         "Fractal Design Torrent EATX"), JULY_2025, None, f"{TODAY}; {TIGHT}", form="workstation",
    ),
    Build(
        "2025-1x-rtx-pro-6000", "1x RTX PRO 6000 Blackwell, Ryzen 9 9950X, 128 GB", None, 1,
        ("NVIDIA RTX PRO 6000 Blackwell Workstation", "AMD Ryzen 9 9950X", "ASUS ProArt X870E-CREATOR WIFI",
         "Crucial Pro 128 GB DDR5-5600", "Noctua NH-D15 Air", "Samsung 990 Pro 4000 GB", "SeaSonic PRIME TX-1600",
         "Fractal Design Torrent EATX"), JULY_2025, None, f"{TODAY}; the GPU at its launch price",
        form="workstation",
    ),
    Build(
        "2025-4x-rtx-a5000", "4x RTX A5000, Core i9-10900X, 128 GB", None, 4, ("NVIDIA RTX A5000", *X299),
        JULY_2025, None, TODAY, form="workstation",
    ),
    Build(
        "2025-4x-rtx-a6000", "4x RTX A6000, Core i9-10900X, 128 GB", None, 4, ("NVIDIA RTX A6000", *X299),
        JULY_2025, None, f"{TODAY}; {TIGHT}", form="workstation",
    ),
    Build(
        "2025-4x-rtx-6000-ada", "4x RTX 6000 Ada, Core i9-10900X, 128 GB", None, 4, ("NVIDIA RTX 6000 Ada", *X299),
        JULY_2025, date(2026, 3, 1), f"{TODAY}; {TIGHT}", form="workstation",
    ),
    Build(
        "2025-4x-rtx-6000-ada", "4x RTX 6000 Ada, Core i9-10900X, 128 GB", None, 4, ("NVIDIA RTX 6000 Ada", *X299),
        date(2026, 3, 1), None, f"{TODAY}; the GPUs of 2026-03; {TIGHT}", form="workstation",
        gpu_price=(6956, "2026-03-01", "component-listings-2026"),
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
    if is_gpu and build.gpu_price:
        price, observed, confidence, note = (
            build.gpu_price[0],
            day(build.gpu_price[1]),
            "low",
            "a listing of 2026-03",
        )
        source = sources.cite(build.gpu_price[2], "listings of 2026-03 at ofzenandcomputing.com", "facts")
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
    oldest = min(parts, key=lambda p: p["observed_on"])
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
        "source": _main_source(parts), "observed_on": oldest["observed_on"] if build.valid_from >= JULY_2025 else build.valid_from,
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
    needed = (
        build.gpus * (number(gpu["tdp_w"]) or CARD_W[gpu["gpu_chipset"]])
        + (number(cpu["tdp_w"]) or 0)
        + REST_W
    )
    assert needed <= (number(psu["wattage"]) or 0), f"{build.id}: {needed} W from {psu['wattage']} W"
    slots = number(board["max_dual_slot_gpus"])
    assert slots is None or build.gpus <= slots, f"{build.id}: {build.gpus} cards on {slots} places"
    assert (number(gpu["length_mm"]) or 0) <= (number(case["max_gpu_length_mm"]) or 0), f"{build.id}: length"


CARD_W = {
    "GeForce RTX 5070 Ti": 300, "GeForce RTX 4090": 450, "GeForce RTX 5090": 575, "RTX 6000 Ada Generation": 300,
    "RTX A6000": 300, "RTX A5000": 230, "RTX PRO 6000 Blackwell": 600,
}  # fmt: skip
"""Rated watts of cards whose row in the parts list leaves them out."""
