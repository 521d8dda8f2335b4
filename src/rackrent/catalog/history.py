"""How prices moved: runs of days on which an offer cost the same, and the cheapest price of a GPU day by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.judge import BELIEVED_DAYS, STALE_DAYS, family, judged
from rackrent.catalog.judge import offer_id as id_of_offer


@dataclass(frozen=True, slots=True)
class Run:
    """A price that held from `start` until `end` (None: it still does): USD an hour, and who said so.

    `usd` is for the whole machine, or for one GPU where the series is one of a GPU; None: nothing was offered, or its
    price was unknown. `seen` is the last day on which the source showed it.
    """

    start: date
    end: date | None
    usd: float | None
    offer_id: str | None
    seen: date | None
    source: str | None


def offer_runs(catalog: Catalog, offer_id: str) -> list[Run]:
    """Return the prices of an offer until the day of the catalog, in order; equal neighbours are one run."""
    mine = catalog.all_rows("offers").filter(id_of_offer() == offer_id)
    return _runs(catalog, mine, pl.col("offer_id") == offer_id, "usd_per_hour")


def gpu_runs(
    catalog: Catalog, names: Sequence[str], term: str = "on_demand", provider: str | None = None
) -> list[Run]:
    """Return the cheapest price of one GPU of `names` that could be ranked, day by day until that of the catalog.

    What it shows is what this catalog knew: a step may be a source that was added, not the market. Each run names its
    offer, and only steps of one offer are moves of a price (`moves`).
    """
    rows = catalog.all_rows("offers")
    families = rows.filter(pl.col("gpu").is_in(list(names))).select(family()).to_series().unique()
    mine = rows.filter(family().is_in(families.implode()))
    wanted = pl.col("gpu").is_in(list(names)) & (pl.col("term") == term) & pl.col("rankable")
    if provider is not None:
        wanted &= pl.col("provider").str.to_lowercase() == provider.casefold()
    return _runs(catalog, mine, wanted, "usd_per_gpu_hour")


def price_on(catalog: Catalog, offer_id: str, day: date) -> float | None:
    """Return USD an hour of an offer on a day, from its history; None where it did not exist or its price is unknown.

    What ran then is billed at the price of then, also when the type has since left the market.
    """
    row = judged(catalog.on(day)).filter(pl.col("offer_id") == offer_id)
    return row["usd_per_hour"].item() if row.height else None


def _runs(catalog: Catalog, offers: pl.DataFrame, wanted: pl.Expr, price: str) -> list[Run]:
    """Judge `offers` as of every day on which that may change, and keep the lowest of `wanted`."""
    runs: list[Run] = []
    shared = {"gpus": catalog.all_rows("gpus"), "fx": catalog.all_rows("fx"), "offers": offers}
    # Nothing need begin or end for a price to grow too old to be ranked, or for a fall to be believed.
    too_old = pl.col("observed_on").dt.offset_by(f"{STALE_DAYS + 1}d")
    believed = pl.col("valid_from").dt.offset_by(f"{BELIEVED_DAYS}d")
    still = [
        offers.filter(pl.col("valid_to").is_null() | (pl.col("valid_to") > day)).select(day).to_series()
        for day in (too_old, believed)
    ]
    days = pl.concat([offers["valid_from"], offers["valid_to"].drop_nulls(), *still]).unique().sort()
    for day in days.filter(days <= catalog.as_of):
        rows = judged(Catalog(day, catalog.directory, _tables=dict(shared)))
        rows = rows.filter(wanted & pl.col(price).is_not_null()).sort(price, "offer_id")
        best = rows.row(0, named=True) if rows.height else None
        run = Run(day, None, None, None, None, None)
        if best is not None:
            run = Run(day, None, best[price], best["offer_id"], best["observed_on"], best["source"])
        last = runs[-1] if runs else None
        if last is not None and (last.usd, last.offer_id) == (run.usd, run.offer_id):
            runs[-1] = replace(last, seen=run.seen)
        elif last is not None:
            runs[-1] = replace(last, end=day)
            runs.append(run)
        elif run.usd is not None:
            runs.append(run)
    return [replace(r, seen=min(r.seen, catalog.as_of)) if r.seen else r for r in runs]
