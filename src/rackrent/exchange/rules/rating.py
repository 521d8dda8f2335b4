"""What an interval costs: integers, by the millisecond, rounded once with the remainder carried.

A rate is micro-USD an hour. `rate x milliseconds + remainder` is divided by an hour's milliseconds; what is left over goes
into the next interval, so that splitting time never changes the bill.
"""

from __future__ import annotations

from rackrent.exchange.model import HOUR_MS, MONTH_MS

PPM = 1_000_000


def rated(rate_micro_usd: int, duration_ms: int, remainder: int = 0) -> tuple[int, int]:
    """Return (micro-USD, new remainder) of a duration at a rate an hour.

    >>> rated(1_000_000, 1_000)          # a second at a dollar an hour
    (277, 2800000)
    >>> rated(1_000_000, 2_000, rated(1_000_000, 1_000)[1])[0] + 277 == rated(1_000_000, 3_000)[0]
    True
    """
    return divmod(rate_micro_usd * duration_ms + remainder, HOUR_MS)


def bill_micro_usd(rate_micro_usd: int, from_ms: int, to_ms: int) -> int:
    """Return what a run from one instant to another costs in all; nothing where it ended before it began."""
    return rated(rate_micro_usd, max(0, to_ms - from_ms))[0]


def fee(amount_micro_usd: int, fee_ppm: int, remainder: int = 0) -> tuple[int, int]:
    """Return (the hub's fee of an amount, new remainder); `fee_ppm` is the share in millionths."""
    return divmod(amount_micro_usd * fee_ppm + remainder, PPM)


def storage_rate_micro_usd(per_gb_month_micro_usd: int, gb: int) -> int:
    """Return micro-USD an hour for a volume; a month is 730 hours. Rounded up: the rate is what the quote shows.

    >>> storage_rate_micro_usd(100_000, 100)    # $0.10 a GB-month, 100 GB: $10 a month
    13699
    """
    return -(-per_gb_month_micro_usd * gb * HOUR_MS // MONTH_MS)


def for_ms(rate_micro_usd: int, duration_ms: int) -> int:
    """Return what a duration costs at most: rounded up. What is held has to suffice."""
    return -(-rate_micro_usd * duration_ms // HOUR_MS)
