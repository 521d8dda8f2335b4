"""Searching offers."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from small_market import market, offer

from rackrent.catalog.judge import judged
from rackrent.catalog.query import OfferQuery, search
from rackrent.errors import BadInput


@pytest.fixture
def offers(tmp_path) -> pl.DataFrame:
    return judged(
        market(
            tmp_path,
            offer(instance_type="community", kind="marketplace", amount=0.98),
            offer(instance_type="secure", amount=1.52, country="USA", vcpus=8.0, ram_gb=30.0),
            offer(instance_type="big", gpu_count=4.0, amount=6.0, provider="Beta", country="DEU", vcpus=32.0),
            offer(instance_type="sxm", gpu="A100 SXM 80GB", gpu_memory_gb=80.0, amount=3.0),
            offer(instance_type="pcie", gpu="A100 PCIe 80GB", gpu_memory_gb=80.0, amount=2.0, term="spot"),
            offer(instance_type="ask", amount=0.1, price_kind="observed_minimum"),
            offer(instance_type="part", amount=0.2, incomplete="vcpu and ram"),
            offer(instance_type="unknown", amount=None),
        )
    )


def _types(offers: pl.DataFrame, **query) -> list[str]:
    return search(offers, OfferQuery(**query))["instance_type"].to_list()


@pytest.mark.case("P4")
def test_a_ceiling_is_never_exceeded(offers):
    assert _types(offers, gpu=["L4"], price_usd_per_gpu_hour_max=1.00) == ["community"]
    assert _types(offers, gpu=["L4"], price_usd_per_gpu_hour_max=0.98) == ["community"]
    assert _types(offers, gpu=["L4"], price_usd_per_gpu_hour_max=0.979) == []


def test_a_ceiling_on_the_machine_is_about_the_machine(offers):
    assert _types(offers, gpu=["L4"], price_usd_per_gpu_hour_max=1.51) == ["community", "big"]
    assert _types(offers, gpu=["L4"], price_usd_per_hour_max=1.60) == ["community", "secure"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["community", "big", "secure", "pcie", "sxm"]),
        ({"gpu": ["A100 80GB"]}, ["pcie", "sxm"]),
        ({"gpu": ["a100 sxm4 80gb"]}, ["sxm"]),
        ({"gpu": ["RTX 3090"]}, []),
        ({"gpu_count_min": 2}, ["big"]),
        ({"gpu": ["L4"], "gpu_count_max": 1}, ["community", "secure"]),
        ({"gpu_memory_gb_min": 40}, ["pcie", "sxm"]),
        ({"provider": ["beta"]}, ["big"]),
        ({"exclude_provider": ["Alpha"]}, ["big"]),
        ({"kind": ["marketplace"]}, ["community"]),
        ({"country": ["DEU"]}, ["big"]),
        ({"region": ["global"], "term": ["spot"]}, ["pcie"]),
        ({"vcpus_min": 8}, ["big", "secure"]),
        ({"ram_gb_min": 16}, ["secure"]),
        ({"max_age_days": 100}, []),
        ({"limit": 2}, ["community", "big"]),
        ({"sort": "usd_per_hour", "limit": 2}, ["community", "secure"]),
        ({"sort": "gpu_memory_gb", "limit": 2}, ["pcie", "sxm"]),
        ({"include_floors": True, "limit": 1}, ["ask"]),
        ({"include_doubtful": True, "limit": 1}, ["part"]),
    ],
)
def test_each_condition(offers, query, found):
    assert _types(offers, **query) == found


def test_everything_may_be_shown_with_unknown_prices_last(offers):
    found = _types(offers, include_floors=True, include_doubtful=True)
    assert len(found) == offers.height
    assert found[-1] == "unknown"


def test_a_name_nobody_knows_is_bad_input(offers):
    with pytest.raises(BadInput, match="Unknown GPU 'L44'; did you mean 'L4'"):
        _types(offers, gpu=["L44"])
    with pytest.raises(BadInput, match="Unknown provider 'Betta'; did you mean 'Beta'"):
        _types(offers, provider=["Betta"])


@pytest.mark.parametrize(
    "query",
    [
        {"gpus": ["L4"]},
        {"price_usd_per_hour_max": 0},
        {"term": ["weekly"]},
        {"country": ["Germany"]},
        {"limit": 0},
    ],
)
def test_a_query_that_makes_no_sense_is_refused(query):
    with pytest.raises(ValidationError):
        OfferQuery(**query)


def test_every_field_says_what_it_means():
    assert all(field.description for field in OfferQuery.model_fields.values())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0.01, 100), st.sampled_from([None, 1.0, 2.0, 8.0])), min_size=1, max_size=30
    ),
    st.floats(0.01, 100),
    st.booleans(),
)
def test_no_offer_above_a_ceiling_is_ever_found(tmp_path_factory, priced, ceiling, everything):
    rows = [offer(instance_type=f"t{i}", amount=a, gpu_count=n) for i, (a, n) in enumerate(priced)]
    offers = judged(market(tmp_path_factory.mktemp("market"), *rows))
    per_gpu = OfferQuery(
        price_usd_per_gpu_hour_max=ceiling, include_doubtful=everything, include_floors=everything
    )
    found = search(offers, per_gpu)
    assert found.filter(pl.col("usd_per_gpu_hour") > ceiling).is_empty()
    assert found["usd_per_gpu_hour"].null_count() == 0
    whole = search(offers, OfferQuery(price_usd_per_hour_max=ceiling, include_doubtful=everything))
    assert whole.filter(pl.col("usd_per_hour") > ceiling).is_empty()
    within = offers.filter(pl.col("rankable") & (pl.col("usd_per_gpu_hour") <= ceiling))
    assert within["offer_id"].is_in(found["offer_id"].implode()).all()
