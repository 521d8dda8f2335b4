"""How machines of one type are used to do the work: hours, number of machines, and when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from rackrent.units import HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Use:
    """The use of `machines` machines of one type.

    `busy_hours` is the machine-hours of work in each month over all machines, shape (horizon,). `gpus_busy` is
    how many GPUs of a machine work while it is busy. `finish_month` is when the last work is done, in months
    from the start. `run_hours` is the wall-clock time of one run, None if the runs are not described.
    """

    machines: int
    busy_hours: NDArray[np.float64]
    gpus_busy: float
    finish_month: float
    start_month: float
    run_hours: float | None

    @property
    def utilisation(self) -> float:
        """Share of all hours of the machines that are busy, over the horizon."""
        hours = self.machines * HOURS_PER_MONTH * len(self.busy_hours)
        return float(self.busy_hours.sum()) / hours


@dataclass(frozen=True, slots=True)
class Shape:
    """How one run sits on machines of one type.

    `runs_per_machine` runs go side by side on one machine, or one run needs `machines_per_run` machines.
    """

    runs_per_machine: int
    machines_per_run: int

    @property
    def machine_share(self) -> float:
        """Machines that one run occupies (below 1 where several share a machine)."""
        return self.machines_per_run / self.runs_per_machine


def shape_of(
    gpus_per_run: int, gpus_per_machine: float, jobs_at_once: int, *, multi_node: bool
) -> Shape | None:
    """Return how runs of `gpus_per_run` GPUs sit on machines with `gpus_per_machine`; None if they cannot.

    Eight machines with one GPU are not a machine with eight: only `multi_node` work may spread.

    >>> shape_of(1, 4, 8, multi_node=False)
    Shape(runs_per_machine=4, machines_per_run=1)
    >>> shape_of(8, 1, 1, multi_node=False) is None
    True
    """
    if gpus_per_machine >= gpus_per_run:
        return Shape(max(1, min(floor(gpus_per_machine / gpus_per_run), jobs_at_once)), 1)
    if multi_node and gpus_per_machine >= 1:
        return Shape(1, ceil(gpus_per_run / gpus_per_machine))
    return None


def machines_needed(busy_hours: NDArray[np.float64], hours_per_month: float = HOURS_PER_MONTH) -> int:
    """Return the smallest number of machines that can do the busiest month's machine-hours within that month."""
    peak = float(busy_hours.max(initial=0.0)) / hours_per_month
    return max(1, ceil(peak - 1e-9))


def finish_of(
    busy_hours: NDArray[np.float64],
    machines: int,
    start_month: float,
    hours_per_month: float = HOURS_PER_MONTH,
) -> float:
    """Return when the last work is done, in months from the start.

    The work of month m arrives at its beginning; `machines` machines work it off one after another from
    `start_month` on, never before it has arrived.

    >>> float(finish_of(np.array([180.0]), 1, 0.0, 720.0)), float(finish_of(np.array([360.0]), 1, 0.5, 720.0))
    (0.25, 1.0)
    """
    done = start_month
    for month, hours in enumerate(busy_hours):
        if hours > 0:
            done = max(done, float(month)) + float(hours) / (machines * hours_per_month)
    return done
