"""What was measured: for every pair of GPUs, the mean ratio on the benchmarks that both ran.

Only like is set against like: the same suite, network, precision and number of GPUs, so that only the GPU
differs. Of what a pair shares the closest to the question is taken: first networks of the task at the
precision asked for; then other precisions; then other networks. What was run on several numbers of GPUs
counts once, at the fewest that both used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.catalog.names import members

Benchmark = tuple[str, str, str, str, float]
"""Suite, task, network, precision, number of GPUs: within one of these, rates compare."""

NETWORKS: Mapping[str, tuple[str, ...]] = {
    "cnn_training": ("resnet", "inception", "ssd", "mean of cnn", "retinanet"),
    "segmentation": ("maskrcnn", "segmentation"),
    "transformer_finetune": ("bert", "llama2_70b_lora"),
    "transformer_pretrain": ("gnmt", "transformerxl", "bert", "llama31"),
    "diffusion": ("stable_diffusion", "flux"),
}
"""Parts of the names of the networks that stand for a task; tasks that are not named take them all."""
PRECISIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "fp32": (("fp32",), ("tf32", "fp16", "bf16", "mixed"), ("fp8", "fp4")),
    "fp16": (("fp16",), ("bf16", "tf32", "mixed"), ("fp8", "fp4"), ("fp32",)),
    "bf16": (("bf16",), ("fp16", "tf32", "mixed"), ("fp8", "fp4"), ("fp32",)),
    "fp8": (("fp8",), ("mixed", "fp4"), ("fp16", "bf16", "tf32"), ("fp32",)),
}
"""For each precision, which measured ones stand for it, the closest first."""


@dataclass(frozen=True)
class Grid:
    """All measured rates: `log_rate` has shape (gpus, benchmarks), NaN where a GPU was not measured."""

    gpus: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    log_rate: NDArray[np.float64]
    rows: Mapping[tuple[str, Benchmark], dict[str, Any]]


@dataclass(frozen=True)
class Ratios:
    """Ratios of every GPU (first axis) to every other (second) on one task and precision, as logarithms.

    `count` benchmarks are behind each; where it is 0 the rest is meaningless. `level` is the index in `levels`
    (columns of the grid, fewest GPUs first) of the benchmarks taken.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    count: NDArray[np.int64]
    level: NDArray[np.int64]
    linked: NDArray[np.bool_]
    """Whether two GPUs were measured together, or both beside a third."""
    levels: tuple[NDArray[np.int64], ...]

    def bridge(self, one: int, other: int) -> int | None:
        """Return the GPU measured beside both, on the most benchmarks; None where there is none."""
        common = np.minimum(self.count[one], self.count[:, other])
        best = int(np.argmax(common))
        return best if common[best] > 0 else None


def grid(catalog: Catalog) -> Grid:
    """Return all measured rates of the catalog."""
    return catalog.once("measured rates", lambda: _grid(catalog))


def stand_in(catalog: Catalog, name: str) -> int | None:
    """Return the row of a GPU in the grid; where it has none, of the family it belongs to or of a member of it."""
    return catalog.once(f"measured stand-in of {name}", lambda: _stand_in(grid(catalog), name))


def ratios(catalog: Catalog, task: str, precision: str) -> Ratios:
    """Return the ratios of all measured GPUs on a task and precision."""
    return catalog.once(
        f"measured ratios {task} {precision}", lambda: _ratios(grid(catalog), task, precision)
    )


def ratio_facts(catalog: Catalog, taken: Ratios, one: int, other: int) -> tuple[Fact, ...]:
    """Return the measured ratios behind one pair, a fact each."""
    rates = grid(catalog)
    columns = taken.levels[taken.level[one, other]]
    logs = rates.log_rate[one, columns] - rates.log_rate[other, columns]
    facts: dict[tuple[str, str, str, str], Fact] = {}
    for column, log in zip(columns, logs, strict=True):
        benchmark = rates.benchmarks[column]
        if np.isfinite(log) and benchmark[:4] not in facts:
            suite, _task, network, precision, gpus = benchmark
            key = f"{suite}/{network}/{precision}/{gpus:g}x/{rates.gpus[one]}:{rates.gpus[other]}"
            row = rates.rows[rates.gpus[one], benchmark]
            facts[benchmark[:4]] = fact_of("benchmarks", key, row, float(np.exp(log)), "ratio")
    return tuple(facts.values())


def _stand_in(rates: Grid, name: str) -> int | None:
    if name in rates.gpus:
        return rates.gpus.index(name)
    alike = [g for g in rates.gpus if g.split()[0] == name.split(maxsplit=1)[0]]
    related = [g for g in alike if members(g, (name,))] or members(name, alike)
    counts = [int(np.isfinite(rates.log_rate[rates.gpus.index(g)]).sum()) for g in related]
    return rates.gpus.index(related[int(np.argmax(counts))]) if related else None


def _grid(catalog: Catalog) -> Grid:
    key = ("suite", "task", "model", "precision", "gpu_count", "gpu")
    rows = {
        (row["gpu"], _benchmark(row)): row
        for row in catalog.known_by("benchmarks", key).iter_rows(named=True)
    }
    gpus = sorted({gpu for gpu, _ in rows})
    # A result "of a V100 16GB" also speaks for the V100 SXM2 16GB where that has none of its own.
    for family in gpus:
        named = [row for (gpu, _), row in rows.items() if gpu == family]
        for gpu in members(family, gpus):
            for row in named if gpu != family else ():
                rows.setdefault((gpu, _benchmark(row)), row)
    benchmarks = sorted({benchmark for _, benchmark in rows})
    at_gpu, at_benchmark = ({name: i for i, name in enumerate(names)} for names in (gpus, benchmarks))
    log_rate = np.full((len(gpus), len(benchmarks)), np.nan)
    for (gpu, benchmark), row in rows.items():
        log_rate[at_gpu[gpu], at_benchmark[benchmark]] = np.log(row["rate"])
    return Grid(tuple(gpus), tuple(benchmarks), log_rate, rows)


def _benchmark(row: Mapping[str, Any]) -> Benchmark:
    return row["suite"], row["task"], row["model"], row["precision"], row["gpu_count"]


def _ratios(rates: Grid, task: str, precision: str) -> Ratios:
    n = len(rates.gpus)
    mean, low, high = (np.zeros((n, n)) for _ in range(3))
    count, level = np.zeros((n, n), np.int64), np.full((n, n), -1)
    levels = _levels(rates.benchmarks, task, precision)
    for i, columns in enumerate(levels):
        logs = _pairs(rates, columns)
        seen = np.isfinite(logs)
        number = seen.sum(axis=2)
        new = (count == 0) & (number > 0)
        filled = np.where(seen, logs, 0.0)
        mean[new] = (filled.sum(axis=2)[new]) / number[new]
        low[new] = np.where(seen, logs, np.inf).min(axis=2)[new]
        high[new] = np.where(seen, logs, -np.inf).max(axis=2)[new]
        count[new], level[new] = number[new], i
    together = count > 0
    linked = together | (together.astype(np.int64) @ together > 0)
    return Ratios(mean, low, high, count, level, linked, levels)


def _pairs(rates: Grid, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log ratios, shape (gpus, gpus, networks): each network at the fewest GPUs that both used."""
    what = [rates.benchmarks[c][:4] for c in columns]
    at = {name: i for i, name in enumerate(dict.fromkeys(what))}
    network = np.array([at[name] for name in what])
    used = np.array([rates.benchmarks[c][4] for c in columns])
    logs = np.full((len(rates.gpus), len(rates.gpus), len(at)), np.nan)
    for gpus in np.unique(used):
        of_size = columns[used == gpus]
        more = rates.log_rate[:, None, of_size] - rates.log_rate[None, :, of_size]
        so_far = logs[:, :, network[used == gpus]]
        logs[:, :, network[used == gpus]] = np.where(np.isnan(so_far), more, so_far)
    return logs


def _levels(benchmarks: tuple[Benchmark, ...], task: str, precision: str) -> tuple[NDArray[np.int64], ...]:
    """Groups of benchmarks, the closest to the question first."""
    kind = "inference" if task == "inference" else "training"
    words = NETWORKS.get(task, ("",))
    groups = [
        [
            i
            for i, (_suite, of, network, at, _gpus) in enumerate(benchmarks)
            if of == kind
            and at in stands_for
            and (not own or any(word in network.casefold() for word in words))
        ]
        for own in ((True, False) if task in NETWORKS else (False,))
        for stands_for in PRECISIONS[precision]
    ]
    return tuple(np.array(sorted(g, key=lambda i: benchmarks[i][4]), np.int64) for g in groups if g)
