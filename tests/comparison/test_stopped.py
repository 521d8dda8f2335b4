"""What a machine costs that is kept stopped between runs, on every provider that the catalog knows."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from rackrent.app.compare import compare
from rackrent.catalog.catalog import load
from rackrent.catalog.providers import egress_tiers, provider

TODAY = load(as_of=date(2026, 11, 30))
NAMES = sorted(TODAY.table("providers")["provider"].unique().to_list())
MONTHS, USD_PER_HOUR, GB, USD_PER_GB_MONTH = 12, 2.0, 100.0, 0.1


@cache
def kept(storage_gb: float) -> dict:
    """Options of one quote from each provider, of a machine that works 73 hours a month (a tenth) and is then stopped."""
    quotes = [
        {
            "provider": name,
            "gpu": "L4",
            "usd_per_gpu_hour": USD_PER_HOUR,
            "storage_usd_gb_month": USD_PER_GB_MONTH,
        }
        for name in NAMES
    ]
    question = {
        "demand": {"gpu_hours_per_month": 73},
        "quotes": quotes,
        "between_runs": "stop",
        "idle_waste": 0,
        "assumptions": {"startup_minutes": 0},
        "data": {"storage_gb": storage_gb},
        "consider": {"providers": NAMES, "kinds": ["cloud"]},
        "horizon_months": MONTHS,
    }
    return {o.provider: o for o in compare(question, TODAY).options if "/quote" in o.id}


def usd(name: str, storage_gb: float, *categories: str) -> float:
    return sum(s.total_usd for s in kept(storage_gb)[name].streams if s.category in categories)


@pytest.mark.case("P20")
@pytest.mark.parametrize("name", NAMES)
def test_hours_stopped_cost_what_the_provider_says(name):
    stopped = provider(TODAY, name).stopped
    if stopped is None:
        assert "what a stopped machine costs there is unknown" in kept(0)[name].reasons
        return
    billed = usd(name, 0, "rent", "idle") / USD_PER_HOUR / MONTHS
    assert billed == pytest.approx(730 if stopped in ("full", "cannot_stop") else 73)


@pytest.mark.case("P20")
@pytest.mark.parametrize("name", [n for n in NAMES if egress_tiers(TODAY, n)])
def test_a_disk_is_billed_while_stopped_as_the_provider_says(name):
    seller, option = provider(TODAY, name), kept(GB)[name]
    if option.reasons:
        assert seller.stopped is None or "price of data out unknown" in option.reasons
        return
    month = GB * USD_PER_GB_MONTH
    share = {"disk": seller.stopped_disk_factor or 1.0, "nothing": 0.0}.get(seller.stopped, 1.0)
    assert usd(name, GB, "storage") / MONTHS == pytest.approx(month * (0.1 + 0.9 * share))
