"""From what a person says of their demand to GPU-hours of work in each month."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH, MONTHS_PER_YEAR
from rackrent.workload.model import Demand


def monthly_work(demand: Demand, gpus: int, horizon_months: int) -> NDArray[np.float64]:
    """Return the GPU-hours on the reference GPU to be done in each month, shape (horizon_months,).

    `gpus` is the gang size of one run. Growth compounds by month: month m (from 1) holds (1 + g)^((m - 1) / 12)
    times the work of the first. A total over the horizon stays that total; growth only shapes it.

    With `busy_months_per_year` k below 12, each year's work is done in its first k months, at 12 / k times the mean
    rate; no work is lost. A last year cut short by the horizon has its burst cut in proportion.

    Raises BadInput for a usage file: whoever asks reads it first (`rackrent.compare` does).

    >>> monthly_work(Demand(utilisation=0.2), gpus=4, horizon_months=2)
    array([584., 584.])
    >>> monthly_work(Demand(gpu_hours_per_month=100, busy_months_per_year=3), 1, 12)[:4]
    array([400., 400., 400.,   0.])
    """
    months = np.arange(horizon_months)
    growth: NDArray[np.float64] = np.power(1 + demand.growth_per_year, months / MONTHS_PER_YEAR)
    shape = _in_bursts(growth, demand.busy_months_per_year)
    if demand.gpu_hours_total is not None:
        return demand.gpu_hours_total / float(shape.sum()) * shape
    return _first_month(demand, gpus) * shape


def _first_month(demand: Demand, gpus: int) -> float:
    if demand.gpu_hours_per_month is not None:
        return demand.gpu_hours_per_month
    if demand.utilisation is not None:
        return demand.utilisation * HOURS_PER_MONTH * gpus
    if demand.jobs_per_month is not None and demand.hours_per_job is not None:
        return demand.jobs_per_month * demand.hours_per_job * gpus
    raise BadInput(
        _(
            "demand.usage names {path}, which has not been read; ask rackrent.compare, or give gpu_hours_per_month"
        ).format(path=repr(demand.usage))
    )


def _in_bursts(work: NDArray[np.float64], busy_months: float) -> NDArray[np.float64]:
    """Move each year's work into its first `busy_months` months."""
    if busy_months >= MONTHS_PER_YEAR:
        return work
    out = np.empty_like(work)
    year = int(MONTHS_PER_YEAR)
    for start in range(0, len(work), year):
        this = work[start : start + year]
        burst = busy_months * len(this) / MONTHS_PER_YEAR
        overlap = np.clip(burst - np.arange(len(this)), 0, 1)
        out[start : start + year] = this.sum() * overlap / overlap.sum()
    return out
