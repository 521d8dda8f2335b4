"""Other machines for the same wishes: the cheapest, the most work for the money, one that starts small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rackrent.building.optimise import Optimum, optimise
from rackrent.building.outcome import Variant
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.components import Component
from rackrent.i18n import gettext as _


def variants(
    parts: Sequence[Component], wanted: BuildRequirements, speeds: Mapping[str, float], main: Optimum
) -> tuple[Variant, ...]:
    """Return the cheapest machine, the most work for the money, and one that starts small, where they differ."""
    asked: list[tuple[str, dict[str, Any]]] = [
        (_("cheapest"), {"objective": "cheapest"}),
        (_("most work for the money"), {"objective": "work_per_dollar"}),
    ]
    if wanted.gpus > 1:
        asked.append((_("one GPU now, {n} later").format(n=wanted.most), {"gpus": 1, "grow_to": wanted.most}))
    elif wanted.most == 1:
        later = {"grow_to": 4, "discontinued": True, "adapters": True}
        asked.append((_("one GPU now, four later"), later))
    if not wanted.discontinued:
        asked.append((_("with parts no longer made"), {"discontinued": True}))
    elif wanted.budget is None:
        still = {"objective": "cheapest", "discontinued": False, "unpriced": True}
        asked.append((_("cheapest of parts still made"), still))
    seen = [_list(main)]
    out = []
    for name, change in asked:
        found = optimise(parts, wanted.model_copy(update=change), speeds)
        if found is None:
            continue
        if _list(found) not in seen:
            seen.append(_list(found))
            out.append(Variant(name, found.found.machine, found.found.rate or None, found.proven))
    return tuple(out)


def _list(optimum: Optimum) -> set[tuple[str, int]]:
    return {(i.part.name, i.quantity) for i in optimum.found.machine.items}
