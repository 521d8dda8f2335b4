"""Speed of one GPU against another on a kind of work.

One model holds all benchmarks and datasheets together (`mixed`): where two GPUs were measured on this kind of work
the ratio is close to what was measured, where they were not it is close to the datasheets, and the interval says
how much is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, log
from typing import Literal, NamedTuple

from rackrent.catalog.assumptions import Overrides, assumption
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.speed.datasheet import datasheet
from rackrent.speed.measured import STANDS_FOR, Shared, bridge, measured, shared, stand_in
from rackrent.speed.mixed import Effect, Equations, Fitted, Observation, design

Basis = Literal["same", "benchmark", "datasheet", "unknown"]
WIDTH = 1.1
"""Half of the 80 % interval in standard deviations: what covers 80 % of GPUs left out (`docs/speed.md`)."""
REPEAT = 0.03
"""How much the logarithm of a rate differs between two runs of the same program on the same machine."""


class OwnRate(NamedTuple):
    """A rate that a person measured on their own program: work per second (any unit) of `gpus` GPUs.

    `gpu` is a canonical name; `path` is where they wrote it.
    """

    gpu: str
    task: str
    precision: str
    rate: float
    unit: str
    gpus: float
    path: str


class Question(NamedTuple):
    """What is asked of two GPUs: the kind of work and the precision, and what the person measured themselves."""

    task: str = "generic"
    precision: str = "fp16"
    own: tuple[OwnRate, ...] = ()


@dataclass(frozen=True, slots=True)
class Speed:
    """Work an hour of `gpu` does as a multiple of an hour of `reference` (1: equal; None: unknown, never 1).

    `low` and `high` hold the ratio in 8 cases of 10. `formula` says in words and numbers how it came about, and
    `facts` are the rows behind it.
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
    catalog: Catalog,
    gpu_name: str,
    reference: str | None,
    task: str = "generic",
    precision: str = "fp16",
    *,
    own: tuple[OwnRate, ...] = (),
) -> Speed:
    """Return how fast `gpu_name` is against `reference` on a task and precision (words of `workload`).

    Without a reference an hour counts the same on every GPU. Rates in `own` outweigh all others. The ratio of A to
    B is one over that of B to A, and the product of A to C and C to B.
    """
    if reference is None or gpu_name == reference:
        formula = _("an hour counts the same") if reference is None else _("the same GPU")
        return Speed(gpu_name, reference or gpu_name, 1.0, 1.0, 1.0, "same", (), formula)
    asked = Question(task, precision, own)
    return catalog.once(
        f"speed of {gpu_name} to {reference}, {asked!r}", lambda: _speed(catalog, gpu_name, reference, asked)
    )


def scaling(catalog: Catalog, gpus: int, overrides: Overrides | None = None) -> Fact:
    """Return the speed of one run on `gpus` GPUs as a share of `gpus` times one GPU: 1 for one GPU."""
    if gpus <= 1:
        return Fact(
            "assumption", "assumptions", "multi_gpu_efficiency", 1.0, "share of linear speed", "definition"
        )
    return assumption(catalog, "multi_gpu_efficiency", overrides)


def product(name: str) -> str:
    """Return the product a canonical name belongs to, without form factor and memory.

    >>> product("A100 SXM 80GB"), product("H100 PCIe 80GB"), product("RTX 3090")
    ('A100', 'H100', 'RTX 3090')
    """
    return re.sub(r"( (SXM\d?|PCIe|NVL))?( \d+GB)?$", "", name)


def observations(catalog: Catalog, own: tuple[OwnRate, ...] = ()) -> list[Observation]:
    """Return all measured rates, the catalog's in the order of `measured` and then the person's own."""
    found = []
    for gpu, benchmark, log_rate in measured(catalog):
        precision = STANDS_FOR[benchmark.precision]
        effects = gpu_design(catalog, gpu, benchmark.kind, precision, several=benchmark.gpus > 1)
        effects["benchmark", *map(str, benchmark)] = 1.0
        found.append(Observation(effects, log_rate))
    for rate in own:
        gpu = stand_in(catalog, rate.gpu)
        effects = gpu_design(catalog, gpu, rate.task, rate.precision, several=rate.gpus > 1)
        effects["network", gpu, rate.task] = 1.0
        effects["benchmark", "own", rate.task, rate.unit, rate.precision, str(rate.gpus)] = 1.0
        found.append(Observation(effects, log(rate.rate), REPEAT))
    return found


def gpu_design(
    catalog: Catalog, name: str, kind: str, precision: str, *, several: bool = False
) -> dict[Effect, float]:
    """Return the effects of a GPU on a kind of work, for `mixed`."""
    sheet = datasheet(catalog, name, precision)
    return design(name, product(name), sheet, kind, precision, several=several)


def fitted(catalog: Catalog, own: tuple[OwnRate, ...] = ()) -> Fitted:
    """Return the model fitted to the catalog's benchmarks and a person's own."""
    return catalog.once(f"speeds fitted, {own!r}", lambda: Equations(observations(catalog, own)).solve())


def _speed(catalog: Catalog, name: str, reference: str, asked: Question) -> Speed:
    task, precision, own = asked
    one, other = stand_in(catalog, name), stand_in(catalog, reference)
    if one == other:
        return Speed(name, reference, 1.0, 1.0, 1.0, "benchmark", (), _("counted as one product"))
    kinds = _kinds(catalog, own)
    for end in (one, other):
        if end not in kinds and datasheet(catalog, end, precision) is None:
            formula = _("{gpu} was not measured, and its datasheet is missing").format(gpu=end)
            return Speed(name, reference, None, None, None, "unknown", (), formula)
    model = fitted(catalog, own)
    designs = [
        gpu_design(catalog, end, task, precision) | {("network", end, task): 1.0} for end in (one, other)
    ]
    log_ratio, deviation = model.contrast(*designs)
    ratio, spread = exp(log_ratio), exp(WIDTH * deviation)
    evidence, facts = _evidence(catalog, one, other, asked)
    said, sheets = _datasheets(catalog, one, other, asked)
    formula = _(
        "{gpu} does {ratio:.2f} x the work of {reference}, 8 times in 10 between {low:.2f} and {high:.2f}: {why}"
    )
    formula = formula.format(
        gpu=name, ratio=ratio, reference=reference, low=ratio / spread, high=ratio * spread,
        why="; ".join([*evidence, *said]),
    )  # fmt: skip
    was_measured = all(_on_task(kinds.get(end, frozenset()), task) for end in (one, other))
    basis: Basis = "benchmark" if was_measured else "datasheet"
    return Speed(name, reference, ratio, ratio / spread, ratio * spread, basis, (*facts, *sheets), formula)


def _kinds(catalog: Catalog, own: tuple[OwnRate, ...]) -> dict[str, frozenset[str]]:
    """Kinds of work on which each GPU was measured."""

    def kinds() -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for m in measured(catalog):
            found[m.gpu] = found.get(m.gpu, frozenset()) | {m.benchmark.kind}
        return found

    found = dict(catalog.once("kinds of work measured", kinds))
    for rate in own:
        gpu = stand_in(catalog, rate.gpu)
        found[gpu] = found.get(gpu, frozenset()) | {rate.task}
    return found


def _on_task(kinds: frozenset[str], task: str) -> bool:
    return bool(kinds - {"inference"}) if task == "generic" else task in kinds


def _evidence(catalog: Catalog, one: str, other: str, asked: Question) -> tuple[list[str], list[Fact]]:
    """Say what was measured of two GPUs, together or each beside a third."""
    task, precision, own = asked
    said, facts = [], []
    yours = {stand_in(catalog, r.gpu): r for r in own if r.task == task}
    if one in yours and other in yours:
        said.append(_("your own benchmark {ratio:.2f} x").format(ratio=yours[one].rate / yours[other].rate))
    for end in (one, other):
        if end in yours:
            facts.append(Fact.from_workload(f"{yours[end].path}.rate", yours[end].rate, yours[end].unit))
    together = shared(catalog, one, other, task, precision)
    if together:
        return [*said, _measured_ratio(one, other, together)], [*facts, *(s.fact for s in together)]
    third = bridge(catalog, one, other, task, precision)
    if third is None:
        return [*said, _("not measured on like work")], facts
    for end, start in ((one, third), (third, other)):
        link = shared(catalog, end, start, task, precision)
        said.append(_measured_ratio(end, start, link))
        facts += [s.fact for s in link]
    return said, facts


def _measured_ratio(one: str, other: str, together: list[Shared]) -> str:
    n = len(together)
    precisions = "/".join(sorted({s.benchmark.precision for s in together}))
    return ngettext(
        "{one} / {other} measured {ratio:.2f} on {n} benchmark at {precision}",
        "{one} / {other} measured {ratio:.2f} on {n} benchmarks at {precision}",
        n,
    ).format(
        one=one, other=other, n=n, precision=precisions, ratio=exp(sum(log(s.ratio) for s in together) / n)
    )


def _datasheets(
    catalog: Catalog, one: str, other: str, asked: Question
) -> tuple[list[str], tuple[Fact, ...]]:
    """Say what the datasheets alone would give."""
    model, (task, precision, _own) = fitted(catalog, asked.own), asked
    fast, slow = datasheet(catalog, one, precision), datasheet(catalog, other, precision)
    if fast is None or slow is None:
        return [], ()
    slopes = ("size", "balance", "size_of_kind", "balance_of_kind")
    ends = [gpu_design(catalog, end, task, precision) for end in (one, other)]
    effects = [e for e in ends[0] if e[0] in slopes]
    ratio = exp(sum((ends[0][e] - ends[1][e]) * model.estimate(e) for e in effects))
    text = _(
        "by datasheet {ratio:.2f} ({one} {fast:g} TFLOP/s and {wide:g} GB/s, {other} {slow:g} TFLOP/s and "
        "{narrow:g} GB/s)"
    ).format(
        ratio=ratio,
        one=one,
        other=other,
        fast=fast.tflops,
        slow=slow.tflops,
        wide=fast.gbs,
        narrow=slow.gbs,
    )
    return [text], (*fast.facts, *slow.facts)
