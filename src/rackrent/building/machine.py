"""A list of parts, and what follows from it without any rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import ceil

from rackrent.catalog.components import Component
from rackrent.i18n import N_

LABELS = {
    "gpu": N_("Video Card"), "cpu": N_("CPU"), "cpu_cooler": N_("CPU Cooler"), "motherboard": N_("Motherboard"),
    "memory": N_("Memory"), "storage": N_("Storage"), "power_supply": N_("Power Supply"), "case": N_("Case"),
    "fan": N_("Case Fan"),
}  # fmt: skip
"""Kinds of parts as parts lists name them."""
BOARD_W, MODULE_W, DRIVE_W, FANS_W = 40.0, 3.0, 8.0, 20.0
"""Watts of what has no rating of its own: the board, a memory module, a solid-state drive, fans and a pump."""
HEADROOM = 1.25
"""A power supply is chosen for this multiple of what the parts are rated at."""
EFFICIENCY = {"gold": 0.87, "platinum": 0.89, "titanium": 0.90}
"""Least efficiency at full load on 115 V that a class of 80 PLUS promises (plugloadsolutions.com)."""
EFFICIENCY_UNKNOWN = 0.87
MEMORY_ROSE = date(2025, 10, 1)
"""Memory became much dearer from about this day: a price seen before says little of one after."""


@dataclass(frozen=True, slots=True)
class Item:
    """So many of one part (kits of memory count as kits)."""

    part: Component
    quantity: int = 1


@dataclass(frozen=True, slots=True)
class Machine:
    """Parts with their quantities."""

    items: tuple[Item, ...]

    def all(self, part_type: str) -> list[Item]:
        """Return the items of a type."""
        return [item for item in self.items if item.part.part_type == part_type]

    def one(self, part_type: str) -> Component | None:
        """Return the first part of a type, None where the list has none."""
        return next((item.part for item in self.items if item.part.part_type == part_type), None)

    @property
    def supply(self) -> Component | None:
        """The power supply; several (two supplies with a sync cable) count as one with the watts and leads of all."""
        items = self.all("power_supply")
        if not items or (len(items) == 1 and items[0].quantity == 1):
            return items[0].part if items else None

        def together(column: str) -> float | None:
            each = [(i.quantity, getattr(i.part, column)) for i in items]
            return None if any(v is None for _n, v in each) else sum(n * v for n, v in each)

        first = items[0].part
        return replace(
            first,
            name=" + ".join(f"{i.quantity} x {i.part.name}" for i in items),
            psu_w=together("psu_w"),
            leads_8pin=together("leads_8pin"),
            leads_16pin=together("leads_16pin"),
        )

    @property
    def cards(self) -> list[Component]:
        """The GPU cards, one entry each."""
        return [item.part for item in self.all("gpu") for _ in range(item.quantity)]

    @property
    def modules(self) -> float | None:
        """Modules of memory; None where a kit does not say."""
        counts = [None if i.part.modules is None else i.quantity * i.part.modules for i in self.all("memory")]
        return None if None in counts else sum(c for c in counts if c is not None)

    @property
    def ram_gb(self) -> float | None:
        """Memory, GB; None where a kit does not say."""
        sizes = [
            None if i.part.capacity_gb is None else i.quantity * i.part.capacity_gb
            for i in self.all("memory")
        ]
        return None if None in sizes else sum(s for s in sizes if s is not None)

    @property
    def gpu_memory_gb(self) -> float | None:
        """Memory of all GPUs together, GB; None where that of one is unknown."""
        sizes = [c.gpu_memory_gb for c in self.cards]
        return None if None in sizes else sum(s for s in sizes if s is not None)

    @property
    def watts(self) -> tuple[tuple[str, float | None], ...]:
        """What each part draws at its rating, W: (name, watts of all of them)."""
        drawn: list[tuple[str, float | None]] = []
        for item in (*self.all("gpu"), *self.all("cpu")):
            w = item.part.tdp_w
            drawn.append((item.part.name, None if w is None else item.quantity * w))
        modules = self.modules
        drives = sum(item.quantity for item in self.all("storage"))
        return (
            *drawn,
            ("board", BOARD_W),
            ("memory", None if modules is None else MODULE_W * modules),
            ("drives", DRIVE_W * drives),
            ("fans and pump", FANS_W),
        )

    @property
    def load_w(self) -> float | None:
        """Sum of `watts`; None where one is unknown."""
        drawn = [w for _, w in self.watts]
        return None if None in drawn else sum(w for w in drawn if w is not None)

    @property
    def wall_w(self) -> float | None:
        """What the machine draws from the wall at its rating, W."""
        psu = self.supply
        share = EFFICIENCY.get(psu.efficiency or "", EFFICIENCY_UNKNOWN) if psu else EFFICIENCY_UNKNOWN
        return None if self.load_w is None else self.load_w / share

    @property
    def at_least_usd(self) -> float:
        """Sum of the prices that are known, USD before tax."""
        return sum(i.quantity * i.part.usd for i in self.items if i.part.usd is not None)

    @property
    def unpriced(self) -> list[str]:
        """Names of the parts whose price is unknown."""
        return [i.part.name for i in self.items if i.part.usd is None]

    def with_cards(self, count: int) -> Machine:
        """Return the machine with `count` GPU cards, all of the kind it has (the first)."""
        first = next(item for item in self.items if item.part.part_type == "gpu")
        rest = tuple(item for item in self.items if item.part.part_type != "gpu")
        return Machine((replace(first, quantity=count), *rest) if count else rest)

    def with_memory(self, gb: float) -> Machine:
        """Return the machine with whole kits of the memory it has until `gb` are reached."""
        first = next((item for item in self.items if item.part.part_type == "memory"), None)
        if first is None or not first.part.capacity_gb or (self.ram_gb or 0.0) >= gb:
            return self
        kits = ceil(gb / first.part.capacity_gb)
        rest = tuple(item for item in self.items if item.part.part_type != "memory")
        return Machine((*rest, replace(first, quantity=kits)))


def memory_is_dearer(machine: Machine, as_of: date) -> bool:
    """Whether the price of the memory was seen before memory became dearer, and the day is after."""
    seen = [i.part.price.observed_on for i in machine.all("memory") if i.part.usd is not None]
    return as_of >= MEMORY_ROSE and any(day is not None and day < MEMORY_ROSE for day in seen)
