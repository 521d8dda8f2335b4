"""The load-duration curve: in how many hours demand reaches each level, and what a capacity serves of it.

Order in time is gone from it, and nothing else: whatever serves "the first c GPUs of each hour" serves
`served(c)` GPU-hours. That function is concave and piecewise linear, which is all an optimiser needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.planning.demand_check import hourly


@dataclass(frozen=True, slots=True)
class LoadDuration:
    """Demand of some hours, ascending, with its running sum (`sums[k]` is that of the k lowest hours)."""

    ascending: NDArray[np.float64]
    sums: NDArray[np.float64]

    @property
    def hours(self) -> int:
        """Return how many hours there are."""
        return int(self.ascending.size)

    @property
    def peak(self) -> float:
        """Return the highest demand."""
        return float(self.ascending[-1])

    @property
    def total(self) -> float:
        """Return all of the demand, GPU-hours."""
        return float(self.sums[-1])

    def hours_above(self, level: ArrayLike) -> NDArray[np.int64]:
        """Return the hours in which demand is above each level."""
        return self.hours - np.searchsorted(self.ascending, np.asarray(level, dtype=np.float64), side="right")

    def served(self, capacity: ArrayLike) -> NDArray[np.float64]:
        """Return the GPU-hours that each capacity serves: `sum(min(x, c))`.

        >>> load_duration([1, 2, 2, 3]).served([0, 1, 2.5, 9]).tolist()
        [0.0, 4.0, 7.5, 8.0]
        """
        at = np.asarray(capacity, dtype=np.float64)
        below = np.searchsorted(self.ascending, at, side="right")
        found: NDArray[np.float64] = self.sums[below] + at * (self.hours - below)
        return found

    def beyond(self, share: float) -> LoadDuration:
        """Return the curve of what is left when `share` of every hour is served by something else.

        >>> load_duration([4, 8]).beyond(0.25).ascending.tolist()
        [3.0, 6.0]
        """
        left = max(0.0, 1.0 - share)
        return LoadDuration(self.ascending * left, self.sums * left)

    def curve(self, points: int) -> NDArray[np.float64]:
        """Return the curve for a chart, shape (points, 2): share of the hours, and the demand they reach.

        From the busiest hour (share 0) to the quietest (share 1).
        """
        share = np.linspace(0.0, 1.0, points)
        place = np.rint((1.0 - share) * (self.hours - 1)).astype(int)
        return np.column_stack([share, self.ascending[place]])


def load_duration(demand: ArrayLike) -> LoadDuration:
    """Return the load-duration curve of demand by the hour. Raises BadInput where an hour is unknown or negative.

    >>> curve = load_duration([3, 1, 2, 2])
    >>> curve.hours_above([0, 1, 2, 3]).tolist(), curve.peak, curve.total
    ([4, 3, 1, 0], 3.0, 8.0)
    """
    ascending = np.sort(hourly(demand))
    return LoadDuration(ascending, np.concatenate([[0.0], np.cumsum(ascending)]))
