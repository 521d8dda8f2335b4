"""What looks wrong in the prices of a day, and why: everything that is kept from ranking, and more that is worth a look."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.judge import family, judged
from rackrent.i18n import N_, ngettext
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.units import HOURS_PER_MONTH

FAR_ABOVE = 4.0
"""A price this many times the median of its GPU and term is worth a look."""
NEAR = 0.15
"""How near a ratio must come to that of a slip, as a share of it."""
FEWEST_PROVIDERS = 3

KINDS = {
    "doubt": N_("not ranked"),
    "conflict": N_("two prices for one thing"),
    "outlier": N_("far from other providers"),
    "unit": N_("looks like another unit"),
    "unanswered": N_("its source failed when last refreshed"),
    "stale": N_("over a year old"),
}
"""Kind of finding to its heading."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks wrong: what kind (`KINDS`), which offer or source, and why, as a sentence."""

    kind: str
    what: str
    why: str


def findings(catalog: Catalog) -> list[Finding]:
    """Return everything that looks wrong in the offers of the day of the catalog, kind by kind."""
    offers = judged(catalog)
    out = [Finding("doubt", i, _(d)) for i, d in offers.filter(pl.col("doubt").is_not_null()).sort("offer_id").select("offer_id", "doubt").iter_rows()]  # fmt: skip
    out += _conflicts(offers)
    out += _outliers(offers)
    out += [
        Finding("unanswered", source if provider is None else f"{source}, {provider}", _why(failure.good, failure.reason))
        for (source, provider), failure in sorted(catalog.unanswered.items(), key=lambda item: str(item[0]))
    ]  # fmt: skip
    old = (
        offers.filter("stale")
        .group_by("source")
        .agg(n=pl.len(), newest=pl.col("observed_on").max())
        .sort("source")
    )
    for source, n, newest in old.iter_rows():
        said = ngettext("{n} offer, seen last on {day}", "{n} offers, seen last on {day}", n)
        out.append(Finding("stale", source, said.format(n=f"{n:,}", day=newest.isoformat())))
    return out


def _why(good: object, reason: str) -> str:
    if good is None:
        return _("never answered: {reason}").format(reason=reason)
    return _("last good on {day}: {reason}").format(day=good, reason=reason)


def _conflicts(offers: pl.DataFrame) -> list[Finding]:
    rows = offers.filter(pl.col("conflict_usd_per_hour").is_not_null()).sort("offer_id")
    said = _("{low} an hour is used; {high} is said too")
    return [
        Finding("conflict", offer, said.format(low=format_usd(low), high=format_usd(high)))
        for offer, low, high in rows.select("offer_id", "usd_per_hour", "conflict_usd_per_hour").iter_rows()
    ]


def _outliers(offers: pl.DataFrame) -> list[Finding]:
    """Prices far above those of other providers, and ones whose distance is that of another unit.

    Each provider has one vote, its median.
    """
    priced = offers.filter(~pl.col("floor") & pl.col("usd_per_gpu_hour").is_not_null()).with_columns(
        _family=family()
    )
    median = (
        priced.lazy().filter(pl.col("doubt").is_null() & ~pl.col("stale"))
        .group_by("_family", "term", "provider").agg(pl.col("usd_per_gpu_hour").median())
        .group_by("_family", "term").agg(_median=pl.col("usd_per_gpu_hour").median(), _providers=pl.len())
        .filter(pl.col("_providers") >= FEWEST_PROVIDERS)
    )  # fmt: skip
    rows = (
        priced.lazy().join(median, on=["_family", "term"])
        .with_columns(_times=pl.col("usd_per_gpu_hour") / pl.col("_median"))
        .filter((pl.col("_times") > FAR_ABOVE) | (pl.col("_times") < 1 / FAR_ABOVE)).sort("offer_id").collect()
    )  # fmt: skip
    out = []
    for row in rows.iter_rows(named=True):
        slip = unit_slip(row["_times"], row["gpu_count"])
        said = _("{usd} an hour of one GPU is {times:.3g} times the median of {n} providers").format(
            usd=format_usd(row["usd_per_gpu_hour"]), times=row["_times"], n=row["_providers"]
        )
        if slip:
            out.append(Finding("unit", row["offer_id"], f"{said}; {_(slip)}"))
        elif row["doubt"] is None:
            out.append(Finding("outlier", row["offer_id"], said))
    return out


def unit_slip(times: float, gpu_count: float | None) -> str:
    """Return which slip would explain a price that is `times` the usual one; "" if none would.

    >>> unit_slip(730, 1)
    'a price a month taken for one an hour?'
    >>> unit_slip(1 / 8, 8), unit_slip(5.0, 8)
    ('a price of one GPU taken for that of the machine?', '')
    """
    slips = [
        (HOURS_PER_MONTH, N_("a price a month taken for one an hour?")),
        (1 / HOURS_PER_MONTH, N_("a price an hour divided as if for a month?")),
        (100.0, N_("cents taken for dollars?")),
        (0.01, N_("dollars taken for cents?")),
    ]
    if gpu_count and gpu_count >= 4:
        slips.append((gpu_count, N_("a price of the machine multiplied by its GPUs?")))
        slips.append((1 / gpu_count, N_("a price of one GPU taken for that of the machine?")))
    return next((said for factor, said in slips if abs(times - factor) <= NEAR * factor), "")
