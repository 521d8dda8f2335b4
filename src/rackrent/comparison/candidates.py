"""Everything that might do the work: what can be bought, what is owned already, what can be rented."""

from __future__ import annotations

from dataclasses import replace

from rackrent.catalog.catalog import Catalog
from rackrent.comparison.candidate import Candidate, gpu_named
from rackrent.comparison.owned import bought, yours
from rackrent.comparison.rented import campus, quoted
from rackrent.workload.model import Workload


def candidates(catalog: Catalog, workload: Workload) -> list[Candidate]:
    """Return every candidate but the market's offers that the workload's `consider` does not leave out."""
    consider = workload.consider
    cards = {gpu_named(catalog, name).gpu for name in consider.gpus}
    found = [
        *bought(catalog, workload),
        *yours(catalog, workload),
        *quoted(catalog, workload),
        *campus(catalog, workload),
    ]
    excluded = {p.casefold() for p in consider.exclude_providers}
    wanted = {p.casefold() for p in consider.providers}
    considered = [
        c
        for c in found
        if (not consider.kinds or c.kind in consider.kinds)
        and (not cards or c.gpu.gpu in cards)
        and (not consider.terms or c.term == "own" or c.term in consider.terms)
        and (c.term == "own" or not wanted or c.provider.casefold() in wanted)
        and c.provider.casefold() not in excluded
    ]
    return _with_own_ids(considered)


def _with_own_ids(found: list[Candidate]) -> list[Candidate]:
    """Give the second of two candidates of one name (two quotes of one seller) an id of its own."""
    seen: dict[str, int] = {}
    out = []
    for c in found:
        seen[c.id] = seen.get(c.id, 0) + 1
        out.append(c if seen[c.id] == 1 else replace(c, id=f"{c.id}/{seen[c.id]}"))
    return out
