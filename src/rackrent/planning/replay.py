"""Jobs run again on other machines: who starts when, first come first served, each job within one machine."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

CLOSE = 1e-9
"""GPUs this close are as many: shares of a GPU are floats."""


@dataclass(frozen=True, slots=True)
class Node:
    """A machine with `gpus` GPUs, each doing the work of `speed` of those that the jobs ran on."""

    gpus: float
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of each job, in the order given: hours it waited, and whether it ran on a rented machine.

    `wait_hours` is NaN for a job that no machine has room for, where none is rented.
    """

    wait_hours: NDArray[np.float64]
    rented: NDArray[np.bool_]


def replay(
    arrived: ArrayLike,
    hours: ArrayLike,
    gpus: ArrayLike,
    nodes: Iterable[Node],
    *,
    rented_after: float | None = None,
) -> Replay:
    """Run jobs again: job i arrives at `arrived[i]` (hours) and holds `gpus[i]` GPUs of one machine for `hours[i]`.

    A job takes the machine with the least room that is enough, and is done sooner there by its speed. Where none has
    room it starts `rented_after` hours later on a rented machine; with None nothing is rented, and it waits for its
    turn, and all behind it wait with it (no backfilling). The same jobs give the same result.

    >>> replay([0, 1, 2], [8, 8, 8], [2, 2, 2], [Node(4)]).wait_hours.tolist()
    [0.0, 0.0, 6.0]
    >>> replay([0, 1, 2], [8, 8, 8], [2, 2, 2], [Node(4)], rented_after=0.1).wait_hours.tolist()
    [0.0, 0.0, 0.1]
    """
    at, long, gang = (np.asarray(a, dtype=np.float64) for a in (arrived, hours, gpus))
    wait, away = np.full(at.size, np.nan), np.zeros(at.size, dtype=np.bool_)
    rooms = _Rooms(list(nodes))
    running: list[tuple[float, int, float]] = []
    queue: deque[int] = deque()

    def starts(job: int, now: float) -> bool:
        node = rooms.take(gang[job])
        if node is None:
            return False
        heappush(running, (now + long[job] / rooms.nodes[node].speed, node, gang[job]))
        wait[job] = now - at[job]
        return True

    def finish_until(moment: float) -> None:
        while running and running[0][0] <= moment:
            now, node, held = heappop(running)
            rooms.give_back(node, held)
            while queue and starts(queue[0], now):
                queue.popleft()

    for job in np.argsort(at, kind="stable").tolist():
        finish_until(at[job])
        if gang[job] > rooms.largest + CLOSE or rented_after is not None:
            if gang[job] > rooms.largest + CLOSE or not starts(job, at[job]):
                away[job] = rented_after is not None
                wait[job] = np.nan if rented_after is None else rented_after
        elif queue or not starts(job, at[job]):
            queue.append(job)
    finish_until(np.inf)
    return Replay(wait, away)


class _Rooms:
    """Which machines have how many GPUs free: kept by size of the room, so that a job is placed in O(log sizes)."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.largest = max((n.gpus for n in nodes), default=0.0)
        self.free = [n.gpus for n in nodes]
        self.sizes: list[float] = []
        self.of_size: dict[float, dict[int, None]] = {}
        for number in range(len(nodes)):
            self._put(number)

    def take(self, gpus: float) -> int | None:
        """Take GPUs of one machine; None where none has room."""
        place = bisect_left(self.sizes, gpus - CLOSE)
        if place == len(self.sizes):
            return None
        number = next(iter(self.of_size[self.sizes[place]]))
        self._change(number, -gpus)
        return number

    def give_back(self, number: int, gpus: float) -> None:
        """Free GPUs of a machine again."""
        self._change(number, gpus)

    def _change(self, number: int, gpus: float) -> None:
        size = self.free[number]
        of_size = self.of_size[size]
        del of_size[number]
        if not of_size:
            del self.of_size[size]
            self.sizes.pop(bisect_left(self.sizes, size))
        self.free[number] = round(size + gpus, 6)
        self._put(number)

    def _put(self, number: int) -> None:
        size = self.free[number]
        if size not in self.of_size:
            self.of_size[size] = {}
            insort(self.sizes, size)
        self.of_size[size][number] = None
