"""The machine to build: requirements in whatever form they come, a catalog, a day."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
from rackrent.building.nearest import nearest_build
from rackrent.building.optimise import optimise
from rackrent.building.options import unmet
from rackrent.building.outcome import UNIT_GPU, Build
from rackrent.building.read import machine_of, read_parts
from rackrent.building.requirements import TASKS, BuildRequirements, complaint
from rackrent.building.rivals import rivals
from rackrent.building.variants import variants
from rackrent.catalog.assumptions import assumption
from rackrent.catalog.catalog import Catalog, load
from rackrent.catalog.components import STALE_DAYS, Component, components, days_with_parts, fresh
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpu_meant
from rackrent.catalog.places import circuit_kw, electricity, tax_rate
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.speed.relative import relative_speed
from rackrent.units import WATTS_PER_KW

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
        wanted = wanted.resolved(gpu_meant(market, wanted.gpu))
    parts = _parts(market)
    prices = {} if wanted.prices is None else read_prices(read_text(Path(wanted.prices)), parts)
    parts = fresh(priced(parts, prices, market.as_of), market.as_of)
    speeds = _speeds(market, parts, wanted)
    eased = first_feasible(lambda w: optimise(parts, w, speeds), wanted)
    if eased is None:
        near, reason = nearest_build(parts, wanted, speeds)
        return Build(
            wanted, market.as_of.isoformat(), None, None, reason=reason, nearest=near, sources=market.sources
        )
    found, wanted = eased.optimum, eased.wanted
    machine = found.found.machine
    notes = (*eased.notes, *_old_prices(machine, market), *unmet(machine, wanted))
    moves = (drop(name, history, market.as_of) for name, history in prices.items())
    notes += tuple(
        m.sentence()
        for m in moves
        if m is not None and (m.dropped or m.part in {i.part.name for i in machine.items})
    )
    bill = electricity(market, wanted.country, wanted.region, "household")
    return Build(
        wanted, market.as_of.isoformat(), machine, check(machine, _site(market, wanted.country), wanted.grow_to),
        found.found.rate or None, _by_task(market, machine, wanted), found.proven, found.gap, tax=_tax(market, wanted),
        electricity=bill.fact if bill else None, assembly_hours=assumption(market, "assembly_hours"),
        variants=variants(parts, wanted, speeds, found), rivals=rivals(market, wanted, machine, speeds), notes=notes,
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
    machine, matches = machine_of(read_parts(text), _parts(market))
    return check(machine, _site(market, country), grow_to), matches


def read_text(path: Path) -> str:
    """Return the text of a list of parts. Raises BadInput."""
    try:
        return path.read_text(encoding="utf-8-sig")  # spreadsheets put a mark before the first word
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
    return catalog.on(day or catalog.as_of)


def _parts(market: Catalog) -> tuple[Component, ...]:
    """Return the parts of the day. Raises BadInput where there are none, saying for which days there are."""
    parts = components(market)
    if not parts:
        spans = _("; ").join(
            _("from {first} on").format(first=first) if last is None else _("{first} to {last}").format(first=first, last=last)
            for first, last in days_with_parts(market)
        )  # fmt: skip
        text = _("there are no prices of parts for {day}; there are for: {spans}")
        raise BadInput(text.format(day=market.as_of, spans=spans))
    return parts


def _tax(market: Catalog, wanted: BuildRequirements) -> Fact | None:
    """Return the tax on the machine; None in a country that taxes sales by state, until one's own rate is given."""
    if wanted.sales_tax is not None:
        return Fact.from_workload("sales_tax", wanted.sales_tax, "share")
    return None if wanted.country in TAXED_BY_STATE else tax_rate(market, wanted.country)


def _site(market: Catalog, country: str) -> Site:
    circuit = circuit_kw(market, country)
    if circuit is None or circuit.value is None:
        return Site(circuit=country)
    said = re.search(r"\d+ V x \d+ A", circuit.note)
    return Site(circuit.value * WATTS_PER_KW, said[0] if said else country)


def _speeds(market: Catalog, parts: tuple[Component, ...], wanted: BuildRequirements) -> dict[str, float]:
    """Return work per hour by GPU, for the GPUs that were on sale."""
    names = sorted(
        {p.gpu for p in parts if p.gpu is not None and (wanted.gpu is None or p.gpu == wanted.gpu)}
    )
    ratios = {n: relative_speed(market, n, UNIT_GPU, wanted.task, wanted.precision).ratio for n in names}
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}


def _by_task(market: Catalog, machine: Machine, wanted: BuildRequirements) -> dict[str, float | None]:
    """Return the work of all cards on each kind of work, in multiples of the unit."""
    card = machine.cards[0].gpu or ""
    ratios = {t: relative_speed(market, card, UNIT_GPU, t, wanted.precision).ratio for t in TASKS}
    return {task: None if ratio is None else ratio * len(machine.cards) for task, ratio in ratios.items()}


def _old_prices(machine: Machine, market: Catalog) -> tuple[str, ...]:
    seen = [
        i.part.price.observed_on for i in machine.items if i.part.usd is not None and i.part.price.observed_on
    ]
    newest, said = max(seen, default=None), []
    if newest is not None and newest > market.as_of:
        said.append(_("some prices were seen later, up to {month}, and stand for the day's").format(month=f"{newest:%Y-%m}"))  # fmt: skip
    if newest is not None and (market.as_of - newest).days > STALE_DAYS:
        said.append(_("the newest prices of parts are of {month}").format(month=f"{newest:%Y-%m}"))
    if memory_is_dearer(machine, market.as_of):
        said.append(_("memory has become dearer since its price was seen"))
    return tuple(said)
