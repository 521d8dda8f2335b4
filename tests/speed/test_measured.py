"""Pairs of GPUs on what both ran: a small grid whose answers can be seen."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.schema import TABLES
from rackrent.speed.measured import grid, ratio_facts, ratios

RATES = [  # suite, model, precision, gpu, count, rate
    ("s", "resnet50", "fp16", "A", 1, 200.0),
    ("s", "resnet50", "fp16", "B", 1, 100.0),
    ("s", "bert", "fp16", "A", 1, 80.0),
    ("s", "bert", "fp16", "B", 1, 10.0),
    ("s", "resnet50", "fp16", "A", 8, 800.0),
    ("s", "resnet50", "fp16", "B", 8, 790.0),
    ("s", "resnet50", "fp32", "A", 1, 30.0),
    ("s", "resnet50", "fp32", "B", 1, 20.0),
    ("other", "resnet50", "fp16", "B", 1, 7.0),
    ("other", "resnet50", "fp16", "C", 1, 14.0),
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


def ratio(catalog, task, precision, one, other):
    taken, names = ratios(catalog, task, precision), grid(catalog).gpus
    i, j = names.index(one), names.index(other)
    return float(np.exp(taken.mean[i, j])) if taken.count[i, j] else None


def test_the_mean_is_geometric_and_each_network_counts_once_at_the_fewest_gpus(catalog):
    assert ratio(catalog, "generic", "fp16", "A", "B") == pytest.approx((2 * 8) ** 0.5)


def test_networks_of_the_task_come_first(catalog):
    assert ratio(catalog, "cnn_training", "fp16", "A", "B") == pytest.approx(2)
    assert ratio(catalog, "transformer_finetune", "fp16", "A", "B") == pytest.approx(8)


def test_the_precision_asked_for_comes_first_and_another_stands_in(catalog):
    assert ratio(catalog, "cnn_training", "fp32", "A", "B") == pytest.approx(1.5)
    assert ratio(catalog, "cnn_training", "fp32", "B", "C") == pytest.approx(0.5)


def test_a_task_without_networks_of_its_own_takes_all(catalog):
    assert ratio(catalog, "diffusion", "fp16", "A", "B") == pytest.approx(4)


def test_rates_of_different_suites_never_meet_but_a_third_gpu_links_them(catalog):
    assert ratio(catalog, "generic", "fp16", "A", "C") is None
    taken, names = ratios(catalog, "generic", "fp16"), grid(catalog).gpus
    a, b, c = (names.index(n) for n in "ABC")
    assert taken.linked[a, c]
    assert taken.bridge(a, c) == b


def test_inference_is_not_training(catalog):
    assert ratio(catalog, "inference", "fp16", "A", "B") is None


def test_every_ratio_has_a_fact(catalog):
    taken, names = ratios(catalog, "generic", "fp16"), grid(catalog).gpus
    facts = ratio_facts(catalog, taken, names.index("A"), names.index("B"))
    assert {f.key: round(f.value, 6) for f in facts} == {"s/bert/fp16/1x/A:B": 8, "s/resnet50/fp16/1x/A:B": 2}
