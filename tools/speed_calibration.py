"""How good the speeds are: leave something out, predict it, compare. Used by `tools/speed_report.py` and a test.

A prediction is of the ratio of a left-out GPU to each other one on each benchmark that both ran (at the fewest GPUs
that both used), as `rackrent.speed` would give it: with the interval for a network that nobody measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.catalog import Catalog
from rackrent.speed.datasheet import datasheet
from rackrent.speed.measured import STANDS_FOR, Measured, measured
from rackrent.speed.mixed import SPREAD, Equations, Fitted
from rackrent.speed.relative import WIDTH, observations

Floats = NDArray[np.float64]
BASELINES = ("arithmetic", "bandwidth", "mean of both")
"""Ratios of datasheet figures that one would use without a model; the last is their geometric mean."""
COVERAGE = 0.8


@dataclass(frozen=True)
class Tried:
    """Predictions of left-out ratios, as natural logarithms; arrays of shape (predictions,).

    `group` is what was left out; `datasheet` has one column a baseline.
    """

    group: NDArray[np.str_]
    predicted: Floats
    half_width: Floats
    observed: Floats
    datasheet: Floats

    def weight(self, *, each_group_once: bool) -> Floats:
        """Weights of the predictions: all alike, or all groups alike. They sum to 1."""
        weight = np.ones(len(self.group))
        if each_group_once:
            _names, at, counts = np.unique(self.group, return_inverse=True, return_counts=True)
            weight = 1.0 / counts[at]
        return weight / weight.sum()


@dataclass(frozen=True)
class Score:
    """Share of ratios inside the interval; median of its width as high / low; median error as a share."""

    coverage: float
    width: float
    error: float


def score(tried: Tried, *, each_group_once: bool) -> Score:
    """Return how the model did."""
    weight = tried.weight(each_group_once=each_group_once)
    miss = np.abs(tried.observed - tried.predicted)
    return Score(
        float(weight @ (miss <= tried.half_width)),
        exp(2 * _quantile(tried.half_width, weight, 0.5)),
        exp(_quantile(miss, weight, 0.5)) - 1,
    )


def baseline(tried: Tried, which: int, coverage: float, *, each_group_once: bool) -> Score:
    """Return how a datasheet ratio does with one interval for all, as wide as it must be for `coverage`."""
    weight = tried.weight(each_group_once=each_group_once)
    miss = np.abs(tried.observed - tried.datasheet[:, which])
    half = _quantile(miss, weight, coverage)
    return Score(float(weight @ (miss <= half)), exp(2 * half), exp(_quantile(miss, weight, 0.5)) - 1)


class Calibration:
    """Leaves GPUs, architectures or networks out of the benchmarks of a catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.rows = measured(catalog)
        self.equations = Equations(observations(catalog))

    def gpus(self) -> Tried:
        """Leave out each GPU that has a datasheet."""
        return self._leave_out(lambda m: m.gpu if self._sheet(m) else None, both=False)

    def architectures(self) -> Tried:
        """Leave out all GPUs of each architecture."""
        return self._leave_out(lambda m: s.architecture if (s := self._sheet(m)) else None, both=False)

    def networks(self) -> Tried:
        """Leave out each network in all suites: what is left is measured on other networks."""
        return self._leave_out(lambda m: m.benchmark.network, both=True)

    def without(self, leave_out: Callable[[Measured], bool]) -> Fitted:
        """Return the model fitted without some results."""
        return self.equations.solve(np.array([not leave_out(m) for m in self.rows]))

    def _sheet(self, m: Measured):  # type: ignore[no-untyped-def]
        return datasheet(self.catalog, m.gpu, STANDS_FOR[m.benchmark.precision])

    @cached_property
    def _partners(self) -> Sequence[tuple[int, int]]:
        """Pairs of results that compare: one benchmark, at the fewest GPUs that both used."""
        ran: dict[tuple[str, ...], dict[str, dict[float, int]]] = {}
        for i, m in enumerate(self.rows):
            ran.setdefault(m.benchmark[:4], {}).setdefault(m.gpu, {})[m.benchmark.gpus] = i
        pairs = []
        for gpus in ran.values():
            for one, at_one in gpus.items():
                for other, at_other in gpus.items():
                    common = at_one.keys() & at_other.keys()
                    if one != other and common:
                        pairs.append((at_one[min(common)], at_other[min(common)]))
        return pairs

    def _leave_out(self, group_of: Callable[[Measured], str | None], *, both: bool) -> Tried:
        groups = [group_of(m) for m in self.rows]
        pairs_of: dict[str, list[tuple[int, int]]] = {}
        for i, j in self._partners:
            group = groups[i]
            inside = group == groups[j]
            known = self._sheet(self.rows[i]) and self._sheet(self.rows[j])
            once = not both or i < j
            if group is not None and inside == both and known and once:
                pairs_of.setdefault(group, []).append((i, j))
        out: list[tuple[str, float, float, float, list[float]]] = []
        for group, pairs in sorted(pairs_of.items()):
            fitted = self.equations.solve(np.array([g != group for g in groups]))
            out += [(group, *self._predicted(fitted, i, j)) for i, j in pairs]
        names, predicted, half, observed, sheets = zip(*out, strict=True)
        return Tried(
            np.array(names), np.array(predicted), np.array(half), np.array(observed), np.array(sheets)
        )

    def _predicted(self, fitted: Fitted, i: int, j: int) -> tuple[float, float, float, list[float]]:
        one, other = (self.equations.observations[k].design for k in (i, j))
        log_ratio, deviation = fitted.contrast(one, other)
        half = WIDTH * sqrt(deviation**2 + 2 * SPREAD["network"] ** 2)
        fast, slow = self._sheet(self.rows[i]), self._sheet(self.rows[j])
        tflops, gbs = log(fast.tflops / slow.tflops), log(fast.gbs / slow.gbs)
        observed = self.rows[i].log_rate - self.rows[j].log_rate
        return log_ratio, half, observed, [tflops, gbs, (tflops + gbs) / 2]


def estimated_spread(catalog: Catalog, rounds: int = 40) -> dict[str, float]:
    """Return the spread of each sort of effect that the benchmarks suggest (expectation-maximisation).

    A sort whose effects are few hardly moves from where it starts.
    """
    spread = dict(SPREAD)
    fixed = {"benchmark", "unlisted", "unlisted_on_kind"}
    for _round in range(rounds):
        equations = Equations(observations(catalog), spread)
        fitted = equations.solve()
        second = fitted.mean**2 + np.diag(fitted.covariance)
        for sort in set(spread) - fixed - {"network"}:
            at = [i for effect, i in fitted.at.items() if effect[0] == sort]
            if at:
                spread[sort] = float(np.sqrt(second[at].mean()))
        miss = equations.y - equations.z @ fitted.mean
        spread_of_fit = np.einsum("ij,jk,ik->i", equations.z, fitted.covariance, equations.z)
        share = equations.weight * equations.noise
        spread["network"] = float(np.sqrt(np.mean(share * (miss**2 + spread_of_fit))))
    return spread


def _quantile(values: Floats, weight: Floats, share: float) -> float:
    order = np.argsort(values)
    at = int(np.searchsorted(np.cumsum(weight[order]), share - 1e-12))
    return float(values[order][min(at, len(values) - 1)])
