"""Providers: what data out and a stopped machine cost, and what is evidenced."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.catalog.providers import egress_tiers, provider
from rackrent.costing.egress import egress_cost

TODAY = load(as_of=date(2026, 11, 30))
IN_2018 = load(as_of=date(2018, 9, 15))
PLACES = TODAY.all_rows("egress").select("provider", "region").unique().sort("provider", "region").rows()


@pytest.mark.case("P20")
@pytest.mark.parametrize(
    ("name", "stopped", "factor"),
    [
        ("AWS", "disk", None),
        ("RunPod", "disk", 2.0),
        ("Cudo Compute", "full", None),
        ("DigitalOcean", "full", None),
        ("Lambda", "cannot_stop", None),
        ("Salad", "nothing", None),
        ("OCI", None, None),
        ("AutoDL", "disk", None),
        ("Alibaba Cloud", "disk", None),
        ("Tencent Cloud", "disk", None),
        ("SpaceHPC", "disk", None),
        ("Yovole (有孚)", "nothing", None),
        ("晨涧云 MornAI", None, None),
    ],
)
def test_the_catalog_says_what_a_stopped_machine_costs(name, stopped, factor):
    seller = provider(TODAY, name)
    assert (seller.stopped, seller.stopped_disk_factor) == (stopped, factor)


def test_a_certificate_from_memory_is_no_evidence():
    assert provider(TODAY, "AWS").certificates == ()
    assert provider(TODAY, "AWS").baa == "unknown"
    assert provider(TODAY, "AWS").evidence["certificates"] == "memory"
    assert provider(TODAY, "AWS").fact("certificates").confidence == "low"
    assert provider(TODAY, "Lambda").certificates == ("SOC 2", "ISO 27001", "ISO 27017")
    gcp = provider(TODAY, "GCP")
    assert {"SOC 1", "SOC 2", "SOC 3", "ISO 27001", "ISO 27701", "C5"} <= set(gcp.certificates)
    assert gcp.baa == "offered"
    assert "cloud.google.com" in gcp.fact("certificates").note


def test_no_row_claims_what_nobody_showed():
    for row in TODAY.all_rows("providers").iter_rows(named=True):
        evidence = dict(p.split(": ", 1) for p in (row["field_evidence"] or "").split("; ") if ": " in p)
        for field in ("certificates", "baa", "dpa"):
            if evidence.get(field, "memory") == "memory":
                assert row[field] in (None, "unknown"), (row["provider"], field)


def test_names_are_found_whatever_their_case():
    assert provider(TODAY, "aws").name == "AWS"
    assert provider(TODAY, "nobody") is None


def test_storage_of_2018_is_that_of_2018():
    assert provider(IN_2018, "AWS").storage.value == 0.10
    assert provider(TODAY, "AWS").storage.value == 0.08
    later = provider(IN_2018, "RunPod").storage
    assert "known only later" in later.note


@pytest.mark.case("P1")
def test_aws_egress_of_2018_has_the_published_prices():
    tiers = egress_tiers(IN_2018, "AWS", "us-east-1")
    assert float(egress_cost(tiers, 10_240, free_gb=0)) == pytest.approx(921.60)
    assert float(egress_cost(tiers, 51_200, free_gb=0)) == pytest.approx(4_403.20)
    assert {t.free_gb for t in tiers} == {1.0}
    assert {t.free_gb for t in egress_tiers(TODAY, "AWS", "us-east-1")} == {100.0}


def test_a_region_without_tiers_of_its_own_has_the_default_ones():
    assert egress_tiers(TODAY, "AWS", "us-gov-west-1") == egress_tiers(TODAY, "AWS", "us-east-1")
    assert egress_tiers(TODAY, "AWS", "sa-east-1")[0].usd_per_gb == 0.15
    assert egress_tiers(TODAY, "Azure")[0].usd_per_gb == 0.087
    assert egress_tiers(TODAY, "nobody") == []


def test_every_provider_with_tiers_has_one_default():
    for name in {p for p, _ in PLACES}:
        assert egress_tiers(TODAY, name), name


@pytest.mark.case("P1")
@pytest.mark.parametrize(("name", "region"), PLACES)
def test_tiers_start_at_zero_and_meet(name, region):
    tiers = egress_tiers(TODAY, name, region)
    assert tiers[0].from_gb == 0
    assert all(a.to_gb == b.from_gb for a, b in pairwise(tiers))
    assert all(t.fact.observed_on is not None and t.fact.source for t in tiers)


@pytest.mark.case("P1")
@given(st.sampled_from(PLACES), st.floats(0, 300_000), st.floats(0, 300_000))
def test_the_cost_of_data_out_is_monotone_and_continuous(place, one, other):
    tiers = egress_tiers(TODAY, *place)
    low, high = (egress_cost(tiers, gb) for gb in sorted((one, other)))
    if high is not None:
        assert low is not None
        assert float(low) <= float(high) + 1e-9
        step = egress_cost(tiers, max(one, other) * (1 - 1e-9))
        assert float(high) - float(step) <= 0.2 * 300_000 * 1e-8
