"""Speed of one GPU against another on a kind of work.

Measured rates come first: the geometric mean of the ratios on every benchmark that both GPUs ran (the same
suite, network, precision and number of GPUs, so that only the GPU differs). Where they share none, the
datasheet: the geometric mean of the ratios of arithmetic rate and memory bandwidth, with a wide interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, Literal

from rackrent.catalog.assumptions import Overrides, assumption
from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, gpu
from rackrent.catalog.names import members
from rackrent.i18n import gettext as _

Basis = Literal["same", "benchmark", "datasheet", "unknown"]
Benchmark = tuple[str, str, str, float]
"""Suite, network, precision, number of GPUs: within one of these, rates compare."""

NETWORKS: Mapping[str, tuple[str, ...]] = {
    "cnn_training": ("resnet", "inception", "ssd", "mean of cnn", "retinanet"),
    "segmentation": ("maskrcnn", "segmentation"),
    "transformer_finetune": ("bert", "llama2_70b_lora"),
    "transformer_pretrain": ("gnmt", "transformerxl", "bert", "llama31"),
    "diffusion": ("stable_diffusion", "flux"),
}
"""Beginnings or parts of the names of networks that stand for a task."""
HALF = ("fp16", "bf16", "tf32", "mixed")
PRECISIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "fp32": (("fp32",), HALF, ("fp8", "fp4")),
    "fp16": (("fp16",), HALF[1:], ("fp8", "fp4"), ("fp32",)),
    "bf16": (("bf16",), HALF, ("fp8", "fp4"), ("fp32",)),
    "fp8": (("fp8",), ("mixed", "fp4"), HALF, ("fp32",)),
}
"""For each precision, which measured ones stand for it, the closest first."""
DATASHEET_LOW, DATASHEET_HIGH = 0.6, 1.6
"""How far a ratio of datasheet rates may be off."""
SINGLE_LOW, SINGLE_HIGH = 0.8, 1.25
"""How far one shared benchmark may be from another network of the same kind."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Work an hour of `gpu` does as a multiple of an hour of `reference` (1: equal; None: unknown, never 1).

    `low` and `high` are the lowest and highest ratio seen, or the datasheet's margin. `formula` says in words
    and numbers how it came about, and `facts` are the rows behind it.
    """

    gpu: str
    reference: str
    ratio: float | None
    low: float | None
    high: float | None
    basis: Basis
    facts: tuple[Fact, ...]
    formula: str


def relative_speed(
    catalog: Catalog, gpu_name: str, reference: str | None, task: str = "generic", precision: str = "fp16"
) -> Speed:
    """Return how fast `gpu_name` is against `reference` on a task and precision (words of `workload`).

    Without a reference an hour counts the same on every GPU. The ratio of A to B is one over that of B to A.
    """
    if reference is None or gpu_name == reference:
        formula = _("an hour counts the same") if reference is None else _("the same GPU")
        return Speed(gpu_name, reference or gpu_name, 1.0, 1.0, 1.0, "same", (), formula)
    name = f"speed of {gpu_name} on {reference}, {task}, {precision}"
    return catalog.once(name, lambda: _relative(catalog, gpu_name, reference, task, precision))


def scaling(catalog: Catalog, gpus: int, overrides: Overrides | None = None) -> Fact:
    """Return the speed of one run on `gpus` GPUs as a share of `gpus` times one GPU: 1 for one GPU."""
    if gpus <= 1:
        return Fact(
            "assumption", "assumptions", "multi_gpu_efficiency", 1.0, "share of linear speed", "definition"
        )
    return assumption(catalog, "multi_gpu_efficiency", overrides)


def _relative(catalog: Catalog, name: str, reference: str, task: str, precision: str) -> Speed:
    rates = catalog.once("benchmarks by gpu", lambda: _rates(catalog))
    one, other = _of(rates, name), _of(rates, reference)
    shared = _shared(one, other, task)
    for stands_for in PRECISIONS[precision]:
        if chosen := [b for b in shared if b[2] in stands_for]:
            return _measured(name, reference, one, other, chosen, precision)
    return _from_datasheet(gpu(catalog, name), gpu(catalog, reference), name, reference, precision)


def _rates(catalog: Catalog) -> dict[str, dict[Benchmark, dict[str, Any]]]:
    """Every measured rate by GPU and benchmark."""
    rates: dict[str, dict[Benchmark, dict[str, Any]]] = defaultdict(dict)
    key = ("suite", "task", "model", "precision", "gpu", "gpu_count")
    for row in catalog.known_by("benchmarks", key).iter_rows(named=True):
        rates[row["gpu"]][row["suite"], row["model"], row["precision"], row["gpu_count"]] = row
    return rates


def _of(rates: Mapping[str, dict[Benchmark, dict[str, Any]]], name: str) -> dict[Benchmark, dict[str, Any]]:
    """The rates of a GPU; where it has none, of the family it belongs to or the first of its members."""
    if name in rates:
        return rates[name]
    related: Iterable[str] = [family for family in rates if members(family, (name,))] or members(name, rates)
    found: dict[Benchmark, dict[str, Any]] = {}
    for other in related:
        found = rates[other] | found
    return found


def _shared(
    one: Mapping[Benchmark, dict[str, Any]], other: Mapping[Benchmark, dict[str, Any]], task: str
) -> list[Benchmark]:
    """Benchmarks that both ran, of the task if there are such: at the fewest GPUs each was run on by both."""
    both = sorted(one.keys() & other.keys())
    fewest = {b[:3]: b for b in reversed(both)}
    wanted = "inference" if task == "inference" else "training"
    both = [b for b in fewest.values() if one[b]["task"] == wanted]
    words = NETWORKS.get(task)
    if words is None:
        return both
    own = [b for b in both if any(word in b[1].casefold() for word in words)]
    return own or both


def _measured(
    name: str,
    reference: str,
    one: Mapping[Benchmark, dict[str, Any]],
    other: Mapping[Benchmark, dict[str, Any]],
    chosen: list[Benchmark],
    precision: str,
) -> Speed:
    ratios = {b: one[b]["rate"] / other[b]["rate"] for b in sorted(chosen)}
    ratio = exp(sum(map(log, ratios.values())) / len(ratios))
    low, high = min(ratios.values()), max(ratios.values())
    if len(ratios) == 1:
        low, high = ratio * SINGLE_LOW, ratio * SINGLE_HIGH
    facts = tuple(
        fact_of("benchmarks", f"{'/'.join(b[:3])}/{b[3]:g}x/{name}:{reference}", one[b], value, "ratio")
        for b, value in ratios.items()
    )
    models = sorted({b[1] for b in chosen})
    used = sorted({b[2] for b in chosen})
    formula = _(
        "{gpu} does {ratio:.2f} x the work of {reference}: geometric mean of {n} measured ratios ({low:.2f} to "
        "{high:.2f}; {precision}; {models})"
    ).format(
        gpu=name, ratio=ratio, reference=reference, n=len(ratios), low=min(ratios.values()),
        high=max(ratios.values()), precision=", ".join(used), models=", ".join(models),
    )  # fmt: skip
    if precision not in used:
        formula += "; " + _("none was measured at {precision}").format(precision=precision)
    return Speed(name, reference, ratio, low, high, "benchmark", facts, formula)


def _from_datasheet(one: Gpu | None, other: Gpu | None, name: str, reference: str, precision: str) -> Speed:
    if one is None or other is None:
        return _unknown(name, reference)
    (rate, column), (base, base_column) = _arithmetic(one, precision), _arithmetic(other, precision)
    if rate is None or base is None or not one.memory_bandwidth_gbs or not other.memory_bandwidth_gbs:
        return _unknown(name, reference)
    arithmetic, bandwidth = rate / base, one.memory_bandwidth_gbs / other.memory_bandwidth_gbs
    ratio = sqrt(arithmetic * bandwidth)
    formula = _(
        "{gpu} does about {ratio:.2f} x the work of {reference}, not measured: geometric mean of arithmetic "
        "({rate:g} / {base:g} TFLOP/s) and memory bandwidth ({fast:g} / {slow:g} GB/s)"
    ).format(
        gpu=name, ratio=ratio, reference=reference, rate=rate, base=base,
        fast=one.memory_bandwidth_gbs, slow=other.memory_bandwidth_gbs,
    )  # fmt: skip
    facts = (
        one.fact(column, "TFLOP/s"), one.fact("memory_bandwidth_gbs", "GB/s"),
        other.fact(base_column, "TFLOP/s"), other.fact("memory_bandwidth_gbs", "GB/s"),
    )  # fmt: skip
    return Speed(
        name, reference, ratio, ratio * DATASHEET_LOW, ratio * DATASHEET_HIGH, "datasheet", facts, formula
    )


def _arithmetic(gpu: Gpu, precision: str) -> tuple[float | None, str]:
    """The fastest rate a framework would use at a precision, TFLOP/s, and its column.

    A card whose half-precision rate is below its single-precision one (GTX 1080 Ti) computes in single.
    """
    columns = ["fp32_tflops"]
    if precision != "fp32":
        columns += ["fp16_tflops", "fp16_tensor_tflops"]
    if precision == "bf16":
        columns.append("bf16_tensor_tflops")
    if precision == "fp8":
        columns.append("fp8_tensor_tflops")
    known: list[tuple[float, str]] = [(v, c) for c in columns if (v := getattr(gpu, c)) is not None]
    return max(known) if known else (None, columns[0])


def _unknown(name: str, reference: str) -> Speed:
    formula = _("nobody measured {gpu} beside {reference}, and a datasheet is missing").format(
        gpu=name, reference=reference
    )
    return Speed(name, reference, None, None, None, "unknown", (), formula)
