"""Speed of one GPU against another on a kind of work.

Measured where both were measured together, or each beside a third. A GPU that was not measured is set against
the nearest one that was, by datasheet: the geometric mean of the ratios of arithmetic rate and of memory
bandwidth, with a wide interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Literal

from rackrent.catalog.assumptions import Overrides, assumption
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, gpu
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.speed.measured import Ratios, grid, ratio_facts, ratios, stand_in

Basis = Literal["same", "benchmark", "datasheet", "unknown"]
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


@dataclass(frozen=True, slots=True)
class _Step:
    """One link of the chain from a GPU to the reference: `ratio` is the speed of `one` over that of `other`."""

    one: str
    other: str
    ratio: float
    low: float
    high: float
    basis: Basis
    facts: tuple[Fact, ...]
    detail: str

    def inverted(self) -> _Step:
        return _Step(
            self.other,
            self.one,
            1 / self.ratio,
            1 / self.high,
            1 / self.low,
            self.basis,
            self.facts,
            self.detail,
        )

    def text(self) -> str:
        return _("{one} / {other} = {ratio:.2f} ({low:.2f} to {high:.2f}), {detail}").format(
            one=self.one, other=self.other, ratio=self.ratio, low=self.low, high=self.high, detail=self.detail
        )


def relative_speed(
    catalog: Catalog, gpu_name: str, reference: str | None, task: str = "generic", precision: str = "fp16"
) -> Speed:
    """Return how fast `gpu_name` is against `reference` on a task and precision (words of `workload`).

    Without a reference an hour counts the same on every GPU. The ratio of A to B is one over that of B to A.
    """
    if reference is None or gpu_name == reference:
        formula = _("an hour counts the same") if reference is None else _("the same GPU")
        return Speed(gpu_name, reference or gpu_name, 1.0, 1.0, 1.0, "same", (), formula)
    first, second = sorted((gpu_name, reference))
    name = f"chain from {first} to {second}, {task}, {precision}"
    steps = catalog.once(
        name, lambda: _chain(catalog, first, second, ratios(catalog, task, precision), precision)
    )
    if first != gpu_name:
        steps = [step.inverted() for step in reversed(steps)]
    return _speed(gpu_name, reference, steps)


def scaling(catalog: Catalog, gpus: int, overrides: Overrides | None = None) -> Fact:
    """Return the speed of one run on `gpus` GPUs as a share of `gpus` times one GPU: 1 for one GPU."""
    if gpus <= 1:
        return Fact(
            "assumption", "assumptions", "multi_gpu_efficiency", 1.0, "share of linear speed", "definition"
        )
    return assumption(catalog, "multi_gpu_efficiency", overrides)


def _speed(name: str, reference: str, steps: list[_Step]) -> Speed:
    if not steps:
        formula = _("{gpu} was not measured beside {reference}, and a datasheet is missing")
        formula = formula.format(gpu=name, reference=reference)
        return Speed(name, reference, None, None, None, "unknown", (), formula)
    ratio = low = high = 1.0
    for step in steps:
        ratio, low, high = ratio * step.ratio, low * step.low, high * step.high
    basis: Basis = "benchmark" if all(s.basis == "benchmark" for s in steps) else "datasheet"
    formula = _("{gpu} does {ratio:.2f} x the work of {reference}: {steps}").format(
        gpu=name, ratio=ratio, reference=reference, steps="; ".join(s.text() for s in steps)
    )
    return Speed(name, reference, ratio, low, high, basis, tuple(f for s in steps for f in s.facts), formula)


def _chain(catalog: Catalog, name: str, other: str, taken: Ratios, precision: str) -> list[_Step]:
    """Return the steps from one GPU to another; empty where there is no way."""
    rates = grid(catalog)
    near, far = stand_in(catalog, name), stand_in(catalog, other)
    if near is not None and near == far:
        return [_Step(name, other, 1.0, 1.0, 1.0, "benchmark", (), _("counted as one product"))]
    if near is not None and far is not None and not taken.linked[near, far]:
        links = taken.linked.sum(axis=1)
        near, far = (None, far) if links[near] < links[far] else (near, None)
    if near is None and far is not None:
        near = _nearest(catalog, name, far, taken, precision)
    elif near is not None and far is None:
        far = _nearest(catalog, other, near, taken, precision)
    if near is None or far is None or not taken.linked[near, far]:
        direct = _datasheet(catalog, name, other, precision)
        return [direct] if direct else []
    steps = [
        _from_to(catalog, name, rates.gpus[near], precision),
        *_measured(catalog, near, far, taken),
        _from_to(catalog, rates.gpus[far], other, precision),
    ]
    return [step for step in steps if step is not None]


def _nearest(catalog: Catalog, name: str, partner: int, taken: Ratios, precision: str) -> int | None:
    """Return the GPU whose datasheet is the nearest to `name` among those measured beside `partner`."""
    own = _rates(gpu(catalog, name), precision)
    if own is None:
        return None
    known = {
        i: _rates(gpu(catalog, g), precision)
        for i, g in enumerate(grid(catalog).gpus)
        if taken.linked[i, partner]
    }
    distance = {
        i: abs(log(own[0] / r[0])) + abs(log(own[1] / r[1])) for i, r in known.items() if r is not None
    }
    return min(distance, key=lambda i: distance[i], default=None)


def _from_to(catalog: Catalog, name: str, other: str, precision: str) -> _Step | None:
    """A datasheet step between a GPU and the one that stands for it; none where that is the same or its family."""
    if stand_in(catalog, name) == stand_in(catalog, other):
        return None
    return _datasheet(catalog, name, other, precision)


def _measured(catalog: Catalog, one: int, other: int, taken: Ratios) -> list[_Step]:
    if one == other:
        return []
    if not taken.count[one, other]:
        between = taken.bridge(one, other)
        assert between is not None
        return [*_measured(catalog, one, between, taken), *_measured(catalog, between, other, taken)]
    ratio, low, high = (exp(values[one, other]) for values in (taken.mean, taken.low, taken.high))
    n = int(taken.count[one, other])
    if n == 1:
        low, high = ratio * SINGLE_LOW, ratio * SINGLE_HIGH
    rates = grid(catalog)
    benchmarks = [rates.benchmarks[c] for c in taken.levels[taken.level[one, other]]]
    detail = ngettext("{n} benchmark at {precision}", "{n} benchmarks at {precision}", n).format(
        n=n, precision="/".join(sorted({b[3] for b in benchmarks}))
    )
    facts = ratio_facts(catalog, taken, one, other)
    return [_Step(rates.gpus[one], rates.gpus[other], ratio, low, high, "benchmark", facts, detail)]


def _datasheet(catalog: Catalog, name: str, other: str, precision: str) -> _Step | None:
    one, two = gpu(catalog, name), gpu(catalog, other)
    fast, slow = _rates(one, precision), _rates(two, precision)
    if one is None or two is None or fast is None or slow is None:
        return None
    ratio = sqrt(fast[0] / slow[0] * fast[1] / slow[1])
    detail = _(
        "not measured, by datasheet: {one} {fast:g} TFLOP/s and {wide:g} GB/s, {other} {slow:g} TFLOP/s and "
        "{narrow:g} GB/s"
    ).format(one=name, other=other, fast=fast[0], slow=slow[0], wide=fast[1], narrow=slow[1])
    facts = tuple(
        fact
        for card, rates in ((one, fast), (two, slow))
        for fact in (card.fact(rates[2], "TFLOP/s"), card.fact("memory_bandwidth_gbs", "GB/s"))
    )
    low, high = ratio * DATASHEET_LOW, ratio * DATASHEET_HIGH
    return _Step(name, other, ratio, low, high, "datasheet", facts, detail)


def _rates(card: Gpu | None, precision: str) -> tuple[float, float, str] | None:
    """Return arithmetic rate (TFLOP/s), memory bandwidth (GB/s) and the column of the former; None if unknown.

    The rate is the fastest a framework would use: a card whose half-precision rate is below its
    single-precision one (GTX 1080 Ti) computes in single.
    """
    columns = ["fp32_tflops"]
    if precision != "fp32":
        columns += ["fp16_tflops", "fp16_tensor_tflops"]
    if precision in ("bf16", "fp8"):
        columns.append(f"{precision}_tensor_tflops")
    known = [(rate, column) for column in columns if (rate := getattr(card, column, None)) is not None]
    if card is None or not known or not card.memory_bandwidth_gbs:
        return None
    rate, column = max(known)
    return rate, card.memory_bandwidth_gbs, column
