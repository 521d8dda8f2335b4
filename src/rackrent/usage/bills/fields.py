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


def plain(table: Table, needed: tuple[str, ...], welcome: tuple[str, ...], source: str) -> Table:
    """Return the columns that are needed, and those welcome that are there, with plain names: as text in which words
    for null are null (records stay). Raises BadInput naming the columns that are missing."""
    have: dict[str, str] = {}
    for name in table.columns:
        have.setdefault(key(name), name)
    if lacking := [name for name in needed if key(name) not in have]:
        raise refusal(source, _("column {names} is missing").format(names=", ".join(lacking)))
    taken = dict.fromkeys(key(name) for name in (*needed, *welcome, "n") if key(name) in have)
    return table.select(**{name: _cleaned(table[have[name]]) for name in taken})


def _cleaned(column: Column) -> Column:
    kind = column.type()
    if kind.is_nested() or column.get_name() == "n":
        return column
    said = column.cast("string").strip()
    return ibis.cases((said.isin(NULLS), None), else_=said)


def text(table: Table, *names: str) -> Column:
    """Return the first of the columns that is there and not null, as text."""
    have = [table[key(n)] for n in names if key(n) in table.columns]
    return ibis.coalesce(*have) if have else ibis.null("string")


def number(table: Table, *names: str) -> Column:
    """Return the first of the columns as a number; null where there is none."""
    return text(table, *names).try_cast("float64")


def moment(said: Column) -> Column:
    """Return a time in UTC from `2024-09-18 23:00:00`, `2023-01-01T00:00:00Z` or American `9/2/2023`."""
    # The common forms are cut to their length; patterns are tried only on what they can fit: bills have many rows.
    american = (
        said.re_extract(r"/(\d{4})$", 1)
        + "-"
        + ("0" + said.re_extract(r"^(\d{1,2})/", 1)).right(2)
        + "-"
        + ("0" + said.re_extract(r"/(\d{1,2})/", 1)).right(2)
    )
    iso = ibis.cases(
        (said.contains("/"), american),
        (said.length() == 20, said.re_replace("Z$", "")),
        (said.length() > 20, said.re_replace(r"(\.\d+)?( ?UTC|Z|\+00:?00)?$", "")),
        else_=said,
    )
    return iso.replace("T", " ").try_cast("timestamp(6)")


def found(said: Column, pattern: str) -> Column:
    """Return the first match in text; null where there is none."""
    return said.re_extract(pattern, 1).nullif("")


def hours(quantity: Column, unit: Column) -> Column:
    """Return a quantity in hours; null where the unit is no time. `100 Hours` counts hundreds."""
    word = unit.lower().re_extract(r"([a-z]+)$", 1)
    many = unit.re_extract(r"^(\d+)", 1).try_cast("float64").fill_null(1.0)
    factor = ibis.cases(*[(word == name, value) for name, value in HOURS_IN.items()], else_=None)
    return quantity * many * factor


def period(start_text: Column, end_text: Column | None = None) -> dict[str, Column]:
    """Return the columns that a charge's times make, for a projection of their own."""
    start = moment(start_text)
    end = start + ibis.interval(days=1) if end_text is None else moment(end_text)
    return {
        "start": start,
        "end": end,
        "start_text": start_text,
        "end_text": start_text if end_text is None else end_text,
    }


def line(table: Table, **columns: Column) -> Table:
    """Return the columns of LINE, where `table` has those of `period` and `n`. A row that has no instance and no GPU is
    money only: its month is enough."""
    t = table.select(
        **columns, n=table.n, **{c: table[c] for c in ("start", "end", "start_text", "end_text")}
    )
    bad_start, bad_end = (t[c].isnull() & t[f"{c}_text"].notnull() for c in ("start", "end"))
    watched = t.instance_type.notnull() | t.gpu_text.notnull()
    made = {
        "time_text": ibis.cases((bad_start, t.start_text), (bad_end, t.end_text), else_=None),
        "time_unread": bad_start | bad_end,
        "number_unread": t.billed.isnull() | t.given.isnull(),
        "month": t.start.truncate("M").date(),
        "start": ibis.cases((watched, t.start), else_=None),
        "end": ibis.cases((watched, t.end), else_=None),
    }
    return t.select(**{name: made.get(name, t[name] if name in t.columns else None) for name in LINE})
