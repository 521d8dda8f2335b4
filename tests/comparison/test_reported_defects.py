"""What an independent check found wrong: each a test named for what it broke."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rackrent.catalog.catalog import load
from rackrent.comparison import Comparison, Option, compare_workload
from rackrent.errors import BadInput
from rackrent.workload.read import workload_from

CATALOG = load(as_of=date(2026, 11, 30))


def compare(**fields: Any) -> Comparison:
    base: dict[str, Any] = {
        "demand": {"gpu_hours_per_month": 146, "reference_gpu": "RTX 4090"},
        "tax": {"rate": 0},
    }
    return compare_workload(workload_from({**base, **fields}), CATALOG)


def quote(**fields: Any) -> dict[str, Any]:
    return {"provider": "RunPod", "name": "mine", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0, **fields}


def named(result: Comparison, name: str = "mine") -> Option:
    return next(o for o in result.options if o.name == name)


def test_one_month_more_does_not_cost_another_three_years() -> None:
    term = {"quotes": [quote(term="reserved_3y", upfront=1_000)]}
    paid = [
        sum(
            s.total_usd
            for s in named(compare(horizon_months=m, **term)).streams
            if s.category == "commitment"
        )
        for m in (36, 37, 12)
    ]
    assert paid[1] - paid[0] == pytest.approx(730 + 1_000 / 36)
    assert paid[2] == pytest.approx(paid[0]), "a first term is owed to its end"


def test_a_committed_machine_never_stops_so_its_disk_costs_the_same_at_any_use() -> None:
    totals = [
        named(
            compare(
                demand={"gpu_hours_per_month": hours, "reference_gpu": "RTX 4090"},
                quotes=[quote(term="monthly")],
                data={"storage_gb": 2_000},
            )
        ).total_usd
        for hours in (50, 700)
    ]
    assert totals[0] == pytest.approx(totals[1])


def test_a_sale_past_the_data_is_said_where_people_look() -> None:
    machine = {"name": "mine", "gpu": "RTX 3090", "price_usd": 100, "gpu_price_usd": 100}
    result = compare(own={"machines": [machine]}, consider={"gpus": ["RTX 3090"], "kinds": ["own_build"]})
    assert any("past the data" in text for text in result.warnings)


def test_more_watts_idle_than_working_is_no_machine() -> None:
    machine = {"name": "mine", "gpu": "RTX 4090", "price_usd": 2_000, "idle_watts": 600}
    option = named(compare(own={"machines": [machine]}))
    assert not option.feasible
    assert "give power_kw" in option.reasons[0]


def test_a_price_in_euro_says_its_rate() -> None:
    euro = {"provider": "Euro", "name": "mine", "gpu": "RTX 4090", "amount": 1.0, "currency": "EUR"}
    option = named(compare(quotes=[euro]))
    assert option.price is not None
    assert "USD per EUR, mean of 2026-10" in option.price.note


@pytest.mark.case("P20")
def test_what_a_stopped_machine_costs_must_be_known_to_keep_one() -> None:
    keep: dict[str, Any] = {"between_runs": "stop", "data": {"storage_gb": 100}}
    unknown = named(compare(quotes=[quote(provider="Nobody", storage_usd_gb_month=0.1)], **keep))
    assert "what a stopped machine costs there is unknown" in unknown.reasons
    nothing = named(compare(quotes=[quote(provider="Modal", storage_usd_gb_month=0.1)], **keep))
    by_category = {s.category: s.total_usd for s in nothing.streams}
    assert (
        by_category.get("storage", 0.0) == pytest.approx(100 * 0.1 * 36 * nothing.use.utilisation)
        if nothing.use
        else False
    )


def test_a_side_that_was_not_looked_at_is_not_called_unable() -> None:
    result = compare(quotes=[quote()], consider={"kinds": ["cloud"], "providers": ["RunPod"]})
    assert "no machine to own was looked at" in result.verdict.text


def test_a_misspelt_provider_is_named_with_the_nearest() -> None:
    with pytest.raises(
        BadInput, match=r"consider\.providers: no provider 'Runpodd' is known; did you mean RunPod"
    ):
        compare(consider={"providers": ["Runpodd"]})


def test_two_rented_options_do_not_break_even_at_the_start() -> None:
    dear = quote(name="dear", usd_per_gpu_hour=2.0)
    result = compare(quotes=[quote(), dear], consider={"gpus": ["RTX 4090"], "kinds": ["cloud"]})
    row = next(o for o in result.to_dict(everything=True)["options"] if o["name"] == "dear")
    assert next(iter(row["break_even_months"].values())) is None
    assert result.to_dict()["hours_per_month"] == 730


def test_two_credits_of_one_provider_are_not_spent_on_the_same_dollars() -> None:
    bill = [quote(provider="AWS", usd_per_gpu_hour=1.0)]
    credits = [{"provider": "AWS", "usd": 1e6}, {"provider": "AWS", "usd": 1e6, "expires": "2027-06-30"}]
    option = named(compare(quotes=bill, credits=credits))
    by_category = {c: sum(s.total_usd for s in option.streams if s.category == c) for c in ("rent", "credit")}
    assert by_category["credit"] < 0
    assert option.total_usd >= 0
    assert -by_category["credit"] <= sum(s.total_usd for s in option.streams if s.category not in ("credit",))


def test_whoever_keeps_one_machine_can_still_sell_the_other() -> None:
    have = [
        {"name": "mine", "gpu": "RTX 4090", "resale_usd": 1_500},
        {"name": "other", "gpu": "RTX 3090", "gpus": 4, "resale_usd": 3_600, "machines": 2},
    ]
    result = compare(have=have)
    sold = {
        name: sum(s.total_usd for s in named(result, name).streams if s.category == "opportunity")
        for name in ("mine", "other")
    }
    assert sold["mine"] == pytest.approx(-2 * 3_600 * 0.875)
    assert sold["other"] == pytest.approx(-(1_500 + 3_600) * 0.875), "one of two is kept"


def test_the_sale_of_what_you_have_goes_to_who_keeps_resales() -> None:
    have = [{"name": "old", "gpu": "RTX 3090", "resale_usd": 800}]
    option = named(compare(have=have, quotes=[quote()], funding={"resale_kept_by": "institution"}))
    (sale,) = (s for s in option.streams if s.category == "opportunity")
    assert sale.payer == "institution"


def test_a_machine_kept_stopped_is_billed_for_no_more_hours_than_there_are() -> None:
    keep: dict[str, Any] = {
        "between_runs": "stop",
        "demand": {"gpu_hours_per_month": 700, "reference_gpu": "RTX 4090"},
    }
    option = named(compare(quotes=[quote(provider="Vultr")], **keep))
    hours = sum(s.total_usd for s in option.streams if s.category in ("rent", "idle", "startup")) / 1.0
    assert hours <= 36 * 730 * 1.15, "waste and starts may push a full month over its end, never stopping"
    light = named(compare(quotes=[quote(provider="Vultr")], between_runs="stop"))
    assert sum(
        s.total_usd for s in light.streams if s.category in ("rent", "idle", "startup")
    ) == pytest.approx(36 * 730)


def test_a_range_that_is_costed_anew_moves_the_tornado() -> None:
    result = compare(
        quotes=[quote()],
        data={"storage_gb": {"low": 10, "likely": 5_000, "high": 50_000}},
        own={"machines": [{"name": "box", "gpu": "RTX 4090", "price_usd": 2_500, "gpu_price_usd": 1_800}]},
    )
    assert result.tornado is not None
    bar = next(b for b in result.tornado.bars if b.driver.key == "data.storage_gb")
    assert bar.swing_usd > 10_000


def test_looking_at_options_does_not_change_the_odds() -> None:
    few, all_of_them = compare(), compare()
    assert len(list(all_of_them.options)) > 100
    assert few.uncertainty.regret_usd.tobytes() == all_of_them.uncertainty.regret_usd.tobytes()


def test_a_quote_by_the_hour_has_no_minimum_of_months() -> None:
    with pytest.raises(BadInput, match="minimum_months"):
        compare(quotes=[quote(minimum_months=12)])


def test_a_share_given_as_percent_is_refused_in_assumptions_too() -> None:
    with pytest.raises(BadInput, match=r"assumptions\.idle_waste is 15; .* for 15 % write 0\.15"):
        compare(assumptions={"idle_waste": 15})


def test_a_country_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match="no country ZZZ is known"):
        compare(location={"country": "ZZZ"})
