"""What an offer costs, and whether it may be ranked."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_market import market, offer

from rackrent.catalog.judge import judged


def _by_type(rows: pl.DataFrame) -> dict[str, dict]:
    return {row["instance_type"]: row for row in rows.iter_rows(named=True)}


def test_an_offer_id_is_the_path_of_the_offer(tmp_path):
    catalog = market(
        tmp_path,
        offer(provider="Verda (DataCrunch)", instance_type="1x A/B (24 GB)", region="Texas US"),
        offer(term="reserved_1y", payment="no_upfront", minimum_months=12.0),
        offer(term="reserved_1y", payment="all_upfront", amount=0.0, upfront=8_000.0, minimum_months=12.0),
        offer(term="monthly", minimum_months=6.0),
    )
    assert set(judged(catalog)["offer_id"]) == {
        "cloud/verda-datacrunch/1x-a-b-24-gb/texas-us/on_demand",
        "cloud/alpha/a1/global/reserved_1y/no_upfront",
        "cloud/alpha/a1/global/reserved_1y/all_upfront",
        "cloud/alpha/a1/global/monthly/6_months",
    }


def test_an_upfront_is_spread_over_the_time_that_must_be_paid(tmp_path):
    row = judged(
        market(
            tmp_path,
            offer(term="reserved_1y", amount=0.995, upfront=8_716.2, minimum_months=12.0, gpu_count=2.0),
        )
    ).row(0, named=True)
    assert row["usd_per_hour_running"] == pytest.approx(0.995)
    assert row["usd_per_hour"] == pytest.approx(1.99)
    assert row["usd_per_gpu_hour"] == pytest.approx(0.995)
    assert row["upfront_usd"] == pytest.approx(8_716.2)
    assert row["rankable"]


@pytest.mark.case("P17")
def test_a_price_a_month_is_divided_by_730_hours(tmp_path):
    row = judged(market(tmp_path, offer(amount=730.0, per="machine_month", term="monthly"))).row(
        0, named=True
    )
    assert row["usd_per_hour"] == pytest.approx(1.0)


@pytest.mark.case("P3")
def test_a_machine_of_eight_costs_what_the_machine_costs(tmp_path):
    row = judged(
        market(tmp_path, offer(gpu="RTX A4000", gpu_count=8.0, amount=1.28, term="interruptible"))
    ).row(0, named=True)
    assert row["usd_per_hour"] == pytest.approx(1.28)
    assert row["usd_per_gpu_hour"] == pytest.approx(0.16)


@pytest.mark.case("P2")
@pytest.mark.case("P8")
def test_no_price_and_a_price_of_zero_are_unknown_and_never_rank(tmp_path):
    rows = _by_type(
        judged(
            market(
                tmp_path,
                offer(instance_type="none", amount=None),
                offer(instance_type="zero", amount=0.0, term="spot"),
                offer(instance_type="real", amount=1.0),
            )
        )
    )
    for name in ("none", "zero"):
        assert rows[name]["usd_per_hour"] is None
        assert rows[name]["usd_per_gpu_hour"] is None
        assert not rows[name]["rankable"]
    assert rows["zero"]["doubt"] == "a price of zero is not a price"
    assert rows["real"]["rankable"]


@pytest.mark.case("P18")
def test_currencies_are_converted_and_a_row_without_one_is_unknown(tmp_path):
    catalog = market(
        tmp_path,
        offer(instance_type="euro", amount=1.0, currency="EUR"),
        offer(instance_type="none", currency=None),
        offer(instance_type="odd", currency="XXX"),
        as_of=date(2026, 10, 15),
    )
    rows = _by_type(judged(catalog))
    fx = catalog.all_rows("fx").filter((pl.col("currency") == "EUR") & (pl.col("month") == date(2026, 10, 1)))
    assert rows["euro"]["usd_per_hour"] == pytest.approx(fx["usd_per_unit"].item())
    assert (rows["none"]["usd_per_hour"], rows["none"]["doubt"]) == (None, "no currency stated")
    assert (rows["odd"]["usd_per_hour"], rows["odd"]["doubt"]) == (None, "no exchange rate for its currency")
    assert not rows["none"]["rankable"]


@pytest.mark.case("P17c")
@pytest.mark.parametrize(("spot", "doubted"), [(0.99, False), (1.0, True), (1.5, True)])
def test_a_spot_price_at_or_above_on_demand_is_excluded(tmp_path, spot, doubted):
    rows = judged(market(tmp_path, offer(), offer(term="spot", amount=spot)))
    row = rows.row(by_predicate=pl.col("term") == "spot", named=True)
    assert (row["doubt"] == "spot price at or above on demand") is doubted
    assert row["rankable"] is not doubted


def test_spot_is_compared_with_the_same_machine_in_the_same_place(tmp_path):
    rows = judged(market(tmp_path, offer(region="a"), offer(region="b", term="spot", amount=2.0)))
    assert rows["doubt"].null_count() == 2


def test_eight_gpus_cheaper_than_four_are_doubtful(tmp_path):
    rows = _by_type(
        judged(
            market(
                tmp_path,
                offer(instance_type="one", gpu_count=1.0, amount=1.0),
                offer(instance_type="four", gpu_count=4.0, amount=4.0),
                offer(instance_type="four big", gpu_count=4.0, amount=9.0),
                offer(instance_type="eight", gpu_count=8.0, amount=3.9),
                offer(instance_type="eight good", gpu_count=8.0, amount=8.0),
            )
        )
    )
    assert rows["eight"]["doubt"] == "cheaper than half as many of the same GPUs"
    assert not rows["eight"]["rankable"]
    assert all(rows[n]["rankable"] for n in ("one", "four", "four big", "eight good"))


@pytest.mark.case("P17b")
@pytest.mark.case("P9")
def test_a_lowest_ask_is_a_floor_and_not_ranked(tmp_path):
    rows = _by_type(
        judged(
            market(
                tmp_path,
                offer(instance_type="ask", price_kind="observed_minimum"),
                offer(instance_type="list"),
            )
        )
    )
    assert (rows["ask"]["floor"], rows["ask"]["rankable"], rows["ask"]["doubt"]) == (True, False, None)
    assert rows["ask"]["usd_per_hour"] == 1.0
    assert (rows["list"]["floor"], rows["list"]["rankable"]) == (False, True)


def _four_providers(low: float, **changes) -> list[dict]:
    usual = [
        offer(provider=p, instance_type=p, amount=a)
        for p, a in (("B", 2.0), ("C", 2.2), ("D", 2.4), ("E", 2.6))
    ]
    return [*usual, offer(instance_type="low", amount=low, **changes)]


@pytest.mark.parametrize(("low", "doubted"), [(1.0, True), (1.09, True), (1.2, False)])
def test_a_price_under_half_the_median_is_doubtful(tmp_path, low, doubted):
    rows = _by_type(judged(market(tmp_path, *_four_providers(low))))
    assert (rows["low"]["doubt"] == "under half the median of its GPU and term") is doubted
    assert rows["B"]["rankable"]


def test_too_few_offers_make_no_median(tmp_path):
    enough = judged(market(tmp_path, *_four_providers(0.1)[1:]))
    assert enough["doubt"].null_count() == enough.height - 1
    three = judged(market(tmp_path, *_four_providers(0.1)[2:]))
    assert three["doubt"].null_count() == three.height


def test_many_regions_of_one_provider_do_not_outvote_the_others(tmp_path):
    regions = [offer(provider="Big", instance_type="big", region=f"r{i}", amount=9.0) for i in range(50)]
    small = [offer(provider=p, instance_type=p, amount=2.0) for p in ("S", "T", "U")]
    rows = judged(market(tmp_path, *regions, *small))
    assert rows["rankable"].all()


def test_asks_of_markets_and_outdated_prices_do_not_vote(tmp_path):
    asks = [
        offer(provider=p, instance_type=p, kind="marketplace", price_kind="observed_minimum", amount=0.2)
        for p in ("M", "N", "O", "P")
    ]
    old = [
        offer(provider=p, instance_type=p, observed_on=date(2024, 1, 1), amount=0.2)
        for p in ("Q", "R", "V", "W")
    ]
    rows = _by_type(judged(market(tmp_path, *_four_providers(1.0), *asks, *old)))
    assert rows["low"]["doubt"] is not None
    assert rows["M"]["doubt"] is None
    assert rows["Q"]["doubt"] is not None


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"gpu_count": None}, "the source does not say how many GPUs"),
        ({"incomplete": "vcpu and ram"}, "the price leaves out a part of the machine"),
        ({"gpu": "Mystery 9000"}, "the GPU is not in the catalog"),
    ],
)
def test_what_a_source_leaves_out_keeps_an_offer_from_ranking(tmp_path, changes, doubt):
    row = judged(market(tmp_path, offer(**changes))).row(0, named=True)
    assert row["doubt"] == doubt
    assert not row["rankable"]
    assert row["usd_per_hour"] == 1.0


def test_outdated_prices_rank_only_where_nothing_fresher_does(tmp_path):
    old = offer(instance_type="old", observed_on=date(2025, 3, 7), amount=0.8)
    rows = _by_type(judged(market(tmp_path, old, offer(instance_type="new"))))
    assert (rows["old"]["stale"], rows["old"]["rankable"], rows["new"]["rankable"]) == (True, False, True)
    rows = _by_type(judged(market(tmp_path, old, offer(instance_type="new", price_kind="observed_minimum"))))
    assert rows["old"]["rankable"]
    assert rows["old"]["age_days"] == 633
    rows = _by_type(judged(market(tmp_path, old, offer(instance_type="new", term="spot"))))
    assert rows["old"]["rankable"]


@pytest.mark.case("P19")
def test_the_same_thing_twice_is_the_lower_price_with_the_other_beside_it(tmp_path):
    row = judged(market(tmp_path, offer(amount=0.178), offer(amount=0.086), offer(amount=0.1))).row(
        0, named=True
    )
    assert row["usd_per_hour"] == pytest.approx(0.086)
    assert row["conflict_usd_per_hour"] == pytest.approx(0.178)
    assert row["rankable"]


@pytest.mark.case("P19")
def test_the_publisher_is_believed_before_one_who_repeats_it(tmp_path):
    own, repeated = offer(amount=2.0), offer(amount=1.5, confidence="medium", source="second")
    row = judged(market(tmp_path, repeated, own)).row(0, named=True)
    assert (row["usd_per_hour"], row["conflict_usd_per_hour"]) == (2.0, 1.5)
    unknown = judged(market(tmp_path, offer(amount=None), repeated)).row(0, named=True)
    assert unknown["usd_per_hour"] == 1.5


def test_names_in_other_scripts_stay_apart(tmp_path):
    rows = judged(market(tmp_path, offer(provider="阿里云"), offer(provider="腾讯云", amount=2.0)))
    assert sorted(rows["offer_id"]) == [
        "cloud/腾讯云/a1/global/on_demand",
        "cloud/阿里云/a1/global/on_demand",
    ]


def test_the_same_thing_on_two_days_is_the_newer_price(tmp_path):
    rows = judged(market(tmp_path, offer(amount=2.0), offer(amount=1.0, observed_on=date(2026, 1, 1))))
    assert rows["usd_per_hour"].to_list() == [2.0]
    assert rows["conflict_usd_per_hour"].to_list() == [None]


def test_offers_of_other_days_and_of_gpus_to_come_are_absent(tmp_path):
    catalog = market(
        tmp_path,
        offer(instance_type="ended", valid_to=date(2026, 8, 1)),
        offer(instance_type="to come", valid_from=date(2027, 1, 1)),
        offer(instance_type="now"),
    )
    assert judged(catalog)["instance_type"].to_list() == ["now"]
    early = market(tmp_path, offer(gpu="RTX 5090", valid_from=date(2020, 1, 1)), as_of=date(2021, 1, 1))
    assert judged(early).is_empty()


def test_no_offers_at_all_give_an_empty_table(tmp_path):
    rows = judged(market(tmp_path))
    assert rows.is_empty()
    assert "rankable" in rows.columns


_offers = st.builds(
    offer,
    provider=st.sampled_from(["A", "B", "C", "D"]),
    instance_type=st.sampled_from(["t1", "t2", "t3"]),
    gpu=st.sampled_from(["L4", "T4", "A100 SXM 80GB", "A100 PCIe 80GB", "nothing known"]),
    gpu_count=st.sampled_from([None, 0.5, 1.0, 2.0, 4.0, 8.0]),
    term=st.sampled_from(["on_demand", "spot", "reserved_1y"]),
    amount=st.none() | st.floats(0, 50),
    currency=st.sampled_from(["USD", "EUR", "XXX", None]),
    price_kind=st.sampled_from(["list", "observed_minimum"]),
    observed_on=st.sampled_from([date(2026, 7, 1), date(2024, 1, 1)]),
    incomplete=st.sampled_from([None, None, "vcpu and ram"]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_offers, max_size=30))
def test_unknown_and_doubtful_never_rank(tmp_path, offers):
    rows = judged(market(tmp_path, *offers))
    ranked = rows.filter("rankable")
    assert not rows["offer_id"].is_duplicated().any()
    assert ranked["usd_per_hour"].null_count() == ranked["usd_per_gpu_hour"].null_count() == 0
    assert (ranked["usd_per_hour"] > 0).all()
    assert ranked["doubt"].null_count() == ranked.height
    assert not ranked["floor"].any()
    assert ranked["incomplete"].null_count() == ranked.height
    fresh = ranked.filter(~pl.col("stale")).select("gpu", "term").unique()
    assert ranked.filter("stale").join(fresh, on=["gpu", "term"], how="semi").is_empty()
