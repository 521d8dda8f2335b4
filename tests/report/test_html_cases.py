"""Cases F1, F3 and F4 as a reader of the report meets them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rackrent.catalog.catalog import load
from rackrent.comparison import compare_workload
from rackrent.report.html import render_html
from rackrent.workload.read import workload_from

CATALOG = load(as_of=date(2026, 11, 30))
NOTHING_ELSE = dict.fromkeys(
    (
        "administration_hours", "administration_hours_cloud", "administration_hours_first_month", "circuit_and_outlet",
        "disposal", "exit_hours", "hourly_rate", "office_space", "repair_share", "shipping_share", "startup_minutes",
        "static_address", "resale_rest_share",
    ),
    0,
)  # fmt: skip


def page(**fields: Any) -> str:
    base: dict[str, Any] = {
        "tax": {"rate": 0},
        "assumptions": NOTHING_ELSE,
        "consider": {
            "kinds": ["own_prebuilt", "cloud"],
            "gpus": ["RTX 4090", "RTX 3070"],
            "providers": ["Acme"],
        },
    }
    return render_html(compare_workload(workload_from({**base, **fields}), CATALOG), interactive=False)


def machine(**fields: Any) -> dict[str, Any]:
    return {
        "name": "mine",
        "gpu": "RTX 4090",
        "power_kw": 0.4,
        "idle_watts": 100,
        "kind": "own_prebuilt",
        **fields,
    }


@pytest.mark.case("F1")
def test_both_verdicts_and_whose_money_stand_on_the_page() -> None:
    text = page(
        demand={"gpu_hours_per_month": 200},
        idle_waste=0,
        own={
            "usd_per_kwh": 4_000 / (36 * 200 * 0.4), "resale": "none", "powered_when_idle": False,
            "machines": [machine(price_usd=30_000)],
        },
        quotes=[{"provider": "Acme", "name": "one", "gpu": "RTX 4090", "usd_per_gpu_hour": 25_000 / 7_200}],
        funding={"indirect_rate_services": 0.55, "power_paid_by": "institution"},
    )  # fmt: skip
    for figure in ("$34,000", "$25,000", "$30,000"):
        assert figure in text
    assert "On your budget it is another: prebuilt machine: mine" in text


@pytest.mark.case("F3")
def test_nothing_claimed_past_the_resale_data_is_said_on_the_page() -> None:
    text = page(
        demand={"gpu_hours_per_month": 146},
        consider={"kinds": ["own_prebuilt"], "gpus": ["RTX 4090"]},
        own={"usd_per_kwh": 0.2, "machines": [machine(price_usd=2_990, gpu_price_usd=2_990)]},
    )
    assert "past the data, nothing is counted (at most $510)" in text


@pytest.mark.case("F4")
def test_an_option_too_slow_for_the_deadline_is_out_with_its_days() -> None:
    cards = [
        {"provider": "Acme", "name": "fast", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0},
        {"provider": "Acme", "name": "slow", "gpu": "RTX 3070", "usd_per_gpu_hour": 0.001},
    ]
    text = page(
        demand={"jobs_per_month": 20, "hours_per_job": 9, "reference_gpu": "RTX 4090"},
        quotes=cards,
        horizon_months=1,
        precision="fp32",
        task="cnn_training",
        deadline_days=8,
    )
    assert "done after" in text
    assert "deadline 8" in text
