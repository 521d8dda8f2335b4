"""Parts that one could build a machine of, as they were on the day of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Any

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import gpus

Words = tuple[str, ...]
STALE_DAYS = 365
"""A price older than this does not count while a fresher one of its kind exists."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part: the columns of table `components` (units in their names; None where unknown).

    `price` is for one (one kit of memory), USD before tax, its value None where nobody says. Of a card,
    `gpu_memory_gb`, `architecture` and `noise_dba` come from table `gpus`. Columns that hold several words are tuples.
    """

    part_type: str
    name: str
    price: Fact
    condition: str = "new"
    gpu: str | None = None
    gpu_memory_gb: float | None = None
    architecture: str | None = None
    noise_dba: float | None = None
    sockets: Words = ()
    platforms: Words = ()
    form_factors: Words = ()
    full_tower: bool | None = None
    tdp_w: float | None = None
    cores: float | None = None
    cpu_lanes: float | None = None
    pcie_gen: float | None = None
    slots: str | None = None
    pcie_switch: bool | None = None
    dual_slot_cards: float | None = None
    m2_slots: float | None = None
    memory_type: str | None = None
    registered: bool | None = None
    memory_slots: float | None = None
    memory_max_gb: float | None = None
    capacity_gb: float | None = None
    modules: float | None = None
    interface: str | None = None
    read_mbs: float | None = None
    psu_w: float | None = None
    efficiency: str | None = None
    leads_8pin: float | None = None
    leads_16pin: float | None = None
    atx3: bool | None = None
    length_mm: float | None = None
    width_slots: float | None = None
    cooler: str | None = None
    connectors: str | None = None
    expansion_slots: float | None = None
    max_gpu_mm: float | None = None
    max_cooler_mm: float | None = None
    max_radiator_mm: float | None = None
    height_mm: float | None = None
    radiator_mm: float | None = None

    @property
    def usd(self) -> float | None:
        """Price of one, USD before tax."""
        return self.price.value


WORDS = ("sockets", "platforms", "form_factors")
FROM_GPUS = ("gpu_memory_gb", "architecture", "noise_dba")
COLUMNS = tuple(
    f.name for f in fields(Component) if f.name not in (*WORDS, *FROM_GPUS, "part_type", "name", "price")
)


def components(catalog: Catalog) -> tuple[Component, ...]:
    """Return the parts on sale on `as_of`; cards of GPUs that had not been launched are left out."""
    return catalog.once("components", lambda: _components(catalog))


def days_with_parts(catalog: Catalog) -> list[tuple[date, date | None]]:
    """Return the spans of days for which the catalog has parts: first day and the day after the last (None: none yet)."""
    spans: list[tuple[date, date | None]] = []
    rows = catalog.all_rows("components").select("valid_from", "valid_to").unique().sort("valid_from")
    for start, end in rows.iter_rows():
        last = spans[-1] if spans else None
        if last is not None and (last[1] is None or start <= last[1]):
            spans[-1] = last[0], None if last[1] is None or end is None else max(last[1], end)
        else:
            spans.append((start, end))
    return spans


def _components(catalog: Catalog) -> tuple[Component, ...]:
    known = gpus(catalog)
    rows = catalog.table("components").iter_rows(named=True)
    return tuple(_component(catalog, row) for row in rows if row["gpu"] is None or row["gpu"] in known)


def _component(catalog: Catalog, row: Mapping[str, Any]) -> Component:
    amount = row["amount"] if row["currency"] == "USD" else None
    card = gpus(catalog).get(row["gpu"]) if row["gpu"] else None
    columns: dict[str, Any] = {column: row[column] for column in COLUMNS}
    columns |= {column: tuple(row[column].split(";")) if row[column] else () for column in WORDS}
    if card is not None:
        columns |= {
            "gpu_memory_gb": card.memory_gb, "architecture": card.architecture, "noise_dba": card.noise_load_dba,
        }  # fmt: skip
    return Component(
        row["part_type"], row["name"], fact_of("components", row["name"], row, amount, "USD"), **columns
    )


def fresh(parts: Iterable[Component], as_of: date) -> tuple[Component, ...]:
    """Return the parts without cards whose price is over a year old while that of another card of the GPU is not."""
    known = tuple(parts)
    limit = as_of - timedelta(STALE_DAYS)

    def old(part: Component) -> bool:
        seen = part.price.observed_on
        return seen is not None and seen < limit

    better = {p.gpu for p in known if p.gpu is not None and p.usd is not None and not old(p)}
    return tuple(p for p in known if p.gpu not in better or p.usd is None or not old(p))
