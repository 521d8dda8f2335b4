"""Find the generating vector of `comparison.lattice`: component by component, `python -m tools.lattice`.

Worst-case error in the weighted Korobov space of smoothness 2 with weights 1/j^2 (Sloan & Reztsov 2002):
each component is the odd number that makes the error of the first j dimensions smallest.
"""

from __future__ import annotations

import numpy as np


def generating_vector(points: int, dimensions: int) -> list[int]:
    """Return a generating vector for `points` points (a power of two) in `dimensions` dimensions."""
    k = np.arange(points)
    x = k / points
    kernel = 2 * np.pi**2 * (x * x - x + 1 / 6)
    candidates = np.arange(1, points, 2)
    products = np.ones(points)
    vector = []
    for j in range(1, dimensions + 1):
        errors = [kernel[(c * k) % points] @ products for c in candidates]
        best = int(candidates[int(np.argmin(errors))]) if j > 1 else 1
        products *= 1 + kernel[(best * k) % points] / j**2
        vector.append(best)
    return vector


if __name__ == "__main__":
    print(generating_vector(4_096, 48))
