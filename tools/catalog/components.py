"""Parts to build machines of: prices and what decides whether they fit together."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from rackrent.catalog.names import canonical_gpu
from tools.catalog.builds import JULY_2025, SEPTEMBER_2018, YEAR_LATER, _full_name, _origin
from tools.catalog.common import Row, Sources, confidence, day, number, read_facts
from tools.catalog.wiring import MAX_RADIATOR_MM, PLATFORMS, RATED_W, WIRING

TYPES = {"psu": "power_supply"}
SIZES = {"XL ATX": "XL-ATX", "E-ATX": "EATX", "EEB": "SSI EEB", "Micro ATX": "mATX", "CEB": "SSI CEB"}
SOCKETS = {"115x": "LGA 1151", "2066": "LGA 2066", "2011": "LGA 2011-3", "LGA 2011": "LGA 2011-3"}
DESKTOP = ("AM4", "AM5", "Intel 600/700", "Intel 800")
GONE_PLATFORMS = ("X399", "TRX40", "X299", "X99", "WRX80", "Intel 300")
GONE_GPUS = re.compile(r"GTX 1|RTX 20|RTX 30|RTX 40|TITAN|RTX A\d|7900 XTX|A100", re.IGNORECASE)
"""Cards whose generation has been replaced."""
REFERENCE = {
    "1x 16-pin": "1x16",
    "2x 8-pin": "2x8",
    "1x 8-pin": "1x8",
    "3x 8-pin": "3x8",
    "1x 6-pin + 1x 8-pin": "1x6+1x8",
}
SIXTEEN_PIN = re.compile(r"RTX (40[789]0|50[789]0|PRO|[456]000 Ada)")
"""Cards that every maker gives the 16-pin connector."""


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `components`."""
    chips = {f["gpu"]: f for f in read_facts(facts / "gpus.csv")}
    today = [
        p
        for p in read_facts(facts / "pc_parts.csv")
        if p["price_date"] != "2018-09" or p["part_type"] == "fan"
    ]
    then = read_facts(facts / "parts_2018.csv")
    rows = [_row(p, chips, sources) for p in (*then, *today) if p["name"] not in DROPPED]
    unique = {(r["name"], r["valid_from"]): r for r in reversed(rows)}
    return {"components": list(unique.values())}


DROPPED = {
    "Intel Xeon W-2145",  # listed on X299; it needs another chipset
    "Mining-style open frame 8 GPU",  # not a case with a stated number of brackets
}


def _row(part: Row, chips: dict[str, Row], sources: Sources) -> Row:
    kind = TYPES.get(part["part_type"], part["part_type"])
    old = "price_est_2018_09_usd" in part or part["price_date"] == "2018-09"
    name = " ".join(_full_name(part).split())
    row = {"part_type": kind, "name": name, **_price(part, kind, old, sources), **_FIELDS[kind](part, chips)}
    if kind == "cpu_cooler" and row["tdp_w"] is None:
        row["tdp_w"] = next((w for start, w in RATED_W.items() if start in name), None)
    remembered = _remembered(kind, part, row)
    if remembered:
        row["note"] = "; ".join(
            n for n in (row["note"], f"{remembered} from memory of the maker's sheet") if n
        )
    platforms = str(row.get("platforms") or "").split(";")
    gone = any(p in GONE_PLATFORMS for p in platforms) or (
        kind == "gpu" and GONE_GPUS.search(part["gpu_chipset"]) is not None
    )
    row["condition"] = "discontinued" if gone and not old else "new"
    if gone and not old and part["price_date"] == "launch":
        row["amount"] = row["currency"] = None  # what it cost when it was new says nothing of today
    return row


def _remembered(kind: str, part: Row, row: Row) -> str | None:
    """Return the attribute that `wiring` adds to the facts of this part, if any."""
    if kind == "cpu_cooler" and row["tdp_w"] is not None and number(part["tdp_w"]) is None:
        return "rated watts"
    if kind == "case" and row["max_radiator_mm"] is not None:
        return "largest radiator"
    if kind == "motherboard" and any(part["name"].startswith(start) for start in WIRING):
        return "slot wiring"
    return None


def _price(part: Row, kind: str, old: bool, sources: Sources) -> Row:
    price = number(part.get("price_est_2018_09_usd") or part["price_usd"])
    source, observed, trust, note = _origin({**part, "price_source": part.get("price_source") or ""}, sources)
    start = max(SEPTEMBER_2018, day(part.get("launch")) or SEPTEMBER_2018) if old else JULY_2025
    notes = [note, "attributes entered by hand or from memory" if part.get("hand_fields") else ""]
    if price is None and not old:
        note = "no price known"
        notes = [note, *notes[1:]]
    return {
        "amount": price, "currency": None if price is None else "USD", "source": source, "observed_on": observed or date(2025, 7, 1),
        "confidence": min(trust, confidence(part["confidence"]), key=("low", "medium", "high").index) if price else "low",
        "valid_from": start, "valid_to": YEAR_LATER if old else None, "note": "; ".join(n for n in notes if n) or None,
    }  # fmt: skip


def _sockets(text: str | None) -> str | None:
    names = []
    for raw in re.split(r"[;/]", re.sub(r"\s*\(.*?\)", "", text or "")):
        socket = re.sub(r"^LGA\s*", "LGA ", raw.strip())
        names.append(SOCKETS.get(socket, socket))
    return ";".join(dict.fromkeys(n for n in names if n)) or None


def _gpu(part: Row, chips: dict[str, Row]) -> Row:
    name = canonical_gpu(part["gpu_chipset"], memory_gb=number(part["gpu_memory_gb"]))
    assert name is not None, part["gpu_chipset"]
    cooler = part["cooler_type"] or ""
    kinds = {
        "blower": "blower",
        "passive": "passive",
        "water": "liquid",
        "hybrid": "liquid",
        "axial": "open_air",
        "open": "open_air",
    }
    chip = next((f for f in chips.values() if canonical_gpu(f["gpu"]) == name), None)
    return {
        "gpu": name, "tdp_w": number(part["tdp_w"]), "length_mm": number(part["length_mm"]), "width_slots": number(part["slot_width"]),
        "cooler": next((kind for word, kind in kinds.items() if cooler.startswith(word)), None),
        "connectors": _connectors(part, chip),
    }  # fmt: skip


def _connectors(part: Row, chip: Row | None) -> str | None:
    if SIXTEEN_PIN.search(part["gpu_chipset"]):
        return "1x16"
    text = part["power_connectors"]
    if text is None:
        return REFERENCE.get((chip or {}).get("power_connectors") or "")
    if "EPS" in text:
        return "1xeps"
    found = re.findall(r"(\d)\s*x\s*(?:pcie_)?(16|12VHPWR|12V_2x6|6|8)", text)
    return "+".join(f"{n}x{'16' if kind.startswith('12') else kind}" for n, kind in found) or None


def _cpu(part: Row, _chips: dict[str, Row]) -> Row:
    lanes = number(part["cpu_pcie_lanes"])
    if "price_est_2018_09_usd" in part and part["socket"] in ("TR4", "AM4") and lanes:
        lanes -= 4  # the 2018 list counts the link to the chipset
    return {
        "sockets": _sockets(part["socket"]), "platforms": _platforms(part), "tdp_w": number(part["tdp_w"]),
        "cores": number(part["cores"]), "cpu_lanes": lanes, "pcie_gen": number(part["pcie_gen"]),
    }  # fmt: skip


def _platforms(part: Row) -> str | None:
    text = part["platform"] or _sockets(part["socket"]) or ""
    return next((families for start, families in PLATFORMS.items() if text.startswith(start)), None)


def _motherboard(part: Row, _chips: dict[str, Row]) -> Row:
    kind = part["mem_type"] or ""
    slots, switch = _slots(part)
    form = re.split(r"/", part["form_factor"] or "")[0]
    return {
        "sockets": _sockets(part["socket"]), "platforms": _platforms(part), "form_factors": SIZES.get(form, form) or None,
        "pcie_gen": _board_gen(part), "slots": slots, "pcie_switch": switch, "dual_slot_cards": number(part["max_dual_slot_gpus"]),
        "m2_slots": number(part["m2_slots"]), "memory_type": kind[:4] or None, "registered": kind.endswith("RDIMM") if kind else None,
        "memory_slots": number(part["mem_slots"]), "memory_max_gb": number(part["mem_max_gb"]),
    }  # fmt: skip


def _board_gen(part: Row) -> float | None:
    """BuildCores' generation is unreliable where the row says so: unknown then."""
    return None if "mechanical" in (part["note"] or "") else number(part["pcie_gen"])


def _slots(part: Row) -> tuple[str | None, bool | None]:
    known = next((w for start, w in WIRING.items() if part["name"].startswith(start)), None)
    if known is not None:
        return known
    widths, places = part["x16_electrical"], part.get("x16_slot_positions")
    if widths is None:
        # The one full slot nearest the processor of a desktop board has its sixteen lanes; of others nothing is known.
        return ("?:16", False) if part["platform"] in DESKTOP else (None, None)
    lanes = re.sub(r"\s*\(PLX\)", "", widths).split("/")
    if not places and part["max_dual_slot_gpus"] == part["x16_slots_physical"] == "4":
        places = "1;3;5;7"  # four cards two wide on a board of seven positions stand nowhere else
    positions = places.split(";") if places else ["?"] * len(lanes)
    assert len(lanes) == len(positions) and all(w.isdigit() for w in lanes), (part["name"], widths, places)
    return ";".join(f"{p}:{w}" for p, w in zip(positions, lanes, strict=True)), "PLX" in widths


def _cooler(part: Row, _chips: dict[str, Row]) -> Row:
    return {
        "sockets": _sockets(part["socket"]), "tdp_w": number(part["tdp_w"]),
        "height_mm": None if part["radiator_mm"] else number(part["cooler_height_mm"]), "radiator_mm": number(part["radiator_mm"]),
    }  # fmt: skip


def _memory(part: Row, _chips: dict[str, Row]) -> Row:
    return {
        "memory_type": part["mem_type"], "registered": part.get("registered") == "RDIMM",
        "capacity_gb": number(part["capacity_gb"]), "modules": number((part["modules"] or "").split("x")[0]),
    }  # fmt: skip


def _storage(part: Row, _chips: dict[str, Row]) -> Row:
    text = part["interface"]
    kind = "hdd" if "HDD" in text else "sata" if "SATA" in text else "u2" if text.startswith("U.") else "nvme"
    return {
        "capacity_gb": number(part["capacity_gb"]),
        "interface": kind,
        "read_mbs": number(part["seq_read_mbs"]),
    }


def _psu(part: Row, _chips: dict[str, Row]) -> Row:
    name = part["name"]
    old = (
        "price_est_2018_09_usd" in part
        or re.search(r"SuperNOVA \d+ [GPT]2|\(2018\)|Ion\+|HERCULES", name) is not None
    )
    eight, sixteen = number(part["psu_8pin_pcie"]), number(part.get("psu_12vhpwr"))
    modern = bool(sixteen) or re.search(r"ATX ?3|PCIE5|PG5|\(2025\)", name) is not None
    if old:
        sixteen = 0.0
    elif not sixteen:  # BuildCores writes 0 where it does not know
        sixteen = None
    if eight == 1:
        eight = None  # a 1,600 W supply with one lead is a slip
    return {
        "psu_w": number(part["wattage"]), "efficiency": (part["efficiency"] or "").replace("80+ ", "").casefold() or None,
        "leads_8pin": eight or None, "leads_16pin": sixteen, "atx3": False if old else True if modern else None,
        "length_mm": number(part.get("length_mm")),
    }  # fmt: skip


def _case(part: Row, _chips: dict[str, Row]) -> Row:
    note, form = part["note"] or "", part["form_factor"] or ""
    text = note.partition("motherboards: ")[2] or form.replace("/", ", ")
    sizes = [SIZES.get(s.strip(), s.strip()) for s in text.split(",")]
    radiator = next((mm for start, mm in MAX_RADIATOR_MM.items() if start in part["name"]), None)
    return {
        "form_factors": ";".join(s for s in sizes if s), "full_tower": bool(re.search(r"Full|rack|4U|EEB", f"{form} {part['name']}")),
        "expansion_slots": number(part["expansion_slots"]), "max_gpu_mm": number(part["max_gpu_length_mm"]),
        "max_cooler_mm": number(part["max_cooler_height_mm"]), "max_radiator_mm": radiator,
    }  # fmt: skip


_FIELDS = {
    "gpu": _gpu, "cpu": _cpu, "motherboard": _motherboard, "cpu_cooler": _cooler, "memory": _memory, "storage": _storage,
    "power_supply": _psu, "case": _case, "fan": lambda _part, _chips: {},
}  # fmt: skip
