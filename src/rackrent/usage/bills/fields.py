"""Columns of a bill, whatever engine holds it and however their names are written."""

from __future__ import annotations

import re
from typing import Any

import ibis

from rackrent.i18n import gettext as _
from rackrent.usage.complaints import refusal

Table = Any
"""An `ibis.Table`. Ibis builds its columns at run time, so a type checker sees nothing of them."""
Column = Any

NULLS = ("", "NULL", "null", "None", "<null>")
ACCELERATED = (
    r"((?:ml\.)?(?:p\d[a-z0-9-]*|g\d[a-z]*|trn\d[a-z]*|inf\d|dl\d[a-z]*)\.(?:metal|[0-9]*x?large|medium)(?:-[0-9a-z]+)?"
    r"|Standard_N[CDVGP][0-9A-Za-z_]+|\bN[CDV][0-9]+[a-z]*(?:_[A-Z0-9]+)*(?:[ _]v[0-9])?"
    r"|\b(?:a[234]|g[24])-[a-z]+-?[a-z0-9]*-[0-9]+[a-z]*)"
)
"""An instance type with accelerators, as AWS, Azure and Google name them."""
GPU_SKU = r"(?i)((?:nvidia|tesla|amd)[a-z0-9 -]*?) gpu"
"""Google bills a GPU apart from the machine that it is in."""
HOURS_IN = {"hour": 1.0, "hours": 1.0, "hrs": 1.0, "h": 1.0, "second": 1 / 3600, "seconds": 1 / 3600, "s": 1 / 3600, "minute": 1 / 60, "minutes": 1 / 60}  # fmt: skip

LINE = ("start", "end", "time_text", "time_unread", "number_unread", "month", "account", "pool", "instance_type", "gpu_text", "kind", "currency", "hours", "billed", "effective", "given", "replaced", "n")  # fmt: skip
"""What every bill becomes. One row is one charge (`n` times): hours of an instance or of a GPU, cash, cost; `given` is
the cost as the bill has it, `replaced` whether `effective` differs because it contradicts the bill itself."""


def key(name: str) -> str:
    """Return a column's name without its dress: `lineItem/UsageStartDate` and `line_item_usage_start_date` agree."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def plain(table: Table, needed: tuple[str, ...], source: str) -> Table:
    """Return the table with plain names. Raises BadInput naming the columns that are missing."""
    found: dict[str, str] = {}
    for name in table.columns:
        found.setdefault(key(name), name)
    if lacking := [name for name in needed if key(name) not in found]:
        raise refusal(source, _("column {names} is missing").format(names=", ".join(lacking)))
    return table.select(**{plain: table[name] for plain, name in found.items()})


def text(table: Table, *names: str) -> Column:
    """Return the first of the columns that is there and not null, as text; words for null are null."""
    have = [table[key(n)].cast("string").strip() for n in names if key(n) in table.columns]
    have = [ibis.cases((c.isin(NULLS), None), else_=c) for c in have]
    return ibis.coalesce(*have) if have else ibis.null("string")


def number(table: Table, *names: str) -> Column:
    """Return the first of the columns as a number; null where there is none."""
    return text(table, *names).try_cast("float64")


def moment(table: Table, name: str) -> Column:
    """Return a time in UTC from `2024-09-18 23:00:00`, `2023-01-01T00:00:00Z` or American `9/2/2023`."""
    said = text(table, name)
    american = ibis.cases(
        (
            said.re_search(r"^\d{1,2}/\d{1,2}/\d{4}$"),
            said.re_extract(r"/(\d{4})$", 1)
            + "-"
            + ("0" + said.re_extract(r"^(\d{1,2})/", 1)).right(2)
            + "-"
            + ("0" + said.re_extract(r"/(\d{1,2})/", 1)).right(2),
        ),
        else_=said,
    )
    return american.re_replace(r"( ?UTC|Z|\+00:?00)$", "").replace("T", " ").try_cast("timestamp(6)")


def found(said: Column, pattern: str) -> Column:
    """Return the first match in text; null where there is none."""
    match = said.re_extract(pattern, 1)
    return ibis.cases((match == "", None), else_=match)


def hours(quantity: Column, unit: Column) -> Column:
    """Return a quantity in hours; null where the unit is no time. `100 Hours` counts hundreds."""
    word = unit.lower().re_extract(r"([a-z]+)$", 1)
    many = unit.re_extract(r"^(\d+)", 1).try_cast("float64").fill_null(1.0)
    factor = ibis.cases(*[(word == name, value) for name, value in HOURS_IN.items()], else_=None)
    return quantity * many * factor


def line(**columns: Column) -> dict[str, Column]:
    """Return the columns of LINE; a row that has no instance and no GPU is money only: its month is enough."""
    watched = columns["instance_type"].notnull() | columns["gpu_text"].notnull()
    columns["month"] = columns["start"].truncate("M").date()
    for name in ("start", "end"):
        columns[name] = ibis.cases((watched, columns[name]), else_=None)
    return {name: columns[name] for name in LINE}
