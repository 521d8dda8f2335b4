"""What a datasheet says about speed: the arithmetic rate that a precision really uses, and memory bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu

TF32_OF_BF16 = 0.5
"""Tensor cores that know BF16 multiply single-precision numbers as TF32 at half its rate; frameworks do."""


@dataclass(frozen=True, slots=True)
class Datasheet:
    """Rates of a GPU at one precision: arithmetic in TFLOP/s (read from `column`), memory in GB/s."""

    tflops: float
    gbs: float
    column: str
    architecture: str
    card: Gpu

    @property
    def facts(self) -> tuple[Fact, Fact]:
        """The two figures with their source."""
        return self.card.fact(self.column, "TFLOP/s"), self.card.fact("memory_bandwidth_gbs", "GB/s")


def datasheet(catalog: Catalog, name: str, precision: str) -> Datasheet | None:
    """Return the rates of a GPU; None where its arithmetic rate or its bandwidth is unknown.

    The arithmetic rate is the fastest a framework would use: a card whose half-precision rate is below its
    single-precision one (GTX 1080 Ti) computes in single.
    """
    card = _cards(catalog).get(name)
    if card is None or not card.memory_bandwidth_gbs:
        return None
    rates: dict[str, float | None] = {"fp32_tflops": card.fp32_tflops}
    if precision == "fp32":
        tensor = card.bf16_tensor_tflops
        rates["bf16_tensor_tflops"] = None if tensor is None else tensor * TF32_OF_BF16
    else:
        rates |= {column: getattr(card, column) for column in ("fp16_tflops", "fp16_tensor_tflops")}
    if precision in ("bf16", "fp8"):
        rates["bf16_tensor_tflops"] = card.bf16_tensor_tflops
    if precision == "fp8":
        rates["fp8_tensor_tflops"] = card.fp8_tensor_tflops
    known = [(rate, column) for column, rate in rates.items() if rate]
    if not known:
        return None
    rate, column = max(known)
    return Datasheet(rate, card.memory_bandwidth_gbs, column, card.architecture or name, card)


def _cards(catalog: Catalog) -> Mapping[str, Gpu]:
    """All GPUs, also those launched later: what is known of one today helps to judge another."""
    names = [f.name for f in fields(Gpu)]
    return catalog.once(
        "datasheets",
        lambda: {row[0]: Gpu(*row) for row in catalog.all_rows("gpus").select(names).iter_rows()},
    )
