"""Bills, by the cases of `usage.md`: each in a small bill of our own, and in real ones."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from shared_files import shared

from rackrent import usage
from rackrent.errors import BadInput, RackrentError
from rackrent.usage.load import load

Row = dict[str, object]


def written(path: Path, rows: Sequence[Row]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def focus(hour: int = 0, *, day: int = 1, **said: object) -> Row:
    return {
        "BilledCost": 0, "EffectiveCost": 0, "ListCost": 0, "BillingCurrency": "USD", "ChargeCategory": "Usage",
        "ChargePeriodStart": f"2024-01-{day:02} {hour:02}:00:00", "ChargePeriodEnd": f"2024-01-{day:02} {hour:02}:59:59",
        "ChargeDescription": "$3.06 per On Demand Linux p3.2xlarge Instance Hour", "ConsumedQuantity": 1, "ConsumedUnit": "Hours",
        "PricingCategory": "Standard", "ProviderName": "AWS", "RegionId": "us-east-1", "SubAccountName": "lab",
    } | said  # fmt: skip


@pytest.mark.case("U14")
def test_a_purchase_is_cash_and_the_use_of_it_is_cost(tmp_path: Path) -> None:
    bought = focus(ChargeCategory="Purchase", BilledCost=365, ConsumedQuantity="NULL", CommitmentDiscountId="c", ChargePeriodEnd="2025-01-01 00:00:00", ChargeDescription="One year of p3.2xlarge")  # fmt: skip
    used = [
        focus(h, day=d, BilledCost=0, EffectiveCost=1, ListCost=3.06, PricingCategory="Committed", CommitmentDiscountId="c", CommitmentDiscountStatus="Used")
        for d in range(1, 17) for h in range(24)
    ][:365]  # fmt: skip
    found = usage.load(written(tmp_path / "focus.csv", [bought, *used]))
    assert (found.billed_usd, found.effective_usd, found.gpu_hours) == pytest.approx((365, 365, 365))
    assert found.warnings == ()
    assert found.hourly["billed_usd"].sum() == 0


@pytest.mark.case("U14")
def test_the_scenarios_of_the_specification() -> None:
    folder = shared("data/focus_commitment")
    found = {p.stem.removeprefix("commitment_discount_"): usage.load(p) for p in sorted(folder.glob("*.csv"))}
    money = {name: (u.billed_usd, u.effective_usd) for name, u in found.items()}
    assert money == {
        "purchase_scenario_1": (8760, 0), "purchase_scenario_2": (3, 0), "purchase_scenario_3": (4381.5, 0),
        "usage_scenario_1": (0, 1), "usage_scenario_2": (0, 1), "usage_scenario_3": (0, 1), "usage_scenario_4": (0.5, 1.5),
    }  # fmt: skip
    assert found["purchase_scenario_2"].rows_unreadable == 1
    assert any("2023-02-01T30:00:00Z" in w for w in found["purchase_scenario_2"].warnings)


@pytest.mark.case("U15")
@pytest.mark.parametrize("quantity", ["null", "1"])
def test_an_unused_commitment_is_cost_and_not_usage(tmp_path: Path, quantity: str) -> None:
    unused = focus(EffectiveCost=0.25, CommitmentDiscountStatus="Unused", CommitmentDiscountId="c", PricingCategory="Committed", ConsumedQuantity=quantity)  # fmt: skip
    found = usage.load(written(tmp_path / "focus.csv", [unused]))
    assert (found.effective_usd, found.gpu_hours) == (0.25, 0)


@pytest.mark.case("U16")
def test_an_effective_cost_that_contradicts_the_list_cost_gives_way_to_the_billed(tmp_path: Path) -> None:
    said = "$1.624 per On Demand Linux g5.4xlarge Instance Hour"
    rows = [
        focus(1, BilledCost=1.624, EffectiveCost=2.0, ListCost=1.624, ChargeDescription=said),
        focus(2, BilledCost=0.4809, EffectiveCost=0.0, ListCost=0.4809, ConsumedQuantity=0.296111, ChargeDescription=said),
        focus(3, BilledCost=0, EffectiveCost=1.0, ListCost=1.624, PricingCategory="Committed", CommitmentDiscountId="c", ChargeDescription=said),
    ]  # fmt: skip
    found = usage.load(written(tmp_path / "focus.csv", rows))
    assert found.effective_usd == pytest.approx(1.624 + 0.4809 + 1.0)
    assert found.charges["effective_as_given_usd"].sum() == pytest.approx(3.0)
    assert "2 on-demand rows were billed at list price" in found.warnings[0]


@pytest.mark.case("U16b")
def test_a_real_focus_bill_to_the_digits() -> None:
    found = usage.load(shared("data/focus_1_0_sample.csv"))
    assert found.charges["rows"].sum() == 1_000
    assert round(found.billed_usd or 0, 4) == 20.5202
    assert round(found.charges["effective_as_given_usd"].sum(), 4) == 14.9765
    ours = found.charges.filter(pl.col("instance_type") == "g5.4xlarge")
    assert ours["rows"].to_list() == [8] and ours["gpu"].to_list() == ["A10G"]
    assert round(ours["gpu_hours"][0], 6) == 6.283056
    assert round(ours["billed_usd"][0], 4) == round(ours["effective_usd"][0], 4) == 10.2037


@pytest.mark.case("U17")
def test_a_correction_takes_hours_back_and_a_credit_is_cash_only(tmp_path: Path) -> None:
    rows = [
        focus(1, BilledCost=0.149, EffectiveCost=0.149, ListCost=0.149),
        focus(1, BilledCost=-0.149, EffectiveCost=-0.149, ListCost=-0.149, ConsumedQuantity=-1),
        focus(2, BilledCost=-2.6137, EffectiveCost=-2.6137, ChargeCategory="Credit", ConsumedQuantity="NULL", ConsumedUnit="NULL"),
    ]  # fmt: skip
    found = usage.load(written(tmp_path / "focus.csv", rows))
    assert found.gpu_hours == pytest.approx(0)
    assert found.billed_usd == pytest.approx(-2.6137)
    assert found.hourly["effective_usd"].sum() == pytest.approx(0)


def aws(kind: str, cost: float, amount: float = 1, **said: object) -> Row:
    return {
        "lineItem/LineItemType": kind, "lineItem/UsageStartDate": "2024-01-01T00:00:00Z", "lineItem/UsageEndDate": "2024-01-01T01:00:00Z",
        "lineItem/UnblendedCost": cost, "lineItem/UsageType": "BoxUsage:p3.8xlarge", "lineItem/UsageAmount": amount,
        "lineItem/CurrencyCode": "USD", "lineItem/UsageAccountId": "1234", "product/instanceType": "p3.8xlarge", "product/region": "us-east-1",
    } | said  # fmt: skip


@pytest.mark.case("U18")
def test_a_savings_plan_hour_is_one_hour_at_its_effective_cost(tmp_path: Path) -> None:
    rows = [
        aws("SavingsPlanCoveredUsage", 2, **{"savingsPlan/SavingsPlanEffectiveCost": 1.25}),
        aws("SavingsPlanNegation", -2),
    ]
    found = usage.load(written(tmp_path / "cur.csv", rows))
    assert found.formats[0][1] == "cur"
    assert (found.gpu_hours, found.billed_usd, found.effective_usd) == (4, 0, 1.25)


@pytest.mark.case("U19")
def test_a_reserved_hour_is_at_its_effective_cost_and_the_fee_only_unused(tmp_path: Path) -> None:
    rows = [
        aws("DiscountedUsage", 0, **{"reservation/EffectiveCost": 1.5}),
        aws("RIFee", 1116, 744, **{"lineItem/UsageType": "HeavyUsage:p3.8xlarge", "reservation/UnusedRecurringFee": 6, "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": 1}),
    ]  # fmt: skip
    found = usage.load(written(tmp_path / "cur.csv", rows))
    assert (found.gpu_hours, found.billed_usd, found.effective_usd) == (4, 1116, 8.5)


def test_the_names_of_a_parquet_report_are_the_same_columns(tmp_path: Path) -> None:
    row = {"line_item_line_item_type": "Usage", "line_item_usage_start_date": "2024-01-01 00:00:00", "line_item_usage_end_date": "2024-01-01 01:00:00", "line_item_unblended_cost": 12.24, "line_item_usage_type": "UnusedBox:p3.8xlarge", "line_item_usage_amount": 1.0}  # fmt: skip
    pl.DataFrame([row]).write_parquet(tmp_path / "cur.parquet")
    found = usage.load(tmp_path / "cur.parquet")
    assert found.hourly.select("gpus_in_use", "gpu_hours_paid", "effective_usd").row(0) == (0, 4, 12.24)


def azure(cost: float, **said: object) -> Row:
    return {
        "Date": "9/2/2023", "MeterId": "m", "MeterCategory": "Virtual Machines", "MeterName": "NC24", "Quantity": 2,
        "UnitOfMeasure": "1 Hour", "CostInBillingCurrency": cost, "BillingCurrencyCode": "USD", "ChargeType": "Usage",
        "ResourceId": "vm", "ResourceLocation": "EastUS", "SubscriptionName": "lab", "AdditionalInfo": '{"ServiceType":"Standard_NC24"}',
    } | said  # fmt: skip


@pytest.mark.case("U20")
@pytest.mark.parametrize("names", [("ActualCost.csv", "AmortizedCost.csv"), ("a.csv", "b.csv")])
def test_an_actual_and_an_amortised_export_are_the_same_usage(tmp_path: Path, names: tuple[str, str]) -> None:
    files = [written(tmp_path / n, [azure(c)]) for n, c in zip(names, (0.0, 7.2), strict=True)]
    with pytest.raises(
        BadInput, match="an actual and an amortised export of the same usage; give one of them"
    ):
        usage.load(files)


def test_overlapping_bills_count_once(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "a.csv", [azure(7.2), azure(3.6, Date="9/3/2023")]),
        written(tmp_path / "b.csv", [azure(3.6, Date="9/3/2023"), azure(3.6, Date="9/4/2023")]),
    ]
    found = usage.load(files)
    assert found.billed_usd == pytest.approx(7.2 + 3.6 + 3.6)
    assert found.gpu_hours == pytest.approx(3 * 2 * 4)


def test_a_real_azure_export_to_the_digits() -> None:
    found = usage.load(shared("data/azure_ea_export_sample.csv"))
    assert found.charges["rows"].sum() == 27
    assert round(found.charges["billed"].sum(), 6) == 1.261369
    assert found.charges["currency"].unique().to_list() == ["CAD"]


@pytest.mark.case("U21")
def test_google_nets_its_credits_and_counts_in_seconds(tmp_path: Path) -> None:
    row = {"usage_start_time": "2024-01-01 00:00:00 UTC", "usage_end_time": "2024-01-01 01:00:00 UTC", "currency": "USD", "cost_type": "regular", "service": {"description": "Compute Engine"}, "sku": {"description": "Nvidia Tesla V100 GPU running in Americas"}, "project": {"id": "lab"}, "location": {"region": "us-central1"}, "usage": {"amount": 7200.0, "unit": "seconds"}}  # fmt: skip
    rows = [
        row | {"cost": 4.96, "credits": [{"name": "a", "amount": -1.0}, {"name": "b", "amount": -0.5}]},
        row | {"cost": 2.48, "credits": [], "usage": {"amount": 3600.0, "unit": "seconds"}},
        row | {"cost": 1.0, "credits": [], "sku": {"description": "N1 Predefined Instance Core running in Americas"}},
    ]  # fmt: skip
    path = tmp_path / "gcp.json"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    found = usage.load(path)
    assert found.formats[0][1] == "gcp"
    assert found.gpu_hours == pytest.approx(3)
    assert found.billed_usd == pytest.approx(4.96 - 1.5 + 2.48 + 1.0)


@pytest.mark.case("U22")
@pytest.mark.parametrize(
    ("type", "gpu", "count"),
    [("p3.8xlarge", "V100 SXM2 16GB", 4), ("g5.48xlarge", "A10G", 8), ("NC24", "K80 (one die)", 4)],
)
def test_an_instance_type_has_the_gpus_that_the_catalog_says(type: str, gpu: str, count: float) -> None:
    from rackrent.catalog.catalog import load
    from rackrent.usage.bills.instances import folded, gpus_by_type

    assert gpus_by_type(load())[folded(type)] == (gpu, count)


@pytest.mark.case("U22")
def test_an_unknown_type_is_a_warning_with_its_cost(tmp_path: Path) -> None:
    row = focus(BilledCost=9, EffectiveCost=9, ListCost=9, ChargeDescription="per On Demand Linux p9.8xlarge Instance Hour")  # fmt: skip
    found = usage.load(written(tmp_path / "focus.csv", [row]))
    assert found.effective_usd == 9
    assert "p9.8xlarge is not in the catalog" in found.warnings[0] and "$9.00" in found.warnings[0]


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    row = focus()
    del row["EffectiveCost"]
    with pytest.raises(BadInput, match=r"focus\.csv: column EffectiveCost is missing"):
        usage.load(written(tmp_path / "focus.csv", [row]))


def test_a_cost_that_is_no_number_is_counted_and_left_out(tmp_path: Path) -> None:
    rows = [focus(1, BilledCost=3, EffectiveCost=3, ListCost=3), focus(2, BilledCost="n/a")]
    found = usage.load(written(tmp_path / "focus.csv", rows))
    assert (found.billed_usd, found.rows_unreadable) == (3, 1)


def test_a_line_that_breaks_off_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "focus.csv", [focus(1, BilledCost=3, EffectiveCost=3, ListCost=3), focus(2)])
    path.write_text(path.read_text()[:-60])
    found = usage.load(path)
    assert (found.billed_usd, found.rows_unreadable) == (3, 1)


def test_without_the_extra_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(
        RackrentError, match=r"reading bills needs Ibis and DuckDB: pip install 'rackrent\[bills\]'"
    ):
        usage.load(written(tmp_path / "focus.csv", [focus()]))


def test_a_bill_that_breaks_off_within_a_quote_is_one_sentence(tmp_path):
    path = tmp_path / "bill.csv"
    path.write_text(
        'BilledCost,EffectiveCost,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,Tags\n1,1,2026-01-01,2026-01-02,Usage,"{""a'
    )
    with pytest.raises(BadInput, match="breaks off, or a quote in it is not closed"):
        load(path)
