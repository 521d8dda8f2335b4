"""Machines and what they are made of: GPUs, systems with their parts, colocation rates, resale curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.catalog.assumptions import Overrides, assumption
from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.currency import to_usd
from rackrent.catalog.fact import Fact
from rackrent.catalog.names import resolve_gpu, typed_gpu
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

REST_CURVE_YEARS = 3.0
"""Age at which the assumption `resale_rest_share` holds."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU product: the columns of table `gpus` (units in their names; None where unknown)."""

    gpu: str
    vendor: str | None
    segment: str | None
    architecture: str | None
    launch_date: date | None
    memory_gb: float | None
    memory_bandwidth_gbs: float | None
    fp32_tflops: float | None
    fp16_tflops: float | None
    fp16_tensor_tflops: float | None
    bf16_tensor_tflops: float | None
    fp8_tensor_tflops: float | None
    tdp_w: float | None
    idle_w: float | None
    noise_load_dba: float | None
    slot_width: float | None
    length_mm: float | None
    power_connectors: str | None
    cooler: str | None
    nvlink_gbs: float | None
    pcie_gen: float | None
    pcie_lanes: float | None
    launch_price_usd: float | None
    dies: float | None
    source: str
    observed_on: date
    confidence: str
    note: str | None

    def fact(self, column: str, unit: str) -> Fact:
        """Return one column as a fact."""
        key = f"{self.gpu}.{column}"
        value: float | None = getattr(self, column)
        return Fact("catalog", "gpus", key, value, unit, self.source, self.observed_on, self.confidence)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a build; `price` is for one, USD before tax, of unknown value where nobody says."""

    part_type: str
    name: str
    quantity: int
    price: Fact


@dataclass(frozen=True, slots=True)
class System:
    """A machine that can be bought.

    `price` is USD before tax (with low and high where it is a range); its value is None where a part has no
    price: `at_least_usd` is then the sum of the others. `gpu_price` is the part of it that is the GPUs, `power`
    the rated or measured kW of the whole machine; either is None where it is unknown.
    """

    id: str
    kind: str
    vendor: str | None
    product: str
    gpu: str
    gpu_count: int
    gpu_memory_gb: float | None
    cpu: str | None
    cpu_cores: float | None
    ram_gb: float | None
    disk_gb: float | None
    price: Fact
    gpu_price: Fact | None
    power: Fact | None
    price_kind: str
    form: str | None
    condition: str | None
    country: str | None
    parts: tuple[Part, ...]

    @property
    def at_least_usd(self) -> float | None:
        """The price, or the sum of the parts whose price is known."""
        if self.price.value is not None or not self.parts:
            return self.price.value
        return sum(p.quantity * p.price.value for p in self.parts if p.price.value is not None)


@dataclass(frozen=True, slots=True)
class ResaleCurve:
    """Share of the launch price fetched by age since launch in years: lower quartile, median, upper quartile.

    The four arrays have shape (points,), ages ascending. They never rise with age: a bump in the observed
    medians is levelled. `facts` are the rows behind them.
    """

    segment: str
    age_years: NDArray[np.float64]
    low: NDArray[np.float64]
    median: NDArray[np.float64]
    high: NDArray[np.float64]
    facts: tuple[Fact, ...]


def gpus(catalog: Catalog) -> Mapping[str, Gpu]:
    """Return every GPU launched by `as_of`, by canonical name (those of unknown launch among them)."""
    return catalog.once("gpus by name", lambda: _gpus(catalog))


def gpu(catalog: Catalog, name: str) -> Gpu | None:
    """Return a GPU by canonical name; None where it is unknown or had not been launched by `as_of`."""
    return gpus(catalog).get(name)


def gpu_meant(catalog: Catalog, text: str) -> str:
    """Return the canonical name of the GPU a person means by `text`.

    Raises BadInput with the nearest name where nobody knows it, and where it had not been launched by `as_of`.
    """
    try:
        return resolve_gpu(text, gpus(catalog))
    except BadInput:
        named = typed_gpu(text) or text.strip()
        every = {g.casefold(): g for g in catalog.all_rows("gpus")["gpu"]}
        later = every.get(named.casefold())
        if later is None or later in gpus(catalog):
            raise
        day = catalog.as_of.isoformat()
        raise BadInput(_("{gpu} was not launched by {day}").format(gpu=later, day=day)) from None


def systems(catalog: Catalog) -> list[System]:
    """Return the machines that could be bought on `as_of`: own builds with their parts, and prebuilt ones."""
    parts: dict[str, list[Part]] = {}
    for row in catalog.table("parts").iter_rows(named=True):
        parts.setdefault(row["system"], []).append(_part(catalog, row))
    rows = catalog.table("systems").filter(pl.col("kind") != "colocation")
    return [
        _system(catalog, row, tuple(parts.get(row["system"], ())))
        for row in rows.iter_rows(named=True)
        if row["gpu"] in gpus(catalog)
    ]


def colocation_rates(catalog: Catalog, country: str) -> Fact | None:
    """Return the price of space for one kW in a colocation, USD per kW and month (electricity usually extra).

    None where no rate of the country is known.
    """
    rows = catalog.table("systems").filter((pl.col("kind") == "colocation") & (pl.col("country") == country))
    if rows.is_empty():
        return None
    row = rows.sort("valid_from").row(-1, named=True)
    return _price(catalog, row, row["system"], "USD/kW-month")


def resale(catalog: Catalog, segment: str, overrides: Overrides | None = None) -> ResaleCurve:
    """Return the curve of a segment: consumer_gpu, datacenter_gpu, or rest (all of a machine but its GPUs).

    Nobody publishes a curve for the rest: it falls straight to the assumption `resale_rest_share` at 3 years.
    """
    if segment == "rest":
        return _rest(assumption(catalog, "resale_rest_share", overrides))
    rows = catalog.known_by("resale", ("segment", "age_years")).filter(pl.col("segment") == segment)
    rows = rows.sort("age_years")
    low, median, high = (
        np.minimum.accumulate(rows[c].to_numpy().astype(np.float64))
        for c in ("ratio_low", "ratio", "ratio_high")
    )
    facts = tuple(
        fact_of(
            "resale", f"{segment}/{row['age_years']:g}", row, row["ratio"], "share of launch price",
            low=row["ratio_low"], high=row["ratio_high"],
        )
        for row in rows.iter_rows(named=True)
    )  # fmt: skip
    return ResaleCurve(segment, rows["age_years"].to_numpy().astype(np.float64), low, median, high, facts)


def _rest(share: Fact) -> ResaleCurve:
    likely = share.known
    low, high = (likely if end is None else end for end in (share.low, share.high))
    ages = np.array([0.0, REST_CURVE_YEARS])
    return ResaleCurve(
        "rest", ages, np.array([1.0, low]), np.array([1.0, likely]), np.array([1.0, high]), (share,)
    )


def _gpus(catalog: Catalog) -> dict[str, Gpu]:
    rows = catalog.all_rows("gpus").filter(
        pl.col("launch_date").is_null() | (pl.col("launch_date") <= catalog.as_of)
    )
    names = [f.name for f in fields(Gpu)]
    return {row[0]: Gpu(*row) for row in rows.select(names).iter_rows()}


def _part(catalog: Catalog, row: Mapping[str, Any]) -> Part:
    price = _price(catalog, row, f"{row['system']}/{row['name']}", "USD", table="parts")
    return Part(row["part_type"], row["name"], int(row["quantity"]), price)


def _system(catalog: Catalog, row: Mapping[str, Any], parts: tuple[Part, ...]) -> System:
    key = row["system"]
    gpu_price = None
    if row["gpu_amount"] is not None:
        gpu_row = {**row, "amount": row["gpu_amount"], "amount_low": None, "amount_high": None}
        gpu_price = _price(catalog, gpu_row, f"{key}.gpu_amount", "USD")
    power = None
    if row["power_kw"] is not None:
        power = fact_of("systems", f"{key}.power_kw", row, row["power_kw"], "kW")
    return System(
        key, row["kind"], row["vendor"], row["product"], row["gpu"], int(row["gpu_count"]), row["gpu_memory_gb"],
        row["cpu"], row["cpu_cores"], row["ram_gb"], row["disk_gb"], _price(catalog, row, key, "USD"), gpu_price,
        power, row["price_kind"], row["form"], row["condition"], row["country"], parts,
    )  # fmt: skip


def _price(catalog: Catalog, row: Mapping[str, Any], key: str, unit: str, table: str = "systems") -> Fact:
    """Return the amount of a row in USD; unknown stays unknown."""
    ends = [row["amount"], row.get("amount_low"), row.get("amount_high")]
    notes = ""
    if row["currency"] not in (None, "USD") and row["amount"] is not None:
        rate = to_usd(catalog, 1.0, row["currency"], catalog.as_of)
        ends = [None if e is None or rate.value is None else e * rate.value for e in ends]
        notes = _("{amount:,.0f} {currency}; {rate}").format(
            amount=row["amount"], currency=row["currency"], rate=rate.note
        )
    fact = fact_of(table, key, row, ends[0], unit, low=ends[1], high=ends[2], note=notes)
    return replace(fact, value=None) if row["currency"] is None else fact
