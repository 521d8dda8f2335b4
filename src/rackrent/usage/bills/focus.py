"""FOCUS 1.0 to 1.2, the FinOps Foundation's open format of bills."""

from __future__ import annotations

import ibis

from rackrent.usage.bills.fields import (
    ACCELERATED,
    GPU_SKU,
    Table,
    found,
    hours,
    line,
    number,
    period,
    plain,
    text,
)

NEEDED = ("ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory", "BilledCost", "EffectiveCost")
CONTRADICTS = 0.01
"""Share of the list cost by which an effective cost is off that nothing on the row explains."""

WELCOME = ("BillingCurrency", "ListCost", "CommitmentDiscountStatus", "CommitmentDiscountId", "PricingCategory", "ConsumedQuantity", "ConsumedUnit", "ServiceCategory", "ChargeDescription", "SkuPriceDetails", "SkuMeter", "x_InstanceType", "ProviderName", "ServiceProviderName", "RegionId", "SubAccountName", "SubAccountId", "BillingAccountName", "BillingAccountId")  # fmt: skip
"""What is read where a bill has it."""


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a FOCUS bill. A purchase is cash, usage is cost; an unused commitment is cost without
    hours; a credit is cash, not demand; a negative usage row is a correction and takes its hours back.

    An on-demand row that was billed at list price and whose effective cost is another has the billed one:
    there is no discount that could explain it.
    """
    t = plain(bill, NEEDED, WELCOME, source)
    category = text(t, "ChargeCategory").lower()
    service = text(t, "ServiceCategory").lower()
    t = t.mutate(
        **period(text(t, "ChargePeriodStart"), text(t, "ChargePeriodEnd")),
        charge=ibis.cases(
            ((category == "usage") & (text(t, "CommitmentDiscountStatus").lower() == "unused"), "unused"),
            (category.isin(["usage", "purchase", "credit", "adjustment", "tax"]), category),
            else_="adjustment",
        ),
        computes=service.isnull() | service.isin(["compute", "ai and machine learning"]),
        said=text(t, "ChargeDescription"),
        billed=number(t, "BilledCost"),
        given=number(t, "EffectiveCost"),
        listed=number(t, "ListCost"),
        committed=(
            text(t, "PricingCategory").lower().isin(["committed", "dynamic"]).fill_null(False)
            | text(t, "CommitmentDiscountId").notnull()
        ),
        quantity=hours(number(t, "ConsumedQuantity"), text(t, "ConsumedUnit")),
        detail=found(text(t, "SkuPriceDetails"), r'"(?:x_)?InstanceType"\s*:\s*"([^"]+)"'),
    )
    told = ibis.coalesce(text(t, "x_InstanceType"), t.detail, text(t, "SkuMeter"), t.said)
    t = t.mutate(
        type=ibis.cases((t.computes, ibis.coalesce(found(told, ACCELERATED), found(t.said, ACCELERATED)))),
        contradicts=(
            (t.charge == "usage")
            & ~t.committed
            & ((t.billed - t.listed).abs() <= CONTRADICTS * t.listed.abs())
            & ((t.given - t.listed).abs() > CONTRADICTS * t.listed.abs())
        ).fill_null(False),
    )
    return line(
        t,
        account=text(t, "SubAccountName", "SubAccountId", "BillingAccountName", "BillingAccountId"),
        pool=text(t, "ProviderName", "ServiceProviderName").lower()
        + ibis.coalesce("/" + text(t, "RegionId"), ""),
        instance_type=t.type,
        gpu_text=ibis.cases((t.computes & t.type.isnull() & t.said.contains("GPU"), found(t.said, GPU_SKU))),
        kind=t.charge,
        currency=text(t, "BillingCurrency"),
        hours=ibis.cases((t.charge == "usage", t.quantity)),
        billed=t.billed,
        effective=ibis.cases((t.contradicts, t.billed), else_=t.given),
        given=t.given,
        replaced=t.contradicts,
    )
