"""Which inputs the answer hangs on: one driver at a time to its low and its high end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rackrent.comparison.draws import SPEED, Draws, Driver
from rackrent.comparison.names import ASSUMPTION_NAMES
from rackrent.comparison.option import Option
from rackrent.comparison.ranking import Ranking
from rackrent.comparison.uncertainty import cheapest, drivers_of, present_values
from rackrent.i18n import gettext as _

STEPS = 64
"""Points between the likely value and an end at which a turning point is looked for."""


@dataclass(frozen=True)
class Bar:
    """One driver's effect on the lead of the recommended option over its rival, USD of present value.

    `lead_*_usd` is the rival's cost less the recommended one's with the driver at that end and all others likely;
    below zero the rival wins. `best_*` is the id of the cheapest of all options there.
    """

    driver: Driver
    lead_low_usd: float
    lead_high_usd: float
    best_low: str
    best_high: str

    @property
    def swing_usd(self) -> float:
        """How far the lead moves between both ends."""
        return abs(self.lead_high_usd - self.lead_low_usd)


@dataclass(frozen=True)
class Tornado:
    """All drivers, the weightiest first, and the values at which the rival would win.

    `lead_usd` is with every driver at its likely value, among them a market that moves, neighbours on shared
    machines, and sales at the median: it differs from the lead in the headline. Where it is below zero `turns` is
    empty: the rival then wins already.
    """

    best: str
    rival: str
    lead_usd: float
    bars: tuple[Bar, ...]
    turns: tuple[str, ...]

    def to_list(self) -> list[dict[str, Any]]:
        """Return the bars as JSON values."""
        return [
            {
                "what": driver_name(b.driver.key),
                "key": b.driver.key,
                "unit": b.driver.unit,
                "low": b.driver.low,
                "likely": b.driver.likely,
                "high": b.driver.high,
                "lead_low_usd": b.lead_low_usd,
                "lead_high_usd": b.lead_high_usd,
                "best_low": b.best_low,
                "best_high": b.best_high,
                "flips": self.best != b.best_low or self.best != b.best_high,
            }
            for b in self.bars
        ]


def driver_name(key: str) -> str:
    """Return what a driver is, for people."""
    if key in ASSUMPTION_NAMES:
        return _(ASSUMPTION_NAMES[key])
    if key.startswith(SPEED):
        return _("speed of {gpu}").format(gpu=key.removeprefix(SPEED))
    if key.startswith("price of "):
        return _("price of {what}").format(what=key.removeprefix("price of "))
    return key


def tornado(ranking: Ranking, best: Option, rival: Option) -> Tornado:
    """Return how far each driver moves the lead of `best` over `rival`, and where it would turn."""
    drivers = drivers_of(ranking.setting, (best, rival))
    states = one_at_a_time(ranking, drivers)
    cost, rival_cost = present_values(ranking, (best, rival), states)
    lead = rival_cost - cost
    winners = cheapest(ranking, states)
    ids = [ranking.id_of(int(place)) for place in winners]
    bars = [
        Bar(d, float(lead[2 * k + 1]), float(lead[2 * k + 2]), ids[2 * k + 1], ids[2 * k + 2])
        for k, d in enumerate(drivers)
    ]
    bars = sorted((b for b in bars if b.swing_usd > 0), key=lambda b: (-b.swing_usd, b.driver.key))
    turns = tuple(t for b in bars if (t := _turn(ranking, best, rival, b))) if lead[0] >= 0 else ()
    return Tornado(best.id, rival.id, float(lead[0]), tuple(bars), turns)


def one_at_a_time(ranking: Ranking, drivers: list[Driver]) -> Draws:
    """Return states in which one driver is at an end and all others are likely.

    State 0 has all at their likely value; states 2k + 1 and 2k + 2 have driver k low and high.
    """
    size = 2 * len(drivers) + 1
    place = {d.key: k for k, d in enumerate(drivers)}

    def take(driver: Driver) -> np.ndarray:
        values = np.full(size, driver.likely)
        if driver.key in place:
            k = place[driver.key]
            values[2 * k + 1], values[2 * k + 2] = driver.low, driver.high
        return values

    return Draws(ranking.setting, size, take)


def _turn(ranking: Ranking, best: Option, rival: Option, bar: Bar) -> str:
    """Say at which value of the driver the rival would win; empty if it does at neither end."""
    for end, lead in ((bar.driver.low, bar.lead_low_usd), (bar.driver.high, bar.lead_high_usd)):
        if lead >= 0:
            continue
        points = np.linspace(bar.driver.likely, end, STEPS)

        def take(driver: Driver, points: np.ndarray = points) -> np.ndarray:
            return points if driver.key == bar.driver.key else np.full(STEPS, driver.likely)

        states = Draws(ranking.setting, STEPS, take)
        cost, rival_cost = present_values(ranking, (best, rival), states)
        leads = rival_cost - cost
        after = int(np.argmax(leads < 0))
        before = max(after - 1, 0)
        width = leads[before] - leads[after]
        at = points[before] + (points[after] - points[before]) * (leads[before] / width if width else 0.0)
        text = (
            _("{what}: {at} or less (likely {likely})")
            if end < bar.driver.likely
            else _("{what}: {at} or more (likely {likely})")
        )
        return text.format(
            what=driver_name(bar.driver.key), at=_figure(at), likely=_figure(bar.driver.likely)
        )
    return ""


def _figure(value: float) -> str:
    """A figure with three digits that matter, never in powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
