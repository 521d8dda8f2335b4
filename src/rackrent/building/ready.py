"""Machines to compare with what is sold and rented: for a GPU and a number of them, the cheapest build of the day's parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from rackrent.building.eased import Eased, first_feasible
from rackrent.building.machine import memory_is_dearer
from rackrent.building.optimise import Optimum, optimum
from rackrent.building.requirements import BuildRequirements
from rackrent.building.solve import program
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.components import Component, components, fresh
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Part, System
from rackrent.i18n import gettext as _
from rackrent.i18n import language

COUNTS = (1, 2, 4)
"""Numbers of GPUs that people build machines for."""
VENDORS = ("AMD ", "Intel ")
CONFIDENCES = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Ready:
    """A machine to build, as a system with its parts, and what to mind of it, one sentence each."""

    system: System
    notes: tuple[str, ...]


def gpus_to_build_with(catalog: Catalog) -> tuple[str, ...]:
    """Return the GPUs of which a card has a price on the day of the catalog."""
    cards = (p for p in components(catalog) if p.part_type == "gpu" and p.usd is not None)
    return tuple(sorted({p.gpu for p in cards if p.gpu is not None}))


def ready_builds(catalog: Catalog, counts: Iterable[int] = COUNTS) -> list[Ready]:
    """Return for each GPU and each count the cheapest machine whose parts fit and are priced; none where there is none.

    It is the answer of `rackrent build --gpu GPU --gpus COUNT --objective cheapest`, as a system: what is not asked for is as
    there (64 GB of memory or as much as the GPUs hold, a 1 TB drive). Each is found once a catalog.
    """
    found = (ready_build(catalog, gpu, count) for count in counts for gpu in gpus_to_build_with(catalog))
    return [ready for ready in found if ready is not None]


def ready_build(catalog: Catalog, gpu: str, count: int) -> Ready | None:
    """Return the cheapest machine with `count` such GPUs; None where the day's parts make none."""
    return catalog.once(f"{count} x {gpu} ({language()})", lambda: _build(catalog, gpu, count))


def _build(catalog: Catalog, gpu: str, count: int) -> Ready | None:
    wanted = BuildRequirements.model_validate({"gpus": count, "gpu": gpu, "objective": "cheapest"})
    found = first_feasible(lambda w: _cheapest(catalog, w), wanted, priced_only=True)
    if found is None:
        return None
    system = _system(found, gpu, count)
    dearer = memory_is_dearer(found.optimum.found.machine, catalog.as_of)
    return Ready(
        system, (*found.notes, *([_("memory has become dearer since its price was seen")] if dearer else []))
    )


def _cheapest(catalog: Catalog, wanted: BuildRequirements) -> Optimum | None:
    """Return the cheapest machine with the wanted GPU. How the other parts go together is worked out once for all GPUs."""
    assert wanted.gpu is not None
    any_gpu = wanted.model_copy(update={"gpu": None})
    rows = catalog.once(f"program {any_gpu.model_dump_json()}", lambda: program(_parts(catalog), any_gpu, {}))
    with_it = None if rows is None else rows.of(wanted.gpu)
    return None if with_it is None else optimum(with_it, wanted)


def _parts(catalog: Catalog) -> tuple[Component, ...]:
    return catalog.once("fresh components", lambda: fresh(components(catalog), catalog.as_of))


def _system(found: Eased, gpu: str, count: int) -> System:
    machine = found.optimum.found.machine
    parts = tuple(Part(i.part.part_type, i.part.name, i.quantity, i.part.price) for i in machine.items)
    cpu, card, drive = machine.one("cpu"), machine.one("gpu"), machine.one("storage")
    assert cpu is not None and card is not None and drive is not None
    name = cpu.name
    for vendor in VENDORS:
        name = name.removeprefix(vendor)
    key = f"{count}x-{'-'.join(gpu.lower().split())}"
    oldest = min((p.price.observed_on or date.min for p in parts), default=None)
    price = Fact(
        "catalog", "components", key, round(machine.at_least_usd, 2), "USD", _("the sum of its parts"), oldest,
        min((p.price.confidence for p in parts), key=CONFIDENCES.index), note="; ".join(found.notes),
    )  # fmt: skip
    cards = Fact(
        "catalog", "components", f"{key}.gpus", count * (card.usd or 0.0), "USD", card.price.source,
        card.price.observed_on, card.price.confidence,
    )  # fmt: skip
    return System(
        key, "own_build", None, _("{n}x {gpu}, {cpu}, {ram:g} GB").format(n=count, gpu=gpu, cpu=name, ram=machine.ram_gb),
        gpu, count, card.gpu_memory_gb, cpu.name, cpu.cores, machine.ram_gb, drive.capacity_gb, price, cards, None, "list",
        "desktop", None, None, parts,
    )  # fmt: skip
