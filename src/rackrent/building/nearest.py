"""Where no machine can be built: which requirement stands in the way, and the nearest machine once it is given up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rackrent.building.machine import Machine
from rackrent.building.optimise import optimise
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.components import Component
from rackrent.i18n import gettext as _
from rackrent.money import format_usd

Change = tuple[dict[str, Any], str]


def nearest_build(
    parts: Sequence[Component], wanted: BuildRequirements, speeds: Mapping[str, float]
) -> tuple[Machine | None, str]:
    """Return the cheapest machine with one requirement given up, and the sentence that says which; no machine where none helps."""
    anyway = {"objective": "cheapest", "discontinued": True, "adapters": True}
    for change, reason in _changes(parts, wanted, speeds):
        for unpriced in (False, True):
            eased = wanted.model_copy(update=anyway | {"unpriced": unpriced, "budget": None} | change)
            found = optimise(parts, eased, speeds)
            if found is not None:
                machine = found.found.machine
                least = _("at least {usd}") if machine.unpriced else "{usd}"
                text = _("{reason}; the cheapest without that requirement costs {usd}")
                usd = least.format(usd=format_usd(machine.at_least_usd))
                return machine, text.format(reason=reason, usd=usd)
    return None, _("no machine meets these requirements")


def _changes(
    parts: Sequence[Component], wanted: BuildRequirements, speeds: Mapping[str, float]
) -> Iterator[Change]:
    """Yield what may be given up, the least first, with what stands in the way if that helps."""
    if wanted.gpu is not None and wanted.gpu not in speeds and wanted.aim != "cheapest":
        yield (
            {},
            _("how fast {gpu} is on this work is unknown: ask for objective cheapest").format(gpu=wanted.gpu),
        )
    if wanted.budget is not None:
        yield {}, _("no machine for {usd}").format(usd=format_usd(wanted.budget))
    if wanted.most > wanted.gpus:
        yield {"grow_to": None}, _("no machine grows to {n} GPUs").format(n=wanted.most)
    yield {"ram": 8.0}, _("no machine has {gb:g} GB of memory").format(gb=wanted.ram)
    yield {"disk": 250.0}, _("no drive has {gb:g} GB").format(gb=wanted.disk)
    if wanted.gpu is not None:
        why = _why_not(parts, wanted)
        for fewer in range(wanted.gpus - 1, 0, -1):
            yield {"gpus": fewer, "grow_to": None}, why
        yield {"gpu": None, "gpu_memory": None}, why
    if wanted.gpu_memory is not None:
        text = _("no card with {gb:g} GB makes such a machine").format(gb=wanted.gpu_memory)
        yield {"gpu_memory": None}, text
    none = _("of the parts we know, none make a machine for {n} GPUs").format(n=wanted.most)
    for fewer in range(wanted.gpus - 1, 0, -1):
        yield {"gpus": fewer, "grow_to": None, "gpu_memory": None}, none


def _why_not(parts: Sequence[Component], wanted: BuildRequirements) -> str:
    """Say why the GPU that is asked for makes no machine, as far as its cards alone say it."""
    cards = [p for p in parts if p.gpu == wanted.gpu and p.part_type == "gpu"]
    if not cards:
        return _("no card with {gpu} is among the parts we know").format(gpu=wanted.gpu)
    coolers = {c.cooler for c in cards}
    if coolers == {"passive"}:
        return _("{gpu} has no fan of its own and needs a server's").format(gpu=wanted.gpu)
    if coolers <= {"passive", "liquid"}:
        return _("where the radiator of {gpu} would go nobody states").format(gpu=wanted.gpu)
    return _("of the parts we know, none make a machine for {n} x {gpu}").format(
        n=wanted.most, gpu=wanted.gpu
    )
