"""Demand by the hour as an array, or one sentence on what is wrong with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _


def hourly(demand: ArrayLike) -> NDArray[np.float64]:
    """Return demand by the hour, shape (hours,).

    Raises BadInput where there is no hour, an hour is unknown, or demand is negative: an unknown hour is not one
    without demand, so what stands for it is the caller's decision.
    """
    try:
        found = np.asarray(demand, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(_("Demand must be one number for each hour.")) from None
    if found.ndim != 1 or found.size == 0:
        raise BadInput(_("Demand must be one number for each hour, and at least one hour."))
    # The minimum and maximum of anything with NaN are NaN, so two passes find all three faults.
    low, high = found.min(), found.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        hour = int(np.flatnonzero(~np.isfinite(found))[0])
        raise BadInput(
            _("Demand is unknown in hour {hour}: leave the hour out, or say what to take for it.").format(
                hour=hour
            )
        )
    if low < 0:
        hour = int(np.argmin(found))
        raise BadInput(
            _("Demand is {value:g} in hour {hour}; it cannot be below 0.").format(value=low, hour=hour)
        )
    return found
