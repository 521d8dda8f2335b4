"""What was measured: rates of GPUs on benchmarks, and which of them two GPUs share.

Only like is set against like: the same suite, network, precision and number of GPUs, so that only the GPU
differs. A benchmark belongs to one kind of work (a `task` of the workload, or "other").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.catalog.names import members

NETWORKS: Mapping[str, tuple[str, ...]] = {
    "cnn_training": ("resnet", "inception", "ssd", "mean of cnn", "retinanet"),
    "segmentation": ("maskrcnn", "segmentation"),
    "transformer_finetune": ("squad", "lora"),
    "transformer_pretrain": ("gnmt", "transformerxl", "bert", "llama31"),
    "diffusion": ("stable_diffusion", "flux"),
}
"""Parts of the names of the networks that stand for a kind of training; the first that fits counts."""
NOT_THE_GPU = "cpu bound"
"""Said in the name of a benchmark that measured the loader: no evidence on the GPU."""
STANDS_FOR: Mapping[str, str] = {
    "fp32": "fp32", "tf32": "fp32", "fp16": "fp16", "bf16": "bf16", "mixed": "bf16", "fp8": "fp8", "fp4": "fp8",
}  # fmt: skip
"""Precision of the workload that a measured one stands for."""
CLOSEST: Mapping[str, tuple[str, ...]] = {
    "fp32": ("fp32", "fp16", "bf16", "fp8"),
    "fp16": ("fp16", "bf16", "fp8", "fp32"),
    "bf16": ("bf16", "fp16", "fp8", "fp32"),
    "fp8": ("fp8", "bf16", "fp16", "fp32"),
}
"""For each precision, the order in which measured ones are looked at."""


class Benchmark(NamedTuple):
    """Within one of these, rates compare."""

    suite: str
    task: str
    network: str
    precision: str
    gpus: float

    @property
    def kind(self) -> str:
        """Kind of work: a task of the workload, or "other"."""
        return kind_of(self.task, self.network)


class Measured(NamedTuple):
    """One measured rate: `log_rate` is the natural logarithm of work per second of all GPUs."""

    gpu: str
    benchmark: Benchmark
    log_rate: float


@dataclass(frozen=True)
class Shared:
    """A benchmark that two GPUs both ran, at the fewest GPUs that both used; `ratio` of the first to the second."""

    benchmark: Benchmark
    ratio: float
    fact: Fact


def kind_of(task: str, network: str) -> str:
    """Return the kind of work that a benchmark stands for.

    >>> kind_of("training", "bert_base_squad"), kind_of("training", "bert"), kind_of("inference", "llama2-70b")
    ('transformer_finetune', 'transformer_pretrain', 'inference')
    """
    if task == "inference":
        return "inference"
    name = network.casefold()
    return next((kind for kind, words in NETWORKS.items() if any(w in name for w in words)), "other")


def measured(catalog: Catalog) -> tuple[Measured, ...]:
    """Return the measured rates that say something about a GPU.

    What was run on several numbers of GPUs counts at the fewest, and at those numbers that are another GPU's
    fewest. A benchmark that only one GPU ran compares nothing.
    """
    return catalog.once("measured rates", lambda: _measured(catalog))


def stand_in(catalog: Catalog, name: str) -> str:
    """Return the GPU whose measurements speak for `name`: itself, else its family or the member most measured.

    A name that nothing measured is related to is returned as it is.
    """
    return catalog.once(f"measured stand-in of {name}", lambda: _stand_in(catalog, name))


def shared(catalog: Catalog, one: str, other: str, task: str, precision: str) -> list[Shared]:
    """Return the benchmarks that both GPUs ran and that are the closest to a task and precision; empty if none.

    First those of the kind of work at the precision asked for, then at other precisions, then other training (for
    inference nothing else stands in).
    """
    both = catalog.once(f"shared benchmarks of {one} and {other}", lambda: _shared(catalog, one, other))
    return next((group for group in _groups(both, task, precision) if group), [])


def bridge(catalog: Catalog, one: str, other: str, task: str, precision: str) -> str | None:
    """Return the GPU that shares the most benchmarks of the task with both; None if there is none."""
    best, most = None, 0
    for third in sorted({m.gpu for m in measured(catalog)} - {one, other}):
        links = (shared(catalog, end, third, task, precision) for end in (one, other))
        fewest = min(len(link) for link in links)
        if fewest > most:
            best, most = third, fewest
    return best


def _groups(both: list[Shared], task: str, precision: str) -> list[list[Shared]]:
    fits = [s for s in both if (s.benchmark.task == "inference") == (task == "inference")]
    groups = []
    for own in (True, False) if task in NETWORKS else (False,):
        for at in CLOSEST[precision]:
            groups.append(
                [
                    s
                    for s in fits
                    if STANDS_FOR[s.benchmark.precision] == at and (not own or s.benchmark.kind == task)
                ]
            )
    return groups


def _rows(catalog: Catalog) -> dict[tuple[str, Benchmark], dict[str, Any]]:
    def rows() -> dict[tuple[str, Benchmark], dict[str, Any]]:
        key = ("suite", "task", "model", "precision", "gpu_count", "gpu")
        table = catalog.known_by("benchmarks", key)
        return {
            (r["gpu"], Benchmark(r["suite"], r["task"], r["model"], r["precision"], r["gpu_count"])): r
            for r in table.iter_rows(named=True)
            if NOT_THE_GPU not in r["model"].casefold()
        }

    return catalog.once("benchmark rows", rows)


def _by_gpu(catalog: Catalog) -> dict[str, set[Benchmark]]:
    ran: dict[str, set[Benchmark]] = {}
    for gpu, b in _rows(catalog):
        ran.setdefault(gpu, set()).add(b)
    return ran


def _measured(catalog: Catalog) -> tuple[Measured, ...]:
    rows = _rows(catalog)
    fewest: dict[tuple[object, ...], float] = {}
    for gpu, b in rows:
        fewest[gpu, *b[:4]] = min(b.gpus, fewest.get((gpu, *b[:4]), b.gpus))
    counted = {(key[1:], count) for key, count in fewest.items()}
    chosen = [(gpu, b) for gpu, b in rows if (b[:4], b.gpus) in counted]
    ran: dict[Benchmark, int] = {}
    for _gpu, b in chosen:
        ran[b] = ran.get(b, 0) + 1
    return tuple(Measured(gpu, b, log(rows[gpu, b]["rate"])) for gpu, b in chosen if ran[b] > 1)


def _stand_in(catalog: Catalog, name: str) -> str:
    count: dict[str, int] = {}
    for m in measured(catalog):
        count[m.gpu] = count.get(m.gpu, 0) + 1
    if name in count:
        return name
    alike = [g for g in count if g.split()[0] == name.split(maxsplit=1)[0]]
    related = [g for g in alike if members(g, (name,))] or members(name, alike)
    return max(related, key=lambda g: count[g], default=name)


def _shared(catalog: Catalog, one: str, other: str) -> list[Shared]:
    rows, ran = _rows(catalog), catalog.once("benchmarks by GPU", lambda: _by_gpu(catalog))
    found: dict[tuple[str, ...], Shared] = {}
    for b in sorted(ran.get(one, frozenset()) & ran.get(other, frozenset())):
        if b[:4] in found:
            continue
        row = rows[one, b]
        ratio = row["rate"] / rows[other, b]["rate"]
        key = f"{b.suite}/{b.network}/{b.precision}/{b.gpus:g}x/{one}:{other}"
        found[b[:4]] = Shared(b, ratio, fact_of("benchmarks", key, row, ratio, "ratio"))
    return list(found.values())
