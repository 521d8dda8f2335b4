"""A price that a person was quoted is used as it is."""

from __future__ import annotations

from datetime import date

import pytest

from rackrent.app.compare import compare
from rackrent.catalog.catalog import load

TODAY = load(as_of=date(2026, 11, 30))


@pytest.mark.case("P12")
@pytest.mark.parametrize(
    ("gpus", "vcpus", "usd_per_hour"), [(1, None, 0.95), (2, 16, 2 * 0.95 + 16 * 0.021811)]
)
def test_prices_by_the_gpu_and_the_core_make_the_price_of_the_node(gpus, vcpus, usd_per_hour):
    quote = {"provider": "On-premises", "gpu": "L4", "gpus": gpus, "usd_per_gpu_hour": 0.95}
    if vcpus:
        quote |= {"vcpus": vcpus, "usd_per_vcpu_hour": 0.021811}
    question = {
        "gpus": gpus,
        "demand": {"gpu_hours_per_month": 100 * gpus},
        "quotes": [quote],
        "consider": {"providers": ["On-premises"]},
        "idle_waste": 0,
        "horizon_months": 12,
    }
    (option,) = [o for o in compare(question, TODAY).feasible if o.provider == "On-premises"]
    rent = next(s for s in option.streams if s.category == "rent")
    assert rent.usd.sum() == pytest.approx(12 * 100 * usd_per_hour)
