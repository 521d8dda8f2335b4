"""Figures written as low / likely / high."""

from __future__ import annotations

import pytest

from rackrent.errors import BadInput
from rackrent.workload.read import parse_workload, workload_from

TEXT = """
demand: {utilisation: {low: 0.1, likely: 0.2, high: 0.5}}
own:
  machines:
    - {name: mine, gpu: RTX 4090, price_usd: {low: 2000, likely: 3000, high: 5000}}
data: {egress_gb_per_month: {low: 0, likely: 100, high: 1000}}
"""


def test_the_likely_figure_is_used_and_the_ends_are_kept() -> None:
    workload = parse_workload(TEXT)
    assert workload.demand.utilisation == 0.2
    assert workload.own.machines[0].price_usd == 3_000
    ranges = {path: (r.low, r.likely, r.high) for path, r in workload.ranges.items()}
    assert ranges == {
        "demand.utilisation": (0.1, 0.2, 0.5),
        "own.machines[0].price_usd": (2_000, 3_000, 5_000),
        "data.egress_gb_per_month": (0, 100, 1_000),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("demand: {utilisation: {low: 0.3, likely: 0.2, high: 0.5}}", "low <= likely <= high"),
        ("demand: {utilisation: {low: 0.1, likely: 0.2, high: 1.5}}", "demand.utilisation is 1.5"),
        ("demand: {utilisation: 0.2}\nhorizon_months: {low: 12, likely: 24, high: 36}", "horizon_months needs one number"),
        ("demand: {utilisation: {low: much, likely: 0.2, high: 0.5}}", "demand.utilisation.low must be a number"),
    ],
)  # fmt: skip
def test_a_wrong_range_gets_one_sentence(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_workload(text)


def test_a_range_of_an_assumption_stays_where_it_is() -> None:
    given = {"low": 1, "likely": 2, "high": 3}
    workload = workload_from({"demand": {"utilisation": 0.2}, "assumptions": {"administration_hours": given}})
    assert not workload.ranges
    assert workload.assumptions["administration_hours"].likely == 2  # type: ignore[union-attr]
