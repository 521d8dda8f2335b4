"""The money of renting, for many offers at once: one row an offer, one column a month.

The same arithmetic serves a single option that is shown line by line and a market of fifty thousand offers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rackrent.costing.finance import commitment_flows
from rackrent.units import HOURS_PER_MONTH

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PARTS = (
    "rent",
    "idle",
    "startup",
    "rounding",
    "rework",
    "stopped",
    "commitment",
    "storage",
    "egress",
    "exit",
)
"""What a rented machine costs, as far as the provider bills it."""
UNIT_HOURS_EXACT = 1.0 / 60.0
"""Billing by the minute or finer is taken as exact, hours."""
PER_USE_PARTS = ("rent", "idle", "rework")
"""Parts in proportion to the hours worked."""


@dataclass(frozen=True, slots=True)
class Rentals:
    """Offers and how they are used; every field has shape (offers,) but `busy_hours`, (offers, months).

    `usd_per_hour` is for the whole machine, running, without `upfront_usd`, which falls due at the start of each
    term of `term_months` (0: metered, no commitment). `storage_usd` is the data's rent a month while running;
    `stopped_disk_factor` what it is multiplied with while stopped. `egress_usd` leaves every month, `exit_usd` once
    at the end. `stopped_in_full` says that a stopped machine is kept and billed in full. Time is billed in units of
    `unit_hours`, and `least_hours` for each start at least.
    """

    usd_per_hour: Floats
    upfront_usd: Floats
    term_months: NDArray[np.int64]
    interrupted: Bools
    stopped_in_full: Bools
    unit_hours: Floats
    least_hours: Floats
    storage_usd: Floats
    stopped_disk_factor: Floats
    egress_usd: Floats
    exit_usd: Floats
    machines: Floats
    busy_hours: Floats


@dataclass(frozen=True, slots=True)
class Habits:
    """What holds for every offer: how much rented time is wasted, how often machines start, what is done twice.

    `idle_waste` is a share of rented hours; `startup_hours` are paid each month with work in it, in `starts`; `rework`
    is hours done twice per hour of work on a machine that may be taken away.
    """

    idle_waste: float
    startup_hours: float
    starts: float
    rework: float


def rental_money(rentals: Rentals, habits: Habits) -> dict[str, Floats]:
    """Return the cash of each part of `PARTS`, USD, shape (offers, months + 1); entry 0 is the start."""
    r, hours = rentals, rentals.busy_hours
    metered = (r.term_months == 0)[:, np.newaxis]
    price = np.where(metered, r.usd_per_hour[:, np.newaxis], 0.0)
    of_all = r.machines[:, np.newaxis] * HOURS_PER_MONTH
    stopped_share = 1.0 - np.minimum(hours / of_all, 1.0)
    twice = np.where(r.interrupted[:, np.newaxis], habits.rework, 0.0)
    unused = habits.idle_waste / (1.0 - habits.idle_waste)
    started = np.where(hours > 0, habits.startup_hours, 0.0)
    on = hours * (1.0 + unused + twice) + started
    off = np.maximum(of_all - on, 0.0)
    stopped_hours = np.where(r.stopped_in_full[:, np.newaxis], off, 0.0)
    beyond = np.where(r.stopped_in_full[:, np.newaxis], 0.0, np.minimum(rounding_hours(r, habits, on), off))
    # A committed machine never stops.
    extra = np.where(metered, r.stopped_disk_factor[:, np.newaxis] - 1.0, 0.0)
    factor = 1.0 + extra * stopped_share
    months = hours.shape[1]
    exit_usd = np.zeros((len(hours), months + 1))
    exit_usd[:, -1] = r.exit_usd
    return {
        "rent": _from_month_1(price * hours),
        "idle": _from_month_1(price * hours * unused),
        "startup": _from_month_1(price * started),
        "rounding": _from_month_1(price * beyond),
        "rework": _from_month_1(price * hours * twice),
        "stopped": _from_month_1(price * stopped_hours),
        "commitment": _commitments(r, months),
        "storage": _from_month_1(r.storage_usd[:, np.newaxis] * factor),
        "egress": _from_month_1(np.broadcast_to(r.egress_usd[:, np.newaxis], hours.shape)),
        "exit": exit_usd,
    }


def rounding_hours(rentals: Rentals, habits: Habits, on: Floats) -> Floats:
    """Return hours billed beyond those a machine is on, a month, because time is billed in units; shape as `on`.

    A start that ends anywhere in a unit pays half a unit more on average; one shorter than the least time pays what is
    missing. Units of a minute or less are taken as exact.

    hours = max(starts * unit / 2, starts * least - on, 0)
    """
    half = np.where(rentals.unit_hours > UNIT_HOURS_EXACT, rentals.unit_hours / 2.0, 0.0)[:, np.newaxis]
    least = np.where(rentals.least_hours > UNIT_HOURS_EXACT, rentals.least_hours, 0.0)[:, np.newaxis]
    beyond = np.maximum(habits.starts * half, habits.starts * least - on)
    return np.where(on > 0, np.maximum(beyond, 0.0), 0.0)


def _from_month_1(monthly: Floats) -> Floats:
    return np.pad(monthly, ((0, 0), (1, 0)))


def _commitments(rentals: Rentals, months: int) -> Floats:
    """Terms renewed to the horizon, paid whether the machines are used or not."""
    usd = np.zeros((len(rentals.machines), months + 1))
    for term in np.unique(rentals.term_months[rentals.term_months > 0]):
        rows = rentals.term_months == term
        one = commitment_flows(HOURS_PER_MONTH, 0.0, int(term), months)
        start = commitment_flows(0.0, 1.0, int(term), months)
        price, upfront = rentals.usd_per_hour[rows], rentals.upfront_usd[rows]
        each = price[:, np.newaxis] * one + upfront[:, np.newaxis] * start
        usd[rows] = rentals.machines[rows, np.newaxis] * each
    return usd
