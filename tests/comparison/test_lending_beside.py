"""Lending beside the comparison: what it brings, when it is off, and that it never touches the answer."""

from __future__ import annotations

import shutil
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.catalog.catalog import DATA_DIR, Catalog, load
from rackrent.catalog.fact import Fact
from rackrent.catalog.places import electricity
from rackrent.comparison import Comparison, Option, compare_workload
from rackrent.comparison.lending import Lent, lend
from rackrent.errors import BadInput
from rackrent.workload.read import workload_from

DAY = date(2026, 11, 30)
CATALOG = load(as_of=DAY)
RIG = {"name": "rig", "gpu": "RTX 4090", "gpus": 4, "power_kw": 1.72, "idle_watts": 120}
"""Four cards of 0.4 kW each beside 0.12 kW of machine."""
TERMS = {"ask_usd_per_gpu_hour": 0.35, "fee": 0.25, "occupancy": 0.5, "wear_usd_per_gpu_hour": 0}
IDLE = {"gpu_hours_per_month": 1e-6}
"""Work so small that the machine is idle."""


def compare(catalog: Catalog = CATALOG, **fields: Any) -> Comparison:
    base: dict[str, Any] = {
        "demand": IDLE,
        "have": [RIG],
        "own": {"usd_per_kwh": 0.17, "powered_when_idle": False},
        "consider": {"kinds": ["own_existing", "cloud"], "gpus": ["RTX 4090"], "providers": ["Acme"]},
        "quotes": [{"provider": "Acme", "gpu": "RTX 4090", "usd_per_gpu_hour": 1.0}],
    }
    return compare_workload(workload_from({**base, **fields}), catalog)


def rig(result: Comparison) -> Option:
    (found,) = [o for o in result.options if o.kind == "own_existing"]
    return found


def lent(result: Comparison) -> Lent:
    found = result.lent(rig(result))
    assert found is not None
    return found


def net(account: Lent) -> float:
    assert account.income is not None
    return float(account.income.net_usd)


@pytest.mark.case("F2")
@pytest.mark.parametrize(("usd_per_kwh", "usd"), [(0.17, 269.08), (0.427, 96.48)])
def test_four_cards_half_rented(usd_per_kwh: float, usd: float) -> None:
    own = {"usd_per_kwh": usd_per_kwh, "powered_when_idle": False}
    account = lent(compare(own=own, lending=TERMS))
    assert round(net(account), 2) == usd
    assert account.before == ("income_tax",)
    told = account.to_dict()
    assert told["revenue_usd_per_month"] == pytest.approx(511.00)
    assert told["energy_kwh_per_month"] == pytest.approx(671.6)
    assert told["income_tax_usd_per_month"] is None


@pytest.mark.case("P16")
def test_a_floor_under_a_tariff_of_two_bands() -> None:
    tariff = {"peak_usd_per_kwh": 0.40, "off_peak_usd_per_kwh": 0.10, "peak_hours_per_day": 12}
    fields: dict[str, Any] = {
        "have": [{"name": "one", "gpu": "RTX 4090", "power_kw": 1.0, "idle_watts": 100}],
        "own": {"time_of_use": tariff, "powered_when_idle": False},
    }
    account = lent(compare(**fields))
    assert account.floors == pytest.approx((0.25, 0.40, 0.10))
    at_night = lent(
        compare(**fields, lending={"fee": 0.2, "only_off_peak": True, "wear_usd_per_gpu_hour": 0})
    )
    assert at_night.floors == pytest.approx((0.10, 0.40, 0.10))
    assert at_night.hours == pytest.approx(730 / 2)
    assert at_night.ask_floor_usd == pytest.approx(0.10 / (1 - 0.2))


def test_work_under_a_tariff_of_two_bands_pays_their_mean() -> None:
    tariff = {"peak_usd_per_kwh": 0.40, "off_peak_usd_per_kwh": 0.10, "peak_hours_per_day": 12}
    demand = {"gpu_hours_per_month": 200}
    banded = rig(compare(demand=demand, own={"time_of_use": tariff}))
    flat = rig(compare(demand=demand, own={"usd_per_kwh": 0.25}))
    assert banded.total_usd == pytest.approx(flat.total_usd)


def test_a_machine_that_is_on_anyway_pays_only_for_what_renting_adds() -> None:
    account = lent(compare(own={"usd_per_kwh": 0.17}, lending=TERMS))
    assert account.to_dict()["energy_kwh_per_month"] == pytest.approx(730 * 0.5 * 1.6)
    idle = lent(compare(own={"usd_per_kwh": 0.17}, lending={**TERMS, "occupancy": 0}))
    assert net(idle) == 0


def test_on_a_new_market_nobody_rents_and_a_machine_that_waits_costs_its_power() -> None:
    account = lent(compare(lending={"ask_usd_per_gpu_hour": 0.35, "fee": 0.25}))
    assert account.occupancy is not None and account.occupancy.value == 0
    assert net(account) == pytest.approx(-730 * 0.12 * 0.17)
    assert account.first_payout_month is None


def test_only_hours_that_the_work_leaves_are_on_offer() -> None:
    result = compare(demand={"gpu_hours_per_month": 400}, lending=TERMS)
    use = rig(result).use
    assert use is not None
    busy = float(use.busy_hours.sum()) / result.setting.horizon
    assert busy > 0
    assert lent(result).hours == pytest.approx(730 - busy)
    half = lent(compare(demand={"gpu_hours_per_month": 400}, lending={**TERMS, "hours_per_day": 12}))
    assert half.hours == pytest.approx((730 - busy) / 2)


def test_a_machine_is_on_offer_from_its_delivery_on() -> None:
    machine = {"name": "new", "gpu": "RTX 4090", "price_usd": 3_000, "power_kw": 0.5, "idle_watts": 60}
    result = compare(
        have=[], own={"machines": [machine], "usd_per_kwh": 0.17}, horizon_months=12, lending=TERMS,
        consider={"kinds": ["own_build"], "gpus": ["RTX 4090"]}, assumptions={"lead_time_parts": 8},
    )  # fmt: skip
    (option,) = [o for o in result.options if o.name == "new"]
    account = result.lent(option)
    assert account is not None and account.hours == pytest.approx(730, rel=1e-6), (
        "each month once it is there"
    )
    late = compare(
        have=[], own={"machines": [machine], "usd_per_kwh": 0.17}, horizon_months=1, lending=TERMS,
        consider={"kinds": ["own_build"], "gpus": ["RTX 4090"]}, assumptions={"lead_time_parts": 8},
    )  # fmt: skip
    (option,) = [o for o in late.options if o.name == "new"]
    told = late.lent(option)
    assert told is not None and told.hours == 0 and net(told) == 0


def test_wear_is_the_share_that_repairs_take_by_the_hour() -> None:
    terms = {k: v for k, v in TERMS.items() if k != "wear_usd_per_gpu_hour"}
    priced = [{**RIG, "resale_usd": 8_760}]
    account = lent(compare(have=priced, lending=terms, assumptions={"repair_share": 0.05}))
    assert account.to_dict()["wear_usd_per_month"] == pytest.approx(0.05 * 365)


def test_wear_of_a_machine_of_unknown_value_is_unknown_and_said() -> None:
    terms = {k: v for k, v in TERMS.items() if k != "wear_usd_per_gpu_hour"}
    old = [{**RIG, "gpu": "RTX 3090"}]
    account = lent(compare(have=old, lending=terms, consider={"kinds": ["own_existing"]}))
    assert account.before == ("wear", "income_tax")
    assert account.to_dict()["wear_usd_per_month"] is None


def test_income_tax_and_the_payout_minimum() -> None:
    account = lent(compare(lending={**TERMS, "income_tax_rate": 0.3, "payout_minimum_usd": 1_000}))
    assert account.before == ()
    assert net(account) == pytest.approx(269.08 * 0.7, abs=0.01)
    assert account.first_payout_month == 3, "383.25 a month reach 1,000 in the third"
    assert account.carried_usd == pytest.approx(0, abs=0.01), "36 months are twelve payouts"


def test_a_market_may_tell_the_occupancy() -> None:
    result = compare(lending={**TERMS, "occupancy": 0})
    seen = Fact("catalog", "market", "hub.example", 0.5, "share", "30 days of a market", DAY)
    account = lend(rig(result), result.setting, occupancy=seen)
    assert account is not None
    assert round(net(account), 2) == 269.08
    assert seen in account.facts


def test_where_an_occupancy_comes_from_is_kept() -> None:
    account = lent(compare(lending={**TERMS, "occupancy_from": "hub.example, October"}))
    assert account.occupancy is not None and account.occupancy.note == "hub.example, October"


def test_an_ask_for_another_gpu_is_not_used() -> None:
    account = lent(compare(lending={**TERMS, "ask_gpu": "H100 SXM 80GB"}))
    assert account.income is None
    assert "RTX 4090" in account.reason
    assert net(lent(compare(lending={**TERMS, "ask_gpu": "4090"}))) == pytest.approx(269.08, abs=0.01)


NO_ASK = {k: v for k, v in TERMS.items() if k != "ask_usd_per_gpu_hour"}


def test_a_lowest_ask_is_no_price_to_count_on() -> None:
    offers = CATALOG.table("offers")
    asks = offers.filter((pl.col("gpu") == "RTX 4090") & (pl.col("kind") == "marketplace"))
    assert set(asks["price_kind"]) == {"observed_minimum"}
    account = lent(compare(lending=NO_ASK))
    assert account.income is None and account.ask is None
    assert "lowest ask" in account.reason
    assert account.ask_floor_usd is not None, "what an hour must bring is known without a price"


def test_without_an_ask_the_market_s_price_counts_with_its_source_and_day(tmp_path: Path) -> None:
    catalog = tmp_path / "catalog"
    shutil.copytree(DATA_DIR, catalog)
    offers = pl.read_csv(catalog / "offers.csv", infer_schema=False)
    of_market = (
        (pl.col("gpu") == "RTX 4090") & (pl.col("provider") == "Vast.ai") & (pl.col("term") == "on_demand")
    )
    row = offers.filter(of_market).head(1)
    assert not row.is_empty()
    typical = row.with_columns(
        price_kind=pl.lit("observed_typical"), amount=pl.lit("0.44"), gpu_count=pl.lit("1.0"),
        instance_type=pl.lit("typical"), observed_on=pl.lit("2026-11-20"), valid_from=pl.lit("2026-11-20"),
    )  # fmt: skip
    pl.concat([offers, typical]).write_csv(catalog / "offers.csv")
    account = lent(compare(load(catalog, DAY), lending=NO_ASK))
    assert account.ask is not None
    assert (account.ask.value, account.ask.observed_on) == (0.44, date(2026, 11, 20))
    assert account.ask.table == "offers" and account.ask.source
    assert account.to_dict()["revenue_usd_per_month"] == pytest.approx(0.44 * 4 * 365)


def test_without_terms_the_floor_is_told_and_no_income() -> None:
    account = lent(compare())
    assert account.income is None and account.ask_floor_usd is None and account.ask is None
    assert account.floors[0] == pytest.approx(1.72 * 0.17 / 4)
    assert account.hours == pytest.approx(730)
    assert "lending" in account.reason


def test_only_what_is_yours_can_be_lent_out() -> None:
    answer = compare(lending=TERMS).to_dict(everything=True)
    for option in answer["options"]:
        if option["kind"] == "own_existing":
            assert option["lending"]["net_usd_per_month"] == pytest.approx(269.08, abs=0.01)
            assert option["lending"]["facts"]
        elif option["feasible"]:
            assert option["lending"] == {}
        else:
            assert option["lending"] is None


@pytest.mark.parametrize(
    "requirement",
    [
        {"residency": ["USA"]},
        {"certificates": ["HIPAA"]},
        {"signed_agreements": ["Acme"]},
        {"no_third_party_hosts": True},
        {"dedicated_hardware": True},
    ],
    ids=lambda r: next(iter(r)),
)
def test_beside_protected_data_lending_is_off(requirement: dict[str, Any]) -> None:
    result = compare(requirements=requirement, lending=TERMS)
    account = lent(result)
    assert account.income is None and account.floors == (None, None, None)
    assert account.reason.startswith("off: ") and next(iter(requirement)) in account.reason


def test_money_of_a_grant_must_allow_lending() -> None:
    grant = {"name": "grant 17", "may_buy": "both"}
    off = lent(compare(funding=grant, lending=TERMS))
    assert off.income is None and "grant 17" in off.reason
    assert lent(compare(funding=grant)).reason == off.reason
    allowed = lent(compare(funding=grant, lending={**TERMS, "funder_allows": True}))
    assert round(net(allowed), 2) == 269.08
    services = lent(compare(funding={**grant, "may_buy": "services"}, lending=TERMS))
    assert services.income is not None, "it cannot have bought the machine"


@pytest.mark.parametrize(("gpu", "told"), [("RTX 4090", True), ("A100 PCIe 80GB", False)])
def test_lenders_of_geforce_cards_are_told_of_the_licence(gpu: str, told: bool) -> None:
    consider = {"kinds": ["own_existing"]}
    account = lent(compare(have=[{**RIG, "gpu": gpu}], consider=consider, lending=TERMS))
    assert any("GeForce" in w for w in account.warnings) is told


def test_in_a_colocation_too_the_machine_is_yours() -> None:
    machine = {
        "name": "rack", "gpu": "RTX 4090", "gpus": 4, "price_usd": 12_000, "power_kw": 1.72, "idle_watts": 120,
        "rack": True, "kind": "own_prebuilt",
    }  # fmt: skip
    result = compare(
        have=[], own={"machines": [machine], "usd_per_kwh": 0.17}, lending=TERMS,
        consider={"kinds": ["colocation", "own_prebuilt"], "gpus": ["RTX 4090"]},
    )  # fmt: skip
    (there,) = [o for o in result.options if o.name == "rack" and o.kind == "colocation"]
    account = result.lent(there)
    assert account is not None and account.income is not None
    assert not any("consumer lines" in w for w in account.warnings)
    pue = next(f for f in account.facts if f.table == "pue")
    assert pue.key == "colocation"
    assert account.to_dict()["energy_kwh_per_month"] == pytest.approx(
        account.hours * 0.5 * 1.6 * pue.known  # type: ignore[operator]
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"lending": {"occupancy": 0.5}}, "fee"),
        ({"lending": {"fee": 25}}, "for 25 % write 0.25"),
        ({"lending": {"fee": 0.25, "occupancy": 50}}, "for 50 % write 0.5"),
        ({"lending": {**TERMS, "ask_gpu": "RTX 4O90"}}, "RTX"),
        ({"lending": {**TERMS, "only_off_peak": True}}, "own.time_of_use"),
        ({"lending": {**TERMS, "occupancy": {"low": 0, "likely": 0.5, "high": 1}}}, "needs one number"),
        (
            {"own": {"usd_per_kwh": 0.2, "time_of_use": {"peak_usd_per_kwh": 0.4, "off_peak_usd_per_kwh": 0.1, "peak_hours_per_day": 12}}},
            "needs one of them",
        ),
    ],
)  # fmt: skip
def test_a_wrong_term_gets_one_sentence(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        compare(**fields)


MANY: dict[str, Any] = {
    "demand": {"gpu_hours_per_month": 300},
    "consider": {
        "kinds": ["own_existing", "own_build", "cloud", "marketplace"],
        "gpus": ["RTX 4090", "RTX 5090"],
    },
}


@cache
def without_lending() -> dict[str, Any]:
    return compare(**MANY).to_dict(everything=True)


@settings(max_examples=15, deadline=None)
@given(
    st.fixed_dictionaries(
        {"fee": st.floats(0, 0.9)},
        optional={
            "ask_usd_per_gpu_hour": st.floats(0.01, 1_000),
            "occupancy": st.floats(0, 1),
            "wear_usd_per_gpu_hour": st.floats(0, 10),
            "income_tax_rate": st.floats(0, 0.9),
            "payout_minimum_usd": st.floats(0, 1_000),
            "hours_per_day": st.floats(0.1, 24),
            "funder_allows": st.booleans(),
        },
    )
)
def test_lending_changes_nothing_but_what_is_said_of_it(terms: dict[str, Any]) -> None:
    answer = compare(**MANY, lending=terms).to_dict(everything=True)
    plain = without_lending()
    rest = [{k: v for k, v in o.items() if k != "lending"} for o in answer["options"]]
    assert rest == [{k: v for k, v in o.items() if k != "lending"} for o in plain["options"]]
    assert {k: v for k, v in answer.items() if k != "options"} == {
        k: v for k, v in plain.items() if k != "options"
    }


def test_power_is_paid_with_its_tax_or_without_where_you_get_it_back() -> None:
    """German tariffs: that of households has 19 % in it, that of business has it on top."""
    own = {"powered_when_idle": False}

    def floor(site: str, *, recoverable: bool) -> float:
        location, tax = {"country": "DEU", "site": site}, {"rate": 0.19, "recoverable": recoverable}
        per_hour = lent(compare(own=own, location=location, tax=tax)).floors[0]
        assert per_hour is not None
        return per_hour

    household, business = (electricity(CATALOG, "DEU", None, who) for who in ("household", "business"))
    assert household is not None and household.tax_basis == "incl"
    assert business is not None and business.tax_basis == "excl"
    of_card = 1.72 / 4
    assert floor("home", recoverable=False) == pytest.approx(of_card * household.fact.known)
    assert floor("home", recoverable=True) == pytest.approx(of_card * household.fact.known / 1.19)
    assert floor("office", recoverable=False) == pytest.approx(of_card * business.fact.known * 1.19)
    assert floor("office", recoverable=True) == pytest.approx(of_card * business.fact.known)
