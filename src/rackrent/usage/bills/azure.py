"""Cost exports of Azure: actual or amortised."""

from __future__ import annotations

import ibis

from rackrent.usage.bills.fields import (
    ACCELERATED,
    Table,
    found,
    hours,
    key,
    line,
    number,
    period,
    plain,
    text,
)

NEEDED = ("Date", "MeterName", "Quantity", "UnitOfMeasure")
COST = ("CostInBillingCurrency", "PreTaxCost", "Cost")

WELCOME = (*COST, "ChargeType", "MeterCategory", "AdditionalInfo", "SubscriptionName", "SubscriptionId", "SubscriptionGuid", "ResourceLocation", "MeterRegion", "BillingCurrencyCode", "BillingCurrency", "Currency", "ResourceId", "InstanceId", "MeterId", "file")  # fmt: skip
"""What is read where a bill has it."""


def lines(bill: Table, source: str) -> Table:
    """Return the charges of an Azure export. In an amortised one the cost is what the reservation cost; in an actual
    one it is the bill. An unused reservation is cost without hours."""
    have = {key(name) for name in bill.columns}
    cost_needed = () if {key(n) for n in COST} & have else COST[:1]
    t = plain(bill, (*NEEDED, *cost_needed), WELCOME, source)
    charge, category = text(t, "ChargeType").lower(), text(t, "MeterCategory").lower()
    t = t.mutate(
        **period(text(t, "Date")),
        charge=ibis.cases(
            (charge.isnull() | (charge == "usage"), "usage"),
            (charge.isin(["unusedreservation", "unusedsavingsplan"]), "unused"),
            (charge == "purchase", "purchase"),
            (charge == "tax", "tax"),
            (charge == "refund", "credit"),
            else_="adjustment",
        ),
        machine=category.isnull() | (category == "virtual machines"),
        type=ibis.coalesce(
            found(text(t, "AdditionalInfo"), ACCELERATED), found(text(t, "MeterName"), ACCELERATED)
        ),
        billed=number(t, *COST),
        quantity_hours=hours(number(t, "Quantity"), text(t, "UnitOfMeasure")),
    )
    return line(
        t,
        account=text(t, "SubscriptionName", "SubscriptionId", "SubscriptionGuid"),
        pool="azure" + ibis.coalesce("/" + text(t, "ResourceLocation", "MeterRegion").lower(), ""),
        instance_type=ibis.cases((t.machine, t.type)),
        gpu_text=ibis.null("string"),
        kind=t.charge,
        currency=text(t, "BillingCurrencyCode", "BillingCurrency", "Currency"),
        hours=ibis.cases((t.charge == "usage", t.quantity_hours)),
        billed=t.billed,
        effective=t.billed,
        given=t.billed,
        replaced=ibis.literal(False),
    )


def told_twice(bill: Table) -> Table:
    """Return the usage that two files tell at different cost: an actual and an amortised export of the same month."""
    t = plain(bill, (), (*NEEDED, *WELCOME), "")
    t = t.filter(text(t, "ChargeType").lower().fill_null("usage") == "usage")
    own = t.select(
        day=text(t, "Date"), resource=text(t, "ResourceId", "InstanceId"), meter=text(t, "MeterId"),
        quantity=text(t, "Quantity"), cost=number(t, *COST), file=t.file,
    )  # fmt: skip
    by_file = own.group_by("day", "resource", "meter", "quantity", "file").agg(cost=own.cost.sum())
    both = by_file.group_by("day", "resource", "meter", "quantity").agg(
        files=by_file.file.nunique(), low=by_file.cost.min(), high=by_file.cost.max()
    )
    return both.filter((both.files > 1) & ((both.high - both.low).abs() > 1e-9))
