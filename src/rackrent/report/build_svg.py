"""A drawing of a board's slots: position, lanes, and the card in each."""

from __future__ import annotations

from html import escape

from rackrent.building.check import Check
from rackrent.building.slots import positions_covered, slots_of
from rackrent.i18n import gettext as _

ROW, LEFT, WIDE = 34, 70, 640
CARD, BOARD, EDGE = "fill:var(--card,#cfe3d6)", "fill:var(--board,#f3f4f6)", "stroke:var(--edge,#8c959f)"
INK, DIM, OUTLINE = (
    "fill:var(--ink,#1b1f24)",
    "fill:var(--dim,#57606a)",
    "fill:none;stroke:var(--ink,#1b1f24)",
)
"""Colours, by the page's variables where it has them: day and night."""


def slots_svg(found: Check) -> str:
    """Return an SVG of the slots from the processor down, with the cards now in them; a line of text where they are unknown."""
    board, case = found.machine.one("motherboard"), found.machine.one("case")
    slots = slots_of(board.slots) if board is not None and board.slots is not None else ()
    known = [s for s in slots if s.position is not None]
    if board is None or len(known) < len(slots) or not slots:
        return f"<p>{escape(_('slot positions unknown'))}</p>"
    placed = {s["position"]: s for s in found.slot_map()}
    ends = [p + positions_covered(s["width"]) - 1 for p, s in placed.items()]
    last = max([s.position or 0 for s in known] + ends + [int(case.expansion_slots or 0) if case else 0])
    height = ROW * (last + 1) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" width="{WIDE}" role="img" font-family="system-ui,sans-serif" font-size="13">',
        f"<title>{escape(board.name)}</title>",
        f'<rect x="{LEFT}" y="4" width="{WIDE - LEFT - 4}" height="{ROW * 7 + ROW}" style="{BOARD};{EDGE}"/>',
        f'<text x="{LEFT + 8}" y="{ROW - 10}" style="{DIM}">{escape(board.name)}</text>',
    ]
    for p in range(1, last + 1):
        lines.append(f'<text x="{LEFT - 12}" y="{ROW * p + 22}" text-anchor="end" style="{DIM}">{p}</text>')
    covered = {p + k for p, s in placed.items() for k in range(1, positions_covered(s["width"]))}
    for slot in known:
        if slot.position in covered:
            continue  # under a card: nobody can use it
        y = ROW * (slot.position or 0)
        one = placed.get(slot.position)
        lanes = one["lanes"] if one else slot.shared_lanes
        where = _("chipset") if slot.chipset else _("processor")
        if one:
            tall = ROW * positions_covered(one["width"]) - 6
            lines.append(
                f'<rect x="{LEFT + 10}" y="{y + 3}" width="{WIDE - LEFT - 24}" height="{tall}" rx="4" style="{CARD};{EDGE}"/>'
            )
            if tall > ROW:
                lines.append(f'<text x="{LEFT + 20}" y="{y + 46}" style="{INK}">{escape(one["card"])}</text>')
        lines.append(
            f'<rect x="{LEFT + 18}" y="{y + 8}" width="{12 * lanes}" height="14" rx="2" style="{OUTLINE}"/>'
        )
        text = (
            f"x{lanes} {where}"
            if one is None or positions_covered(one["width"]) > 1
            else f"x{lanes} {where}: {one['card']}"
        )
        lines.append(
            f'<text x="{LEFT + 30 + 12 * max(lanes, 1)}" y="{y + 20}" style="{INK}">{escape(text)}</text>'
        )
    return "\n".join([*lines, "</svg>"])
