"""Rent or buy when nobody knows for how long: the ski-rental policies and the ratios they promise.

Renting costs 1 a day and buying `b` once (a whole number of days' rent). A ratio is the cost over that of who knew
the number of days in advance, which is `min(days, b)`.
"""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _


def deterministic_ratio(b: int) -> float:
    """Return what buying at the start of day b promises: `2 - 1/b`, the best that no chance is used for.

    >>> deterministic_ratio(10)
    1.9
    """
    return 2.0 - 1.0 / _price(b)


def randomised_ratio(b: int) -> float:
    """Return what drawing the day of buying promises on average: `1 / (1 - (1 - 1/b)**b)`; e/(e-1) in the limit.

    Karlin, Manasse, McGeoch and Owicki, "Competitive randomized algorithms for nonuniform problems" (1994).

    >>> round(randomised_ratio(10), 6), round(randomised_ratio(100), 6)
    (1.53534, 1.577368)
    """
    return 1.0 / (1.0 - (1.0 - 1.0 / _price(b)) ** b)


def buying_day_probabilities(b: int) -> NDArray[np.float64]:
    """Return with what probability the randomised policy buys at the start of day 1, 2, ... b, shape (b,)."""
    days = np.arange(1, _price(b) + 1)
    weights = (1.0 - 1.0 / b) ** (b - days)
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def buying_day(b: int, *, predicted_days: float | None = None, trust: float = 1.0) -> int:
    """Return at the start of which day to buy, if skiing goes on so long.

    Without a prediction that is day b. With one, `trust` (lambda, 0 < lambda <= 1; lower trusts more): day
    `ceil(lambda b)` if the prediction is b days or more, else `ceil(b / lambda)`. Then the cost is never above
    `1 + 1/lambda` times the best and at most `1 + lambda` times where the prediction was right. Kumar, Purohit and
    Svitkina, "Improving online algorithms via ML predictions" (NeurIPS 2018). Raises BadInput.

    >>> buying_day(10), buying_day(10, predicted_days=30, trust=0.5), buying_day(10, predicted_days=3, trust=0.5)
    (10, 5, 20)
    """
    _price(b)
    if not 0 < trust <= 1:
        raise BadInput(
            _("Trust in a prediction must be above 0 and at most 1, not {trust:g}.").format(trust=trust)
        )
    if predicted_days is None:
        return b
    return ceil(trust * b) if predicted_days >= b else ceil(b / trust)


def prediction_ratios(trust: float) -> tuple[float, float]:
    """Return (robustness, consistency) of buying with a prediction: `1 + 1/lambda` and `1 + lambda`."""
    return 1.0 + 1.0 / trust, 1.0 + trust


def ski_cost(days: int, bought_on: int, b: int) -> float:
    """Return what skiing `days` days costs when bought at the start of day `bought_on`, in days' rent."""
    return float(days if days < bought_on else bought_on - 1 + b)


def _price(b: int) -> int:
    if b < 1 or b != int(b):
        raise BadInput(_("Buying must cost a whole number of days' rent, 1 or more, not {b}.").format(b=b))
    return int(b)
