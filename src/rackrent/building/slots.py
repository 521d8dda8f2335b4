"""Which card stands in which slot: positions, lanes, and room to breathe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import ceil

MIN_LANES = 8
"""A GPU wants at least eight lanes."""
_SLOT = re.compile(r"(\?|\d+):(\d+)(?:/(\d+))?(c)?(?:@(\d+))?")


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of a board: its position from the processor down (None: unknown), its lanes alone and in company.

    `chipset` slots do not reach the processor; a slot with `needs_lanes` is dead on a processor with fewer.
    """

    position: int | None
    lanes: int
    shared_lanes: int
    chipset: bool
    needs_lanes: int


@dataclass(frozen=True, slots=True)
class Placing:
    """A way to place cards: per card its slot; the lanes each gets; the last position covered; cards that touch.

    `touching` are pairs of cards, by their number, with no position free between them.
    """

    slots: tuple[Slot, ...]
    lanes: tuple[int, ...]
    last: int
    touching: tuple[tuple[int, int], ...]


@lru_cache(maxsize=1024)
def slots_of(text: str) -> tuple[Slot, ...]:
    """Read the column `slots` of a board.

    >>> [s.position for s in slots_of("2:16/8;5:8;7:4c")], slots_of("2:16/8;5:8")[0].shared_lanes
    ([2, 5, 7], 8)
    """
    found = []
    for part in text.split(";"):
        match = _SLOT.fullmatch(part)
        assert match is not None, part
        place, lanes, shared, chipset, needs = match.groups()
        found.append(
            Slot(
                None if place == "?" else int(place), int(lanes), int(shared or lanes), chipset is not None, int(needs or 0)
            )
        )  # fmt: skip
    return tuple(found)


def positions_covered(width: float) -> int:
    """Return how many positions a card covers: a card 2.2 wide covers three."""
    return ceil(width)


@lru_cache(maxsize=4096)
def placings(
    slots: tuple[Slot, ...], widths: tuple[int, ...], cpu_lanes: float | None, brackets: int | None
) -> tuple[Placing, ...]:
    """Return every way to place cards of these widths (in positions), from the processor down, in the order given.

    Cards stand only in slots that reach the processor, in those of eight lanes or more where there are enough.
    `brackets` of the case bound the last position.
    """
    usable = [
        s
        for s in slots
        if not s.chipset and s.position is not None and (cpu_lanes is None or s.needs_lanes <= cpu_lanes)
    ]
    wide = [s for s in usable if (s.lanes if len(widths) == 1 else s.shared_lanes) >= MIN_LANES]
    usable = wide if len(wide) >= len(widths) else usable
    found = []
    for chosen in combinations(usable, len(widths)):
        ends = [(s.position or 0) + w for s, w in zip(chosen, widths, strict=True)]
        starts = [s.position or 0 for s in chosen[1:]]
        last = max(ends, default=1) - 1
        if any(end > start for end, start in zip(ends, starts, strict=False)):
            continue
        if brackets is not None and last > brackets:
            continue
        touching = tuple(
            (i, i + 1) for i, (end, start) in enumerate(zip(ends, starts, strict=False)) if end == start
        )
        alone = len(chosen) == 1
        lanes = tuple(s.lanes if alone else s.shared_lanes for s in chosen)
        found.append(Placing(chosen, lanes, last, touching))
    return tuple(found)


def best(ways: Sequence[Placing], breathes: Sequence[bool]) -> Placing | None:
    """Return the best way: fewest starved cards, then most lanes, then most room.

    `breathes` says per card whether it can stand with no gap before its neighbour (a blower, one position wide, water).
    A card is starved where the next stands close and it cannot.
    """
    return min(
        ways,
        key=lambda p: (
            len(starved(p, breathes)),
            -sum(p.lanes),
            len(p.touching),
            p.last,
        ),
        default=None,
    )


def starved(way: Placing, breathes: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the pairs of cards that touch although one of the two cannot breathe then."""
    return [(a, b) for a, b in way.touching if not (breathes[a] and breathes[b])]
