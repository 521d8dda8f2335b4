"""The Cost and Usage Report of AWS, as CSV or Parquet."""

from __future__ import annotations

import ibis

from rackrent.usage.bills.fields import ACCELERATED, Table, found, line, number, period, plain, text

NEEDED = ("lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/UsageEndDate", "lineItem/UnblendedCost", "lineItem/UsageType", "lineItem/UsageAmount")  # fmt: skip

WELCOME = ("lineItem/CurrencyCode", "lineItem/UsageAccountName", "lineItem/UsageAccountId", "product/instanceType", "product/regionCode", "product/region", "savingsPlan/SavingsPlanEffectiveCost", "savingsPlan/TotalCommitmentToDate", "savingsPlan/UsedCommitment", "reservation/EffectiveCost", "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod", "reservation/UnusedRecurringFee", "reservation/ReservationARN")  # fmt: skip
"""What is read where a bill has it."""


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a CUR. An hour under a savings plan or a reservation is one hour at its effective cost:
    the negation that takes its list price back is cash, and of a plan's or reservation's fee only the unused part is
    cost. Capacity reserved and not used (`UnusedBox`) is paid and not in use."""
    t = plain(bill, NEEDED, WELCOME, source)
    usage_type = text(t, "lineItem/UsageType")
    unused_fees = ("UnusedAmortizedUpfrontFeeForBillingPeriod", "UnusedRecurringFee")
    t = t.mutate(
        **period(text(t, "lineItem/UsageStartDate"), text(t, "lineItem/UsageEndDate")),
        item=text(t, "lineItem/LineItemType"),
        billed=number(t, "lineItem/UnblendedCost"),
        amount=number(t, "lineItem/UsageAmount"),
        spare=usage_type.re_search(r"Unused(?:Box|Ded)").fill_null(False),
        box=usage_type.re_search(
            r"(?:Box|Spot|Dedicated|Host|Ded)Usage|Unused(?:Box|Ded)|Reservation:"
        ).fill_null(False),
        type=ibis.coalesce(
            found(text(t, "product/instanceType"), ACCELERATED), found(usage_type, ACCELERATED)
        ),
        plan_left=number(t, "savingsPlan/TotalCommitmentToDate") - number(t, "savingsPlan/UsedCommitment"),
        reservation_left=sum(number(t, f"reservation/{name}").fill_null(0.0) for name in unused_fees),
        reserved=text(t, "reservation/ReservationARN").notnull(),
    )
    t = t.mutate(
        given=ibis.cases(
            (t.item == "SavingsPlanCoveredUsage", number(t, "savingsPlan/SavingsPlanEffectiveCost")),
            (t.item == "DiscountedUsage", number(t, "reservation/EffectiveCost")),
            (t.item.isin(["SavingsPlanNegation", "SavingsPlanUpfrontFee"]), 0.0),
            (t.item == "SavingsPlanRecurringFee", t.plan_left),
            (t.item == "RIFee", t.reservation_left),
            ((t.item == "Fee") & t.reserved, 0.0),
            else_=t.billed,
        ),
        charge=ibis.cases(
            (t.item.isin(["Usage", "SavingsPlanCoveredUsage", "DiscountedUsage"]) & ~t.spare, "usage"),
            (t.item.isin(["Usage", "RIFee", "SavingsPlanRecurringFee"]), "unused"),
            (t.item.isin(["Fee", "SavingsPlanUpfrontFee"]), "purchase"),
            (t.item.isin(["Credit", "Refund"]), "credit"),
            (t.item == "Tax", "tax"),
            else_="adjustment",
        ),
    )
    return line(
        t,
        account=text(t, "lineItem/UsageAccountName", "lineItem/UsageAccountId"),
        pool="aws" + ibis.coalesce("/" + text(t, "product/regionCode", "product/region"), ""),
        instance_type=t.type,
        gpu_text=ibis.null("string"),
        kind=t.charge,
        currency=text(t, "lineItem/CurrencyCode"),
        hours=ibis.cases((t.box & ((t.charge == "usage") | (t.spare & (t.item == "Usage"))), t.amount)),
        billed=t.billed,
        effective=t.given,
        given=t.given,
        replaced=ibis.literal(False),
    )
