"""What the optimiser may choose from, and which choices exclude each other. Knows nothing of the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from rackrent.building.machine import Item, Machine
from rackrent.building.requirements import BuildRequirements, not_cuda
from rackrent.building.slots import best, placings, positions_covered, slots_of, starved
from rackrent.catalog.components import Component
from rackrent.i18n import gettext as _

KINDS = ("gpu", "cpu", "motherboard", "cpu_cooler", "memory", "storage", "power_supply", "case")
"""One of each is chosen; of memory one kit so many times."""
KITS = (1, 2, 4, 8)
"""So many kits of memory keep the channels even."""
WISH_USD = 10.0
"""A wish of weight 1 that a part lacks counts as so much dearer."""
BRAND_WEIGHT = 3.0
LIT = re.compile(r"RGB|Glass|Crystal|Trident|ROG|AORUS|Vision|LCD|O11", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice: a part so many times. `usd` is known price, `wish_usd` what wishes add, `rate` a card's speed."""

    item: Item
    usd: float
    unpriced: bool
    wish_usd: float
    rate: float | None = None

    @property
    def part(self) -> Component:
        """The part."""
        return self.item.part


def options(
    parts: Iterable[Component], wanted: BuildRequirements, speeds: Mapping[str, float]
) -> dict[str, list[Option]] | None:
    """Return the choices of each kind that the requirements leave, unary rules applied; None where a kind has none.

    `speeds` is work per hour by GPU. A card of unknown speed is left out unless the cheapest machine is asked for.
    """
    of_kind: dict[str, list[Component]] = {kind: [] for kind in KINDS}
    for part in parts:
        of_kind.get(part.part_type, []).append(part)
    found = {}
    for kind in KINDS:  # cards first: where none is left, nothing else is looked at
        found[kind] = [
            Option(
                Item(part, count),
                0.0 if part.usd is None else part.usd * count,
                part.usd is None,
                WISH_USD * lacking(part, wanted),
                speeds.get(part.gpu or ""),
            )
            for part in of_kind[kind]
            if _admitted(part, wanted, speeds)
            for count in _counts(part, wanted)
        ]
        if not found[kind]:
            return None
    return found


def _counts(part: Component, wanted: BuildRequirements) -> Iterable[int]:
    if part.part_type == "gpu":
        return (wanted.gpus,)
    if part.part_type == "memory" and part.capacity_gb:
        return [n for n in KITS if n * part.capacity_gb >= wanted.ram]
    return (1,)


def _admitted(part: Component, wanted: BuildRequirements, speeds: Mapping[str, float]) -> bool:
    name = part.name.casefold()
    if (part.usd is None and not wanted.unpriced) or (
        part.condition == "discontinued" and not wanted.discontinued
    ):
        return False
    if any(word.casefold() in name for word in wanted.without):
        return False
    match part.part_type:
        case "gpu":
            return (
                part.cooler in ("blower", "open_air")  # where the radiator of a card would go nobody states
                and not (wanted.cuda and not_cuda(part.gpu or ""))
                and None not in (part.tdp_w, part.width_slots, part.length_mm, part.gpu_memory_gb)
                and (part.connectors is not None or (part.tdp_w or 0) <= 75)
                and (wanted.gpu is None or part.gpu == wanted.gpu)
                and (part.gpu_memory_gb or 0) >= (wanted.gpu_memory or 0)
                and (part.gpu in speeds or wanted.aim == "cheapest")
            )
        case "cpu":
            return (
                None not in (part.tdp_w, part.cores, part.cpu_lanes)
                and bool(part.platforms and part.sockets)
                and (part.cores or 0) >= 2 * wanted.most
            )
        case "motherboard":
            known = (part.slots, part.memory_type, part.registered, part.memory_slots, part.memory_max_gb)
            return None not in known and bool(part.platforms and part.sockets and part.form_factors)
        case "memory":
            return None not in (part.memory_type, part.registered, part.capacity_gb, part.modules)
        case "storage":
            fast = part.interface == "nvme" or (wanted.sata and part.interface == "sata")
            return fast and part.read_mbs is not None and (part.capacity_gb or 0) >= wanted.disk
        case "power_supply":
            return part.psu_w is not None
        case "case":
            return None not in (part.expansion_slots, part.max_gpu_mm) and bool(part.form_factors)
    return bool(part.sockets)


def lacking(part: Component, wanted: BuildRequirements) -> float:
    """Return the weight of the wishes that a part lacks."""
    return sum(lacks(part, wanted).values())


def lacks(part: Component, wanted: BuildRequirements) -> dict[str, float]:
    """Return the wishes that a part lacks and by how much, by their field."""
    kind, found = part.part_type, {}
    if wanted.quiet:
        loud = (
            (kind == "gpu" and part.cooler == "blower")
            or (kind == "cpu_cooler" and part.radiator_mm is None and (part.height_mm or 0) < 150)
            or (kind == "power_supply" and part.efficiency not in ("platinum", "titanium"))
        )
        found["quiet"] = float(wanted.quiet * loud)
    if wanted.small and kind == "case":
        found["small"] = wanted.small * max(0.0, (part.expansion_slots or 0) - 7 + 2 * bool(part.full_tower))
    if wanted.looks and kind in ("case", "memory", "cpu_cooler", "motherboard"):
        found["looks"] = float(wanted.looks * (LIT.search(part.name) is None))
    if wanted.ecc and kind == "memory":
        found["ecc"] = float(wanted.ecc * (not part.registered))
    if wanted.brand and kind != "storage":
        found["brand"] = BRAND_WEIGHT * all(b.casefold() not in part.name.casefold() for b in wanted.brand)
    return {wish: weight for wish, weight in found.items() if weight}


def unmet(machine: Machine, wanted: BuildRequirements) -> tuple[str, ...]:
    """Say which wishes some part of a machine does not meet: they weigh ten dollars a point and no more."""
    parts: dict[str, list[str]] = {}
    for item in machine.items:
        for wish in lacks(item.part, wanted):
            parts.setdefault(wish, []).append(item.part.name)
    names = [item.part.name.casefold() for item in machine.items]
    strange = [b for b in wanted.brand if not any(b.casefold() in name for name in names)]
    said = [_("wish brand: no part of {brand} is in it").format(brand=brand) for brand in strange]
    parts.pop("brand", None)
    text = _("wish {wish} not met by: {parts}")
    return (*said, *(text.format(wish=wish, parts=", ".join(names)) for wish, names in parts.items()))


Goes = Callable[[Option, Option], bool]


def pairs(wanted: BuildRequirements) -> tuple[tuple[str, str, Goes], ...]:
    """Return which kinds must go together in twos, and whether two parts do."""
    most = wanted.most

    def cpu_board(a: Option, b: Option) -> bool:
        cpu, board = a.part, b.part
        if not (set(cpu.sockets) & set(board.sockets) and set(cpu.platforms) & set(board.platforms)):
            return False
        alone = most == 1
        wide = [
            s
            for s in slots_of(board.slots or "")
            if not s.chipset
            and s.needs_lanes <= (cpu.cpu_lanes or 0)
            and (s.lanes if alone else s.shared_lanes) >= 8
        ]
        return len(wide) >= most

    def cpu_cooler(a: Option, b: Option) -> bool:
        cpu, cooler = a.part, b.part
        strong = cooler.tdp_w is None or cooler.tdp_w >= (cpu.tdp_w or 0)
        return strong and bool(set(cpu.sockets) & set(cooler.sockets))

    def cpu_drive(a: Option, b: Option) -> bool:
        own = "LGA 1151" not in a.part.sockets and b.part.interface == "nvme"
        return 8 * most + 4 * own <= (a.part.cpu_lanes or 0)

    def board_memory(a: Option, b: Option) -> bool:
        board, kit, n = a.part, b.part, b.item.quantity
        return (
            board.memory_type == kit.memory_type
            and board.registered == kit.registered
            and n * (kit.modules or 0) <= (board.memory_slots or 0)
            and n * (kit.capacity_gb or 0) <= (board.memory_max_gb or 0)
        )

    def board_case(a: Option, b: Option) -> bool:
        size, takes = a.part.form_factors[0], set(b.part.form_factors)
        if size == "SSI CEB":
            return bool(takes & {"SSI CEB", "SSI EEB", "EATX"}) or (
                bool(b.part.full_tower) and "ATX" in takes
            )
        if size == "SSI EEB":
            return bool(takes & {"SSI EEB", "EATX"})
        return size in takes

    def cooler_case(a: Option, b: Option) -> bool:
        liquid = a.part.radiator_mm is not None
        size = a.part.radiator_mm if liquid else a.part.height_mm
        room = b.part.max_radiator_mm if liquid else b.part.max_cooler_mm
        return size is not None and room is not None and size <= room

    def card_case(a: Option, b: Option) -> bool:
        return (a.part.length_mm or 0) <= (b.part.max_gpu_mm or 0)

    def card_memory(a: Option, b: Option) -> bool:
        return b.item.quantity * (b.part.capacity_gb or 0) >= wanted.gpus * (a.part.gpu_memory_gb or 0)

    def card_supply(a: Option, b: Option) -> bool:
        return leads_suffice(a.part, b.part, most, wanted.adapters)

    def card_board(a: Option, b: Option) -> bool:
        return brackets_needed(a.part, b.part, wanted) is not None

    return (
        ("cpu", "motherboard", cpu_board), ("cpu", "cpu_cooler", cpu_cooler), ("cpu", "storage", cpu_drive),
        ("motherboard", "memory", board_memory), ("motherboard", "case", board_case), ("cpu_cooler", "case", cooler_case),
        ("gpu", "case", card_case), ("gpu", "memory", card_memory), ("gpu", "power_supply", card_supply),
        ("gpu", "motherboard", card_board),
    )  # fmt: skip


def leads_suffice(card: Component, psu: Component, count: int, adapters: bool) -> bool:
    """Whether a supply has the leads of `count` cards; with `adapters` 8-pin leads stand in for 12V-2x6 ones."""
    eight = sixteen = 0
    for number, kind in re.findall(r"(\d)x(16|8|6|eps)", card.connectors or ""):
        if kind == "16":
            sixteen += int(number)
        else:
            eight += int(number) * (2 if kind == "eps" else 1)
    eight, sixteen = eight * count, sixteen * count
    if sixteen and psu.leads_16pin is None:
        return False
    adapted = max(0, sixteen - int(psu.leads_16pin or 0))
    if adapted and not adapters:
        return False
    eight += adapted * ceil((card.tdp_w or 0) / 150)
    return eight == 0 or (psu.leads_8pin is not None and eight <= psu.leads_8pin)


def brackets_needed(card: Component, board: Component, wanted: BuildRequirements) -> int | None:
    """Return the brackets a case must have for the cards of now and of later; None where they do not fit the board."""
    free = card.cooler in ("blower", "liquid") or (card.width_slots or 0) <= 1
    needs = [
        _brackets(positions_covered(card.width_slots or 1), free, n, board.slots or "", board.dual_slot_cards)
        for n in {wanted.gpus, wanted.most}
    ]
    known = [n for n in needs if n is not None]
    return max(known) if len(known) == len(needs) else None


@lru_cache(maxsize=8192)
def _brackets(width: int, free: bool, count: int, slots: str, dual: float | None) -> int | None:
    known = slots_of(slots)
    if any(s.position is None for s in known):
        if count == 1:
            return width
        return width * count if dual is not None and count <= dual and width <= 2 and free else None
    for brackets in range(width * count, 16):
        way = best(placings(known, (width,) * count, None, brackets), (free,) * count)
        if way is not None and not starved(way, (free,) * count):
            return brackets
    return None
