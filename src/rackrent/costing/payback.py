"""When one way of getting compute has cost no more than another: in time, and in use.

Both look at cash. Depreciation is no cash: whoever divides capital by a saving already net of the write-off
counts the capital twice (8 GPUs for $392,000 against $14,400 of cloud a month then "break even" after 137.2
months in place of 35.56).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

RELATIVE_TOLERANCE = 1e-9
"""Sums of the same flows in another order may differ by this share of the money moved: they count as equal."""


def break_even_month(
    usd_by_month: ArrayLike, other_usd_by_month: ArrayLike, *, level_start: bool = True
) -> float | None:
    """Return the first time, in months, at which the first stream's cumulative cash is not worse than the other's.

    Both have shape (months + 1,), costs positive: entry 0 falls at time 0, entry m evenly over month m, so the
    answer is a real number. 0.0 where it is not worse from the start, None where it never is within the
    horizon. With `level_start` false a start at which both are level, and from which the first falls behind, does
    not count. Raises BadInput where the horizons differ.

    >>> import numpy as np
    >>> own = np.array([392_000.0] + [3_376.32] * 48)
    >>> cloud = np.array([0.0] + [14_400.0] * 48)
    >>> round(break_even_month(own, cloud), 2)
    35.56
    >>> break_even_month(own[:36], cloud[:36]) is None
    True
    """
    usd = np.asarray(usd_by_month, dtype=np.float64)
    other = np.asarray(other_usd_by_month, dtype=np.float64)
    if usd.shape != other.shape or usd.ndim != 1 or not usd.size:
        raise BadInput(_("A break-even compares two cash flows over the same months."))
    lead = np.cumsum(other - usd)
    tolerance = RELATIVE_TOLERANCE * float(np.abs(usd).sum() + np.abs(other).sum())
    reached = np.flatnonzero(lead >= -tolerance)
    if not level_start and abs(lead[0]) <= tolerance and lead.size > 1 and lead[1] < -tolerance:
        reached = reached[1:]
    if not reached.size:
        return None
    month = int(reached[0])
    if month == 0:
        return 0.0
    behind, ahead = float(lead[month - 1]), float(lead[month])
    return month - 1 + min(-behind / (ahead - behind), 1.0)


def break_even_utilisation(
    usd_at: Callable[[float], float],
    other_usd_at: Callable[[float], float],
    *,
    lowest: float = 0.001,
    tolerance: float = 1e-4,
) -> float | None:
    """Return the share of time in use at which the cheaper of two ways changes, or None if it does not.

    `usd_at(u)` and `other_usd_at(u)` are total costs at utilisation `u`, 0 < u <= 1. The sign of their difference
    is bisected between `lowest` and 1 to within `tolerance`, which needs no smoothness: costs may have steps
    (whole machines, tiers). Of several crossings one is found. None where the same way is cheaper at both ends.

    >>> round(break_even_utilisation(lambda u: 1_000 + 100 * u, lambda u: 5_100 * u), 3)
    0.2
    """

    def not_worse(utilisation: float) -> bool:
        return usd_at(utilisation) <= other_usd_at(utilisation)

    low, high = lowest, 1.0
    at_high = not_worse(high)
    if not_worse(low) == at_high:
        return None
    while high - low > tolerance:
        middle = (low + high) / 2.0
        if not_worse(middle) == at_high:
            high = middle
        else:
            low = middle
    return high
