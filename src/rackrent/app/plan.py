"""Ask for a plan: usage in whatever form it comes, a catalog, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rackrent.catalog.catalog import Catalog, load
from rackrent.planning.history import Used
from rackrent.planning.plan import Plan, PlanRequest, plan_for
from rackrent.usage import load as load_usage


def plan(
    usage: Used | Path | str | Sequence[Path | str],
    catalog: Catalog | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    **limits: Any,
) -> Plan:
    """Return the cheapest mix of owned, reserved and rented machines for what was really used.

    `usage` is what `rackrent.usage.load` returns, or the path of one file or of several that it reads; `columns` maps
    its names (hour, gpus_in_use, pool, gpu, ...) to those of a plain CSV. `catalog` is the shipped one of today (UTC) unless
    another is given. `limits` are the fields of `planning.plan.PlanRequest`: months, upfront_usd, monthly_usd, kw,
    machines, gpu, gang, task, precision, country, site, growth_per_year.

    Raises BadInput where the files or limits make no sense, NothingFeasible where no plan keeps the limits.
    """
    if isinstance(usage, str | Path):
        usage = [usage]
    found: Used = load_usage(usage, columns=columns) if isinstance(usage, Sequence) else usage
    return plan_for(found, catalog or load(as_of=datetime.now(UTC).date()), PlanRequest(**limits))
