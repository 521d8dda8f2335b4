"""Whether to wait for faster machines before a long computation starts."""

from __future__ import annotations

from math import log

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _


def best_wait_months(work_months: float, *, doubling_months: float) -> float:
    """Return how long to wait so that a computation is done soonest, months; 0 if starting now is best.

    Performance for the price doubles every `doubling_months` (T), and the computation would take `work_months` (W)
    on what can be bought today: it is done at `w + W 2**(-w / T)`, least at `w = (T / ln 2) ln(W ln 2 / T)` where
    W > T / ln 2. Gottbrath, Bailin, Meakin, Thompson and Charfman, "The effects of Moore's law and slacking on large
    computations" (1999). Raises BadInput unless both are positive.

    >>> best_wait_months(25.9, doubling_months=18), round(best_wait_months(36, doubling_months=18), 2)
    (0.0, 8.48)
    """
    if not (work_months > 0 and doubling_months > 0):
        raise BadInput(_("The work and the time in which performance doubles must be above 0 months."))
    scale = doubling_months / log(2)
    return scale * log(work_months / scale) if work_months > scale else 0.0
