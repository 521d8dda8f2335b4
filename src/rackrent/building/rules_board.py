"""Rules about slots: lanes, positions, and the room between cards."""

from __future__ import annotations

from collections.abc import Iterator

from rackrent.building.finding import Finding, Site
from rackrent.building.machine import Machine
from rackrent.building.slots import MIN_LANES, Placing, best, placings, positions_covered, slots_of, starved
from rackrent.catalog.components import Component
from rackrent.i18n import gettext as _

NVME_LANES = 4
CHIPSET_DRIVES = ("LGA 1151",)
"""Sockets whose drives hang on the chipset by design: their processors have lanes for GPUs only."""


def breathes(card: Component) -> bool:
    """Whether a card can stand with no gap before its neighbour: a blower, water, or one position wide."""
    return card.cooler in ("blower", "liquid") or (card.width_slots is not None and card.width_slots <= 1)


def lanes_wanted(machine: Machine) -> int:
    """Return the processor's lanes that the GPUs (eight each) and the NVMe drives (four each) need."""
    cpu = machine.one("cpu")
    on_cpu = cpu is None or not set(cpu.sockets) & set(CHIPSET_DRIVES)
    drives = sum(i.quantity for i in machine.all("storage") if i.part.interface in ("nvme", "u2"))
    return MIN_LANES * len(machine.cards) + (NVME_LANES * drives if on_cpu else 0)


def ways(machine: Machine, *, in_case: bool = True) -> tuple[Placing, ...] | None:
    """Return every way to place the cards; None where slots, their positions or a width are unknown."""
    board, cpu, box, cards = (
        machine.one("motherboard"), machine.one("cpu"), machine.one("case"), machine.cards,
    )  # fmt: skip
    if board is None or board.slots is None or any(c.width_slots is None for c in cards):
        return None
    slots = slots_of(board.slots)
    if any(s.position is None for s in slots):
        return None
    widths = tuple(sorted(positions_covered(c.width_slots or 1) for c in cards))
    brackets = box.expansion_slots if box and in_case else None
    return placings(
        slots, widths, cpu.cpu_lanes if cpu else None, None if brackets is None else int(brackets)
    )


def placing(machine: Machine) -> Placing | None:
    """Return the best way to place the cards, narrow ones first; None where there is none or it is unknown."""
    found = ways(machine)
    return None if found is None else best(found, _breathing(machine))


def _by_width(machine: Machine) -> list[Component]:
    return sorted(machine.cards, key=lambda c: positions_covered(c.width_slots or 1))


def _breathing(machine: Machine) -> tuple[bool, ...]:
    return tuple(breathes(c) for c in _by_width(machine))


def lanes(machine: Machine, site: Site) -> Iterator[Finding]:
    """Every GPU gets eight lanes of the processor or more, and an NVMe drive its four (building cases; board manuals)."""
    cpu, board, count = machine.one("cpu"), machine.one("motherboard"), len(machine.cards)
    if not count:
        return
    wanted = lanes_wanted(machine)
    if cpu is not None:
        names = (cpu.name,)
        if cpu.cpu_lanes is None:
            yield Finding("lanes", "unknown", _("PCIe lanes of {cpu} unknown").format(cpu=cpu.name), names)
        else:
            text = _("{n} GPUs at x8 and the NVMe drive need {wanted} lanes; {cpu} has {has:g}")
            text = text.format(n=count, wanted=wanted, cpu=cpu.name, has=cpu.cpu_lanes)
            verdict = "fits" if wanted <= cpu.cpu_lanes else "does_not_fit"
            yield Finding("lanes", verdict, text, names, {"wanted": wanted, "lanes": cpu.cpu_lanes})  # type: ignore[arg-type]
    if board is None:
        return
    if board.slots is None:
        yield Finding("slot_lanes", "unknown", _("slot wiring of {board} unknown").format(board=board.name), (board.name,))  # fmt: skip
        return
    has = cpu.cpu_lanes if cpu and cpu.cpu_lanes is not None else float("inf")
    wide = [
        s
        for s in slots_of(board.slots)
        if not s.chipset and s.needs_lanes <= has and (s.lanes if count == 1 else s.shared_lanes) >= MIN_LANES
    ]
    text = _("{board} has {n} slots with eight lanes of the processor or more; {cards} GPUs").format(
        board=board.name, n=len(wide), cards=count
    )
    verdict = "fits" if len(wide) >= count else "does_not_fit"
    yield Finding("slot_lanes", verdict, text, (board.name,), {"slots": len(wide), "gpus": count})  # type: ignore[arg-type]
    way = placing(machine) if board.pcie_switch and cpu is not None else None
    if way is not None and cpu is not None and sum(way.lanes) > has:
        text = _("the slots of {board} add up to {lanes} lanes by switches that share the {has:g} of {cpu}")
        text = text.format(board=board.name, lanes=sum(way.lanes), has=has, cpu=cpu.name)
        yield Finding(
            "slot_lanes", "note", text, (board.name, cpu.name), {"lanes": sum(way.lanes), "cpu_lanes": has}
        )


def positions(machine: Machine, site: Site) -> Iterator[Finding]:
    """Each card covers its positions and the last has a bracket in the case (ATX: 20.32 mm a position).

    Where a board's positions are unknown, the number of two-wide cards that a source states decides for such cards.
    """
    board, box, cards = machine.one("motherboard"), machine.one("case"), machine.cards
    if board is None or not cards:
        return
    widths = [c.width_slots for c in cards]
    named = [w for w in widths if w is not None]
    names = (board.name, *(i.part.name for i in machine.all("gpu")), *((box.name,) if box else ()))
    if len(named) < len(widths):
        yield Finding("positions", "unknown", _("width of a card unknown: {names}").format(names=", ".join(names)), names)  # fmt: skip
        return
    if box is not None and box.expansion_slots is None:
        yield Finding("positions", "unknown", _("brackets of {case} unknown").format(case=box.name), names)
    covered = [positions_covered(w) for w in named]
    brackets = box.expansion_slots if box else None
    text = _("{n} cards covering {total} positions").format(n=len(cards), total=sum(covered))
    if brackets is not None and sum(covered) > brackets:
        said = _("{text}; {case} has {b:g} brackets").format(
            text=text, case=box.name if box else "", b=brackets
        )
        yield Finding(
            "positions", "does_not_fit", said, names, {"positions": sum(covered), "brackets": brackets}
        )
        return
    found = ways(machine)
    if found is not None:
        if found:
            yield Finding("positions", "fits", text, names, {"positions": sum(covered)})
            return
        slots = ", ".join(str(s.position) for s in slots_of(board.slots or "") if not s.chipset)
        if ways(machine, in_case=False) and box is not None:
            said = _("{text}: the last overhangs; {case} has {b:g} brackets").format(
                text=text, case=box.name, b=brackets
            )
        else:
            said = _("{text}; {board} has slots at {slots}").format(text=text, board=board.name, slots=slots)
        yield Finding(
            "positions", "does_not_fit", said, names, {"positions": sum(covered), "brackets": brackets}
        )
    elif len(cards) == 1 and board.slots is not None:
        yield Finding("positions", "fits", text, names)
    elif board.dual_slot_cards is not None and len(cards) > board.dual_slot_cards and min(covered) >= 2:
        said = _("{text}; {board} takes {m:g} cards two wide").format(text=text, board=board.name, m=board.dual_slot_cards)  # fmt: skip
        yield Finding("positions", "does_not_fit", said, names)
    elif board.dual_slot_cards is not None and max(covered) <= 2 and len(cards) <= board.dual_slot_cards:
        yield Finding("positions", "fits", text, names)
    else:
        yield Finding(
            "positions", "unknown", _("slot positions of {board} unknown").format(board=board.name), names
        )


def airflow(machine: Machine, site: Site) -> Iterator[Finding]:
    """Cards with no gap between them are blowers, water-cooled or one position wide (building cases); passive cards need a server's fans."""
    cards, board = machine.cards, machine.one("motherboard")
    passive = tuple(c.name for c in cards if c.cooler == "passive")
    if passive:
        text = _("{names}: no fan of its own; needs the fans of a server chassis").format(names=", ".join(dict.fromkeys(passive)))  # fmt: skip
        yield Finding("airflow", "does_not_fit", text, passive)
        return
    unknown = [c.name for c in cards if c.cooler is None]
    if unknown:
        yield Finding(
            "airflow", "unknown", _("cooling of {card} unknown").format(card=unknown[0]), tuple(unknown)
        )
        return
    if len(cards) < 2 or board is None or all(breathes(c) for c in cards):
        return
    names = tuple(dict.fromkeys(c.name for c in cards if not breathes(c)))
    found = ways(machine)
    if found is None:
        yield Finding("airflow", "unknown", _("gaps between cards unknown: slot positions of {board}").format(board=board.name), (board.name, *names))  # fmt: skip
        return
    way = best(found, _breathing(machine))
    tight = [] if way is None else starved(way, _breathing(machine))
    if way is not None and not tight:
        yield Finding("airflow", "fits", _("a position is free before each open-air card"), names)
        return
    text = _("heat: {n} cards on {board} leave no free position before {names}, which are not blowers, water-cooled or one position wide")  # fmt: skip
    yield Finding(
        "airflow", "does_not_fit", text.format(n=len(cards), board=board.name, names=", ".join(names)), names
    )
