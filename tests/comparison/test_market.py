"""The market priced as columns is the market priced offer by offer."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.catalog.catalog import load
from rackrent.comparison.evaluate import evaluate
from rackrent.comparison.market import price_market
from rackrent.costing.setting import Setting
from rackrent.workload.read import workload_from

CATALOG = load(as_of=date(2026, 11, 30))
FUNDING = {
    "indirect_rate_services": 0.55,
    "time_paid_by": "institution",
    "budget_usd": 40_000,
    "spend_by": "2028-06-30",
}
WORKLOADS: list[dict[str, Any]] = [
    {"demand": {"utilisation": 0.3, "reference_gpu": "RTX 3090"}},
    {
        "demand": {"jobs_per_month": 20, "hours_per_job": 30, "reference_gpu": "A100 PCIe 40GB"},
        "gpus": 2, "jobs_at_once": 3, "interruptible": True, "longest_run_days": 2, "deadline_days": 1_100,
        "data": {"storage_gb": 500, "egress_gb_per_month": 200, "upload_gb": 300}, "tax": {"rate": 0.19},
    },
    {
        "demand": {"gpu_hours_per_month": 900, "reference_gpu": "H100 SXM 80GB", "growth_per_year": 0.3},
        "gpus": 8, "multi_node": True, "between_runs": "stop", "funding": FUNDING, "waiting_usd_per_day": 20,
        "data": {"storage_gb": 2_000, "upload_gb": 1_000}, "gpu_memory_gb": 24, "jobs_at_once": 2,
        "requirements": {"residency": ["USA", "DEU"], "no_third_party_hosts": True},
    },
    {
        "demand": {"gpu_hours_total": 5_000, "reference_gpu": "A100 SXM 80GB", "busy_months_per_year": 2},
        "horizon_months": 14, "have": [{"gpu": "RTX 3090", "resale_usd": 500}], "location": {"country": "DEU"},
        "requirements": {"first_gpu_within_days": 3}, "jobs_at_once": 4,
    },
]  # fmt: skip


def check(fields: dict[str, Any], *, most: int | None = None) -> int:
    setting = Setting(workload_from(fields), CATALOG)
    market = price_market(setting)
    one_by_one = Setting(workload_from(fields), CATALOG)
    for index in range(market.rows.height)[:most]:
        option = evaluate(market.candidate(index), one_by_one)
        assert option.id == market.ids[index]
        assert option.feasible == market.feasible[index], (option.id, option.reasons)
        assert (option.feasible and not option.reasons_on_budget) == market.payable[index], option.id
        if option.feasible:
            assert market.npv_usd[index] == pytest.approx(option.npv_usd, rel=1e-9), option.id
            assert market.npv_on_budget_usd[index] == pytest.approx(option.npv_on_budget_usd, rel=1e-9), (
                option.id
            )
        else:
            assert np.isnan(market.npv_usd[index])
    return int(market.feasible.sum())


@pytest.mark.parametrize("fields", WORKLOADS)
def test_columns_and_single_offers_agree(fields: dict[str, Any]) -> None:
    assert check(fields) > 0


@settings(max_examples=10, deadline=None)
@given(
    hours=st.floats(1, 3_000),
    gpus=st.sampled_from([1, 2, 4, 8]),
    at_once=st.integers(1, 5),
    horizon=st.integers(1, 50),
    waste=st.floats(0, 0.8),
    storage=st.sampled_from([0.0, 100.0, 20_000.0]),
    memory=st.sampled_from([0.0, 16.0, 80.0]),
)
def test_columns_and_single_offers_agree_on_any_workload(
    hours: float, gpus: int, at_once: int, horizon: int, waste: float, storage: float, memory: float
) -> None:
    check({
        "demand": {"gpu_hours_per_month": hours, "reference_gpu": "V100 SXM2 16GB"}, "gpus": gpus,
        "jobs_at_once": at_once, "horizon_months": horizon, "idle_waste": waste, "gpu_memory_gb": memory,
        "data": {"storage_gb": storage}, "interruptible": storage > 0,
    }, most=300)  # fmt: skip
