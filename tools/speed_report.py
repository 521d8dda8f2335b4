"""Write the figures of `docs/speed.md` from the code and the shipped benchmarks: `python -m tools.speed_report`.

The text before the marker is written by hand and kept. `--estimate` prints the spreads that the benchmarks suggest
beside those in use instead (a minute).
"""

from __future__ import annotations

import sys
from datetime import date
from math import exp
from pathlib import Path

from rackrent.catalog.catalog import Catalog, load
from rackrent.catalog.hardware import systems
from rackrent.comparison.candidate import cores_of
from rackrent.speed.memory import Network, footprint, largest_batch
from rackrent.speed.mixed import SPREAD
from rackrent.speed.pipeline import Feed, Input, delivered_ratio, loader_rate_for
from rackrent.speed.relative import WIDTH, fitted, gpu_design, relative_speed
from tools.speed_calibration import BASELINES, Calibration, Score, Tried, baseline, estimated_spread, score

DOC = Path(__file__).parent.parent / "docs" / "speed.md"
MARKER = "<!-- below: made by `python -m tools.speed_report` from src/rackrent/speed and the shipped benchmarks -->"
AS_OF = date(2026, 11, 30)
CHEN = "chen-2019"
CHEN_RESNET, CHEN_SEGMENTATION = 3.08, 0.86
"""What Jeff Chen measured of a V100 as a multiple of his 1080 Ti: computing, and held back by its loader."""
CARDS = (
    "K80 (one die)", "GTX 1080 Ti", "V100 SXM2 16GB", "RTX 2080 Ti", "RTX 3090", "A100 SXM 80GB", "RTX 4090", "L40S",
    "H100 SXM 80GB", "H200 SXM 141GB", "MI300X", "RTX 5090", "B200",
)  # fmt: skip
TASKS = (
    "cnn_training",
    "segmentation",
    "transformer_finetune",
    "transformer_pretrain",
    "diffusion",
    "inference",
)
PERCENT_OF_1080_TI = 100.0


def report(catalog: Catalog) -> str:
    """Return everything below the marker."""
    calibration = Calibration(catalog)
    parts = [
        ("How good it is", _quality(calibration)),
        ("Which resource binds", _slopes(catalog)),
        ("A V100 against a 1080 Ti", _chen(catalog, calibration)),
        ("Some speeds", _speeds(catalog)),
        ("Some footprints", _footprints()),
    ]
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in parts) + "\n"


def _quality(calibration: Calibration) -> str:
    gpus = calibration.gpus()
    lines = [
        f"{len(set(gpus.group))} GPUs left out one at a time, {len(gpus.group):,} ratios predicted.",
        "",
        "| | inside the 80 % interval | median width (high / low) | median error |",
        "|---|---|---|---|",
    ]
    for once, label in ((False, "each ratio counts once"), (True, "each GPU counts once")):
        ours = score(gpus, each_group_once=once)
        lines.append(_line(f"rackrent, {label}", ours))
        for which, name in enumerate(BASELINES):
            theirs = baseline(gpus, which, ours.coverage, each_group_once=once)
            lines.append(_line(f"datasheet ratio: {name}, {label}", theirs))
    others: list[tuple[str, Tried]] = [
        ("whole architectures left out", calibration.architectures()),
        ("networks left out, GPUs measured on others", calibration.networks()),
    ]
    for name, tried in others:
        lines.append(_line(f"rackrent, {name}", score(tried, each_group_once=True)))
    return "\n".join(lines)


def _line(name: str, s: Score) -> str:
    return f"| {name} | {s.coverage:.0%} | {s.width:.2f} | {s.error:.0%} |"


def _slopes(catalog: Catalog) -> str:
    model = fitted(catalog)
    lines = ["| kind of work | exponent of arithmetic rate | exponent of memory bandwidth |", "|---|---|---|"]
    for task in TASKS:
        size = model.estimate(("size",)) + model.estimate(("size_of_kind", task))
        balance = model.estimate(("balance",)) + model.estimate(("balance_of_kind", task))
        lines.append(f"| `{task}` | {(size + balance) / 2:.2f} | {(size - balance) / 2:.2f} |")
    return "\n".join(lines)


def chen_held_out(calibration: Calibration) -> tuple[float, float, float]:
    """Return the ratio of a V100 to a 1080 Ti on a GPU-bound network, low and high, without Jeff Chen's rows."""
    model = calibration.without(lambda m: m.benchmark.suite == CHEN)
    one, other = (
        gpu_design(calibration.catalog, name, "cnn_training", "fp16") | {("network", name): 1.0}
        for name in ("V100 SXM2 16GB", "GTX 1080 Ti")
    )
    log_ratio, deviation = model.contrast(one, other)
    spread = exp(WIDTH * deviation)
    return exp(log_ratio), exp(log_ratio) / spread, exp(log_ratio) * spread


def chen_machines() -> tuple[Feed, Feed]:
    """Return what feeds the V100 of a p3.2xlarge, and the 1080 Ti of his machine: cores from the catalog of 2018."""
    then = load(as_of=date(2018, 9, 15))
    vcpus = next(
        row["vcpus"]
        for row in then.table("offers").iter_rows(named=True)
        if row["instance_type"] == "p3.2xlarge" and row["vcpus"]
    )
    pc = next(s for s in systems(then) if s.id == "chen-2018-1x-gtx-1080-ti")
    return Feed(1, cores_of(vcpus)), Feed(1, pc.cpu_cores)


def _chen(catalog: Catalog, calibration: Calibration) -> str:
    ratio, low, high = chen_held_out(calibration)
    cloud, home = chen_machines()
    rate = loader_rate_for(CHEN_SEGMENTATION, ratio, PERCENT_OF_1080_TI, cloud, home)
    even = loader_rate_for(1.0, ratio, PERCENT_OF_1080_TI, cloud, home)
    assert rate is not None and even is not None
    lines = [
        f"Without his rows, a V100 is predicted at **{ratio:.2f} x** a 1080 Ti on a convolutional network at half",
        f"precision ({low:.2f} to {high:.2f}); he measured {CHEN_RESNET}.",
        "",
        f"Now the loader: {cloud.cores:.0f} cores feed the V100 (8 virtual CPUs of a p3.2xlarge), {home.cores:.0f} feed the 1080 Ti (his",
        "machine). Only what one core prepares is changed:",
        "",
        "| one core prepares, % of what the 1080 Ti computes | V100 / 1080 Ti |",
        "|---|---|",
    ]
    for percent in (100, 70, 50, 40, 30, even, rate, 15, 10, 5):
        need = Input(samples_per_second_per_core=percent)
        lines.append(
            f"| {percent:.1f} | {delivered_ratio(ratio, PERCENT_OF_1080_TI, need, cloud, home):.2f} |"
        )
    kepler = relative_speed(catalog, "GTX 1080 Ti", "K80 (one die)", "cnn_training", "fp32")
    lines += [
        "",
        f"His {CHEN_SEGMENTATION} x comes out where one core prepares **{rate:.1f} %** of what the 1080 Ti computes.",
        "",
        f"A K80 was never measured: by its datasheet a 1080 Ti is {kepler.ratio:.2f} x one of its dies ({kepler.low:.2f} to {kepler.high:.2f}).",
    ]
    return "\n".join(lines)


def _speeds(catalog: Catalog) -> str:
    lines = [
        "As a multiple of an RTX 3090 at `fp16`, with the 80 % interval.",
        "",
        "| | " + " | ".join(f"`{t}`" for t in TASKS) + " |",
        "|---" * (len(TASKS) + 1) + "|",
    ]
    for card in CARDS:
        cells = []
        for task in TASKS:
            s = relative_speed(catalog, card, "RTX 3090", task, "fp16")
            cells.append("1" if s.basis == "same" else f"{s.ratio:.2f} ({s.low:.2f}-{s.high:.2f})")
        lines.append(f"| {card} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _footprints() -> str:
    llama_7b = {"parameters": 6.74e9, "layers": 32, "hidden": 4096, "heads": 32, "sequence": 2048}
    llama_70b = {
        "parameters": 70e9,
        "layers": 80,
        "hidden": 8192,
        "heads": 64,
        "kv_heads": 8,
        "sequence": 4096,
    }
    cases = (
        ("7B, all weights, Adam, checkpointing", Network(**llama_7b, checkpointing=True)),
        ("7B, all weights, 8-bit Adam, checkpointing", Network(**llama_7b, optimiser="adam8bit", checkpointing=True)),
        ("7B, LoRA, checkpointing", Network(**llama_7b, method="lora", checkpointing=True)),
        ("7B, QLoRA, checkpointing", Network(**llama_7b, method="qlora", checkpointing=True)),
        ("7B, served at fp16", Network(**llama_7b, method="inference")),
        ("70B, QLoRA, checkpointing", Network(**llama_70b, method="qlora", checkpointing=True)),
        ("70B, served at fp8", Network(**llama_70b, method="inference", precision="fp8")),
    )  # fmt: skip
    lines = [
        "One sample of 2,048 tokens (4,096 for 70B), and the most samples at once on a card.",
        "",
        "| | GB | on 24 GB | on 48 GB | on 80 GB |",
        "|---|---|---|---|---|",
    ]
    for name, network in cases:
        batches = " | ".join(f"{largest_batch(gb, network)}" for gb in (24, 48, 80))
        lines.append(f"| {name} | {footprint(network).total_gb:.1f} | {batches} |")
    return "\n".join(lines)


def main() -> None:
    """Write the document again, its hand-written part untouched; or print estimates."""
    catalog = load(as_of=AS_OF)
    if "--estimate" in sys.argv:
        for sort, value in estimated_spread(catalog).items():
            print(f"{sort:20} in use {SPREAD[sort]:.3f}  suggested {value:.3f}")
        return
    written = DOC.read_text(encoding="utf-8").partition(MARKER)[0]
    DOC.write_text(f"{written}{MARKER}\n\n{report(catalog)}", encoding="utf-8")


if __name__ == "__main__":
    main()
