"""Data out: tiers, the free allowance, and prices nobody knows."""

from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.catalog.schema import TABLES
from rackrent.costing import EgressTier, egress_cost
from rackrent.errors import BadInput

TB = 1_024
AWS = (
    EgressTier(0, 10 * TB, 0.09),
    EgressTier(10 * TB, 50 * TB, 0.085),
    EgressTier(50 * TB, 150 * TB, 0.07),
    EgressTier(150 * TB, None, 0.05),
)
prices = st.one_of(st.just(0.0), st.floats(0.001, 1))


@st.composite
def tier_tables(draw):
    ends = sorted(draw(st.sets(st.integers(1, 10_000), max_size=4)))
    starts = [0, *ends]
    return [EgressTier(start, end, draw(prices)) for start, end in zip(starts, [*ends, None], strict=True)]


@pytest.mark.case("P1")
def test_aws_tiers():
    assert egress_cost(AWS, 10 * TB, free_gb=0) == pytest.approx(921.60)
    assert egress_cost(AWS, 50 * TB, free_gb=0) == pytest.approx(4_403.20)
    assert egress_cost(AWS, np.array([0, 10, 50, 160]) * TB) == pytest.approx(
        [0, 921.60, 4_403.20, 4_403.20 + 100 * TB * 0.07 + 10 * TB * 0.05]
    )


@pytest.mark.case("P1")
@given(tier_tables(), st.floats(0, 20_000), st.floats(0, 20_000), st.floats(0, 12_000))
def test_monotone_and_continuous(tiers, a, b, free):
    less, more = sorted((a, b))
    low, high = egress_cost(tiers, [less, more], free_gb=free)
    dearest = max(tier.usd_per_gb for tier in tiers)
    assert -1e-6 <= high - low <= dearest * (more - less) + 1e-6
    assert low >= 0


@given(tier_tables(), st.floats(0, 20_000), st.floats(0, 12_000))
def test_the_allowance_comes_off_the_first_tiers(tiers, gb, free):
    whole, allowance = egress_cost(tiers, [gb, min(gb, free)])
    assert egress_cost(tiers, gb, free_gb=free) == pytest.approx(whole - allowance, abs=1e-6)


def test_tiers_bring_their_own_allowance():
    tiers = [SimpleNamespace(from_gb=0, to_gb=None, usd_per_gb=0.09, free_gb=100)]
    assert egress_cost(tiers, 150) == pytest.approx(4.5)
    assert egress_cost(tiers, 150, free_gb=0) == pytest.approx(13.5)


def test_a_first_tier_that_starts_at_the_allowance():
    assert egress_cost([EgressTier(100, None, 0.08)], 150, free_gb=100) == pytest.approx(4.0)


def test_an_unknown_price_is_unknown_only_where_it_is_needed():
    tiers = [EgressTier(0, 100, 0.10), EgressTier(100, None, None)]
    assert egress_cost(tiers, 100) == pytest.approx(10.0)
    assert egress_cost(tiers, 100.5) is None
    assert egress_cost(tiers, 150, free_gb=150) == 0


def test_volume_past_the_last_tier_or_without_tiers_is_unknown():
    assert egress_cost([EgressTier(0, 100, 0.10)], 101) is None
    assert egress_cost([], 1) is None


@pytest.mark.parametrize("gb", [-1, float("nan"), float("inf")])
def test_a_volume_that_is_none_is_refused(gb):
    with pytest.raises(BadInput, match="0 GB or more"):
        egress_cost(AWS, gb)


@pytest.mark.parametrize(
    "tiers",
    [[EgressTier(50, None, 0.1)], [EgressTier(0, 10, 0.1), EgressTier(20, None, 0.1)], [AWS[0], AWS[0]]],
)
def test_gaps_and_overlaps_are_refused(tiers):
    with pytest.raises(BadInput, match="must start where"):
        egress_cost(tiers, 5)


@pytest.mark.case("P1")
def test_every_shipped_tier_table_is_monotone_and_continuous():
    """Just past each tier's end costs hardly more than at it, and more volume never costs less."""
    tables = load(as_of=date(2026, 12, 1)).all_rows("egress").partition_by("provider", "region", "valid_from")
    assert len(tables) > 20
    priced = 0
    for rows in tables:
        tiers = [SimpleNamespace(**row) for row in rows.iter_rows(named=True)]
        edges = [tier.to_gb for tier in tiers if tier.to_gb is not None]
        volumes = np.array(sorted({0, 1, 1e6, *edges, *[edge + 1e-3 for edge in edges]}))
        costs = egress_cost(tiers, volumes)
        if costs is None:
            continue
        priced += 1
        steps = np.diff(costs) / np.diff(volumes)
        assert np.all(steps >= -1e-6), tiers[0]
        assert np.all(steps <= max(tier.usd_per_gb or 0 for tier in tiers) + 1e-6), tiers[0]
    assert priced > 20


@pytest.mark.case("P1")
def test_a_provider_is_looked_up_in_the_catalog(tmp_path):
    columns = [column.name for column in TABLES["egress"].columns]
    common = {
        "provider": "Cloudy", "region": "north", "free_gb": "100", "default": "true", "source": "own",
        "observed_on": "2026-01-01", "confidence": "high", "valid_from": "2026-01-01",
    }  # fmt: skip
    rows = [
        common | {"from_gb": "0", "to_gb": "10240", "usd_per_gb": "0.09"},
        common | {"from_gb": "10240", "usd_per_gb": "0.085"},
    ]
    lines = [",".join(columns), *[",".join(row.get(name, "") for name in columns) for row in rows]]
    (tmp_path / "egress.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "sources.csv").write_text("id,citation,licence,attribution\nown,our own test,facts,\n")
    catalog = load(tmp_path, as_of=date(2026, 12, 1))
    assert egress_cost("Cloudy", 10 * TB, free_gb=0, catalog=catalog) == pytest.approx(921.60)
    assert egress_cost("cloudy", 10 * TB, catalog=catalog) == pytest.approx(921.60 - 9.00)
    assert egress_cost("Nobody", 1, catalog=catalog) is None
