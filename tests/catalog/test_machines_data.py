"""The data itself: systems, parts, resale."""

from itertools import pairwise

import polars as pl
import pytest

from rackrent.catalog.catalog import load

CATALOG = load()
SYSTEMS, PARTS, RESALE = (CATALOG.all_rows(t) for t in ("systems", "parts", "resale"))


def test_ids_are_unique_at_any_time():
    assert SYSTEMS.select("system", "valid_from").is_unique().all()
    assert PARTS.select("system", "part_type", "name", "valid_from").is_unique().all()
    assert RESALE.select("segment", "age_years").is_unique().all()


def test_every_row_has_a_source_and_a_date():
    for rows in (SYSTEMS, PARTS, RESALE):
        assert set(rows["source"]) <= set(CATALOG.sources)
        assert rows["observed_on"].null_count() == 0


def test_no_price_is_zero():
    for rows, column in ((SYSTEMS, "amount"), (PARTS, "amount")):
        assert rows.filter(pl.col(column) <= 0).is_empty()


def test_every_gpu_is_in_the_catalog():
    machines = SYSTEMS.filter(pl.col("kind") != "colocation")
    assert set(machines["gpu"]) <= set(CATALOG.all_rows("gpus")["gpu"])


def test_parts_belong_to_a_system_and_sum_to_its_price():
    sums = PARTS.group_by("system", "valid_from").agg(total=(pl.col("amount") * pl.col("quantity")).sum())
    joined = sums.join(SYSTEMS, on=["system", "valid_from"], how="left")
    assert joined["amount"].null_count() == 0
    assert joined.filter((pl.col("total") - pl.col("amount")).abs() > 1)["system"].to_list() == []


def test_gpus_of_a_build_are_the_stated_share_of_its_price():
    cards = PARTS.filter(pl.col("part_type") == "gpu").with_columns(
        gpus=pl.col("amount") * pl.col("quantity")
    )
    joined = cards.join(SYSTEMS, on=["system", "valid_from"])
    assert joined.filter((pl.col("gpus") - pl.col("gpu_amount")).abs() > 0.01).is_empty()
    assert joined.filter(pl.col("quantity") != pl.col("gpu_count")).is_empty()


def test_a_machine_has_every_part_it_needs():
    needed = {"gpu", "cpu", "cpu_cooler", "motherboard", "memory", "storage", "power_supply", "case"}
    for (system, _start), parts in PARTS.group_by("system", "valid_from"):
        assert needed <= set(parts["part_type"]), system


def test_prices_are_inside_their_range():
    ranged = SYSTEMS.filter(pl.col("amount_low").is_not_null())
    assert ranged.filter(~pl.col("amount").is_between("amount_low", "amount_high")).is_empty()


def test_one_price_at_a_time():
    for (system,), rows in SYSTEMS.group_by("system"):
        spans = rows.sort("valid_from")
        ends = spans["valid_to"].to_list()[:-1]
        assert all(
            e is not None and e <= s for e, s in zip(ends, spans["valid_from"].to_list()[1:], strict=True)
        ), system


def test_resale_ratios_are_ordered_and_fall():
    assert RESALE.filter(
        (pl.col("ratio_low") > pl.col("ratio")) | (pl.col("ratio") > pl.col("ratio_high"))
    ).is_empty()
    for _segment, rows in RESALE.group_by("segment"):
        ratios = rows.sort("age_years")["ratio"].to_list()
        assert all(later <= earlier * 1.05 for earlier, later in pairwise(ratios))


@pytest.mark.brief("A12")
def test_a_public_parts_list_is_there_to_start_from():
    chen = PARTS.filter(pl.col("system") == "chen-2018-1x-gtx-1080-ti")
    assert chen["amount"].sum() == 2989
    assert chen["source"].unique().to_list() == ["chen-part-1"]
