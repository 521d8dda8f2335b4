"""Ask for a plan: usage in whatever form it comes, a catalog, limits, the machines there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rackrent.catalog.catalog import Catalog, load
from rackrent.planning.history import Used
from rackrent.planning.plan import Plan, plan_for
from rackrent.planning.request import PlanRequest
from rackrent.usage import load as load_usage
from rackrent.workload.read import machines_from, read_machines


def plan(
    usage: Used | Path | str | Sequence[Path | str],
    catalog: Catalog | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    have: Path | str | Sequence[Mapping[str, Any]] | None = None,
    **limits: Any,
) -> Plan:
    """Return the cheapest mix of owned, reserved and rented machines for what was really used.

    `usage` is what `rackrent.usage.load` returns, or the path of one file or of several that it reads; `columns` maps
    its names (hour, gpus_in_use, pool, gpu, ...) to those of a plain CSV. `catalog` is the shipped one of today (UTC) unless
    another is given. `have` are the machines there are: a list as a workload has it ([{"gpu": "RTX 3090", "gpus": 4}]),
    or the path of a YAML file with one. `limits` are the fields of `planning.request.PlanRequest`: months, upfront_usd,
    monthly_usd, kw, machines, gpu, gang, task, precision, country, site, growth_per_year, interruptible,
    checkpoint_minutes, doubts.

    Raises BadInput where the files or limits make no sense, NothingFeasible where no plan keeps the limits.
    """
    if isinstance(usage, str | Path):
        usage = [usage]
    yours = None
    if isinstance(have, str | Path):
        yours = read_machines(Path(have))
    elif have is not None:
        yours = machines_from(have)
    request = PlanRequest(**limits, yours=yours)
    found: Used = load_usage(usage, columns=columns) if isinstance(usage, Sequence) else usage
    return plan_for(found, catalog or load(as_of=datetime.now(UTC).date()), request)
