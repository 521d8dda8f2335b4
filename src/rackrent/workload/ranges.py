"""Any figure may be written as low / likely / high: the likely one is used, the ends go into the uncertainty.

`price_usd: {low: 2500, likely: 2990, high: 3600}` stands where `price_usd: 2990` could.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.workload.complaint import place
from rackrent.workload.source import Path, Source, Tree

ENDS = ("low", "likely", "high")
ONE_NUMBER = (
    "gpus", "jobs_at_once", "horizon_months", "deadline_days", "longest_run_days", "gpu_memory_gb", "requirements",
    "name", "as_of", "consider", "input", "model", "lending",
)  # fmt: skip
"""Fields that are one number: they decide what can do the work at all, or have no part in the comparison (lending)."""


def split_ranges(source: Source) -> tuple[dict[str, Tree], dict[str, Tree]]:
    """Return the tree with likely figures in place of ranges, and the ranges by dotted path.

    Ranges of assumptions stay where they are: the model knows them. Raises BadInput for a range where one number
    is needed.
    """
    ranges: dict[str, Tree] = {}

    def likely(tree: Tree, path: Path) -> Tree:
        if isinstance(tree, dict) and set(tree) == set(ENDS) and path[:1] != ("assumptions",):
            if path[0] in ONE_NUMBER:
                raise source.refuse(
                    _("{field} needs one number, not a range").format(field=place(path)), path
                )
            ranges[place(path)] = tree
            return tree["likely"]
        if isinstance(tree, dict):
            return {key: likely(value, (*path, key)) for key, value in tree.items()}
        if isinstance(tree, list):
            return [likely(value, (*path, index)) for index, value in enumerate(tree)]
        return tree

    tree = likely(source.tree, ())
    assert isinstance(tree, dict)
    return tree, ranges


def with_figure(tree: dict[str, Tree], dotted: str, value: Tree) -> dict[str, Tree]:
    """Return a copy of `tree` with `value` at a dotted path such as "own.machines[0].price_usd"."""
    path = list(steps(dotted))

    def put(node: Tree, at: int) -> Tree:
        if at == len(path):
            return value
        step = path[at]
        if isinstance(step, int):
            if not isinstance(node, list):
                raise BadInput(_("{path} is not in the workload").format(path=dotted))
            return [put(v, at + 1) if i == step else v for i, v in enumerate(node)]
        known = node if isinstance(node, dict) else {}
        return {**known, step: put(known.get(step), at + 1)}

    out = put(tree, 0)
    assert isinstance(out, dict)
    return out


def steps(dotted: str) -> Iterator[str | int]:
    """Yield the steps of a dotted path.

    >>> list(steps("own.machines[0].price_usd"))
    ['own', 'machines', 0, 'price_usd']
    """
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", dotted):
        yield int(index) if index else name
