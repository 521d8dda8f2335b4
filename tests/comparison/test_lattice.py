"""The quasi-random points against scipy's, and the distributions against their definitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

from rackrent.comparison.lattice import GENERATOR, lattice, lognormal, split_triangular, split_triangular_cdf


def test_points_fill_the_cube_more_evenly_than_random_ones() -> None:
    ours = np.mean([qmc.discrepancy(lattice(1_024, 6, seed).T) for seed in range(5)])
    random = np.mean([qmc.discrepancy(np.random.default_rng(s).random((1_024, 6))) for s in range(5)])
    assert ours < 0.3 * random


def test_a_smooth_integral_converges_much_faster_than_with_random_points() -> None:
    def integral(points: np.ndarray) -> float:
        return float(np.prod(1 + (points - 0.5) / np.arange(1, 13)[:, np.newaxis], axis=0).mean())

    def error(points: Callable[[int], np.ndarray]) -> float:
        return float(np.sqrt(np.mean([(integral(points(seed)) - 1) ** 2 for seed in range(8)])))

    ours = error(lambda seed: lattice(4_096, 12, seed))
    assert ours < 0.1 * error(lambda seed: np.random.default_rng(seed).random((12, 4_096)))


def test_every_dimension_is_evenly_spread_also_beyond_the_vector() -> None:
    points = np.sort(lattice(512, len(GENERATOR) + 20, seed=3), axis=1)
    assert np.diff(points, axis=1) == pytest.approx(np.full((len(points), 511), 1 / 512))


def test_the_same_seed_gives_the_same_points() -> None:
    assert np.array_equal(lattice(64, 60, 7), lattice(64, 60, 7))
    assert not np.array_equal(lattice(64, 60, 7), lattice(64, 60, 8))


@pytest.mark.parametrize(("low", "likely", "high"), [(1, 3, 9), (0, 0, 5), (-1, 2, 2), (4, 4, 4)])
def test_the_likely_value_is_the_median_and_the_ends_are_never_left(
    low: float, likely: float, high: float
) -> None:
    u = lattice(1_024, 1, 0)[0]
    x = split_triangular(u, low, likely, high)
    assert low <= x.min() <= x.max() <= high
    assert np.median(x) == pytest.approx(likely, abs=0.01 * (high - low))
    if low < likely < high:
        assert split_triangular_cdf(x, low, likely, high) == pytest.approx(u)
        half = stats.triang.ppf(2 * u[u > 0.5] - 1, 0, loc=likely, scale=high - likely)
        assert x[u > 0.5] == pytest.approx(half)


def test_eight_in_ten_lie_between_low_and_high() -> None:
    x = lognormal(lattice(4_096, 1, 0)[0], 1.0, 0.6, 2.0)
    assert np.quantile(x, [0.1, 0.5, 0.9]) == pytest.approx([0.6, 1.0, 2.0], rel=0.01)
