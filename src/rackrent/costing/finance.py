"""Money over time: present value, annuities, depreciation and commitments.

Streams have entry 0 at the start and entry m at the end of month m, so a horizon of M months has M + 1
entries along the last axis. Costs are positive. Everything takes arrays and lets scalars broadcast; scalars
in give a 0-d result, which `float()` takes. Cash, present value and book value are three views: depreciation belongs to the
book and is never added to cash.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.units import MONTHS_PER_YEAR

Compounding = Literal["monthly", "effective"]


def npv(usd_by_month: ArrayLike, annual_rate: ArrayLike) -> NDArray[np.float64]:
    """Return the present value of a stream, USD: the sum of `usd[m] / (1 + annual_rate) ** (m / 12)`.

    `usd_by_month` has shape (..., months + 1), entry 0 undiscounted; `annual_rate` is an effective rate a year
    (0.05), a scalar or of shape (...). Raises BadInput where the rate is -100 % or less.

    >>> round(float(npv([0.0] * 12 + [105.0], 0.05)), 2)
    100.0
    """
    usd = np.asarray(usd_by_month, dtype=np.float64)
    rate = np.asarray(annual_rate, dtype=np.float64)
    _require(bool(np.all(rate > -1)), _("An interest rate must be above -100 % a year."))
    years = np.arange(usd.shape[-1]) / MONTHS_PER_YEAR
    present: NDArray[np.float64] = (usd * (1.0 + rate[..., np.newaxis]) ** -years).sum(axis=-1)
    return present


def monthly_rate(annual_rate: ArrayLike, compounding: Compounding = "monthly") -> NDArray[np.float64]:
    """Return the rate of one month: "monthly" divides by 12 (a nominal rate), "effective" takes the 12th root."""
    rate = np.asarray(annual_rate, dtype=np.float64)
    _require(bool(np.all(rate > -1)), _("An interest rate must be above -100 % a year."))
    if compounding == "monthly":
        return rate / MONTHS_PER_YEAR
    return np.expm1(np.log1p(rate) / MONTHS_PER_YEAR)


def annuity(
    capital: ArrayLike, annual_rate: ArrayLike, months: ArrayLike, *, compounding: Compounding = "monthly"
) -> NDArray[np.float64]:
    """Return the level payment at the end of each of `months` months that repays `capital`, USD a month.

    `payment = capital * i / (1 - (1 + i) ** -months)`, with `i` the rate of a month. At rate 0 it is
    `capital / months`. "monthly" is the banker's nominal rate, which published data-centre models use;
    "effective" is the rate that `npv` discounts with. Raises BadInput where `months` is not positive.

    >>> round(float(annuity(45_978 * 1_450, 0.05, 36)), 2)
    1998102.77
    """
    i = monthly_rate(annual_rate, compounding)
    n = np.asarray(months, dtype=np.float64)
    _require(bool(np.all(n > 0)), _("An annuity needs at least one month."))
    safe = np.where(i == 0, 1.0, i)
    share = np.where(i == 0, 1.0 / n, safe / -np.expm1(-n * np.log1p(safe)))
    payment: NDArray[np.float64] = np.asarray(capital, dtype=np.float64) * share
    return payment


def straight_line(
    cost: ArrayLike, salvage: ArrayLike, life_months: ArrayLike, horizon_months: int
) -> NDArray[np.float64]:
    """Return straight-line depreciation by month, USD, shape (..., horizon_months + 1); entry 0 is 0.

    Equal amounts in months 1 to `life_months`, which may end within a month, then 0. Summed over the life it
    is `cost - salvage`. Raises BadInput where the life is not positive.

    >>> straight_line(36_000, 0, 36, 48)[[1, 36, 37]].tolist()
    [1000.0, 1000.0, 0.0]
    """
    life = np.asarray(life_months, dtype=np.float64)
    _require(bool(np.all(life > 0)), _("A depreciation life must be longer than 0 months."))
    amount = np.asarray(cost, dtype=np.float64) - np.asarray(salvage, dtype=np.float64)
    months_gone = np.arange(horizon_months + 1) - 1.0
    in_life = np.clip(life[..., np.newaxis] - months_gone, 0.0, 1.0)
    in_life[..., 0] = 0.0
    depreciation: NDArray[np.float64] = (amount / life)[..., np.newaxis] * in_life
    return depreciation


def declining_balance(
    cost: ArrayLike,
    salvage: ArrayLike,
    life_months: ArrayLike,
    horizon_months: int,
    *,
    factor: ArrayLike = 2.0,
) -> NDArray[np.float64]:
    """Return declining-balance depreciation by month, USD, shape (..., horizon_months + 1); entry 0 is 0.

    Each month writes off `factor / life_months` of the book value (2 is double declining, as DDB in
    spreadsheets), `cost * (1 - factor / life_months) ** m`, and stops at `salvage`. What the method leaves at the
    end of the life declines further. Raises BadInput unless 0 <= factor <= life_months.

    >>> declining_balance(1_000, 0, 20, 3).round(2).tolist()
    [0.0, 100.0, 90.0, 81.0]
    """
    life = np.asarray(life_months, dtype=np.float64)
    share = np.asarray(factor, dtype=np.float64)
    _require(
        bool(np.all((life > 0) & (share >= 0) & (share <= life))),
        _(
            "A declining balance needs a life in months at least as long as its factor, and a factor of 0 or more."
        ),
    )
    price = np.asarray(cost, dtype=np.float64)[..., np.newaxis]
    floor = np.minimum(np.asarray(salvage, dtype=np.float64)[..., np.newaxis], price)
    kept = (1.0 - share / life)[..., np.newaxis] ** np.arange(horizon_months + 1)
    return depreciation_from_values(np.maximum(price * kept, floor))


def depreciation_from_values(value_usd_by_month: ArrayLike) -> NDArray[np.float64]:
    """Return depreciation by month from values at the start and at each month's end (a resale curve, say)."""
    value = np.asarray(value_usd_by_month, dtype=np.float64)
    return np.diff(-value, prepend=-value[..., :1])


def book_value(cost: ArrayLike, depreciation_usd_by_month: ArrayLike) -> NDArray[np.float64]:
    """Return the book value at the start and at each month's end, USD: cost less depreciation so far.

    >>> book_value(36_000, straight_line(36_000, 0, 36, 48))[[0, 18, 36, 48]].tolist()
    [36000.0, 18000.0, 0.0, 0.0]
    """
    written_off = np.cumsum(np.asarray(depreciation_usd_by_month, dtype=np.float64), axis=-1)
    value: NDArray[np.float64] = np.asarray(cost, dtype=np.float64)[..., np.newaxis] - written_off
    return value


def commitment_cost(
    used_hours: ArrayLike,
    committed_hours: ArrayLike,
    *,
    committed_usd_per_hour: ArrayLike,
    overflow_usd_per_hour: ArrayLike,
) -> NDArray[np.float64]:
    """Return what `used_hours` cost under a commitment, USD: committed hours are paid whether used or not.

    Hours beyond the commitment are bought at `overflow_usd_per_hour`.

    >>> [float(commitment_cost(h, 730, committed_usd_per_hour=2, overflow_usd_per_hour=3)) for h in (0, 730, 740)]
    [1460.0, 1460.0, 1490.0]
    """
    used, committed = np.asarray(used_hours, dtype=np.float64), np.asarray(committed_hours, dtype=np.float64)
    overflow = np.maximum(used - committed, 0.0)
    usd: NDArray[np.float64] = committed * np.asarray(committed_usd_per_hour) + overflow * np.asarray(
        overflow_usd_per_hour
    )
    return usd


def commitment_flows(
    usd_per_month: float, upfront_usd: float, term_months: int, horizon_months: int
) -> NDArray[np.float64]:
    """Return the cash flow of a commitment renewed up to the horizon, USD, shape (horizon_months + 1,).

    `upfront_usd` is paid at the start of each term and `usd_per_month` at the end of each month. The first term
    is owed to its end: where it runs past the horizon, what is left of it falls due in the last entry. A renewal
    is counted up to the horizon only, its up-front part in proportion: nobody need renew for three years to
    work one month more.

    >>> commitment_flows(100, 500, 12, 18).sum()  # a term of 1,700 and half of another
    np.float64(2550.0)
    >>> commitment_flows(100, 500, 12, 6).sum()
    np.float64(1700.0)
    """
    _require(
        term_months > 0 and horizon_months > 0,
        _("A commitment needs a term and a horizon of at least one month."),
    )
    usd = np.zeros(horizon_months + 1)
    usd[1:] = usd_per_month
    usd[0] = upfront_usd
    for start in range(term_months, horizon_months, term_months):
        usd[start] += upfront_usd * min(1.0, (horizon_months - start) / term_months)
    usd[-1] += usd_per_month * max(0, term_months - horizon_months)
    return usd


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise BadInput(message)
