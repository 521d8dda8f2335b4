"""Measured rates of GPUs on tasks."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from statistics import median

from rackrent.catalog.names import canonical_gpu
from tools.catalog.common import Row, Sources, day, number, read_facts

SUITES = {  # beginning of the facts' name: (suite, source id, citation)
    "Lambda deeplearning-benchmark v1": ("lambda-v1", "lambda-benchmark", "lambdal/deeplearning-benchmark@aa5addb6 and @fe450482"),
    "Lambda deeplearning-benchmark v2": ("lambda-v2", "lambda-benchmark", "lambdal/deeplearning-benchmark@aa5addb6 and @fe450482"),
    "Lambda deeplearning-benchmark 2022-06": ("lambda-2022", "lambda-benchmark", "lambdal/deeplearning-benchmark@aa5addb6 and @fe450482"),
    "Lambda TensorFlow 1.12 CNN": ("lambda-tf-2019", "lambda-blog-2019", "Lambda blog 2019: TensorFlow 1.12 on RTX 2080 Ti and others"),
    "Lambda 2019-02": ("lambda-cnn-2019", "lambda-blog-2019", "Lambda blog 2019: TensorFlow 1.12 on RTX 2080 Ti and others"),
    "MLPerf Training v5.0": ("mlperf-training-5.0", "mlperf-training-5.0", "MLCommons training results v5.0: our means of result logs, not official MLPerf scores"),
    "MLPerf Training v5.1": ("mlperf-training-5.1", "mlperf-training-5.1", "MLCommons training results v5.1: our means of result logs, not official MLPerf scores"),
    "MLPerf Inference v5.1": ("mlperf-inference-5.1", "mlperf-inference-5.1", "MLCommons inference results v5.1, closed, offline: our reading, not official MLPerf scores"),
    "Jeff Chen part 3": ("chen-2019", "chen-part-3", "Jeff Chen, Why your personal deep learning computer can be faster than AWS, 2019-04-29, updated 2019-07-15"),
}  # fmt: skip
ATTRIBUTION = "Benchmarks: MLCommons training v5.0 and v5.1, inference v5.1 (Apache-2.0); the means are ours and are not official MLPerf scores."


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `benchmarks`: the median where one system was measured more than once."""
    runs: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for fact in read_facts(facts / "benchmarks.csv"):
        for row in _rows(fact, sources):
            key = (
                row["suite"],
                row["task"],
                row["model"],
                row["precision"],
                row["gpu"],
                str(row["gpu_count"]),
            )
            runs[key].append(row)
    return {"benchmarks": [_merged(rows) for rows in runs.values()]}


def _rows(fact: Row, sources: Sources) -> list[Row]:
    name = fact["benchmark"]
    found = next((s for start, s in SUITES.items() if name.startswith(start)), None)
    rate, count = number(fact["throughput"]), number(fact["gpu_count"])
    if found is None or not rate or not count:
        return []
    suite, id, citation = found
    mlperf = suite.startswith("mlperf")
    source = sources.cite(id, citation, "Apache-2.0" if mlperf else "facts", ATTRIBUTION if mlperf else None)
    observed = day(fact["date"])
    assert observed
    row = {
        "suite": suite, "task": fact["task"].split("-")[0], "model": fact["model"], "precision": _precision(fact),
        "gpu_count": count, "rate": rate, "unit": fact["unit"], "system_w": None, "source": source,
        "observed_on": observed, "confidence": fact["confidence"], "valid_from": observed, "note": None,
    }  # fmt: skip
    if suite == "chen-2019":  # a ratio to a home machine: two rows, so that rates compare
        return [{**row, "gpu": "V100 SXM2 16GB"}, {**row, "gpu": "GTX 1080 Ti", "rate": 1.0}]
    gpu = canonical_gpu(fact["gpu"])
    if gpu is None:
        return []
    if suite == "lambda-cnn-2019":  # given as RTX 2080 Ti over this GPU
        return [
            {**row, "gpu": gpu, "rate": 1 / rate, "unit": "x of RTX 2080 Ti"},
            {**row, "gpu": "RTX 2080 Ti", "rate": 1.0, "unit": "x of RTX 2080 Ti"},
        ]
    if fact["task"] == "training-time-to-quality":
        row |= {"rate": 1 / (60 * rate), "unit": "trainings/s"}
    return [{**row, "gpu": gpu}]


def _precision(fact: Row) -> str:
    text = fact["precision"].lower()
    if text in ("fp32", "fp16", "tf32", "bf16", "fp8", "fp4"):
        return text
    if "uint4" in text:
        return "fp4"
    return "fp8" if re.search(r"fp8", text) and "submission" not in text else "mixed"


def _merged(rows: list[Row]) -> Row:
    first = min(rows, key=lambda r: r["observed_on"])
    notes = []
    if len(rows) > 1:
        notes.append(f"median of {len(rows)} results")
    return {
        **first,
        "rate": float(f"{median(r['rate'] for r in rows):.6g}"),
        "note": "; ".join(notes) or None,
    }
