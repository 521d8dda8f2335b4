"""Read usage files, turn their hours into work by the speed table, and into the demand of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.hardware import gpus
from rackrent.catalog.names import resolve_gpu
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.speed.relative import relative_speed
from rackrent.usage.demand import demand_of, main_gpu
from rackrent.usage.load import load
from rackrent.usage.model import Usage
from rackrent.usage.summary import Summary, days, summarise
from rackrent.usage.waits import busy_pools
from rackrent.workload.model import Workload


def summary_of(usage: Usage, catalog: Catalog, reference: str | None = None) -> Summary:
    """Return the summary, with the work in hours of `reference` (the GPU with most hours unless given)."""
    gpu = resolve_gpu(reference, list(gpus(catalog))) if reference else main_gpu(usage)
    return summarise(usage, rates(usage, catalog, gpu) if gpu else None, gpu)


def rates(
    usage: Usage, catalog: Catalog, reference: str, task: str = "generic", precision: str = "fp16"
) -> Mapping[str, float]:
    """Return the hours of `reference` that one hour of each GPU in the usage is worth; unknown ones are absent."""
    names = usage.hourly["gpu"].drop_nulls().unique().sort().to_list()
    found = {name: relative_speed(catalog, name, reference, task, precision).ratio for name in names}
    return {name: ratio for name, ratio in found.items() if ratio is not None}


def with_usage(question: Workload, catalog: Catalog, beside: Path | None) -> tuple[Workload, tuple[str, ...]]:
    """Return the workload with its usage file turned into hours a month, and what must be said of that.

    A path that is not absolute starts from `beside`, the folder of the workload's file. Without a reference GPU
    the one with most hours is it. Raises BadInput where the file cannot be read or holds no GPU-hours.
    """
    if question.demand.usage is None:
        return question, ()
    usage = load((beside or Path()) / question.demand.usage)
    reference = question.demand.reference_gpu or main_gpu(usage)
    known = rates(usage, catalog, reference, question.task, question.precision) if reference else None
    work = demand_of(usage, known, reference)
    if work.hours_per_month <= 0:
        raise BadInput(
            _("demand.usage: {path} holds no GPU-hours whose speed is known").format(
                path=question.demand.usage
            )
        )
    said = [
        _("the demand is {hours:,.0f} h a month, the mean of {days:.0f} days in {path}; the time ahead is taken to be like them")
        .format(hours=work.hours_per_month, days=days(usage), path=question.demand.usage),
        *usage.warnings,
        *(b.sentence() for b in busy_pools(usage) if b.censored),
    ]  # fmt: skip
    if work.unknown_hours:
        said.append(
            _("{hours:,.0f} GPU-hours are on GPUs whose speed is unknown and not in the demand").format(
                hours=work.unknown_hours
            )
        )
    demand = question.demand.model_copy(
        update={"usage": None, "gpu_hours_per_month": work.hours_per_month, "reference_gpu": reference}
    )
    return question.model_copy(update={"demand": demand}), tuple(said)
