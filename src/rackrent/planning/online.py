"""Reserving hour by hour without knowing the demand to come, and what that promises.

A reservation costs a fee once and lasts `term_hours`; a reserved hour then costs `alpha` times one on demand.
Policies of Wang, Li and Liang, "To reserve or not to reserve: optimal online multi-instance acquisition in IaaS
clouds" (ICAC 2013): reserve one more GPU as soon as what the last term's hours without one have cost on demand
passes a threshold. In units of the fee the threshold is `z`, at most `1 / (1 - alpha)`, where a reservation would
just have paid.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, exp, inf, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.demand_check import hourly


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices of one GPU: on demand and reserved, USD an hour; the fee of a reservation, USD; its term, hours.

    A reservation paid whether it is used or not has `reserved_usd_per_hour` 0 and everything in the fee.
    """

    on_demand_usd_per_hour: float
    reserved_usd_per_hour: float
    fee_usd: float
    term_hours: int

    def __post_init__(self) -> None:
        if not (
            0 <= self.reserved_usd_per_hour < self.on_demand_usd_per_hour < inf and 0 < self.fee_usd < inf
        ):
            raise BadInput(
                _("A reserved hour must cost less than one on demand, and a reservation more than nothing.")
            )
        if self.term_hours < 1:
            raise BadInput(_("The term of a reservation must be at least one hour."))

    @property
    def alpha(self) -> float:
        """Return the price of a reserved hour over that of one on demand."""
        return self.reserved_usd_per_hour / self.on_demand_usd_per_hour

    @property
    def break_even(self) -> float:
        """Return the largest threshold, in fees: `1 / (1 - alpha)`."""
        return 1.0 / (1.0 - self.alpha)


@dataclass(frozen=True, slots=True)
class OnlineRun:
    """A policy run over a history: reservations made in each hour, shape (hours,), and their cost, USD."""

    reserved: NDArray[np.int64]
    cost_usd: float


def deterministic_bound(alpha: float) -> float:
    """Return what the deterministic policy promises against hindsight: `2 - alpha`.

    >>> deterministic_bound(0.4875)
    1.5125
    """
    return 2.0 - alpha


def randomised_bound(alpha: float) -> float:
    """Return what the randomised policy promises on average: `e / (e - 1 + alpha)`.

    >>> round(randomised_bound(0.4875), 4)
    1.2323
    """
    return e / (e - 1.0 + alpha)


def threshold_density(z: ArrayLike, alpha: float) -> NDArray[np.float64]:
    """Return the density of the randomised threshold, in fees, on [0, 1 / (1 - alpha)].

    `(1 - alpha) e**((1 - alpha) z) / (e - 1 + alpha)`. The mass that is left, `alpha / (e - 1 + alpha)`, lies on
    never reserving: on the end point it would break the bound just beyond it.
    """
    at = np.asarray(z, dtype=np.float64)
    found: NDArray[np.float64] = np.where(
        (at >= 0) & (at <= 1.0 / (1.0 - alpha)),
        (1.0 - alpha) * np.exp((1.0 - alpha) * at) / (e - 1.0 + alpha),
        0.0,
    )
    return found


def draw_threshold(uniform: float, alpha: float) -> float:
    """Return the randomised threshold, in fees, for a number drawn evenly from [0, 1); inf: never reserve.

    >>> draw_threshold(0.0, 0.5), draw_threshold(0.999, 0.5)
    (0.0, inf)
    """
    mass = uniform * (e - 1.0 + alpha)
    return log(1.0 + mass) / (1.0 - alpha) if mass <= e - 1.0 else inf


def run_online(
    demand: ArrayLike, tariff: Tariff, *, threshold: float | None = None, known_ahead_hours: int = 0
) -> OnlineRun:
    """Run the policy over a history as it would have decided, hour by hour.

    `demand` is whole GPUs by the hour, shape (hours,). `threshold` is in fees: None is the deterministic
    `1 / (1 - alpha)`; draw one with `draw_threshold` for the randomised policy. `known_ahead_hours` hours to come
    are known at each hour (a forecast taken for the truth), fewer than a term; both bounds hold where it was right.
    Raises BadInput.

    >>> tariff = Tariff(1.0, 0.0, fee_usd=3.0, term_hours=10)
    >>> run = run_online([1] * 10, tariff)
    >>> run.reserved.tolist(), run.cost_usd
    ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0], 6.0)
    """
    gpus = whole(demand)
    if not 0 <= known_ahead_hours < tariff.term_hours:
        raise BadInput(_("The hours known ahead must be fewer than the term of a reservation."))
    z = tariff.break_even if threshold is None else threshold
    # Hours on demand beyond this many are more than the threshold is worth.
    allowed = z * tariff.fee_usd / tariff.on_demand_usd_per_hour
    reserved = np.zeros(gpus.size, dtype=np.int64)
    window = _Window(gpus, tariff.term_hours)
    active = 0
    for hour in range(gpus.size):
        if hour >= tariff.term_hours:
            active -= int(reserved[hour - tariff.term_hours])
        last = min(hour + known_ahead_hours, gpus.size - 1)
        # An hour ahead already has those of today's reservations that last until then.
        while window.end <= last:
            ended = reserved[max(0, window.end - tariff.term_hours + 1) : hour].sum()
            window.take(int(ended))
        window.drop_before(hour + known_ahead_hours - tariff.term_hours + 1)
        while window.short > allowed * (1 + 1e-12) and active < gpus[hour]:
            reserved[hour] += 1
            active += 1
            window.cover_one_more()
    return OnlineRun(reserved, reservation_cost(gpus, reserved, tariff))


def reservation_cost(demand: ArrayLike, reserved: ArrayLike, tariff: Tariff) -> float:
    """Return what a history costs with `reserved` reservations made at the start of each hour, USD."""
    gpus = hourly(demand)
    made = np.asarray(reserved, dtype=np.int64)
    total = np.concatenate([np.zeros(tariff.term_hours, dtype=np.int64), np.cumsum(made)])
    active = np.cumsum(made) - total[: made.size]
    on_reserved = np.minimum(gpus, active).sum()
    return float(
        made.sum() * tariff.fee_usd
        + on_reserved * tariff.reserved_usd_per_hour
        + (gpus.sum() - on_reserved) * tariff.on_demand_usd_per_hour
    )


def expected_randomised_cost(demand: ArrayLike, tariff: Tariff, *, draws: int = 32) -> float:
    """Return the mean cost of the randomised policy over evenly spaced draws, USD."""
    uniform = (np.arange(draws) + 0.5) / draws
    runs = [run_online(demand, tariff, threshold=draw_threshold(float(u), tariff.alpha)) for u in uniform]
    return float(np.mean([run.cost_usd for run in runs]))


def never_mass(alpha: float) -> float:
    """Return the probability with which the randomised policy never reserves."""
    return 1.0 - (exp(1.0) - 1.0) / (e - 1.0 + alpha)


def whole(demand: ArrayLike) -> NDArray[np.int64]:
    """Return demand in whole GPUs. Raises BadInput where it is not."""
    found = hourly(demand)
    rounded = np.rint(found)
    if np.abs(rounded - found).max() > 1e-9:
        hour = int(np.argmax(np.abs(rounded - found)))
        raise BadInput(
            _("Demand must be whole GPUs here, not {value:g} in hour {hour}.").format(
                value=found[hour], hour=hour
            )
        )
    return rounded.astype(np.int64)


class _Window:
    """The hours looked at: how many lie short of demand, as if each reservation had been there throughout.

    One more reservation lowers the gap of every hour in the window by one, so gaps are kept with a common offset
    and counted by size: each step is O(1), whatever the term.
    """

    def __init__(self, gpus: NDArray[np.int64], term_hours: int) -> None:
        self.gpus = gpus
        self.term_hours = term_hours
        self.gaps = np.zeros(gpus.size, dtype=np.int64)
        self.count: dict[int, int] = {}
        self.start = self.end = self.offset = self.short = 0

    def take(self, active: int) -> None:
        """Take in the next hour, in which `active` reservations last."""
        gap = int(self.gpus[self.end]) - active + self.offset
        self.gaps[self.end] = gap
        self.count[gap] = self.count.get(gap, 0) + 1
        self.short += gap > self.offset
        self.end += 1

    def drop_before(self, hour: int) -> None:
        """Leave out the hours before this one."""
        while self.start < hour:
            gap = int(self.gaps[self.start])
            self.count[gap] -= 1
            self.short -= gap > self.offset
            self.start += 1

    def cover_one_more(self) -> None:
        """Count one more reservation in every hour of the window."""
        self.offset += 1
        self.short -= self.count.get(self.offset, 0)
