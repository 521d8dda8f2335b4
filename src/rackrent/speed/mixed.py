"""A mixed-effects model of measured speeds: what benchmarks and datasheets say together.

The logarithm of a measured rate is taken as a sum of effects:

* the datasheet: the mean of log arithmetic rate and log bandwidth, of which a card is expected to deliver all
  (slope 1), and their difference, whose slope says which of the two binds, for each kind of work;
* what the datasheet misses: of an architecture, and at one precision; of a product, and on a kind of work;
* the benchmark itself (its unit, its size), which cancels between GPUs; and how much this network differs.

Each effect is drawn from a normal distribution with the spread in `SPREAD`. The estimates are the best linear
unbiased predictions of Henderson's mixed-model equations (Henderson 1975; Robinson, Statistical Science 1991):
effects seen often move to what was measured, effects seen rarely shrink towards the datasheet, and each has its
variance. Single freak results are weighed down as under a t distribution with 4 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from rackrent.speed.datasheet import Datasheet

Effect = tuple[str, ...]
"""An effect: its sort (a key of `SPREAD`), then what it belongs to."""
Design = Mapping[Effect, float]
"""Effects in one log rate, each with its factor."""

SPREAD: Mapping[str, float] = {
    "size": 0.05,
    "balance": 0.30,
    "size_of_kind": 0.05,
    "balance_of_kind": 0.15,
    "architecture": 0.20,
    "architecture_at_precision": 0.15,
    "product": 0.085,
    "product_on_kind": 0.11,
    "several": 0.10,
    "unlisted": 2.0,
    "unlisted_on_kind": 0.3,
    "network": 0.125,
    "benchmark": 10.0,
}
"""Standard deviation of each sort of effect, in natural logarithms (0.1 is about 10 %).

Near what the shipped benchmarks suggest (`python -m tools.speed_report --estimate` prints it beside), the architecture
and the product somewhat wider so that the interval also holds for those that nobody measured. `benchmark` and
`unlisted` (a GPU without datasheet figures) are wide on purpose: nothing is known of them before they are measured.
"""
EXPECTED: Mapping[str, float] = {"size": 1.0}
"""Mean of effects that are not zero on average: twice both rates is twice the speed."""
DEGREES = 4.0
"""Degrees of freedom of the t distribution of single results."""
PASSES = 3
"""Rounds of weighing down freak results."""
CENTRE = (log(35.58), log(936.2))
"""Rates from which size and balance are counted (an RTX 3090): any card would do."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured log rate. `spread` is what repeating the same run would change; None: as in `SPREAD`."""

    design: Design
    log_rate: float
    spread: float | None = None


def design(
    name: str, product: str, sheet: Datasheet | None, kind: str, precision: str, *, several: bool = False
) -> dict[Effect, float]:
    """Return the effects of a GPU on a kind of work at a precision; `several`: it worked beside others."""
    effects: dict[Effect, float] = {
        ("product", product): 1.0,
        ("product", product, name): 1.0,
        ("product_on_kind", name, kind): 1.0,
    }
    if several:
        effects["several", name] = 1.0
    if sheet is None:
        return effects | {("unlisted", name): 1.0, ("unlisted_on_kind", name, kind, precision): 1.0}
    tflops, gbs = log(sheet.tflops) - CENTRE[0], log(sheet.gbs) - CENTRE[1]
    size, balance = (tflops + gbs) / 2, (tflops - gbs) / 2
    return effects | {
        ("size",): size,
        ("size_of_kind", kind): size,
        ("balance",): balance,
        ("balance_of_kind", kind): balance,
        ("architecture", sheet.architecture): 1.0,
        ("architecture_at_precision", sheet.architecture, precision): 1.0,
    }


@dataclass(frozen=True)
class Fitted:
    """Estimates of all effects that were seen: means (effects,) about their expectation, and covariance."""

    at: Mapping[Effect, int]
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    spread: Mapping[str, float]

    def contrast(self, one: Design, other: Design) -> tuple[float, float]:
        """Return mean and standard deviation of the log ratio of two rates of the same benchmark.

        Effects that were never seen are at their expectation, with their full spread.
        """
        log_ratio, unseen = 0.0, 0.0
        difference = np.zeros(len(self.at))
        for effect in one.keys() | other.keys():
            factor = one.get(effect, 0.0) - other.get(effect, 0.0)
            log_ratio += factor * EXPECTED.get(effect[0], 0.0)
            if effect in self.at:
                difference[self.at[effect]] = factor
            else:
                unseen += (factor * self.spread[effect[0]]) ** 2
        seen = np.flatnonzero(difference)
        part = difference[seen]
        log_ratio += float(part @ self.mean[seen])
        return log_ratio, sqrt(float(part @ self.covariance[np.ix_(seen, seen)] @ part) + unseen)

    def estimate(self, effect: Effect) -> float:
        """Return the estimate of one effect."""
        expected = EXPECTED.get(effect[0], 0.0)
        return expected + (float(self.mean[self.at[effect]]) if effect in self.at else 0.0)


class Equations:
    """The mixed-model equations of a set of observations; solved with or without some of them."""

    def __init__(self, observations: Sequence[Observation], spread: Mapping[str, float] = SPREAD) -> None:
        self.observations, self.spread = observations, spread
        effects = dict.fromkeys(effect for o in observations for effect in o.design)
        self.at = {effect: i for i, effect in enumerate(effects)}
        self.z = np.zeros((len(observations), len(self.at)))
        self.y = np.empty(len(observations))
        for row, o in enumerate(observations):
            for effect, factor in o.design.items():
                self.z[row, self.at[effect]] = factor
            self.y[row] = o.log_rate - sum(f * EXPECTED.get(e[0], 0.0) for e, f in o.design.items())
        self.prior = np.array([spread[effect[0]] ** 2 for effect in self.at])
        usual = spread["network"]
        self.noise = np.array([(usual if o.spread is None else o.spread) ** 2 for o in observations])

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each observation: its precision, less where it lies far from what all others say."""
        weight = 1.0 / self.noise
        for _pass in range(PASSES):
            left, right = self._system(weight)
            miss = self.y - self.z @ np.linalg.solve(left, right)
            weight = (DEGREES + 1.0) / (DEGREES + miss**2 / self.noise) / self.noise
        return weight

    def solve(self, keep: NDArray[np.bool_] | None = None) -> Fitted:
        """Return the estimates from all observations, or only from those in `keep`."""
        weight = self.weight if keep is None else np.where(keep, self.weight, 0.0)
        left, right = self._system(weight)
        covariance: NDArray[np.float64] = np.linalg.inv(left).astype(np.float64)
        return Fitted(self.at, covariance @ right, covariance, self.spread)

    def _system(self, weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        weighted = self.z * weight[:, None]
        left = weighted.T @ self.z
        left[np.diag_indices_from(left)] += 1.0 / self.prior
        return left, weighted.T @ self.y
