"""The machine to build: requirements in whatever form they come, a catalog, a day."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rackrent.building.check import Check, check
from rackrent.building.eased import first_feasible
from rackrent.building.finding import Site
from rackrent.building.history import drop, priced, read_prices
from rackrent.building.machine import Machine, memory_is_dearer
from rackrent.building.match import Match
from rackrent.building.optimise import Optimum, optimise
from rackrent.building.outcome import Build, Rival, Variant, differences
from rackrent.building.read import machine_of, read_parts
from rackrent.building.requirements import BuildRequirements, complaint
from rackrent.catalog.assumptions import assumption
from rackrent.catalog.catalog import Catalog, load
from rackrent.catalog.components import STALE_DAYS, Component, components, first_day, fresh
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import System, gpus, systems
from rackrent.catalog.names import resolve_gpu
from rackrent.catalog.places import circuit_kw, electricity, tax_rate
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.speed.relative import relative_speed
from rackrent.units import WATTS_PER_KW

UNIT_GPU = "GTX 1080 Ti"
"""Work is counted in multiples of what this GPU does."""
MOST_RIVALS = 3
OTHER_CLASS = 5.0
"""A machine that costs so many times more or less is of another class."""
TAXED_BY_STATE = ("USA", "CAN")
BIG_LIST = 1_000_000
"""Most characters of a list of parts."""
Wanted = BuildRequirements | Mapping[str, Any]


def build(requirements: Wanted, catalog: Catalog | None = None) -> Build:
    """Return the best machine to build for `requirements` (a `BuildRequirements` or a mapping of the same shape).

    The day is the requirements', else that of the catalog, else today (UTC). Raises BadInput where the requirements
    contradict themselves or name a GPU nobody knows.

    >>> build({"gpus": 1, "grow_to": 4, "budget": 3000, "date": "2018-09"}).total_usd <= 3000
    True
    """
    wanted = requirements_of(requirements)
    market = _catalog(wanted, catalog)
    if wanted.gpu is not None:
        wanted = wanted.model_copy(update={"gpu": resolve_gpu(wanted.gpu, list(gpus(market)))})
    parts = components(market)
    if not parts:
        raise BadInput(
            _("there are no prices of parts for {day}; the first are of {first}").format(
                day=market.as_of, first=first_day(market)
            )
        )
    prices = {} if wanted.prices is None else read_prices(read_text(Path(wanted.prices)), parts)
    parts = fresh(priced(parts, prices, market.as_of), market.as_of)
    speeds = _speeds(market, parts, wanted)
    eased = first_feasible(parts, wanted, speeds)
    if eased is None:
        return _infeasible(parts, wanted, speeds, market)
    found, wanted = eased.optimum, eased.wanted
    machine = found.found.machine
    notes = (*eased.notes, *_old_prices(machine, market))
    moves = (drop(name, history, market.as_of) for name, history in prices.items())
    notes += tuple(
        m.sentence()
        for m in moves
        if m is not None and (m.dropped or m.part in {i.part.name for i in machine.items})
    )
    bill = electricity(market, wanted.country, wanted.region, "household")
    return Build(
        wanted, market.as_of.isoformat(), machine, check(machine, _site(market, wanted.country), wanted.grow_to),
        found.found.rate or None, found.proven, found.gap, tax=_tax(market, wanted),
        electricity=bill.fact if bill else None, assembly_hours=assumption(market, "assembly_hours"),
        variants=_variants(parts, wanted, speeds, found), rivals=_rivals(market, wanted, found, speeds), notes=notes,
        sources=market.sources,
    )  # fmt: skip


def check_parts(
    text: str,
    catalog: Catalog | None = None,
    *,
    date: str | None = None,
    grow_to: int | None = None,
    country: str = "USA",
) -> tuple[Check, list[Match]]:
    """Check a list of parts (YAML, CSV or forum text) and say what each typed name was taken for.

    Raises BadInput where the text is no list, or names a part that is not in the catalog (with the nearest names).
    """
    wanted = requirements_of({"date": date, "country": country})
    market = _catalog(wanted, catalog)
    if len(text) > BIG_LIST:
        raise BadInput(_("the list of parts is too long"))
    machine, matches = machine_of(read_parts(text), components(market))
    return check(machine, _site(market, country), grow_to), matches


def read_text(path: Path) -> str:
    """Return the text of a list of parts. Raises BadInput."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else _("not text")
        raise BadInput(_("{path} cannot be read: {reason}").format(path=path, reason=reason)) from None


def requirements_of(requirements: Wanted) -> BuildRequirements:
    """Return requirements that are valid. Raises BadInput in one sentence."""
    if isinstance(requirements, BuildRequirements):
        return requirements
    try:
        return BuildRequirements.model_validate(dict(requirements))
    except ValidationError as error:
        raise BadInput(complaint(error)) from None


def _catalog(wanted: BuildRequirements, catalog: Catalog | None) -> Catalog:
    day = wanted.as_of
    if catalog is None:
        return load(as_of=day or datetime.now(UTC).date())
    return (
        catalog
        if day in (None, catalog.as_of)
        else Catalog(day or catalog.as_of, catalog.directory, catalog.extra)
    )


def _tax(market: Catalog, wanted: BuildRequirements) -> Fact | None:
    """Return the tax on the machine; None in a country that taxes sales by state, until one's own rate is given."""
    if wanted.sales_tax is not None:
        return Fact.from_workload("sales_tax", wanted.sales_tax, "share")
    return None if wanted.country in TAXED_BY_STATE else tax_rate(market, wanted.country)


def _site(market: Catalog, country: str) -> Site:
    circuit = circuit_kw(market, country)
    if circuit is None or circuit.value is None:
        return Site()
    said = re.search(r"\d+ V x \d+ A", circuit.note)
    return Site(circuit.value * WATTS_PER_KW, said[0] if said else country)


def _speeds(market: Catalog, parts: tuple[Component, ...], wanted: BuildRequirements) -> dict[str, float]:
    """Return work per hour by GPU, for the GPUs that were on sale."""
    names = sorted(
        {p.gpu for p in parts if p.gpu is not None and (wanted.gpu is None or p.gpu == wanted.gpu)}
    )
    ratios = {n: relative_speed(market, n, UNIT_GPU, wanted.task, wanted.precision).ratio for n in names}
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}


def _infeasible(
    parts: tuple[Component, ...], wanted: BuildRequirements, speeds: dict[str, float], market: Catalog
) -> Build:
    """Say which requirement stands in the way, with the cheapest machine once it is given up."""
    changes: tuple[tuple[dict[str, Any], str], ...] = (
        ({"budget": None}, _("no machine for {usd}").format(usd=format_usd(wanted.budget))),
        ({"budget": None, "grow_to": None}, _("no machine grows to {n} GPUs").format(n=wanted.most)),
        ({"budget": None, "ram": 8.0}, _("no machine has {gb:g} GB of memory").format(gb=wanted.ram)),
        ({"budget": None, "disk": 250.0}, _("no drive has {gb:g} GB").format(gb=wanted.disk)),
        ({"budget": None, "gpu": None, "gpu_memory": None}, _("of the parts we know, none make a machine for {n} such GPUs").format(n=wanted.most)),
        ({"budget": None, "gpus": 1, "grow_to": None}, _("of the parts we know, none make a machine for {n} GPUs").format(n=wanted.most)),
    )  # fmt: skip
    for change, reason in changes:
        eased = wanted.model_copy(
            update={**change, "objective": "cheapest", "discontinued": True, "adapters": True}
        )
        found = optimise(parts, eased, speeds)
        if found is not None:
            text = _("{reason}; the cheapest without that requirement costs {usd}")
            said = text.format(reason=reason, usd=format_usd(found.found.usd))
            return Build(
                wanted, market.as_of.isoformat(), None, None, reason=said, nearest=found.found.machine, sources=market.sources
            )  # fmt: skip
    return Build(
        wanted, market.as_of.isoformat(), None, None, reason=_("no machine meets these requirements")
    )


def _old_prices(machine: Machine, market: Catalog) -> tuple[str, ...]:
    seen = [
        i.part.price.observed_on for i in machine.items if i.part.usd is not None and i.part.price.observed_on
    ]
    newest, said = max(seen, default=None), []
    if newest is not None and (market.as_of - newest).days > STALE_DAYS:
        said.append(_("the newest prices of parts are of {month}").format(month=f"{newest:%Y-%m}"))
    if memory_is_dearer(machine, market.as_of):
        said.append(_("memory has become dearer since its price was seen"))
    return tuple(said)


def _variants(
    parts: tuple[Component, ...], wanted: BuildRequirements, speeds: dict[str, float], main: Optimum
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
    seen = [{i.part.name for i in main.found.machine.items}]
    out = []
    for name, change in asked:
        found = optimise(parts, wanted.model_copy(update=change), speeds)
        if found is None:
            continue
        names = {i.part.name for i in found.found.machine.items}
        if names not in seen:
            seen.append(names)
            out.append(Variant(name, found.found.machine, found.found.rate, found.proven))
    return tuple(out)


def _rivals(
    market: Catalog, wanted: BuildRequirements, main: Optimum, speeds: Mapping[str, float]
) -> tuple[Rival, ...]:
    """Return published lists and prebuilt machines of as many GPUs, the nearest in price first."""
    ours = main.found.machine
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
