"""Quasi-random points and the distributions drawn from them.

A shifted rank-1 lattice (Sloan & Joe, "Lattice Methods for Multiple Integration", 1994): point i has the
coordinates `frac(i z_j / n + shift_j)`. It fills the cube more evenly than random points, in plain NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from math import log
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GENERATOR = (
    1, 1557, 1087, 701, 1163, 321, 1649, 207, 1827, 1203, 1935, 1869, 433, 299, 735, 1735, 1675, 1279, 551, 2015,
    1799, 531, 1427, 793, 559, 901, 137, 61, 1231, 1751, 925, 509, 343, 2021, 1311, 1439, 1055, 1381, 651, 307,
    2033, 785, 1029, 1289, 81, 187, 339, 143,
)  # fmt: skip
"""Generating vector for up to 4,096 points, found component by component (`tools/lattice.py`)."""
TABLE = 4_096
"""Points of the table that the normal quantile is read from."""


def dimensions(points: int, seed: int) -> Iterator[Floats]:
    """Yield one dimension after another of quasi-random points in (0, 1), each of shape (points,).

    The same seed gives the same points. Beyond the generating vector each dimension is a random order of evenly
    spread points (Latin hypercube).
    """
    random = np.random.default_rng(seed)
    i = np.arange(points, dtype=np.float64)
    for j in count():
        order: Floats = (i * GENERATOR[j]) % points if j < len(GENERATOR) else random.permutation(i)
        yield np.clip((order / points + random.random()) % 1.0, 1e-12, 1 - 1e-12)


def lattice(points: int, dimension: int, seed: int) -> Floats:
    """Return the first `dimension` dimensions of the points, shape (dimension, points).

    >>> lattice(4, 2, seed=0).shape
    (2, 4)
    """
    return np.array(list(islice(dimensions(points, seed), dimension)))


def split_triangular(u: Floats, low: float, likely: float, high: float) -> Floats:
    """Return the quantile `u` of a figure that lies below `likely` as often as above, thinning out to both ends.

    Each half is a right triangle: `likely` is the median, so that skewed figures do not shift a result that was
    computed with their likely values.

    >>> split_triangular(np.array([0.0, 0.5, 1.0]), 0.0, 1.0, 5.0).tolist()
    [0.0, 1.0, 5.0]
    """
    below = low + (likely - low) * np.sqrt(np.minimum(2.0 * u, 1.0))
    above = high - (high - likely) * np.sqrt(np.minimum(2.0 * (1.0 - u), 1.0))
    return np.where(u < 0.5, below, above)


def split_triangular_cdf(x: Floats, low: float, likely: float, high: float) -> Floats:
    """Return the probability that the figure lies below `x`: the inverse of `split_triangular`."""
    left = np.divide(x - low, likely - low, out=np.ones_like(x), where=x < likely)
    right = np.divide(high - x, high - likely, out=np.ones_like(x), where=x > likely)
    return np.where(x < likely, 0.5 * left**2, 1.0 - 0.5 * right**2)


def lognormal(u: Floats, median: float, low: float, high: float) -> Floats:
    """Return the quantile `u` of a distribution whose middle 80 % lie between `low` and `high`.

    It is log-normal on either side of the median, each with its own width.
    """
    z = _normal_quantile(u)
    tail = NormalDist().inv_cdf(0.9)
    below, above = log(median / low) / tail, log(high / median) / tail
    width: Floats = np.where(z < 0, below, above)
    return np.asarray(median * np.exp(z * width))


_U: Floats = np.linspace(0.5 / TABLE, 1.0 - 0.5 / TABLE, TABLE)
_Z = np.array([NormalDist().inv_cdf(u) for u in _U])


def _normal_quantile(u: Floats) -> Floats:
    z: Floats = np.interp(u, _U, _Z)
    return z
