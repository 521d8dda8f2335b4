"""The comparison in many states of the world: how often each option is best, and what being wrong costs.

An option's present value is a sum of parts, each multiplied by what moves it. For a market of offers that is a
matrix product, so that every state of every offer is looked at and none is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rackrent.comparison.delivered import speed_of
from rackrent.comparison.draws import Draws, Driver, quasi_random
from rackrent.comparison.evaluate import shared_streams
from rackrent.comparison.option import Option
from rackrent.comparison.ranking import Ranking
from rackrent.costing.finance import npv
from rackrent.costing.rental import PARTS
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream
from rackrent.speed import Speed
from rackrent.units import MONTHS_PER_YEAR
from rackrent.workload.ranges import with_figure
from rackrent.workload.read import workload_from

Floats = NDArray[np.float64]
DRAWS = 4_096
QUANTILE_OPTIONS = 200
"""Quantiles are computed for this many options, the cheapest ones."""
BLOCK = 512
"""Offers looked at together."""


@dataclass(frozen=True)
class Uncertainty:
    """What many states of the world say about the options of a ranking, in its order (feasible ones).

    `mean_usd`, `probability_best` and `regret_usd` have one entry for each feasible option; `quantiles_usd` has
    shape (first options, 3): P10, P50, P90. Regret is the expected present value lost by choosing the option in
    place of whatever turns out best.
    """

    draws: int
    seed: int
    mean_usd: Floats
    probability_best: Floats
    regret_usd: Floats
    quantiles_usd: Floats


def uncertainty(ranking: Ranking, *, draws: int = DRAWS, seed: int = 0) -> Uncertainty:
    """Return how the feasible options of `ranking` fare over `draws` quasi-random states."""
    states = quasi_random(ranking.setting, draws, seed)
    n = ranking.feasible_count
    mean, quantiles = np.empty(n), np.empty((min(n, QUANTILE_OPTIONS), 3))
    race = _Race(draws)
    for places, weights, times in _blocks(ranking, states):
        mean[places] = weights @ times.mean(axis=1)
        race.enter(places, weights, times)
        for row in np.flatnonzero(places < len(quantiles)):
            quantiles[places[row]] = np.quantile(weights[row] @ times, (0.1, 0.5, 0.9))
    share = np.bincount(race.best, minlength=n) / draws
    # The race is run in single precision: the least regret must not come out below nothing.
    regret = np.maximum(mean - float(race.lowest.mean()), 0.0)
    return Uncertainty(draws, seed, mean, share, regret, quantiles)


def cheapest(ranking: Ranking, states: Draws) -> NDArray[np.int64]:
    """Return the place in `ranking` of the cheapest option in each state."""
    race = _Race(states.size)
    for block in _blocks(ranking, states):
        race.enter(*block)
    return race.best


def present_values(ranking: Ranking, options: Sequence[Option], states: Draws) -> Floats:
    """Return the present value of some options of `ranking` in each state, USD, shape (options, states)."""
    anew = _CostedAnew(ranking, states)
    rows = []
    for option in options:
        place = np.array([ranking.place(option.id)])
        weights, times = anew.extend(place, np.ones((1, 1)), option_usd(option, states)[np.newaxis, :])
        rows.append((weights @ times)[0])
    return np.array(rows)


def drivers_of(setting: Setting, options: Iterable[Option]) -> list[Driver]:
    """Return every driver that moves one of `options`."""
    states = quasi_random(setting, 1, 0)
    for driver in states.costed_anew():
        states.value(driver)
    for option in options:
        option_usd(option, states)
    return [d for d in states.drivers.values() if d.low < d.high]


class _Race:
    """The cheapest option so far in each state: its cost, and its place."""

    def __init__(self, states: int) -> None:
        self.lowest = np.full(states, np.inf, dtype=np.float32)
        self.best = np.zeros(states, dtype=np.int64)

    def enter(self, places: NDArray[np.int64], weights: Floats, times: Floats) -> None:
        """Let the options `weights` at `places` run."""
        # States in rows: the least of a row is found ten times as fast as the least of a column.
        narrow = np.ascontiguousarray(times.T, dtype=np.float32)
        for start in range(0, len(places), BLOCK):
            rows = slice(start, start + BLOCK)
            usd = narrow @ weights[rows].T.astype(np.float32)
            first = usd.argmin(axis=1)
            least = usd[np.arange(len(usd)), first]
            better = least < self.lowest
            self.lowest[better] = least[better]
            self.best[better] = places[rows][first[better]]


def _blocks(ranking: Ranking, states: Draws) -> Iterator[tuple[NDArray[np.int64], Floats, Floats]]:
    """Yield groups of options that move together: their places, their parts, and what multiplies the parts.

    In state s option i costs `(parts @ times)[i, s]`: parts have shape (options, k), times (k, states).
    """
    anew = _CostedAnew(ranking, states)
    offers: dict[tuple[str, bool, int], list[tuple[int, int]]] = {}
    market = ranking.market
    for place, entry in enumerate(ranking.entries[: ranking.feasible_count]):
        if isinstance(entry, Option):
            usd = option_usd(entry, states)[np.newaxis, :]
            yield np.array([place]), *anew.extend(np.array([place]), np.ones((1, 1)), usd)
        else:
            offers.setdefault(market.moves_with(entry), []).append((place, entry))
    if not offers:
        return
    common = np.zeros(states.size)
    for stream in shared_streams(states.setting):
        common += _stream_usd(stream, None, states, shared=False, term_months=0)
    for (_gpu, has_neighbours, term), pairs in offers.items():
        places, rows = (np.array(x) for x in zip(*pairs, strict=True))
        speed = speed_of(market.candidate(int(rows[0])), states.setting)
        times = _part_times(states, speed, shared=has_neighbours, term_months=term)
        weights = np.column_stack([market.part_npv[rows], np.ones(len(rows))])
        yield places, *anew.extend(places, weights, np.vstack([times, common]))


class _CostedAnew:
    """Ranges that move costs in no simple proportion: every option costed again at both ends of each.

    Between an end and the likely value the change of the present value is linear.
    """

    def __init__(self, ranking: Ranking, states: Draws) -> None:
        now = ranking.npv_by_id()
        self.changes: list[Floats] = []
        self.times: list[Floats] = []
        for driver in states.costed_anew():
            for end, share in zip((driver.low, driver.high), states.beyond(driver), strict=True):
                if (driver.key, end) not in ranking.ends:
                    ranking.ends[driver.key, end] = _ranking_at(states.setting, driver.key, end)
                then = ranking.ends[driver.key, end].npv_by_id()
                # An option that is out at the end keeps its cost: which options can do the work stays as it is.
                change = [then.get(id, usd) - usd for id, usd in now.items()]
                self.changes.append(np.array(change))
                self.times.append(share)

    def extend(self, places: NDArray[np.int64], weights: Floats, times: Floats) -> tuple[Floats, Floats]:
        """Return parts and times with the changes joined to them."""
        if not self.changes:
            return weights, times
        return np.column_stack([weights, *(c[places] for c in self.changes)]), np.vstack([times, *self.times])


def _ranking_at(setting: Setting, path: str, value: float) -> Ranking:
    from rackrent.comparison.compare import rank_options

    tree = setting.workload.model_dump(mode="json", exclude_unset=True, exclude={"ranges"})
    return rank_options(Setting(workload_from(with_figure(tree, path, str(value))), setting.catalog))


def _part_times(states: Draws, speed: Speed, *, shared: bool, term_months: int) -> Floats:
    """What multiplies each part of `PARTS`, shape (parts, states), for offers of one GPU and term."""
    w = states.setting.workload
    working = states.demand * states.hours(speed) * (states.neighbours if shared else 1.0)
    rent = states.rent(term_months)
    waste = states.effect("idle_waste") if w.idle_waste is None else 1.0
    minutes = states.effect("startup_minutes")
    starts = states.effect("sessions_per_month") if w.demand.jobs_per_month is None else 1.0
    interruptions = states.effect("spot_interruptions") if w.interruptible else 1.0
    one = np.ones(states.size)
    times = {
        "rent": working * rent,
        "idle": working * rent * waste,
        "startup": rent * starts * minutes,
        "rounding": rent * starts,
        "rework": working * rent * interruptions,
        "stopped": rent,
        "commitment": rent,
    }
    return np.array([times.get(part, one) * one for part in PARTS])


def option_usd(option: Option, states: Draws) -> Floats:
    """Return the present value of a costed option in each state, USD, shape (states,)."""
    shared, term = option.candidate is not None and option.candidate.has_neighbours, option.term_months
    total = np.zeros(states.size)
    for stream in option.streams:
        if stream.category not in ("tax", "indirect"):
            total += _stream_usd(stream, option.speed, states, shared=shared, term_months=term)
    return total


def _stream_usd(
    stream: CostStream, speed: Speed | None, states: Draws, *, shared: bool, term_months: int
) -> Floats:
    """The present value of a stream and its tax in each state. Indirect cost is a transfer: nil for everyone."""
    setting = states.setting
    rate = setting.workload.discount_rate
    if stream.spread is not None:
        at_end: float = (1.0 + rate) ** (-setting.horizon / MONTHS_PER_YEAR)
        return states.sale_usd(stream) * -at_end
    tax = 1.0 + (setting.tax.value or 0.0) if stream.tax_basis == "excl" else 1.0
    times = states.stream(stream, speed, shared=shared, term_months=term_months)
    return float(npv(stream.usd, rate)) * tax * times
