"""What used hardware fetches: from a measured curve of price by age, and never more than it shows.

Age counts from the launch of the product, not from the purchase: buyers pay for what a card is worth beside
the newer ones. Past the last measured age nothing is claimed but a range from nil to the last point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.units import Interval

Quantile = Literal["low", "median", "high"]


@dataclass(frozen=True, slots=True)
class Resale:
    """What a sale brings, USD before selling costs; `beyond_data` where the age lies past the curve.

    `likely` is the quantile asked for; each field has the shape of the inputs broadcast.
    """

    low: NDArray[np.float64]
    likely: NDArray[np.float64]
    high: NDArray[np.float64]
    beyond_data: NDArray[np.bool_]

    def after_selling(self, cost_share: Interval) -> Resale:
        """Return what is left after selling costs, a share of the price; the dearest sale goes with `low`."""
        return Resale(
            self.low * (1.0 - cost_share.high),
            self.likely * (1.0 - cost_share.likely),
            self.high * (1.0 - cost_share.low),
            self.beyond_data,
        )


def gpu_resale_usd(
    curve_age_years: ArrayLike,
    curve_low: ArrayLike,
    curve_median: ArrayLike,
    curve_high: ArrayLike,
    launch_price: ArrayLike,
    purchase_price: ArrayLike,
    age_years: ArrayLike,
    *,
    quantile: Quantile = "low",
) -> Resale:
    """Return what hardware fetches at `age_years` since its launch, USD, linear between the curve's points.

    The curve has shape (points,), ages ascending: the share of the launch price fetched, as lower quartile, median
    and upper quartile. `low` and `high` of the result are the quartiles, `likely` the `quantile` (default the lower
    quartile), each never above `purchase_price`. Younger than the first point counts as the first point. Past the
    last point low and likely are nil, high is the last median, and `beyond_data` says so. Raises BadInput where an
    age is negative.

    >>> curve = ([3.0, 5.0], [0.531, 0.302], [0.58, 0.319], [0.609, 0.339])
    >>> sold = gpu_resale_usd(*curve, launch_price=1_599, purchase_price=2_990, age_years=[3.0, 7.1])
    >>> sold.low.round().tolist(), sold.high.round().tolist(), sold.beyond_data.tolist()
    ([849.0, 0.0], [974.0, 510.0], [False, True])
    """
    age = np.asarray(age_years, dtype=np.float64)
    if np.any(age < 0):
        raise BadInput(_("The age of hardware counts from its launch and cannot be negative."))
    ages = np.asarray(curve_age_years, dtype=np.float64)
    beyond = np.asarray(age > ages[-1])

    def value(ratios: ArrayLike, past_the_end: float) -> NDArray[np.float64]:
        ratio = np.where(beyond, past_the_end, np.interp(age, ages, np.asarray(ratios, dtype=np.float64)))
        usd = ratio * np.asarray(launch_price, dtype=np.float64)
        capped: NDArray[np.float64] = np.minimum(usd, np.asarray(purchase_price, dtype=np.float64))
        return capped

    likely = {"low": curve_low, "median": curve_median, "high": curve_high}[quantile]
    return Resale(
        low=value(curve_low, 0.0),
        likely=value(likely, 0.0),
        high=value(curve_high, float(np.asarray(curve_median)[-1])),
        beyond_data=beyond,
    )
