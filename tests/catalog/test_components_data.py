"""The data itself: parts to build machines of."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from rackrent.catalog.catalog import load

CATALOG = load()
PARTS = CATALOG.all_rows("components")
SLOT_W, LEAD_W = 75.0, {"6": 75.0, "8": 150.0, "16": 600.0, "eps": 300.0}
SLOTS = re.compile(r"(\?|\d+):\d+(/\d+)?c?(@\d+)?")
PCIE_GEN_OF_PLATFORM = {
    "X99": 3, "X399": 3, "X299": 3, "Intel 300": 3, "TRX40": 4, "WRX80": 4, "SP3": 4, "AM4": 4, "AM5": 5,
    "TRX50": 5, "WRX90": 5, "W790": 5, "SP5": 5, "Intel 600/700": 5, "Intel 800": 5,
}  # fmt: skip


MEMORY_OF_PLATFORM = {
    **dict.fromkeys(("X99", "X399", "X299", "Intel 300", "TRX40", "WRX80", "SP3", "AM4"), "DDR4"),
    **dict.fromkeys(("AM5", "TRX50", "WRX90", "W790", "SP5", "Intel 800"), "DDR5"),
}
MOST_DESKTOP_LANES = 28
DESKTOP = {"AM4", "AM5", "Intel 300", "Intel 600/700", "Intel 800"}
SOLD_MODULES_GB = {4, 8, 16, 24, 32, 48, 64, 96, 128, 256}


def complaints(row: dict[str, Any]) -> list[str]:
    """What cannot be right about one part."""
    wrong = []
    if row["amount"] is not None and row["amount"] <= 0:
        wrong.append("price of nothing")
    if row["part_type"] == "gpu":
        rated = CATALOG.all_rows("gpus").filter(pl.col("gpu") == row["gpu"])["tdp_w"].to_list()
        if rated and rated[0] and row["tdp_w"] < 0.9 * rated[0]:
            wrong.append(f"{row['tdp_w']:g} W for a GPU of {rated[0]:g} W")
        if row["connectors"] is not None:
            leads = re.findall(r"(\d)x(16|8|6|eps)", row["connectors"])
            if (
                1.05 * (SLOT_W + sum(int(n) * LEAD_W[kind] for n, kind in leads)) < row["tdp_w"]
            ):  # an A5000 has 2 % less
                wrong.append("connectors too weak")
        elif row["tdp_w"] > SLOT_W:
            wrong.append("no connector")
    if row["part_type"] in ("cpu", "motherboard"):
        newest = max((PCIE_GEN_OF_PLATFORM[p] for p in (row["platforms"] or "").split(";") if p), default=9)
        if row["pcie_gen"] is not None and row["pcie_gen"] > newest:
            wrong.append(f"PCIe {row['pcie_gen']:g} on {row['platforms']}")
        if row["slots"] is not None and not all(SLOTS.fullmatch(s) for s in row["slots"].split(";")):
            wrong.append("slots unreadable")
        memory = {MEMORY_OF_PLATFORM.get(p) for p in (row["platforms"] or "").split(";")} - {None}
        if row["memory_type"] is not None and memory and row["memory_type"] not in memory:
            wrong.append(f"{row['memory_type']} on {row['platforms']}")
        if (
            row["cpu_lanes"] is not None
            and row["platforms"] in DESKTOP
            and row["cpu_lanes"] > MOST_DESKTOP_LANES
        ):
            wrong.append(f"{row['cpu_lanes']:g} lanes on {row['platforms']}")
    if row["part_type"] == "memory" and row["capacity_gb"] / row["modules"] not in SOLD_MODULES_GB:
        wrong.append("no such module")
    if (
        row["part_type"] == "power_supply"
        and row["leads_16pin"]
        and row["psu_w"] < 600 * row["leads_16pin"] / 1.5
    ):
        wrong.append("more 12V-2x6 leads than watts")
    return wrong


def test_nothing_about_a_part_is_impossible():
    found = {row["name"]: c for row in PARTS.iter_rows(named=True) if (c := complaints(row))}
    assert found == {}


def row_of(start: str, **changes: Any) -> dict[str, Any]:
    row = PARTS.filter(pl.col("name").str.contains(start, literal=True)).row(0, named=True)
    return {**row, **changes}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (row_of("RTX 5090", tdp_w=390.0), "390 W for a GPU of 575 W"),
        (row_of("X99-E WS", pcie_gen=5.0), "PCIe 5 on X99"),
        (row_of("RTX 4090", connectors=None), "no connector"),
        (row_of("RTX 5090", connectors="2x8"), "connectors too weak"),
        (row_of("HX1200", amount=0.0), "price of nothing"),
        (row_of("MSI B550-A PRO", memory_type="DDR5"), "DDR5 on AM4"),
        (row_of("AMD Ryzen 5 5600", cpu_lanes=64.0), "64 lanes on AM4"),
        (row_of("Crucial Pro 64 GB", modules=3.0), "no such module"),
        (row_of("MSI MAG A750GL", leads_16pin=2.0), "more 12V-2x6 leads than watts"),
    ],
)
def test_the_checks_see_what_is_wrong(row: dict[str, Any], complaint: str):
    assert complaint in complaints(row)


def test_every_part_has_a_source_a_date_and_one_price_at_a_time():
    assert set(PARTS["source"]) <= set(CATALOG.sources)
    assert PARTS["observed_on"].null_count() == 0
    for (name,), rows in PARTS.group_by("name"):
        spans = rows.sort("valid_from")
        ends, starts = spans["valid_to"].to_list()[:-1], spans["valid_from"].to_list()[1:]
        assert all(e is not None and e <= s for e, s in zip(ends, starts, strict=True)), name


def test_every_gpu_of_a_card_is_known():
    cards = PARTS.filter(pl.col("part_type") == "gpu")
    assert set(cards["gpu"]) <= set(CATALOG.all_rows("gpus")["gpu"])


def test_what_decides_a_fit_is_known_of_what_one_can_buy():
    priced = PARTS.filter(pl.col("amount").is_not_null())
    needed = {
        "gpu": ("gpu", "tdp_w", "length_mm", "width_slots", "cooler", "connectors"),
        "cpu": ("sockets", "platforms", "tdp_w", "cores", "cpu_lanes"),
        "motherboard": (
            "sockets",
            "platforms",
            "form_factors",
            "memory_type",
            "memory_slots",
            "memory_max_gb",
        ),
        "memory": ("memory_type", "registered", "capacity_gb", "modules"),
        "storage": ("capacity_gb", "interface", "read_mbs"),
        "power_supply": ("psu_w",),
        "case": ("form_factors", "expansion_slots", "max_gpu_mm"),
    }
    missing = [
        (row["name"], column)
        for kind, columns in needed.items()
        for row in priced.filter(pl.col("part_type") == kind).iter_rows(named=True)
        for column in columns
        if row[column] is None
    ]
    assert missing == []


@pytest.mark.brief("A12")
def test_the_published_list_can_be_built_from_the_table():
    names = [
        "NVIDIA GTX 1080 Ti Founders Edition", "AMD Ryzen Threadripper 1920X", "Fractal Design Celsius S24",
        "MSI X399 Gaming Pro Carbon AC", "Corsair Vengeance RGB 64GB (4x16) DDR4-3000", "Samsung 970 EVO 1TB",
        "EVGA SuperNOVA 1600 P2", "Lian Li PC-O11 Air", "Cooler Master 80mm case fan",
    ]  # fmt: skip
    day = pl.date(2018, 9, 30)
    then = PARTS.filter(
        (pl.col("valid_from") <= day) & (pl.col("valid_to") > day) & pl.col("name").is_in(names)
    )
    assert then["amount"].sum() == 2989
