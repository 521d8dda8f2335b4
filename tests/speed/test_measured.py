"""Which benchmarks two GPUs share: a small table whose answers can be seen."""

from datetime import date

import polars as pl
import pytest

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.schema import TABLES
from rackrent.speed.measured import bridge, kind_of, measured, shared, stand_in

RATES = [  # suite, model, precision, gpu, count, rate
    ("s", "resnet50", "fp16", "A", 1, 200.0),
    ("s", "resnet50", "fp16", "B", 1, 100.0),
    ("s", "bert_base_squad", "fp16", "A", 1, 80.0),
    ("s", "bert_base_squad", "fp16", "B", 1, 10.0),
    ("s", "resnet50", "fp16", "A", 8, 800.0),
    ("s", "resnet50", "fp16", "B", 8, 790.0),
    ("s", "resnet50", "fp32", "A", 1, 30.0),
    ("s", "resnet50", "fp32", "B", 1, 20.0),
    ("s", "resnet50", "fp16", "D", 8, 900.0),
    ("other", "resnet50", "fp16", "B", 1, 7.0),
    ("other", "resnet50", "fp16", "C", 1, 14.0),
    ("other", "segmentation (CPU bound)", "fp16", "A", 1, 1.0),
    ("other", "segmentation (CPU bound)", "fp16", "B", 1, 1.0),
]


@pytest.fixture
def catalog(tmp_path):
    names = ("suite", "model", "precision", "gpu", "gpu_count", "rate")
    same = {
        "task": "training", "unit": "x/s", "source": "s", "observed_on": "2020-01-01", "confidence": "high",
        "valid_from": "2020-01-01", "valid_to": None, "note": None, "system_w": None,
    }  # fmt: skip
    rows = [dict(zip(names, r, strict=True)) | same for r in RATES]
    pl.DataFrame(rows).select(list(TABLES["benchmarks"].dtypes)).write_csv(tmp_path / "benchmarks.csv")
    return Catalog(date(2025, 1, 1), tmp_path)


def ratios(catalog, task, precision, one="A", other="B"):
    return {s.benchmark.network: s.ratio for s in shared(catalog, one, other, task, precision)}


def test_a_network_counts_once_at_the_fewest_gpus_that_both_used(catalog):
    assert ratios(catalog, "generic", "fp16") == {"resnet50": 2, "bert_base_squad": 8}
    assert ratios(catalog, "generic", "fp16", "A", "D") == pytest.approx({"resnet50": 800 / 900})


def test_networks_of_the_task_come_first(catalog):
    assert ratios(catalog, "cnn_training", "fp16") == {"resnet50": 2}
    assert ratios(catalog, "transformer_finetune", "fp16") == {"bert_base_squad": 8}


def test_the_precision_asked_for_comes_first_and_another_stands_in(catalog):
    assert ratios(catalog, "cnn_training", "fp32") == {"resnet50": 1.5}
    assert ratios(catalog, "cnn_training", "fp32", "B", "C") == {"resnet50": 0.5}


def test_a_task_that_nobody_measured_takes_other_training(catalog):
    assert set(ratios(catalog, "diffusion", "fp16")) == {"resnet50", "bert_base_squad"}


def test_what_measured_the_loader_says_nothing_about_a_gpu(catalog):
    assert ratios(catalog, "segmentation", "fp16") == {"resnet50": 2, "bert_base_squad": 8}


def test_rates_of_different_suites_never_meet_but_a_third_gpu_links_them(catalog):
    assert ratios(catalog, "generic", "fp16", "A", "C") == {}
    assert bridge(catalog, "A", "C", "generic", "fp16") == "B"
    assert bridge(catalog, "C", "D", "generic", "fp16") == "B"


def test_inference_is_not_training(catalog):
    assert ratios(catalog, "inference", "fp16") == {}
    assert kind_of("inference", "resnet50") == "inference"


def test_several_gpus_count_only_where_some_gpu_has_nothing_smaller(catalog):
    at_eight = {m.gpu for m in measured(catalog) if m.benchmark.gpus == 8}
    assert at_eight == {"A", "B", "D"}, "D ran on eight only"


def test_a_name_without_measurements_stands_for_itself(catalog):
    assert stand_in(catalog, "Z") == "Z"


def test_every_ratio_has_a_fact(catalog):
    facts = [s.fact for s in shared(catalog, "A", "B", "generic", "fp16")]
    assert {f.key: f.value for f in facts} == {
        "s/bert_base_squad/fp16/1x/A:B": 8,
        "s/resnet50/fp16/1x/A:B": 2,
    }
