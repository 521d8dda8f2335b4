"""What others sell or published with as many GPUs, to set a build beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rackrent.building.machine import Machine
from rackrent.building.outcome import UNIT_GPU, Rival, differences
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.hardware import System, systems
from rackrent.speed.relative import relative_speed

MOST_RIVALS = 3
OTHER_CLASS = 5.0
"""A machine that costs so many times more or less is of another class."""


def rivals(
    market: Catalog, wanted: BuildRequirements, ours: Machine, speeds: Mapping[str, float]
) -> tuple[Rival, ...]:
    """Return published lists and prebuilt machines of as many GPUs, the nearest in price first."""
    speed = _speed_of(market, wanted, speeds)
    found = []
    for system in systems(market):
        if system.gpu_count != wanted.gpus or system.price.value is None:
            continue
        if not 1 / OTHER_CLASS <= system.price.value / max(ours.at_least_usd, 1.0) <= OTHER_CLASS:
            continue
        if system.kind == "own_build" and not (system.vendor and system.parts):
            continue
        rate = speed(system.gpu)
        found.append(
            Rival(
                f"{system.vendor or ''} {system.product}".strip(), system.kind, system.gpu, system.gpu_count, system.price,
                None if rate is None else rate * system.gpu_count, _differs(ours, system),
            )
        )  # fmt: skip
    near = sorted(found, key=lambda r: abs((r.price.value or 0.0) - ours.at_least_usd))
    lists = [r for r in near if r.kind == "own_build"][:1]
    return (*lists, *[r for r in near if r.kind != "own_build"][:MOST_RIVALS])


def _speed_of(
    market: Catalog, wanted: BuildRequirements, speeds: Mapping[str, float]
) -> Callable[[str], float | None]:
    def speed(name: str) -> float | None:
        known = speeds.get(name)
        return known or relative_speed(market, name, UNIT_GPU, wanted.task, wanted.precision).ratio

    return speed


def _differs(ours: Machine, system: System) -> tuple[str, ...]:
    theirs = {p.part_type: (p.name, p.quantity, p.price.value) for p in system.parts}
    return differences(ours, theirs) if theirs else ()
