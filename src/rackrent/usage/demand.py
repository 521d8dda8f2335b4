"""From what was used to how much work that is: hours on one reference GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from rackrent.units import HOURS_PER_MONTH
from rackrent.usage.model import Usage


@dataclass(frozen=True)
class Demanded:
    """Work in hours of `reference_gpu`. `window_hours` is the history it rests on; a month is 730 h. Hours on GPUs
    whose speed is unknown are in `unknown_hours`, and not in the work."""

    reference_gpu: str | None
    reference_hours: float
    window_hours: float
    unknown_hours: float

    @property
    def hours_per_month(self) -> float:
        """Mean reference hours of a month of the window; what lies outside it is not in it."""
        return self.reference_hours / self.window_hours * HOURS_PER_MONTH if self.window_hours > 0 else 0.0


def demand_of(
    usage: Usage, rates: Mapping[str, float] | None = None, reference_gpu: str | None = None
) -> Demanded:
    """Return the work of a usage. `rates` are the hours of `reference_gpu` that one hour of each GPU is worth (from
    the speed table); without them an hour counts the same on every GPU, known or not.
    """
    by_gpu = usage.hourly.group_by("gpu").agg(pl.col("gpus_in_use").sum())
    work = unknown = 0.0
    for gpu, hours in by_gpu.iter_rows():
        if rates is None:
            work += hours
        elif gpu in rates:
            work += hours * rates[gpu]
        else:
            unknown += hours
    window = usage.window
    span = 0.0 if window is None else (window[1] - window[0]).total_seconds() / 3600
    return Demanded(reference_gpu, work, span, unknown)


def main_gpu(usage: Usage) -> str | None:
    """Return the GPU with the most hours: the reference where nobody names one."""
    by_gpu = usage.hourly.filter(pl.col("gpu").is_not_null()).group_by("gpu").agg(pl.col("gpus_in_use").sum())
    ranked = by_gpu.sort("gpus_in_use", "gpu", descending=[True, False])
    return None if ranked.is_empty() else str(ranked["gpu"][0])
