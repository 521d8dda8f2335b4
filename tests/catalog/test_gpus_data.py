"""The shipped table of GPUs."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from rackrent.catalog.catalog import load

GPUS = load(as_of=date(2026, 11, 30)).all_rows("gpus")


def test_each_gpu_stands_once():
    assert not GPUS["gpu"].is_duplicated().any()


def test_figures_are_positive_or_unknown():
    figures = GPUS.select(pl.col(pl.Float64))
    assert all((figures[c].drop_nulls() > 0).all() for c in figures.columns)


def test_figures_are_plausible():
    assert GPUS["memory_gb"].drop_nulls().is_between(3, 300).all()
    assert GPUS["tdp_w"].drop_nulls().is_between(30, 1_500).all()
    assert GPUS.filter(pl.col("idle_w") > 0.35 * pl.col("tdp_w")).is_empty()
    assert GPUS.filter(pl.col("fp16_tensor_tflops") < pl.col("fp32_tflops")).is_empty()


def test_a_name_that_states_memory_has_it():
    stated = GPUS.with_columns(said=pl.col("gpu").str.extract(r"(\d+)GB").cast(pl.Float64)).drop_nulls("said")
    assert stated.height > 20
    assert stated.filter(pl.col("memory_gb") != pl.col("said")).is_empty()


def test_each_row_has_a_source_and_a_date():
    sources = load().all_rows("sources")["id"]
    assert GPUS["source"].is_in(sources.implode()).all()
    assert GPUS["observed_on"].null_count() == 0


def test_a_gpu_exists_from_its_launch():
    launched = GPUS.drop_nulls("launch_date")
    assert (launched["valid_from"] == launched["launch_date"]).all()
    assert "RTX 3090" not in load(as_of=date(2018, 9, 1)).table("gpus")["gpu"]


def test_a_k80_is_a_board_of_two_dies():
    board, die = (GPUS.row(by_predicate=pl.col("gpu") == n, named=True) for n in ("K80", "K80 (one die)"))
    assert (board["memory_gb"], board["dies"]) == (24, 2)
    assert (die["memory_gb"], die["dies"]) == (12, 1)
    assert die["memory_bandwidth_gbs"] == board["memory_bandwidth_gbs"] / 2
    assert die["fp32_tflops"] == board["fp32_tflops"] / 2


@pytest.mark.parametrize(
    ("family", "slower", "faster"),
    [
        ("A100 80GB", "A100 PCIe 80GB", "A100 SXM 80GB"),
        ("H100 80GB", "H100 PCIe 80GB", "H100 SXM 80GB"),
        ("V100 16GB", "V100 PCIe 16GB", "V100 SXM2 16GB"),
    ],
)
def test_a_family_has_the_figures_of_its_slower_form(family, slower, faster):
    rows = {r["gpu"]: r for r in GPUS.iter_rows(named=True)}
    assert rows[family]["fp16_tensor_tflops"] == rows[slower]["fp16_tensor_tflops"]
    assert rows[family]["memory_bandwidth_gbs"] <= rows[faster]["memory_bandwidth_gbs"]
    assert slower in rows[family]["note"]


def test_figures_that_a_correction_was_needed_for():
    rows = {r["gpu"]: r for r in GPUS.iter_rows(named=True)}
    assert rows["MI300X"]["memory_bandwidth_gbs"] == 5_300
    assert rows["B200"]["memory_gb"] == 180
    assert rows["V100 SXM2 16GB"]["tdp_w"] == 300
    assert rows["GTX 1080 Ti"]["launch_price_usd"] == 699
