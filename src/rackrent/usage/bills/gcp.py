"""The billing export of Google Cloud (BigQuery), as JSON lines, Parquet or flattened CSV."""

from __future__ import annotations

import ibis

from rackrent.usage.bills.fields import (
    GPU_SKU,
    Column,
    Table,
    found,
    hours,
    line,
    number,
    period,
    plain,
    text,
)

NEEDED = ("usage_start_time", "usage_end_time", "cost")
NESTED = {"service": ("description",), "sku": ("description",), "project": ("id", "name"), "location": ("region",), "usage": ("amount", "unit")}  # fmt: skip

WELCOME = ("credits", "currency", "cost_type", "service_description", "sku_description", "project_id", "project_name", "location_region", "usage_amount", "usage_unit")  # fmt: skip
"""What is read where a bill has it."""


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a GCP export: cost plus credits, which are negative and may be many or none. A GPU is a
    charge of its own, in seconds; what its machine costs beside is money only."""
    t = plain(flat(bill), NEEDED, WELCOME, source)
    cost_type = text(t, "cost_type").lower()
    t = t.mutate(
        **period(text(t, "usage_start_time"), text(t, "usage_end_time")),
        said=text(t, "sku.description"),
        net=number(t, "cost") + _credits(t),
        committed=text(t, "sku.description").re_search(r"(?i)^commitment").fill_null(False),
        regular=cost_type.isnull() | (cost_type == "regular"),
        taxed=(cost_type == "tax").fill_null(False),
        quantity=hours(number(t, "usage.amount"), text(t, "usage.unit")),
    )
    t = t.mutate(
        charge=ibis.cases(
            (t.committed, "purchase"), (t.regular, "usage"), (t.taxed, "tax"), else_="adjustment"
        )
    )
    return line(
        t,
        account=text(t, "project.id", "project.name"),
        pool="gcp" + ibis.coalesce("/" + text(t, "location.region"), ""),
        instance_type=ibis.null("string"),
        gpu_text=ibis.cases((~t.committed, found(t.said, GPU_SKU))),
        kind=t.charge,
        currency=text(t, "currency"),
        hours=ibis.cases((t.charge == "usage", t.quantity)),
        billed=t.net,
        effective=t.net,
        given=t.net,
        replaced=ibis.literal(False),
    )


def flat(bill: Table) -> Table:
    """Return the export with its records taken apart: `usage.amount` becomes `usage_amount`."""
    schema = bill.schema()
    out: dict[str, Column] = {}
    for outer, inner in NESTED.items():
        if outer in schema and schema[outer].is_struct():
            fields = schema[outer].names
            out |= {f"{outer}_{name}": bill[outer][name] for name in inner if name in fields}
    return bill.mutate(**out)


def _credits(t: Table) -> Column:
    """The sum of a row's credits; nothing where there are none."""
    if "credits" not in t.columns:
        return ibis.literal(0.0)
    kind = t.credits.type()
    if not kind.is_array():
        return text(t, "credits").try_cast("float64").fill_null(0.0)
    amounts = t.credits.map(lambda c: (c.amount if kind.value_type.is_struct() else c).cast("float64"))
    return amounts.sums().fill_null(0.0)
