"""The shipped offers: what must hold of the data itself."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from rackrent.catalog.catalog import load
from rackrent.catalog.judge import judged

TODAY = load(as_of=date(2026, 11, 30))
OFFERS = TODAY.all_rows("offers")
JUDGED = judged(TODAY)
DAYS = [date(2018, 9, 15), date(2024, 6, 1), date(2025, 7, 1), date(2026, 7, 25), date(2026, 11, 30)]


def test_there_is_a_market():
    assert OFFERS.height > 4_000
    assert JUDGED["provider"].n_unique() > 25
    assert JUDGED.filter("rankable")["gpu"].n_unique() > 30


def test_no_price_is_zero():
    nothing = (pl.col("amount") == 0) & (pl.col("upfront").fill_null(0) == 0)
    assert OFFERS.filter(nothing).is_empty()
    assert OFFERS.filter(pl.col("amount") < 0).is_empty()


def test_an_unknown_price_has_no_currency_and_a_known_one_has():
    assert OFFERS.filter(pl.col("amount").is_null() != pl.col("currency").is_null()).is_empty()
    assert OFFERS["amount"].null_count() == 6


def test_every_gpu_is_in_the_catalog():
    assert OFFERS["gpu"].is_in(TODAY.all_rows("gpus")["gpu"].implode()).all()


def test_gpu_memory_is_the_nominal_one_or_a_share():
    gpus = TODAY.all_rows("gpus").select("gpu", nominal="memory_gb")
    rows = OFFERS.join(gpus, on="gpu").drop_nulls("gpu_memory_gb")
    whole = rows.filter(pl.col("gpu_count").is_null() | (pl.col("gpu_count") >= 1))
    assert whole.filter(pl.col("gpu_memory_gb") != pl.col("nominal")).is_empty()
    share = rows.filter(pl.col("gpu_count") < 1)
    assert share.height > 0
    assert share.filter(
        (pl.col("gpu_memory_gb") - pl.col("nominal") * pl.col("gpu_count")).abs() > 0.1
    ).is_empty()


def test_each_row_has_a_source_a_date_and_a_confidence():
    assert OFFERS["source"].is_in(TODAY.all_rows("sources")["id"].implode()).all()
    for column in ("observed_on", "valid_from", "confidence"):
        assert OFFERS[column].null_count() == 0
    assert OFFERS.filter(pl.col("valid_to") <= pl.col("valid_from")).is_empty()


@pytest.mark.parametrize("day", DAYS)
def test_an_offer_stands_once_on_each_day(day):
    table = load(as_of=day).table("offers")
    key = ["kind", "provider", "instance_type", "region", "term", "payment", "minimum_months"]
    assert not table.select(key).is_duplicated().any()
    assert not judged(load(as_of=day))["offer_id"].is_duplicated().any()


@pytest.mark.parametrize("day", DAYS)
def test_nothing_that_ranks_contradicts_its_neighbours(day):
    ranked = judged(load(as_of=day)).filter("rankable")
    assert ranked.height > 0
    same = ["provider", "instance_type", "region", "gpu"]
    on_demand = ranked.filter(pl.col("term") == "on_demand").select(*same, normal="usd_per_hour")
    spot = ranked.filter(pl.col("term") == "spot").join(on_demand, on=same)
    assert spot.filter(pl.col("usd_per_hour") >= pl.col("normal")).is_empty()
    like = ["provider", "region", "gpu", "kind", "term", "payment"]
    of = {
        n: ranked.filter(pl.col("gpu_count") == n).group_by(like).agg(pl.col("usd_per_hour").min())
        for n in (4, 8)
    }
    both = of[4].join(of[8], on=like, nulls_equal=True, suffix="_of_8")
    assert both.filter(pl.col("usd_per_hour_of_8") <= pl.col("usd_per_hour")).is_empty()


@pytest.mark.parametrize("day", DAYS)
def test_nothing_that_ranks_is_under_half_the_median_of_its_gpu_and_term(day):
    """One vote a provider, its lowest fresh price; see `judge`."""
    rows = judged(load(as_of=day)).with_columns(family=pl.col("gpu").str.replace(r" (SXM\d?|PCIe)\b", ""))
    voting = rows.filter(~pl.col("stale"), pl.col("kind") != "marketplace", pl.col("doubt").is_null())
    votes = voting.group_by("family", "term", "provider").agg(pl.col("usd_per_gpu_hour").min(), rows=pl.len())
    medians = (
        votes.drop_nulls()
        .group_by("family", "term")
        .agg(
            pl.col("usd_per_gpu_hour").median().alias("median"),
            pl.len().alias("providers"),
            pl.col("rows").sum(),
        )
    )
    enough = medians.filter((pl.col("providers") >= 3) & (pl.col("rows") >= 4))
    ranked = rows.filter("rankable").join(enough, on=["family", "term"])
    assert ranked.filter(pl.col("usd_per_gpu_hour") < pl.col("median") / 2).is_empty()


def test_floors_are_marked_as_floors():
    markets = OFFERS.filter(pl.col("provider").is_in(["Vast.ai", "Akash", "Spheron", "TensorDock", "Salad"]))
    assert markets.height > 150
    assert (markets["price_kind"] == "observed_minimum").all()
    collected = OFFERS.filter(pl.col("source").str.starts_with("tardellirs-"))
    assert (collected["price_kind"] == "observed_minimum").all()
    assert not JUDGED.filter("floor")["rankable"].any()


def test_prices_without_processor_and_memory_are_marked():
    incomplete = OFFERS.filter(pl.col("incomplete").is_not_null())
    assert {"CoreWeave", "Modal", "Salad", "GCP", "OCI"} == set(incomplete["provider"])
    for name in ("CoreWeave", "Modal", "Salad"):
        assert OFFERS.filter(pl.col("provider") == name)["incomplete"].null_count() == 0
    assert not JUDGED.filter(pl.col("incomplete").is_not_null())["rankable"].any()


def test_gpus_of_unknown_number_do_not_rank():
    unknown = JUDGED.filter(pl.col("gpu_count").is_null())
    assert unknown.height > 200
    assert not unknown["rankable"].any()


def test_prices_of_a_virtual_gpu_are_not_spot():
    thunder = OFFERS.filter(pl.col("provider") == "Thunder Compute")
    assert set(thunder["term"]) == {"on_demand"}
    assert thunder["note"].drop_nulls().str.contains("virtualised GPU").sum() == 5


def test_estimated_spot_prices_are_not_shipped():
    taken_back = OFFERS.filter(pl.col("term").is_in(["spot", "interruptible"]))
    assert not taken_back["source"].is_in(["tardellirs-vast-ai", "tardellirs-jarvislabs"]).any()
    crusoe = OFFERS.filter(pl.col("provider") == "Crusoe")
    assert "B200" not in crusoe["gpu"]


def test_the_naive_cheapest_h100_is_out():
    h100 = JUDGED.filter(pl.col("gpu").str.starts_with("H100") & (pl.col("term") == "on_demand"))
    assert h100["usd_per_gpu_hour"].min() == pytest.approx(0.69)
    cheapest = h100.filter("rankable", ~pl.col("stale"))["usd_per_gpu_hour"].min()
    assert cheapest > 2


def test_two_prices_of_one_machine_may_be_of_two_days():
    p5 = OFFERS.filter(
        (pl.col("instance_type") == "p5.48xlarge")
        & (pl.col("region") == "us-east-1")
        & pl.col("valid_to").is_null()
    )
    assert dict(p5.select("term", "observed_on").rows()) == {
        "on_demand": date(2026, 7, 20),
        "reserved_3y": date(2026, 6, 15),
    }


def test_a_price_that_moved_has_both_rows():
    p5 = OFFERS.filter(
        (pl.col("instance_type") == "p5.48xlarge")
        & (pl.col("region") == "us-east-1")
        & (pl.col("term") == "on_demand")
    ).sort("valid_from")
    assert p5.select("amount", "valid_from", "valid_to").rows() == [
        (98.32, date(2023, 10, 9), date(2025, 6, 23)),
        (55.04, date(2025, 6, 23), None),
    ]


@pytest.mark.parametrize(
    ("term", "payment", "effective", "upfront"),
    [
        ("on_demand", None, 3.06, 0),
        ("reserved_1y", "no_upfront", 2.088, 0),
        ("reserved_1y", "partial_upfront", 1.99, 8_716.2),
        ("reserved_1y", "all_upfront", 1.949, 17_073),
        ("reserved_3y", "partial_upfront", 1.234, 16_214.76),
        ("reserved_3y", "all_upfront", 1.159, 30_459),
    ],
)
def test_aws_of_2018_has_every_way_of_paying(term, payment, effective, upfront):
    rows = judged(load(as_of=date(2018, 9, 15))).filter(
        (pl.col("instance_type") == "p3.2xlarge")
        & (pl.col("term") == term)
        & pl.col("payment").eq_missing(payment)
    )
    row = rows.row(0, named=True)
    assert row["usd_per_hour"] == pytest.approx(effective, abs=5e-4)
    assert row["upfront_usd"] == pytest.approx(upfront)
    assert row["gpu"] == "V100 SXM2 16GB"
    assert row["rankable"]


def test_a_p2_machine_has_single_dies():
    rows = judged(load(as_of=date(2018, 9, 15)))
    assert (
        rows.row(
            by_predicate=(pl.col("instance_type") == "p2.xlarge") & (pl.col("term") == "on_demand"),
            named=True,
        )["gpu"]
        == "K80 (one die)"
    )


def test_runpod_form_factors_come_from_the_instance_name():
    runpod = OFFERS.filter(pl.col("source") == "sooddvs", pl.col("provider") == "RunPod")
    pairs = set(runpod.select("instance_type", "gpu").rows())
    assert {
        ("NVIDIA H100 NVL", "H100 NVL 94GB"),
        ("NVIDIA H100 PCIe", "H100 PCIe 80GB"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM 80GB"),
        ("NVIDIA H200 NVL", "H200 NVL 141GB"),
    } <= pairs


def test_rents_in_china_are_in_yuan_and_follow_each_other():
    china = OFFERS.filter(pl.col("currency") == "CNY").sort("valid_from")
    assert china.select("upfront", "valid_from", "valid_to", "term", "payment").rows() == [
        (13_000.0, date(2024, 1, 1), date(2024, 10, 1), "reserved_1y", "all_upfront"),
        (7_500.0, date(2024, 10, 1), None, "reserved_1y", "all_upfront"),
    ]


def test_a_node_quoted_per_gpu_is_priced_as_a_node():
    row = OFFERS.row(by_predicate=pl.col("instance_type") == "vultr-l40s-bare-metal-on-demand", named=True)
    assert (row["gpu_count"], row["amount"], row["kind"]) == (8.0, pytest.approx(8 * 0.848), "bare_metal")


def test_regions_have_their_country():
    placed = OFFERS.filter(
        pl.col("provider").is_in(["AWS", "Azure", "GCP"]), pl.col("region") != "unspecified"
    )
    assert placed["country"].null_count() == 0
    assert dict(placed.select("region", "country").unique().rows())["germanywestcentral"] == "DEU"
    assert OFFERS.filter(pl.col("region").is_in(["n/a", "global/min"])).is_empty()
