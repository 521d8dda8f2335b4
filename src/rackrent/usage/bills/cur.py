"""The Cost and Usage Report of AWS, as CSV or Parquet."""

from __future__ import annotations

import ibis

from rackrent.usage.bills.fields import ACCELERATED, Table, found, line, moment, number, plain, text

NEEDED = ("lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/UsageEndDate", "lineItem/UnblendedCost", "lineItem/UsageType", "lineItem/UsageAmount")  # fmt: skip


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a CUR. An hour under a savings plan or a reservation is one hour at its effective cost:
    the negation that takes its list price back is cash, and of a plan's or reservation's fee only the unused part is
    cost. Capacity reserved and not used (`UnusedBox`) is paid and not in use."""
    t = plain(bill, NEEDED, source)
    item, usage_type = text(t, "lineItem/LineItemType"), text(t, "lineItem/UsageType")
    billed = number(t, "lineItem/UnblendedCost")
    plan_left = number(t, "savingsPlan/TotalCommitmentToDate") - number(t, "savingsPlan/UsedCommitment")
    reservation_left = number(t, "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod").fill_null(
        0.0
    ) + number(t, "reservation/UnusedRecurringFee").fill_null(0.0)
    zero = ibis.literal(0.0)
    given = ibis.cases(
        (item == "SavingsPlanCoveredUsage", number(t, "savingsPlan/SavingsPlanEffectiveCost")),
        (item == "DiscountedUsage", number(t, "reservation/EffectiveCost")),
        (item == "SavingsPlanNegation", zero),
        (item == "SavingsPlanRecurringFee", plan_left),
        (item == "SavingsPlanUpfrontFee", zero),
        (item == "RIFee", reservation_left),
        ((item == "Fee") & text(t, "reservation/ReservationARN").notnull(), zero),
        else_=billed,
    )
    spare = usage_type.re_search(r"Unused(?:Box|Ded)")
    kind = ibis.cases(
        (item.isin(["Usage", "SavingsPlanCoveredUsage", "DiscountedUsage"]) & ~spare, "usage"),
        (item.isin(["Usage", "RIFee", "SavingsPlanRecurringFee"]), "unused"),
        (item.isin(["Fee", "SavingsPlanUpfrontFee"]), "purchase"),
        (item.isin(["Credit", "Refund"]), "credit"),
        (item == "Tax", "tax"),
        else_="adjustment",
    )
    box = usage_type.re_search(r"(?:Box|Spot|Dedicated|Host|Ded)Usage|Unused(?:Box|Ded)|Reservation:")
    instance = ibis.coalesce(
        found(text(t, "product/instanceType"), ACCELERATED), found(usage_type, ACCELERATED)
    )
    start, end = moment(t, "lineItem/UsageStartDate"), moment(t, "lineItem/UsageEndDate")
    start_text, end_text = text(t, "lineItem/UsageStartDate"), text(t, "lineItem/UsageEndDate")
    runs = box & ((kind == "usage") | (spare & (item == "Usage")))
    region = text(t, "product/regionCode", "product/region")
    return t.select(
        **line(
            start=start,
            end=end,
            time_text=ibis.cases((start.isnull(), start_text), (end.isnull(), end_text), else_=None),
            time_unread=(start.isnull() & start_text.notnull()) | (end.isnull() & end_text.notnull()),
            number_unread=billed.isnull() | given.isnull(),
            account=text(t, "lineItem/UsageAccountName", "lineItem/UsageAccountId"),
            pool="aws" + ibis.coalesce("/" + region, ""),
            instance_type=instance,
            gpu_text=ibis.null("string"),
            kind=kind,
            currency=text(t, "lineItem/CurrencyCode"),
            hours=ibis.cases((runs.fill_null(False), number(t, "lineItem/UsageAmount")), else_=None),
            billed=billed,
            effective=given,
            given=given,
            replaced=ibis.literal(False),
            n=t.n,
        )
    )
