"""From demand by the hour to what to own, reserve and rent.

What is exported here is pure arithmetic: arrays in, values out.
"""

from rackrent.planning.load_duration import LoadDuration, load_duration
from rackrent.planning.reserved import ReservedSavings, reserved_cost, reserved_level, reserved_savings
from rackrent.planning.waiting import best_wait_months

__all__ = [
    "LoadDuration",
    "ReservedSavings",
    "best_wait_months",
    "load_duration",
    "reserved_cost",
    "reserved_level",
    "reserved_savings",
]
