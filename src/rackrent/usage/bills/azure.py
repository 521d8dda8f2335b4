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
    moment,
    number,
    plain,
    text,
)

NEEDED = ("Date", "MeterName", "Quantity", "UnitOfMeasure")
COST = ("CostInBillingCurrency", "PreTaxCost", "Cost")


def lines(bill: Table, source: str) -> Table:
    """Return the charges of an Azure export. In an amortised one the cost is what the reservation cost; in an actual
    one it is the bill. An unused reservation is cost without hours."""
    have = {key(name) for name in bill.columns}
    cost_needed = () if {key(n) for n in COST} & have else COST[:1]
    t = plain(bill, (*NEEDED, *cost_needed), source)
    charge = text(t, "ChargeType").lower()
    kind = ibis.cases(
        (charge.isnull() | (charge == "usage"), "usage"),
        (charge.isin(["unusedreservation", "unusedsavingsplan"]), "unused"),
        (charge == "purchase", "purchase"),
        (charge == "tax", "tax"),
        (charge == "refund", "credit"),
        else_="adjustment",
    )
    meter = text(t, "MeterName")
    machine = text(t, "MeterCategory").isnull() | (text(t, "MeterCategory").lower() == "virtual machines")
    instance = ibis.coalesce(found(text(t, "AdditionalInfo"), ACCELERATED), found(meter, ACCELERATED))
    billed = number(t, *COST)
    start, start_text = moment(t, "Date"), text(t, "Date")
    return t.select(
        **line(
            start=start,
            end=start + ibis.interval(days=1),
            time_text=ibis.cases((start.isnull(), start_text), else_=None),
            time_unread=start.isnull() & start_text.notnull(),
            number_unread=billed.isnull(),
            account=text(t, "SubscriptionName", "SubscriptionId", "SubscriptionGuid"),
            pool="azure" + ibis.coalesce("/" + text(t, "ResourceLocation", "MeterRegion").lower(), ""),
            instance_type=ibis.cases((machine, instance), else_=None),
            gpu_text=ibis.null("string"),
            kind=kind,
            currency=text(t, "BillingCurrencyCode", "BillingCurrency", "Currency"),
            hours=ibis.cases(
                (kind == "usage", hours(number(t, "Quantity"), text(t, "UnitOfMeasure"))), else_=None
            ),
            billed=billed,
            effective=billed,
            given=billed,
            replaced=ibis.literal(False),
            n=t.n,
        )
    )


def told_twice(bill: Table) -> Table:
    """Return the usage that two files tell at different cost: an actual and an amortised export of the same month."""
    t = plain(bill, (), "")
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
