"""Speed of one GPU against another: what was measured and the datasheets together, else unknown."""

from datetime import date
from itertools import permutations

import pytest

from rackrent.catalog.catalog import load
from rackrent.speed import OwnRate, relative_speed, scaling

CATALOG = load(as_of=date(2026, 11, 30))
SOME = [
    "GTX 1080 Ti",
    "V100 SXM2 16GB",
    "RTX 3090",
    "RTX 4090",
    "RTX 5090",
    "H100 SXM 80GB",
    "MI300X",
    "K80 (one die)",
]


@pytest.mark.brief("A6")
@pytest.mark.case("chen-2018")
@pytest.mark.parametrize(
    ("task", "precision"),
    [("cnn_training", "fp32"), ("cnn_training", "fp16"), ("segmentation", "fp32"), ("segmentation", "fp16")],
)
def test_a_v100_against_a_1080_ti_is_inside_the_published_range(task, precision):
    speed = relative_speed(CATALOG, "V100 SXM2 16GB", "GTX 1080 Ti", task, precision)
    assert speed.basis == "benchmark"
    assert 0.86 <= speed.ratio <= 3.08
    assert {f.table for f in speed.facts} == {"benchmarks", "gpus"}
    assert speed.low < speed.ratio < speed.high


@pytest.mark.brief("A6")
def test_a_1080_ti_is_a_few_times_a_k80():
    speed = relative_speed(CATALOG, "GTX 1080 Ti", "K80 (one die)", "cnn_training", "fp32")
    assert speed.low <= 3 <= speed.high


@pytest.mark.parametrize("task", ["generic", "transformer_finetune", "inference"])
def test_the_way_back_is_the_way_there(task):
    for a, b in permutations(SOME, 2):
        there, back = relative_speed(CATALOG, a, b, task), relative_speed(CATALOG, b, a, task)
        assert there.ratio * back.ratio == pytest.approx(1)
        assert there.low * back.high == pytest.approx(1)
        assert there.low <= there.ratio <= there.high


def test_gpus_of_different_suites_meet_through_a_third():
    speed = relative_speed(CATALOG, "H100 SXM 80GB", "GTX 1080 Ti", "cnn_training", "fp16")
    assert speed.basis == "benchmark"
    assert 7 < speed.ratio < 15
    assert speed.formula.count("measured") == 2


def test_an_unmeasured_gpu_is_placed_by_its_datasheet_with_a_wide_interval():
    speed = relative_speed(CATALOG, "RTX 5090", "RTX 3090", "cnn_training", "fp16")
    known = relative_speed(CATALOG, "RTX 4090", "RTX 3090", "cnn_training", "fp16")
    assert speed.basis == "datasheet"
    assert "by datasheet" in speed.formula
    assert speed.high / speed.low > 1.3 * known.high / known.low
    assert {f.table for f in speed.facts} == {"gpus"}


def test_a_datasheet_alone_promises_less_than_it_says():
    """An MI300X has 18 times the half-precision rate and 5.7 times the bandwidth of an RTX 3090."""
    speed = relative_speed(CATALOG, "MI300X", "RTX 3090", "cnn_training", "fp16")
    assert speed.basis == "datasheet"
    assert speed.ratio < 5
    assert speed.high < 7.07, "the plain datasheet ratio"


@pytest.mark.parametrize("task", ["generic", "cnn_training", "inference"])
def test_speeds_are_transitive(task):
    def ratio(a, b):
        return relative_speed(CATALOG, a, b, task).ratio

    for a, b, c in permutations(SOME[:5], 3):
        assert ratio(a, b) * ratio(b, c) == pytest.approx(ratio(a, c))


def test_more_evidence_means_a_narrower_interval():
    def width(a, b):
        speed = relative_speed(CATALOG, a, b, "cnn_training", "fp16")
        return speed.high / speed.low

    measured_together = width("RTX A6000", "RTX 3090")
    measured_elsewhere = width("MI300X", "RTX 3090")
    never_measured = width("K80 (one die)", "RTX 3090")
    assert measured_together < measured_elsewhere < never_measured


OWN = (
    OwnRate("RTX 3090", "cnn_training", "fp16", 100.0, "samples/s", 1, "benchmarks[0]"),
    OwnRate("H100 SXM 80GB", "cnn_training", "fp16", 150.0, "samples/s", 1, "benchmarks[1]"),
)


def test_your_own_benchmark_outweighs_all_others():
    without = relative_speed(CATALOG, "H100 SXM 80GB", "RTX 3090", "cnn_training", "fp16")
    speed = relative_speed(CATALOG, "H100 SXM 80GB", "RTX 3090", "cnn_training", "fp16", own=OWN)
    assert without.low > 2
    assert speed.ratio == pytest.approx(1.5, rel=0.12)
    assert speed.high / speed.low < 1.2
    assert "your own benchmark 1.50" in speed.formula
    assert [f.value for f in speed.facts if f.table == "workload"] == [150.0, 100.0]


def test_your_own_benchmark_on_other_work_says_less():
    other = tuple(rate._replace(task="inference") for rate in OWN)
    with_own, without = (
        relative_speed(CATALOG, "H100 SXM 80GB", "RTX 3090", "cnn_training", "fp16", own=own).ratio
        for own in (other, ())
    )
    assert 2.5 < with_own <= without * 1.01


def test_without_specifications_speed_is_unknown_never_one():
    speed = relative_speed(CATALOG, "Radeon Pro V710", "GTX 1080 Ti")
    assert (speed.basis, speed.ratio, speed.low) == ("unknown", None, None)
    assert "Radeon Pro V710" in speed.formula


def test_the_same_gpu_and_no_reference_count_one():
    assert relative_speed(CATALOG, "RTX 3090", "RTX 3090").ratio == 1
    assert relative_speed(CATALOG, "Radeon Pro V710", None).ratio == 1


def test_a_family_is_measured_through_its_members():
    assert relative_speed(CATALOG, "A100 80GB", "A100 SXM 80GB").ratio == 1
    assert relative_speed(CATALOG, "A100 80GB", "RTX 3090").basis == "benchmark"


def test_precision_decides():
    fp32, fp16 = (
        relative_speed(CATALOG, "V100 SXM2 16GB", "GTX 1080 Ti", "cnn_training", p).ratio
        for p in ("fp32", "fp16")
    )
    assert fp16 > 1.3 * fp32, "tensor cores help at half precision"


def test_inference_is_measured_on_inference():
    speed = relative_speed(CATALOG, "B200", "H200 SXM 141GB", "inference", "fp8")
    assert speed.basis == "benchmark"
    benchmarks = [f.key for f in speed.facts if f.table == "benchmarks"]
    assert benchmarks and all("mlperf-inference" in key for key in benchmarks)


def test_the_formula_carries_its_numbers():
    speed = relative_speed(CATALOG, "RTX 3090", "GTX 1080 Ti", "cnn_training", "fp16")
    assert f"{speed.ratio:.2f}" in speed.formula
    assert "2 benchmarks" in speed.formula


def test_several_gpus_are_less_than_their_number():
    assert scaling(CATALOG, 1).value == 1
    assert 0.6 < scaling(CATALOG, 4).low < scaling(CATALOG, 4).value < 1
    assert scaling(CATALOG, 4, {"multi_gpu_efficiency": 0.95}).value == 0.95
