"""What lending a machine brings: revenue, the market's fee, power, wear, income tax; and the ask that just pays.

All figures are arrays that broadcast, for whatever time `hours` covers. Income is positive here, and stays apart
from the cash flows of an option: it is hoped for, not owed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Power at the meter above what the machine would draw if it were not lent, kW.

    `listed_kw` flows in every lendable hour: a machine that would be off must be on to be rented. `rented_kw`
    flows on top of it while somebody rents.
    """

    listed_kw: ArrayLike
    rented_kw: ArrayLike


@dataclass(frozen=True, slots=True)
class LendingIncome:
    """What an owner earns with the lendable hours, USD; each part is positive where it is what its name says."""

    revenue_usd: Floats
    fee_usd: Floats
    energy_kwh: Floats
    energy_usd: Floats
    wear_usd: Floats
    income_tax_usd: Floats

    @property
    def paid_usd(self) -> Floats:
        """What the market owes the owner: revenue less its fee."""
        return self.revenue_usd - self.fee_usd

    @property
    def net_usd(self) -> Floats:
        """What is left when power, wear and income tax are paid; below zero it is a loss."""
        return self.paid_usd - self.energy_usd - self.wear_usd - self.income_tax_usd


def lending_income(
    ask_usd_per_gpu_hour: ArrayLike,
    gpus: ArrayLike,
    hours: ArrayLike,
    occupancy: ArrayLike,
    drawn: Drawn,
    *,
    fee: ArrayLike,
    usd_per_kwh: ArrayLike,
    wear_usd_per_gpu_hour: ArrayLike = 0.0,
    income_tax_rate: ArrayLike = 0.0,
) -> LendingIncome:
    """Return what `gpus` GPUs lent for `hours` earn when they are rented for the share `occupancy` of them.

        revenue = ask x GPUs x hours x occupancy        fee = share `fee` of the revenue, never of the power
        energy  = hours x (listed_kw + occupancy x rented_kw)
        tax     = rate x (revenue - fee - energy - wear), nothing on a loss

    Four cards at $0.35, half rented, of a machine that would otherwise be off:

    >>> drawn = Drawn(listed_kw=0.12, rented_kw=4 * 0.4)
    >>> income = lending_income(0.35, 4, 730, 0.5, drawn, fee=0.25, usd_per_kwh=0.17)
    >>> print(*(f"{x:.2f}" for x in (income.revenue_usd, income.paid_usd, income.energy_kwh, income.net_usd)))
    511.00 383.25 671.60 269.08
    """
    offered = np.asarray(hours, dtype=np.float64)
    rented = offered * np.asarray(occupancy, dtype=np.float64)
    gpu_hours = np.asarray(gpus, dtype=np.float64) * rented
    revenue = np.asarray(ask_usd_per_gpu_hour, dtype=np.float64) * gpu_hours
    fees = revenue * np.asarray(fee, dtype=np.float64)
    kwh = offered * np.asarray(drawn.listed_kw) + rented * np.asarray(drawn.rented_kw)
    energy = kwh * np.asarray(usd_per_kwh, dtype=np.float64)
    wear = gpu_hours * np.asarray(wear_usd_per_gpu_hour, dtype=np.float64)
    gain = np.maximum(revenue - fees - energy - wear, 0.0)
    return LendingIncome(revenue, fees, kwh, energy, wear, gain * np.asarray(income_tax_rate))


def energy_floor_usd(kwh: ArrayLike, usd_per_kwh: ArrayLike) -> Floats:
    """Return what hours must bring to pay for their power, USD: the energy of each band at the price of that band.

    Both have shape (..., bands); a flat tariff has one band. A machine of 1 kW rented for six hours at the
    off-peak price and six at the peak price needs $3.00, $0.25 an hour; at the off-peak price alone it would be $1.20:

    >>> floor = energy_floor_usd([6, 6], [0.10, 0.40])
    >>> print(f"{floor:.2f} {floor / 12:.2f}")
    3.00 0.25
    """
    floor: Floats = (np.asarray(kwh, dtype=np.float64) * np.asarray(usd_per_kwh, dtype=np.float64)).sum(
        axis=-1
    )
    return floor


def ask_floor_usd(
    gpus: ArrayLike,
    drawn: Drawn,
    *,
    fee: ArrayLike,
    usd_per_kwh: ArrayLike,
    wear_usd_per_gpu_hour: ArrayLike = 0.0,
    occupancy: ArrayLike = 1.0,
) -> Floats:
    """Return the ask at which lending earns exactly nothing, USD per GPU-hour; below it every hour loses money.

        floor = ((rented_kw + listed_kw / occupancy) x price / GPUs + wear) / (1 - fee)

    With `occupancy` 1 it is that of an hour that is rented; below 1 the rented hours also pay for the power of
    the hours waited for them. Occupancy must be above 0.

    >>> drawn = Drawn(listed_kw=0.12, rented_kw=4 * 0.4)
    >>> one = ask_floor_usd(4, drawn, fee=0.25, usd_per_kwh=0.17)
    >>> half = ask_floor_usd(4, drawn, fee=0.25, usd_per_kwh=0.17, occupancy=0.5)
    >>> print(f"{one:.4f} {half:.4f}")
    0.0975 0.1043
    """
    kw = np.asarray(drawn.rented_kw) + np.asarray(drawn.listed_kw) / np.asarray(occupancy, dtype=np.float64)
    power = kw * np.asarray(usd_per_kwh, dtype=np.float64) / np.asarray(gpus, dtype=np.float64)
    floor: Floats = (power + np.asarray(wear_usd_per_gpu_hour)) / (1.0 - np.asarray(fee, dtype=np.float64))
    return floor


def payouts(earned_usd: ArrayLike, minimum_usd: float) -> tuple[Floats, float]:
    """Return what is paid out at the end of each month, and what is still owed after the last, USD.

    `earned_usd` has shape (months,). What is below the minimum is carried into the next month; none of it is lost.

    >>> paid, owed = payouts([30.0, 30.0, 30.0, 30.0], minimum_usd=50.0)
    >>> paid.tolist(), owed
    ([0.0, 60.0, 0.0, 60.0], 0.0)
    """
    earned = np.asarray(earned_usd, dtype=np.float64)
    paid, owed = np.zeros_like(earned), 0.0
    for month, usd in enumerate(earned):
        owed += float(usd)
        if owed > 0 and owed >= minimum_usd:
            paid[month], owed = owed, 0.0
    return paid, owed
