"""What is not known exactly, and many possible states of it.

A driver is one uncertain figure: an assumption with its low, likely and high; a range the person wrote; the speed
of a GPU; the market. Draws give every driver a value in each of many states, and say by what a cost stream is then
multiplied, against the same stream with every driver at its likely value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rackrent.comparison.lattice import dimensions, lognormal, split_triangular, split_triangular_cdf
from rackrent.costing.setting import Setting
from rackrent.costing.streams import HARDWARE_PRICE, RENTAL_PRICE, CostStream
from rackrent.speed import Speed
from rackrent.units import MONTHS_PER_YEAR

Floats = NDArray[np.float64]

DEMAND, MARKET, ELECTRICITY = "demand_spread", "price_change_per_year", "electricity_spread"
HARDWARE, NEIGHBOURS = "hardware_price_spread", "performance_variance_cloud"
ALWAYS = (MARKET, DEMAND, ELECTRICITY, HARDWARE, NEIGHBOURS)
"""Assumptions that move costs without standing in any formula."""
SPEED = "speed of "
DEMAND_RANGES = frozenset(
    f"demand.{field}"
    for field in ("gpu_hours_per_month", "gpu_hours_total", "jobs_per_month", "hours_per_job", "utilisation")
)
"""Ranges in proportion to which the work grows."""
QUOTE_PRICES = ("usd_per_machine_hour", "usd_per_gpu_hour", "amount")
PROPORTIONAL = re.compile(
    r"people\.usd_per_hour|own\.usd_per_kwh|own\.machines\[\d+\]\.price_usd|campus\[\d+\]\.usd_per_gpu_hour"
    r"|quotes\[\d+\]\.(usd_per_machine_hour|usd_per_gpu_hour|amount)"
)
"""Ranges in proportion to which the streams move that rest on them. Others are costed anew at both ends."""

EFFECTS: dict[str, Callable[[Floats, float], Floats]] = {
    "power_supply_efficiency": lambda x, likely: likely / x,
    "idle_waste": lambda x, likely: (x / (1 - x)) / (likely / (1 - likely)) if likely else np.ones_like(x),
    "resale_selling_cost": lambda x, likely: (1 - x) / (1 - likely),
    # The share of work lost to interruptions grows with the root of their rate (Young).
    "spot_interruptions": lambda x, likely: np.sqrt(x / likely),
}
"""How a stream moves with an assumption where it is not in proportion to it."""


@dataclass(frozen=True, slots=True)
class Driver:
    """One uncertain figure. Of a `ratio` the middle 80 % lie between low and high; others never leave them."""

    key: str
    low: float
    likely: float
    high: float
    unit: str
    ratio: bool = False


class Draws:
    """States of the world: `value(driver)` gives one number for each state.

    `take` is asked once for each driver, in the order in which they are first needed.
    """

    def __init__(self, setting: Setting, size: int, take: Callable[[Driver], Floats]) -> None:
        self.setting, self.size, self._take = setting, size, take
        self.drivers: dict[str, Driver] = {}
        self._values: dict[str, Floats] = {}
        for key in ALWAYS:
            self.value(self.assumption(key))

    def value(self, driver: Driver) -> Floats:
        """Return the driver's value in each state, shape (size,)."""
        if driver.key not in self._values:
            self.drivers[driver.key] = driver
            self._values[driver.key] = self._take(driver)
        return self._values[driver.key]

    def assumption(self, key: str) -> Driver:
        """Return the driver of an assumption, or of a range that the person gave under that path."""
        if key in self.setting.workload.ranges:
            r = self.setting.workload.ranges[key]
            return Driver(key, r.low, r.likely, r.high, "")
        fact = self.setting.assume(key)
        likely = fact.known
        low, high = (likely if end is None else end for end in (fact.low, fact.high))
        return Driver(key, low, likely, high, fact.unit)

    @cached_property
    def market(self) -> Floats:
        """Where the market stands in each state, from 0 (lowest) to 1: one factor for rents and resale prices."""
        driver = self.assumption(MARKET)
        return split_triangular_cdf(self.value(driver), driver.low, driver.likely, driver.high)

    @cached_property
    def demand(self) -> Floats:
        """Work in each state, as a multiple of what was stated: by the person's ranges, else by the assumption."""
        given = [key for key in self.setting.workload.ranges if key in DEMAND_RANGES]
        if not given:
            return self.value(self.assumption(DEMAND))
        times = np.ones(self.size)
        for key in given:
            times = times * self.effect(key)
        return times

    def given(self, field: str) -> str | None:
        """Return the path of the range that the person gave for a field, or for the price in it; None if none."""
        ranges = self.setting.workload.ranges
        paths = (field, *(f"{field}.{price}" for price in QUOTE_PRICES))
        return next((p for p in paths if p in ranges and PROPORTIONAL.fullmatch(p)), None)

    def costed_anew(self) -> list[Driver]:
        """Return the drivers of ranges that move costs in no simple proportion."""
        paths = (
            p
            for p in self.setting.workload.ranges
            if p not in DEMAND_RANGES and not PROPORTIONAL.fullmatch(p)
        )
        return [self.assumption(p) for p in paths]

    def beyond(self, driver: Driver) -> tuple[Floats, Floats]:
        """Return how far each state is towards the low and the high end of a driver, from 0 (likely) to 1."""
        x = self.value(driver)
        below = (
            np.zeros(self.size)
            if driver.likely == driver.low
            else (driver.likely - x) / (driver.likely - driver.low)
        )
        above = (
            np.zeros(self.size)
            if driver.likely == driver.high
            else (x - driver.likely) / (driver.high - driver.likely)
        )
        return np.maximum(below, 0.0), np.maximum(above, 0.0)

    def hours(self, speed: Speed | None) -> Floats:
        """Hours that the same work takes on a GPU in each state, as a multiple of the hours at its likely speed."""
        if speed is None or not speed.ratio or not speed.low or not speed.high or speed.low >= speed.high:
            return np.ones(self.size)
        driver = Driver(
            SPEED + speed.gpu, speed.low, speed.ratio, speed.high, "times the reference GPU", ratio=True
        )
        return speed.ratio / self.value(driver)

    @cached_property
    def neighbours(self) -> Floats:
        """Hours that a shared machine needs more, as a multiple."""
        return 1.0 / (1.0 - self.value(self.assumption(NEIGHBOURS)))

    def rent(self, term_months: int) -> Floats:
        """Rental price over the horizon as a multiple of today's: a path for metered terms (0), steps for others."""
        if term_months not in self._rent:
            self._rent[term_months] = self._rent_path(term_months)
        return self._rent[term_months]

    @cached_property
    def _rent(self) -> dict[int, Floats]:
        return {}

    def _rent_path(self, term_months: int) -> Floats:
        growth = 1.0 + self.value(self.assumption(MARKET))
        months = np.arange(1, self.setting.horizon + 1)
        years = (
            months - 0.5 if term_months == 0 else (months - 1) // term_months * term_months
        ) / MONTHS_PER_YEAR
        weight = (1.0 + self.setting.workload.discount_rate) ** (-months / MONTHS_PER_YEAR)
        if term_months == 0:
            weight = weight * self.setting.work
        total = weight.sum()
        return (growth[:, np.newaxis] ** years) @ weight / total if total else np.ones(self.size)

    def stream(self, stream: CostStream, speed: Speed | None, *, shared: bool, term_months: int) -> Floats:
        """Return by what a stream that is no sale is multiplied in each state.

        `shared` says that the machine has neighbours (a rented one that is not bare metal).
        """
        times = self._of_facts(stream)
        if stream.per_use:
            times = times * self.demand * self.hours(speed)
            if shared:
                times = times * self.neighbours
        if stream.category in RENTAL_PRICE:
            times = times * self.rent(term_months)
        if stream.category in HARDWARE_PRICE:
            times = times * self._hardware(stream)
        if stream.category == "power" and self.given("own.usd_per_kwh") is None:
            times = times * self.value(self.assumption(ELECTRICITY))
        return times

    def sale_usd(self, stream: CostStream) -> Floats:
        """Return what a sale brings in each state, USD: it moves with the market, through its quartiles."""
        assert stream.spread is not None
        low, middle, high = stream.spread
        lowest, highest = max(0.0, 2 * low - middle), 2 * high - middle
        usd = np.interp(self.market, (0, 0.25, 0.5, 0.75, 1), (lowest, low, middle, high, highest))
        return usd * self._of_facts(stream)

    def _hardware(self, stream: CostStream) -> Floats:
        price = stream.facts[0]
        if self.given(price.key) is not None:
            return np.ones(self.size)
        if price.value and price.low is not None and price.high is not None and price.low < price.high:
            driver = Driver(f"price of {price.key}", price.low, price.value, price.high, "usd")
            return self.value(driver) / price.value
        return self.value(self.assumption(HARDWARE))

    def _of_facts(self, stream: CostStream) -> Floats:
        """The product of the effects of the assumptions and ranges the stream rests on."""
        times = np.ones(self.size)
        shares = dict(stream.shares)
        for key in dict.fromkeys(f.key.removeprefix("assumptions.") for f in stream.facts):
            driver = self.given(key) if key not in self.setting.used else key
            if driver is None or driver in ALWAYS or driver == "resale_rest_share":
                continue
            times = times * (1.0 + shares.get(key, 1.0) * (self.effect(driver) - 1.0))
        return times

    def effect(self, key: str) -> Floats:
        """Return by what a stream that rests on an assumption moves in each state."""
        driver = self.assumption(key)
        if driver.likely == 0:
            return np.ones(self.size)
        x = self.value(driver)
        return EFFECTS[key](x, driver.likely) if key in EFFECTS else x / driver.likely


def quasi_random(setting: Setting, size: int, seed: int) -> Draws:
    """Return `size` states that fill the space of all drivers evenly; the same seed gives the same states."""
    points = dimensions(size, seed)

    def take(driver: Driver) -> Floats:
        u = next(points)
        if driver.ratio:
            return lognormal(u, driver.likely, driver.low, driver.high)
        return split_triangular(u, driver.low, driver.likely, driver.high)

    return Draws(setting, size, take)
