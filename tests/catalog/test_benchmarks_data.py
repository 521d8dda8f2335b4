"""The data itself: benchmarks."""

import polars as pl

from rackrent.catalog.catalog import DATA_DIR, load

CATALOG = load()
ROWS = CATALOG.all_rows("benchmarks")


def test_one_rate_for_each_system():
    assert ROWS.select("suite", "task", "model", "precision", "gpu", "gpu_count").is_unique().all()


def test_rates_and_counts_are_above_zero():
    assert ROWS.filter((pl.col("rate") <= 0) | (pl.col("gpu_count") < 1)).is_empty()


def test_every_gpu_is_in_the_catalog():
    assert set(ROWS["gpu"]) <= set(CATALOG.all_rows("gpus")["gpu"])


def test_every_row_has_a_source_and_a_date():
    assert set(ROWS["source"]) <= set(CATALOG.sources)


def test_means_are_never_called_official():
    ours = ROWS.filter(pl.col("suite").str.starts_with("mlperf"))["source"].unique()
    assert len(ours) == 3
    assert all("not official MLPerf scores" in CATALOG.cite(source) for source in ours)


def test_one_unit_in_one_benchmark():
    units = ROWS.group_by("suite", "task", "model", "precision").agg(pl.col("unit").n_unique())
    assert units["unit"].max() == 1


def test_the_two_ends_of_the_published_range_are_there():
    chen = ROWS.filter((pl.col("suite") == "chen-2019") & (pl.col("gpu") == "V100 SXM2 16GB"))
    assert sorted(chen["rate"]) == [0.86, 3.08]


def test_more_gpus_of_a_kind_do_more_work():
    lambda_v1 = ROWS.filter((pl.col("suite") == "lambda-v1") & (pl.col("model") == "resnet50"))
    one = lambda_v1.filter(pl.col("gpu_count") == 1).select("gpu", "precision", single="rate")
    eight = lambda_v1.filter(pl.col("gpu_count") == 8).join(one, on=["gpu", "precision"])
    assert not eight.is_empty()
    assert eight.filter(~(pl.col("rate") / pl.col("single")).is_between(2, 9)).is_empty()


def test_the_file_stays_small():
    assert (DATA_DIR / "benchmarks.csv").stat().st_size < 400_000
