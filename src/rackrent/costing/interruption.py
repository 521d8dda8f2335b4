"""Work lost to interruptions: how often they come, how often to save, what is done twice.

Failures are taken to be memoryless (exponential). Formulas: J. W. Young, "A first order approximation to the
optimum checkpoint interval", CACM 17(9), 1974; J. T. Daly, "A higher order estimate of the optimum checkpoint
interval for restart dumps", Future Generation Computer Systems 22(3), 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR


def monthly_probability_to_rate(monthly_probability: ArrayLike) -> NDArray[np.float64]:
    """Return interruptions per hour from the probability of at least one in a month of 730 h.

    `p = 1 - exp(-730 * rate)`; the MTBF is 1 / rate. Raises BadInput unless 0 <= p < 1.

    >>> round(float(1 / monthly_probability_to_rate(0.10)))
    6929
    """
    probability = np.asarray(monthly_probability, dtype=np.float64)
    if not np.all((probability >= 0) & (probability < 1)):
        raise BadInput(_("A monthly probability of interruption must be at least 0 and below 1."))
    return -np.log1p(-probability) / HOURS_PER_MONTH


def young_interval_hours(mtbf_hours: ArrayLike, checkpoint_hours: ArrayLike) -> NDArray[np.float64]:
    """Return Young's interval of work between checkpoints, hours: `sqrt(2 * checkpoint * mtbf)`."""
    hours: NDArray[np.float64] = np.sqrt(2.0 * np.asarray(checkpoint_hours) * np.asarray(mtbf_hours))
    return hours


def daly_interval_hours(mtbf_hours: ArrayLike, checkpoint_hours: ArrayLike) -> NDArray[np.float64]:
    """Return Daly's higher-order interval of work between checkpoints, hours.

    With d = checkpoint time and M = MTBF: `sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d` for d < 2M,
    else M. Infinite where nothing ever fails.

    >>> round(float(daly_interval_hours(24.0, 5 / 60)), 3)
    1.945
    """
    m = np.asarray(mtbf_hours, dtype=np.float64)
    d = np.asarray(checkpoint_hours, dtype=np.float64)
    ratio = d / (2.0 * m)
    interval = np.sqrt(2.0 * d * m) * (1.0 + np.sqrt(ratio) / 3.0 + ratio / 9.0) - d
    return np.where(ratio < 1.0, interval, m)


def interruption_overhead(
    mtbf_hours: ArrayLike,
    checkpoint_hours: ArrayLike,
    restart_hours: ArrayLike,
    interval_hours: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the expected extra hours paid for each hour of useful work: saving, lost work, restarts.

    Daly's model for intervals of work t: `M exp(R / M) (exp((t + d) / M) - 1) / t - 1`, with M the MTBF, d the time
    of one checkpoint and R that of a restart, all in hours. `interval_hours` defaults to Daly's; 0 overhead where
    nothing ever fails (nobody then saves). Multiply the hours of a run by 1 + this.

    >>> round(float(interruption_overhead(24.0, 5 / 60, 0.1)), 4)
    0.0927
    """
    m = np.asarray(mtbf_hours, dtype=np.float64)
    d = np.asarray(checkpoint_hours, dtype=np.float64)
    never = np.isinf(m)
    m = np.where(never, 1.0, m)
    t = daly_interval_hours(m, d) if interval_hours is None else np.asarray(interval_hours, dtype=np.float64)
    overhead = m * np.exp(np.asarray(restart_hours) / m) * np.expm1((t + d) / m) / t - 1.0
    return np.where(never, 0.0, overhead)


def interruption_waste(
    mtbf_hours: ArrayLike,
    checkpoint_hours: ArrayLike,
    restart_hours: ArrayLike,
    interval_hours: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the expected share of paid hours, 0 to 1, that is no useful work: `overhead / (1 + overhead)`."""
    extra = interruption_overhead(mtbf_hours, checkpoint_hours, restart_hours, interval_hours)
    return extra / (1.0 + extra)


@dataclass(frozen=True, slots=True)
class ObservedFailures:
    """Interruptions counted on a cluster of `gpus` GPUs over `days` days.

    >>> llama3 = ObservedFailures(interruptions=419, days=54, gpus=16_384)
    >>> round(llama3.cluster_mtbf_hours, 2), round(llama3.gpu_hours_each), round(llama3.per_100_gpu_years, 1)
    (3.09, 50677, 17.3)
    """

    interruptions: int
    days: float
    gpus: int

    @property
    def cluster_mtbf_hours(self) -> float:
        """Hours between interruptions of the whole cluster."""
        return self.days * HOURS_PER_DAY / self.interruptions

    @property
    def gpu_hours_each(self) -> float:
        """GPU-hours between interruptions: divide by a job's GPUs for the job's MTBF."""
        return self.cluster_mtbf_hours * self.gpus

    @property
    def per_100_gpu_years(self) -> float:
        """Interruptions in 100 GPU-years. Interruptions, not replacements."""
        return 100.0 * HOURS_PER_YEAR / self.gpu_hours_each
