"""The best machine; where there is none, requirements of convenience are eased one after the other, and it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rackrent.building.optimise import Optimum
from rackrent.building.requirements import BuildRequirements
from rackrent.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Eased:
    """The optimum, the requirements it meets, and what was eased to get it, one sentence each."""

    optimum: Optimum
    wanted: BuildRequirements
    notes: tuple[str, ...]


def first_feasible(
    find: Callable[[BuildRequirements], Optimum | None],
    wanted: BuildRequirements,
    *,
    priced_only: bool = False,
) -> Eased | None:
    """Return the optimum that `find` gives for the requirements; where there is none, that with adapters, then with parts no longer made, then of unknown price.

    Parts of unknown price are never accepted with a budget, nor where `priced_only`: a total nobody knows keeps to none.
    None where nothing helps.
    """
    adapters = _("power leads by adapter: no supply has enough 12V-2x6 leads of its own")
    gone = _("no such machine from parts still made: parts no longer made are in it")
    unpriced = _("no such machine from parts of known price: the total is 'at least'")
    tries: list[tuple[dict[str, bool], tuple[str, ...]]] = [
        ({}, ()),
        ({"adapters": True}, (adapters,)),
        ({"discontinued": True}, (gone,)),
        ({"discontinued": True, "adapters": True}, (gone, adapters)),
    ]
    if wanted.budget is None and not priced_only:
        tries += [
            ({"unpriced": True, "adapters": True}, (unpriced, adapters)),
            ({"unpriced": True, "discontinued": True, "adapters": True}, (unpriced, gone, adapters)),
        ]
    for change, said in tries:
        eased = wanted.model_copy(update=change)
        found = find(eased)
        if found is not None:
            return Eased(found, eased, said)
    return None
