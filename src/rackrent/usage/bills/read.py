"""From a bill to hours and charges."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from rackrent.catalog.catalog import Catalog, load
from rackrent.catalog.currency import to_usd
from rackrent.catalog.names import canonical_gpu
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.usage.bills.engine import connect, rejected, table_of
from rackrent.usage.bills.instances import folded, gpus_by_type
from rackrent.usage.complaints import refusal, unreadable_lines
from rackrent.usage.hours import per_hour
from rackrent.usage.model import CHARGES, HOURLY, Reading, shaped

KEYS = ("start", "end", "month", "account", "pool", "instance_type", "gpu_text", "kind", "currency")


def read_bills(paths: list[Path], kind: str) -> list[Reading]:
    """Read the files of one kind of bill together. Raises BadInput in one sentence."""
    connection = connect()
    import duckdb

    source = ", ".join(p.name for p in paths)
    bill, _none = table_of(connection, paths, nested=kind == "gcp")
    if kind == "azure" and len(paths) > 1:
        _refuse_both(connection, paths, source)
    try:
        summed = summary(lines_of(bill, kind, source)).to_polars()
        read_all = rejected(connection, paths)
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise refusal(
            source, _("this file breaks off or is no {kind} bill ({reason})").format(kind=kind, reason=said)
        ) from None
    finally:
        connection.disconnect()
    return [reading(summed, source, kind, read_all)]


def lines_of(bill: Any, kind: str, source: str) -> Any:
    """Return the charges of a bill as an Ibis expression (the columns of `fields.LINE`)."""
    from rackrent.usage.bills import azure, cur, focus, gcp

    return {"focus": focus, "cur": cur, "azure": azure, "gcp": gcp}[kind].lines(bill, source)


def summary(lines: Any) -> Any:
    """Return the charges summed by what they are for: small, however big the bill. A row whose cost is unreadable
    adds nothing but its count."""
    import ibis

    def times(column: Any) -> Any:
        return ibis.cases((lines.number_unread, 0.0), else_=column * lines.n).sum()

    def count(condition: Any) -> Any:
        return ibis.cases((condition, lines.n), else_=0).sum()

    return lines.group_by(list(KEYS)).agg(
        rows=lines.n.sum(),
        hours=times(lines.hours.fill_null(0.0)),
        billed=times(lines.billed),
        effective=times(lines.effective),
        given=times(lines.given),
        replaced=count(lines.replaced),
        time_unread=count(lines.time_unread),
        number_unread=count(lines.number_unread),
        time_text=lines.time_text.min(),
    )


def reading(summed: pl.DataFrame, source: str, kind: str, rejects: tuple[int, list[int]]) -> Reading:
    """Return hours and charges of a summed bill."""
    said: list[str] = unreadable_lines(tuple(rejects[1]))
    catalog = load(as_of=datetime.now(UTC).date())
    frame = _with_gpus(summed, catalog)
    frame = _in_dollars(frame, catalog, said)
    said += _doubts(frame)
    unread = int(frame["time_unread"].sum()) + int(frame["number_unread"].sum()) + rejects[0]
    usage = pl.col("kind") == "usage"
    gpu_hours = (pl.col("hours") * pl.col("gpus")).fill_null(0.0)
    frame = frame.with_columns(gpu_hours=pl.when(usage).then(gpu_hours).otherwise(0.0), paid=gpu_hours)
    charges = (
        frame.group_by("account", "pool", "instance_type", "gpu", "kind", "currency")
        .agg(
            pl.col("rows").sum(), pl.col("gpu_hours").sum(), pl.col("billed").sum(),
            *(_all_known(c) for c in ("billed_usd", "effective_usd", "effective_as_given_usd")),
        )
        .sort("account", "pool", "instance_type", "kind", nulls_last=True)
        .with_columns(source=pl.lit(source))
    )  # fmt: skip
    timed = frame.filter(
        pl.col("gpu").is_not_null()
        & pl.col("kind").is_in(["usage", "unused"])
        & (pl.col("end") > pl.col("start"))
    ).rename({"start": "started", "end": "ended"})
    amounts = {
        "gpus_in_use": "gpu_hours",
        "gpu_hours_paid": "paid",
        "billed_usd": "billed_usd",
        "effective_usd": "effective_usd",
    }
    hourly = per_hour(timed, amounts).with_columns(source=pl.lit(source))
    return Reading(
        source,
        kind,
        hourly=shaped(hourly, HOURLY),
        charges=shaped(charges, CHARGES),
        warnings=tuple(said),
        unreadable=unread,
    )


def _all_known(column: str) -> pl.Expr:
    return pl.when(pl.col(column).null_count() == 0).then(pl.col(column).sum()).alias(column)


def _with_gpus(summed: pl.DataFrame, catalog: Catalog) -> pl.DataFrame:
    by_type = gpus_by_type(catalog)
    types = summed["instance_type"].unique().drop_nulls().to_list()
    skus = summed["gpu_text"].unique().drop_nulls().to_list()
    gpu = {t: by_type[folded(t)][0] for t in types if folded(t) in by_type}
    count = {t: by_type[folded(t)][1] for t in types if folded(t) in by_type}
    sku = {s: canonical_gpu(s) for s in skus}
    return summed.with_columns(
        gpu=pl.coalesce(
            pl.col("instance_type").replace_strict(gpu, default=None, return_dtype=pl.String),
            pl.col("gpu_text").replace_strict(sku, default=None, return_dtype=pl.String),
        ),
        gpus=pl.coalesce(
            pl.col("instance_type").replace_strict(count, default=None, return_dtype=pl.Float64),
            pl.when(pl.col("gpu_text").is_not_null()).then(1.0),
        ),
        start=pl.col("start").cast(pl.Datetime("us")).dt.replace_time_zone("UTC"),
        end=pl.col("end").cast(pl.Datetime("us")).dt.replace_time_zone("UTC"),
    )


def _in_dollars(frame: pl.DataFrame, catalog: Catalog, said: list[str]) -> pl.DataFrame:
    """Amounts at the mean rate of their month; null where there is none."""
    rates: list[tuple[str | None, date | None, float | None]] = []
    for currency, month in frame.select("currency", "month").unique().iter_rows():
        rates.append((currency, month, _rate(currency, month, catalog, said)))
    if any(currency is None for currency, *_rest in rates):
        said.append(_("the bill names no currency; its amounts are taken as US dollars"))
    foreign = sorted({c for c, _m, r in rates if c not in (None, "USD") and r is not None})
    if foreign:
        said.append(
            _("amounts in {currency} are turned into dollars at the mean rate of their month").format(
                currency=", ".join(str(c) for c in foreign)
            )
        )
    schema: dict[str, Any] = {"currency": pl.String, "month": frame.schema["month"], "rate": pl.Float64}
    table = pl.DataFrame(rates, schema=schema, orient="row")
    frame = frame.join(table, on=["currency", "month"], how="left", nulls_equal=True)
    names = {"billed_usd": "billed", "effective_usd": "effective", "effective_as_given_usd": "given"}
    return frame.with_columns((pl.col(old) * pl.col("rate")).alias(new) for new, old in names.items())


def _rate(currency: str | None, month: date | None, catalog: Catalog, said: list[str]) -> float | None:
    if currency is None or currency.upper() == "USD":
        return 1.0
    try:
        return to_usd(catalog, 1.0, currency, month or catalog.as_of).value
    except BadInput as error:
        said.append(str(error))
        return None


def _doubts(frame: pl.DataFrame) -> list[str]:
    said = []
    if n := int(frame["time_unread"].sum()):
        first = frame["time_text"].drop_nulls().min()
        said.append(
            ngettext("{n} row has a time that cannot be read ({text}): its money counts, its hours do not", "{n} rows have a time that cannot be read ({text}): their money counts, their hours do not", n)
            .format(n=n, text=first)
        )  # fmt: skip
    if n := int(frame["number_unread"].sum()):
        said.append(
            ngettext("{n} row has a cost that cannot be read and is left out", "{n} rows have a cost that cannot be read and are left out", n).format(n=n)
        )  # fmt: skip
    if n := int(frame["replaced"].sum()):
        said.append(
            ngettext(
                "{n} on-demand row was billed at list price but has another effective cost; the billed cost is used ({given} as given)",
                "{n} on-demand rows were billed at list price but have another effective cost; the billed cost is used ({given} as given for the whole bill)",
                n,
            ).format(n=n, given=format_usd(float(frame["effective_as_given_usd"].sum()), decimals=2))
        )  # fmt: skip
    unknown = frame.filter(
        pl.col("gpu").is_null() & (pl.col("instance_type").is_not_null() | pl.col("gpu_text").is_not_null())
    )
    for name, cost in (
        unknown.group_by(what=pl.coalesce("instance_type", "gpu_text"))
        .agg(pl.col("effective_usd").sum())
        .sort("what")
        .iter_rows()
    ):
        said.append(
            _("{type} is not in the catalog: how many GPUs it has is unknown; its cost of {cost} is in the sums, its GPU-hours are not")
            .format(type=name, cost=format_usd(cost, decimals=2))
        )  # fmt: skip
    return said


def _refuse_both(connection: Any, paths: list[Path], source: str) -> None:
    import ibis

    from rackrent.usage.bills.azure import told_twice

    words = [p.name.casefold() for p in paths]
    names_say = any("actual" in w for w in words) and any("amorti" in w for w in words)
    tables = [connection.table(f"bill_{i}") for i in range(len(paths))]
    tables = [t.mutate(file=ibis.literal(p.name)) for t, p in zip(tables, paths, strict=True)]
    names = list(dict.fromkeys(n for t in tables for n in t.columns))
    whole = ibis.union(
        *(
            t.select(**{n: t[n].cast("string") if n in t.columns else ibis.null("string") for n in names})
            for t in tables
        )
    )
    if names_say or told_twice(whole).count().execute():
        raise refusal(
            source, _("these are an actual and an amortised export of the same usage; give one of them")
        )
