"""Units of time, energy and data, and figures that are intervals.

A month is 730 h (8,760 / 12) unless a publication being reproduced used another; then it is a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

HOURS_PER_YEAR = 8_760.0
MONTHS_PER_YEAR = 12.0
HOURS_PER_MONTH = HOURS_PER_YEAR / MONTHS_PER_YEAR
"""730 h."""
HOURS_PER_DAY = 24.0
DAYS_PER_MONTH = HOURS_PER_MONTH / HOURS_PER_DAY
DAYS_PER_YEAR = 365.25
"""Average length of a calendar year, for ages between two dates."""
WEEKS_PER_MONTH = DAYS_PER_MONTH / 7.0
SECONDS_PER_HOUR = 3_600.0
GB_PER_TB_BILLED = 1_024.0
"""Clouds sell a "TB" of egress as 1,024 GB."""
WATTS_PER_KW = 1_000.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure that is not known exactly: `low <= likely <= high`, all in the same unit.

    >>> Interval(1, 6, 10).likely
    6
    """

    low: float
    likely: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.likely <= self.high:
            raise ValueError(
                f"an interval needs low <= likely <= high, not {self.low}/{self.likely}/{self.high}"
            )

    @classmethod
    def exactly(cls, value: float) -> Interval:
        """Return the interval of a figure that is known."""
        return cls(value, value, value)


def as_fraction(count: float) -> str:
    """Return a count as people write it: a shared GPU as a fraction of one.

    >>> as_fraction(8.0), as_fraction(0.333333), as_fraction(0.5)
    ('8', '1/3', '1/2')
    """
    return str(Fraction(count).limit_denominator(64)) if count < 1 else f"{count:g}"
