"""Search the offers of the catalog; show one GPU or one offer."""

from __future__ import annotations

import polars as pl

from rackrent.app.ids import pick
from rackrent.building.ready import COUNTS, ready_build
from rackrent.catalog import query
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.hardware import gpu, gpu_meant, gpus, systems
from rackrent.catalog.judge import judged
from rackrent.catalog.names import members
from rackrent.catalog.query import OfferQuery
from rackrent.report.prices import Found, GpuCard, OfferCard


def search_prices(catalog: Catalog, wanted: OfferQuery) -> Found:
    """Return the offers that `wanted` asks for, and how many floors and doubtful ones it leaves out.

    Raises BadInput for a GPU or provider that nobody has heard of.
    """
    offers = judged(catalog)
    shown = query.search(offers, wanted)
    wide = wanted.model_copy(update={"include_floors": True, "include_doubtful": True, "limit": None})
    every = query.search(offers, wide)
    narrow = query.search(offers, wanted.model_copy(update={"limit": None}))
    hidden = every.join(narrow.select("offer_id"), on="offer_id", how="anti")
    floors = int(hidden["floor"].sum())
    return Found(catalog, shown.to_dicts(), floors, hidden.height - floors)


def show_price(catalog: Catalog, name: str) -> GpuCard | OfferCard:
    """Return the GPU, or the offer (an id, or a part of only one id), that `name` means. Raises BadInput."""
    if "/" in name:
        offers = judged(catalog)
        found = pick(name, offers["offer_id"].to_list())
        return OfferCard(catalog, offers.row(by_predicate=pl.col("offer_id") == found, named=True))
    return _gpu(catalog, gpu_meant(catalog, name))


def _gpu(catalog: Catalog, name: str) -> GpuCard:
    card = gpu(catalog, name)
    assert card is not None
    names = members(name, list(gpus(catalog)))
    offers = judged(catalog).filter(pl.col("gpu").is_in(names)).sort("usd_per_gpu_hour", "offer_id")
    cheapest = offers.filter("rankable").unique("term", keep="first", maintain_order=True)
    asks = offers.filter(
        pl.col("floor") & pl.col("doubt").is_null() & pl.col("usd_per_gpu_hour").is_not_null()
    )
    floor = next(asks.iter_rows(named=True), None)
    measured = catalog.all_rows("benchmarks").filter(pl.col("gpu").is_in(names)).height
    built = (ready_build(catalog, n, count) for n in names for count in COUNTS)
    machines = [s for s in systems(catalog) if s.gpu in names] + [r.system for r in built if r is not None]
    return GpuCard(catalog, card, cheapest.to_dicts(), floor, machines, measured)
