"""Buy now or wait: what the history of prices says, and what it does not.

Three things are looked at, each with the number of observations behind it: how prices of the same offers moved, when
new GPUs of the same segment came, and how fast work per dollar of launch price grew. A lean is given only where
enough offers agree; it is a description of the past, not a forecast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.judge import offer_id
from rackrent.i18n import gettext as _

FEWEST_OFFERS = 3
FEWEST_PROVIDERS = 2
DAYS_MIN = 180
"""Shortest history of one offer that says anything of a year."""
DAYS_BACK = 3 * 365
WAIT_BELOW = -0.20
BUY_ABOVE = -0.05
AGREE = 0.75
"""Share of the offers that must point the same way."""
DAYS_PER_YEAR = 365.25


@dataclass(frozen=True, slots=True)
class Outlook:
    """`lean` is "buy", "wait" or "none"; `because` says in sentences what it rests on, and what is missing."""

    lean: str
    because: tuple[str, ...]

    def sentence(self) -> str:
        """Return the lean in a sentence that is no surer than the data."""
        if self.lean == "wait":
            return _("If you can wait, prices of the past speak for waiting; nobody knows the next ones.")
        if self.lean == "buy":
            return _("Prices of the past do not speak for waiting; nobody knows the next ones.")
        return _("The data at hand do not say whether to buy or to wait.")


def outlook(catalog: Catalog, names: Sequence[str]) -> Outlook:
    """Return what speaks for buying or waiting with the GPUs `names` on the day of the catalog."""
    moved = yearly_changes(catalog, names)
    changes, providers = (
        [change for _provider, change in moved],
        len({provider for provider, _change in moved}),
    )
    lean = "none"
    if len(changes) >= FEWEST_OFFERS and providers >= FEWEST_PROVIDERS:
        middle = median(changes)
        said = _(
            "{n} offers of {providers} providers have half a year of history: they moved by {low:+.0%} to {high:+.0%} a year, the middle one by {middle:+.0%}"
        )
        because = [
            said.format(
                n=len(changes), providers=providers, low=min(changes), high=max(changes), middle=middle
            )
        ]
        lean = lean_of(changes)
    else:
        said = _(
            "half a year of history: {n} offers (providers: {providers}); it takes {least} offers of {two} to say more"
        )
        because = [
            said.format(n=len(changes), providers=providers, least=FEWEST_OFFERS, two=FEWEST_PROVIDERS)
        ]
    because += _launches(catalog, names)
    because += _doubling(catalog, names)
    return Outlook(lean, tuple(because))


def lean_of(changes: Sequence[float]) -> str:
    """Return "wait", "buy" or "none" from the yearly changes of offers: the middle one and three of four must agree.

    >>> lean_of([-0.3, -0.25, -0.2]), lean_of([0.0, 0.0, 0.02]), lean_of([-0.3, 0.0, 0.0])
    ('wait', 'buy', 'none')
    """
    middle = median(changes)
    falling = sum(change < BUY_ABOVE for change in changes) / len(changes)
    if middle <= WAIT_BELOW and falling >= AGREE:
        return "wait"
    return "buy" if middle >= BUY_ABOVE and falling <= 1 - AGREE else "none"


def yearly_changes(catalog: Catalog, names: Sequence[str]) -> list[tuple[str, float]]:
    """Return (provider, how an offer of these GPUs changed a year, as a share): on demand or spot, in its own currency.

    Only an offer beside itself counts: that a cheaper provider was added to the catalog is no fall of prices. A price
    that was seen to hold is a change of zero.
    """
    start = pl.lit(catalog.as_of) - pl.duration(days=DAYS_BACK)
    rows = (
        catalog.all_rows("offers").lazy()
        .filter(pl.col("gpu").is_in(list(names)) & pl.col("term").is_in(["on_demand", "spot"]))
        .filter((pl.col("amount") > 0) & (pl.col("price_kind") != "observed_minimum"))
        .filter((pl.col("valid_from") <= catalog.as_of) & (pl.max_horizontal("observed_on", "valid_to") >= start))
        .with_columns(
            _id=offer_id(),
            _seen=pl.min_horizontal("observed_on", pl.coalesce("valid_to", pl.lit(catalog.as_of)), pl.lit(catalog.as_of)),
        )
        .with_columns(_seen=pl.max_horizontal("_seen", "valid_from"))
        .sort("valid_from", "_seen")
        .group_by("_id", "provider", "currency", "per", "gpu_count")
        .agg(
            first=pl.col("amount").first(), last=pl.col("amount").last(),
            days=(pl.col("_seen").max() - pl.col("valid_from").min()).dt.total_days(),
        )
        .filter(pl.col("days") >= DAYS_MIN).sort("_id").collect()
    )  # fmt: skip
    return [
        (provider, (last / first) ** (DAYS_PER_YEAR / days) - 1)
        for provider, first, last, days in rows.select("provider", "first", "last", "days").iter_rows()
    ]


def _launches(catalog: Catalog, names: Sequence[str]) -> list[str]:
    gpus = catalog.all_rows("gpus").filter(pl.col("launch_date") <= catalog.as_of)
    mine = gpus.filter(pl.col("gpu").is_in(list(names)))
    if mine.is_empty():
        return []
    vendor, segment, born = mine.sort("launch_date").select("vendor", "segment", "launch_date").row(0)
    kin = gpus.filter((pl.col("vendor") == vendor) & (pl.col("segment") == segment))
    newer = kin.filter(pl.col("launch_date") > born).unique("architecture")
    years = (catalog.as_of - born).days / DAYS_PER_YEAR
    said = _(
        "launched {years:.1f} years ago; {n} newer architectures of the same maker and segment have come since"
    )
    return [
        said.format(years=years, n=newer.filter(pl.col("architecture") != mine["architecture"][0]).height)
    ]


def _doubling(catalog: Catalog, names: Sequence[str]) -> list[str]:
    """How fast FP32 per dollar of launch price doubled in the segment: a line through its launches."""
    gpus = catalog.all_rows("gpus").filter(pl.col("launch_date") <= catalog.as_of)
    segment = gpus.filter(pl.col("gpu").is_in(list(names)))["segment"].drop_nulls()
    if segment.is_empty():
        return []
    rows = (
        gpus.filter((pl.col("segment") == segment[0]) & (pl.col("launch_price_usd") > 0) & (pl.col("fp32_tflops") > 0))
        .unique("gpu").sort("gpu")
    )  # fmt: skip
    years = np.array([d.toordinal() / DAYS_PER_YEAR for d in rows["launch_date"]])
    if rows.height < 10 or np.ptp(years) < 3:
        return []
    doublings = np.log2((rows["fp32_tflops"] / rows["launch_price_usd"]).to_numpy())
    slope, spread = _slope(years, doublings)
    if slope <= 2 * spread:
        return [
            _("FP32 per dollar of launch price shows no clear growth over {n} GPUs of its segment").format(
                n=rows.height
            )
        ]
    said = _(
        "FP32 per dollar of launch price doubled every {low:.1f} to {high:.1f} years over {n} GPUs of its segment"
    )
    return [said.format(low=1 / (slope + 2 * spread), high=1 / (slope - 2 * spread), n=rows.height)]


def _slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Least-squares slope and its standard error."""
    fit, residual, *_rest = np.polyfit(x - x.mean(), y, 1, full=True)
    left = float(residual[0]) if len(residual) else 0.0
    return float(fit[0]), (left / (len(x) - 2) / float(((x - x.mean()) ** 2).sum())) ** 0.5
