"""Electricity: watts at the wall, kilowatt-hours, tariffs, and the CO2 of using them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.units import HOURS_PER_DAY, WATTS_PER_KW

GRAMS_PER_KG = 1_000.0


def wall_watts(
    component_watts: ArrayLike, *, load_share: ArrayLike, psu_efficiency: ArrayLike
) -> NDArray[np.float64]:
    """Return what a machine draws from the wall, W, from its components' rated power.

    `component_watts` has shape (..., components); the sum times `load_share` (power under load / rated, 0 to 1)
    divided by `psu_efficiency` (DC out / AC in, 0 to 1).

    >>> round(float(wall_watts([250, 180, 30], load_share=0.7, psu_efficiency=0.92)))
    350
    """
    rated = np.asarray(component_watts, dtype=np.float64).sum(axis=-1)
    watts: NDArray[np.float64] = rated * np.asarray(load_share) / np.asarray(psu_efficiency)
    return watts


def energy_kwh(
    busy_watts: ArrayLike,
    idle_watts: ArrayLike,
    busy_hours: ArrayLike,
    idle_hours: ArrayLike,
    pue: ArrayLike = 1.0,
) -> NDArray[np.float64]:
    """Return the energy the site takes, kWh: the machine's, busy and idle, times the PUE of where it stands.

    >>> round(float(energy_kwh(400, 120, 365, 365, pue=1.1)), 2)
    208.78
    """
    busy = np.asarray(busy_watts, dtype=np.float64) * np.asarray(busy_hours, dtype=np.float64)
    idle = np.asarray(idle_watts, dtype=np.float64) * np.asarray(idle_hours, dtype=np.float64)
    return (busy + idle) / WATTS_PER_KW * np.asarray(pue, dtype=np.float64)


def energy_usd(kwh: ArrayLike, usd_per_kwh: ArrayLike) -> NDArray[np.float64]:
    """Return the cost of energy at a flat tariff, USD."""
    return np.asarray(kwh, dtype=np.float64) * np.asarray(usd_per_kwh, dtype=np.float64)


def co2_kg(kwh: ArrayLike, g_per_kwh: ArrayLike) -> NDArray[np.float64]:
    """Return the CO2 of the energy used, kg, at the carbon intensity of the grid it comes from."""
    return np.asarray(kwh, dtype=np.float64) * np.asarray(g_per_kwh, dtype=np.float64) / GRAMS_PER_KG


@dataclass(frozen=True, slots=True)
class TimeOfUse:
    """A tariff with two bands: `peak_hours_per_day` hours a day at the peak price, the rest off-peak, USD per kWh."""

    peak_usd_per_kwh: float
    off_peak_usd_per_kwh: float
    peak_hours_per_day: float

    def cost_usd(self, peak_kwh: ArrayLike, off_peak_kwh: ArrayLike) -> NDArray[np.float64]:
        """Return the cost of the energy used in each band, USD.

        >>> cost = TimeOfUse(0.40, 0.10, 12).cost_usd(peak_kwh=6, off_peak_kwh=6)  # 1 kW for 6 h + 6 h
        >>> round(float(cost), 2)
        3.0
        """
        return energy_usd(peak_kwh, self.peak_usd_per_kwh) + energy_usd(
            off_peak_kwh, self.off_peak_usd_per_kwh
        )

    @property
    def average_usd_per_kwh(self) -> float:
        """The price of a kWh to a machine that draws the same at all hours."""
        peak = self.peak_hours_per_day / HOURS_PER_DAY
        return peak * self.peak_usd_per_kwh + (1.0 - peak) * self.off_peak_usd_per_kwh
