"""What the facts give in words or not at all: how boards are wired, families of chipsets, radiators of cases.

Figures without another source are of vendors' sheets as remembered: rows that use them are marked in `components`.
"""

from __future__ import annotations

WIRING: dict[str, tuple[str | None, bool]] = {  # beginning of the board's name: slots as in the schema, PCIe switch
    "MSI X399 Gaming Pro Carbon": ("1:16;3:8;5:16;7:8", False),
    "X399 Gaming Pro Carbon": ("1:16;3:8;5:16;7:8", False),
    "Gigabyte X399 DESIGNARE": ("1:16;3:8;4:4c;5:16;7:8", False),
    "X399 Designare": ("1:16;3:8;4:4c;5:16;7:8", False),
    "ASUS WS X299 SAGE": ("1:16;2:8;3:16;4:8;5:16;6:8;7:16", True),
    "WS X299 SAGE": ("1:16;2:8;3:8;4:8;5:8;6:8;7:8", True),
    "X99-E WS": ("1:16;2:8;3:16;4:8;5:16;6:8;7:16", True),
    "X99 WS-E": ("1:16;2:8;3:16;4:8;5:16;6:8;7:16", True),
    "ASUS X99-E WS": ("1:16;2:8;3:16;4:8;5:16;6:8;7:16", True),
    "ASUS Pro WS WRX80E": ("1:16;2:16;3:16;4:16;5:16;6:16/8;7:16", False),
    "ASUS Pro WS TRX50": ("1:16;3:16;5:16;7:8", False),
    "Gigabyte TRX50 AERO": ("1:16;4:16;7:16", False),
    "Supermicro H12SSL": ("1:16;2:8;3:16;5:16;7:16", False),
    "Supermicro H13SSL": ("2:16;4:16;6:16", False),
    "ASUS Pro WS X570": ("1:16/8;4:8;7:8c", False),
    "ASUS ProArt X570": ("1:16/8;4:8;7:4c", False),
    "ASUS ProArt B650": ("2:16;4:4c;6:1c", False),
    "ASUS ProArt X670E": ("2:16/8;5:8;7:2c", False),
    "ASUS ProArt X870E": ("2:16/8;5:8;7:4c", False),
    "ASUS ProArt Z790": ("2:16/8;5:8;7:4c", False),
    "ASUS ProArt Z890": ("2:16/8;5:8;7:4c", False),
    "X299 UD4 Pro": ("?:16;?:16/8;?:8@44", False),
    "X299 Extreme4": ("?:16;?:16/8;?:8@44", False),
    "Z370P D3": ("?:16;?:4c", False),
    "Z370 PC PRO": ("?:16;?:4c", False),
    **dict.fromkeys(("Z370XP SLI", "PRIME Z370-A", "Z370 Taichi", "Prime X470-Pro", "X470 Gaming Plus", "X470 Taichi"), ("?:16/8;?:8;?:4c", False)),
}  # fmt: skip

PLATFORMS = {  # beginning of what the facts call a platform (or of the socket where they do not): families of chipsets
    "X399": "X399", "TR4": "X399", "TRX40": "TRX40", "WRX90/TRX50": "WRX90;TRX50", "WRX90": "WRX90", "TRX50": "TRX50",
    "WRX80": "WRX80", "X299": "X299", "LGA 2066": "X299", "X99": "X99", "LGA 2011-3": "X99", "W790": "W790",
    "EPYC 700": "SP3", "EPYC 900": "SP5", "Intel 300": "Intel 300", "Z370": "Intel 300", "LGA 1151": "Intel 300",
    "Intel 600/700": "Intel 600/700", "Intel 800": "Intel 800", "X470": "AM4", "AM4": "AM4", "AM5": "AM5",
}  # fmt: skip

MAX_RADIATOR_MM = {  # part of the case's name: largest radiator
    "PC-O11 Air": 240.0,  # at least: a published build holds one
    "PC-O11 Dynamic": 360.0, "O11 Dynamic EVO XL": 420.0, "O11 Dynamic EVO": 360.0, "LANCOOL III": 420.0, "LANCOOL 216": 360.0,
    "Torrent": 420.0, "Meshify 2 XL": 480.0, "Meshify C": 360.0, "Define 7 XL": 480.0, "Define R6": 360.0, "North XL": 420.0,
    "Enthoo Pro 2": 480.0, "H9 Flow": 360.0, "7000D": 480.0, "5000D": 360.0, "4000D": 360.0, "1000D": 480.0, "H500": 280.0,
    "View 71": 360.0, "Obsidian 750D": 360.0, "Obsidian Series 750D": 360.0,
}  # fmt: skip

RATED_W = {  # part of a cooler's name: what its maker says it cools, W
    "NH-D15": 220.0, "Hyper 212": 180.0, "Dark Rock Pro TR4": 250.0, "Dark Rock Pro 5": 270.0, "Peerless Assassin 120": 265.0,
    "AK620": 260.0, "Liqtech TR4": 500.0,
}  # fmt: skip
