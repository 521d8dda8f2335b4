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
    moment,
    number,
    plain,
    text,
)

NEEDED = ("usage_start_time", "usage_end_time", "cost")
NESTED = {"service": ("description",), "sku": ("description",), "project": ("id", "name"), "location": ("region",), "usage": ("amount", "unit")}  # fmt: skip


def lines(bill: Table, source: str) -> Table:
    """Return the charges of a GCP export: cost plus credits, which are negative and may be many or none. A GPU is a
    charge of its own, in seconds; what its machine costs beside is money only."""
    t = plain(flat(bill), NEEDED, source)
    said = text(t, "sku.description")
    committed = said.re_search(r"(?i)^commitment").fill_null(False)
    cost_type = text(t, "cost_type").lower()
    kind = ibis.cases(
        (committed, "purchase"),
        (cost_type.isnull() | (cost_type == "regular"), "usage"),
        (cost_type == "tax", "tax"),
        else_="adjustment",
    )
    cost = number(t, "cost")
    net = cost + _credits(t)
    start, end = moment(t, "usage_start_time"), moment(t, "usage_end_time")
    start_text, end_text = text(t, "usage_start_time"), text(t, "usage_end_time")
    quantity = hours(number(t, "usage.amount"), text(t, "usage.unit"))
    return t.select(
        **line(
            start=start,
            end=end,
            time_text=ibis.cases((start.isnull(), start_text), (end.isnull(), end_text), else_=None),
            time_unread=(start.isnull() & start_text.notnull()) | (end.isnull() & end_text.notnull()),
            number_unread=cost.isnull(),
            account=text(t, "project.id", "project.name"),
            pool="gcp" + ibis.coalesce("/" + text(t, "location.region"), ""),
            instance_type=ibis.null("string"),
            gpu_text=ibis.cases((~committed, found(said, GPU_SKU)), else_=None),
            kind=kind,
            currency=text(t, "currency"),
            hours=ibis.cases((kind == "usage", quantity), else_=None),
            billed=net,
            effective=net,
            given=net,
            replaced=ibis.literal(False),
            n=t.n,
        )
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
