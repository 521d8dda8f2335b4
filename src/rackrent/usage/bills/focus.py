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
    moment,
    number,
    plain,
    text,
)

NEEDED = ("ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory", "BilledCost", "EffectiveCost")
CONTRADICTS = 0.01
"""Share of the list cost by which an effective cost is off that nothing on the row explains."""


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a FOCUS bill. A purchase is cash, usage is cost; an unused commitment is cost without
    hours; a credit is cash, not demand; a negative usage row is a correction and takes its hours back.

    An on-demand row that was billed at list price and whose effective cost is another has the billed one:
    there is no discount that could explain it.
    """
    t = plain(bill, NEEDED, source)
    category = text(t, "ChargeCategory").lower()
    unused = text(t, "CommitmentDiscountStatus").lower() == "unused"
    kind = ibis.cases(
        ((category == "usage") & unused.fill_null(False), "unused"),
        (category.isin(["usage", "purchase", "credit", "adjustment", "tax"]), category),
        else_="adjustment",
    )
    said = text(t, "ChargeDescription")
    detail = found(text(t, "SkuPriceDetails"), r'"(?:x_)?InstanceType"\s*:\s*"([^"]+)"')
    instance = ibis.coalesce(
        *(found(c, ACCELERATED) for c in (text(t, "x_InstanceType"), detail, text(t, "SkuMeter"), said))
    )
    compute = text(t, "ServiceCategory").isnull() | text(t, "ServiceCategory").lower().isin(
        ["compute", "ai and machine learning"]
    )
    gpu_text = ibis.cases((compute & instance.isnull(), found(said, GPU_SKU)), else_=None)
    instance = ibis.cases((compute, instance), else_=None)
    billed, given, listed = number(t, "BilledCost"), number(t, "EffectiveCost"), number(t, "ListCost")
    committed = (
        text(t, "PricingCategory").lower().isin(["committed", "dynamic"])
        | text(t, "CommitmentDiscountId").notnull()
    )
    contradicts = (
        (kind == "usage") & ~committed.fill_null(False)
        & ((billed - listed).abs() <= CONTRADICTS * listed.abs())
        & ((given - listed).abs() > CONTRADICTS * listed.abs())
    ).fill_null(False)  # fmt: skip
    start, end = moment(t, "ChargePeriodStart"), moment(t, "ChargePeriodEnd")
    start_text, end_text = text(t, "ChargePeriodStart"), text(t, "ChargePeriodEnd")
    quantity = hours(number(t, "ConsumedQuantity"), text(t, "ConsumedUnit"))
    pool = text(t, "ProviderName", "ServiceProviderName").lower() + ibis.coalesce(
        "/" + text(t, "RegionId"), ""
    )
    return t.select(
        **line(
            start=start,
            end=end,
            time_text=ibis.cases((start.isnull(), start_text), (end.isnull(), end_text), else_=None),
            time_unread=(start.isnull() & start_text.notnull()) | (end.isnull() & end_text.notnull()),
            number_unread=billed.isnull() | given.isnull(),
            account=text(t, "SubAccountName", "SubAccountId", "BillingAccountName", "BillingAccountId"),
            pool=pool,
            instance_type=instance,
            gpu_text=gpu_text,
            kind=kind,
            currency=text(t, "BillingCurrency"),
            hours=ibis.cases((kind == "usage", quantity), else_=None),
            billed=billed,
            effective=ibis.cases((contradicts, billed), else_=given),
            given=given,
            replaced=contradicts,
            n=t.n,
        )
    )
