"""Judging offers: what each costs in dollars, and whether it may be ranked.

Doubtful offers are kept and shown with the reason; they are not ranked. A price is what N GPUs can be had for:
floors (lowest asks), unknown prices, prices that leave out half the machine and prices that contradict their
neighbours are not that.
"""

from __future__ import annotations

import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.currency import to_usd
from rackrent.catalog.schema import CONFIDENCES
from rackrent.catalog.store import OFFER
from rackrent.errors import BadInput
from rackrent.i18n import N_
from rackrent.units import HOURS_PER_MONTH

STALE_DAYS = 365
HALF = 0.5
FEWEST_OFFERS = 4
FEWEST_PROVIDERS = 3
FALL = 0.6
BELIEVED_DAYS = 30
MEMORY_TIMES = 3.0

NO_CURRENCY = N_("no currency stated")
NO_RATE = N_("no exchange rate for its currency")
ZERO_PRICE = N_("a price of zero is not a price")
UNKNOWN_GPU = N_("the GPU is not in the catalog")
UNKNOWN_COUNT = N_("the source does not say how many GPUs")
INCOMPLETE = N_("the price leaves out a part of the machine")
SPOT_TOO_HIGH = N_("spot price at or above on demand")
FEWER_COST_MORE = N_("cheaper than half as many of the same GPUs")
FELL = N_("fell by more than 60 % and has not held for 30 days yet")
WRONG_MEMORY = N_("its GPU memory is not that of its GPU")
FAR_BELOW = N_("under half the median of its GPU and term")

SOLD_AS_ONE = ("provider", "instance_type", "region", "gpu")
LIKE = ("provider", "region", "gpu", "kind", "term", "payment", "minimum_months", "price_kind")


def judged(catalog: Catalog) -> pl.DataFrame:
    """Return the offers that held on the day of the catalog, of GPUs launched by then, with what they cost.

    Added columns: `offer_id` ("kind/provider/type/region/term", lower case, unique), `usd_per_hour_running`
    (whole machine, without what is paid up front), `usd_per_hour` (the same with the up-front payment spread
    over the shortest time that must be paid), `usd_per_gpu_hour`, `upfront_usd`, `age_days`, `stale` (observed
    over 365 days before), `floor` (a lowest ask), `doubt` (why it is doubtful, an English message, or null),
    `conflict_usd_per_hour` (another price given for the same thing), `unanswered` (its source failed
    when last refreshed), `rankable`. A month is 730 h.
    """
    return catalog.once("judged offers", lambda: _judged(catalog))


def _judged(catalog: Catalog) -> pl.DataFrame:
    offers = _launched(catalog, catalog.table("offers"))
    priced = _one_per_id(_priced(catalog, offers))
    doubted = _cheaper_than_half(_fell(catalog, _doubts_of_the_row(priced)))
    doubted = _far_below(doubted)
    clean = (
        pl.col("usd_per_hour").is_not_null()
        & pl.col("gpu_count").is_not_null()
        & pl.col("doubt").is_null()
        & ~pl.col("floor")
    )
    fresher = (clean & ~pl.col("stale")).any().over("term")
    return doubted.with_columns(
        rankable=clean & (~pl.col("stale") | ~fresher), unanswered=_unanswered(catalog)
    )


def _unanswered(catalog: Catalog) -> pl.Expr:
    """Whether the source of a row, or its part on that provider, failed when last refreshed."""
    out = pl.lit(value=False)
    for source, provider in catalog.unanswered:
        failed = pl.col("source") == source
        out = out | (failed if provider is None else failed & (pl.col("provider") == provider))
    return out


def _launched(catalog: Catalog, offers: pl.DataFrame) -> pl.DataFrame:
    gpus = catalog.all_rows("gpus").select("gpu", "launch_date", "memory_gb").unique("gpu")
    future = gpus.filter(pl.col("launch_date") > catalog.as_of)["gpu"]
    known = gpus["gpu"].implode()
    times = pl.col("gpu_memory_gb") / pl.col("gpu").replace_strict(
        gpus["gpu"], gpus["memory_gb"], default=None, return_dtype=pl.Float64
    )
    return offers.filter(~pl.col("gpu").is_in(future.implode())).with_columns(
        _gpu_known=pl.col("gpu").is_in(known),
        _memory_slip=(pl.col("gpu_count") >= 1) & ((times > MEMORY_TIMES) | (times < 1 / MEMORY_TIMES)),
    )


def _priced(catalog: Catalog, offers: pl.DataFrame) -> pl.DataFrame:
    rate = pl.col("currency").replace_strict(_rates(catalog, offers), default=None, return_dtype=pl.Float64)
    hours = pl.when(pl.col("per") == "machine_month").then(HOURS_PER_MONTH).otherwise(1.0)
    months = pl.max_horizontal(pl.col("minimum_months").fill_null(0.0), pl.lit(1.0))
    upfront = pl.col("upfront").fill_null(0.0)
    return (
        offers.lazy()
        .with_columns(
            offer_id=offer_id(),
            usd_per_hour_running=pl.col("amount").fill_nan(None) * rate / hours,
            upfront_usd=upfront * rate,
            age_days=(pl.lit(catalog.as_of) - pl.col("observed_on")).dt.total_days(),
            floor=pl.col("price_kind") == "observed_minimum",
            _no_currency=pl.col("amount").is_not_null() & pl.col("currency").is_null(),
            _no_rate=pl.col("amount").is_not_null() & pl.col("currency").is_not_null() & rate.is_null(),
        )
        .with_columns(
            usd_per_hour=pl.col("usd_per_hour_running") + pl.col("upfront_usd") / (months * HOURS_PER_MONTH),
            stale=pl.col("age_days") > STALE_DAYS,
        )
        .with_columns(
            # Nothing by the hour is a price only where all was paid up front.
            _zero=(pl.col("usd_per_hour") <= 0)
            | (pl.col("usd_per_hour_running") < 0)
            | ((pl.col("usd_per_hour_running") == 0) & (pl.col("payment").fill_null("") != "all_upfront"))
        )
        .with_columns(
            pl.when("_zero").then(None).otherwise("usd_per_hour_running").alias("usd_per_hour_running"),
            pl.when("_zero").then(None).otherwise("usd_per_hour").alias("usd_per_hour"),
        )
        .with_columns(
            usd_per_gpu_hour=pl.when(pl.col("gpu_count") > 0).then(
                pl.col("usd_per_hour") / pl.col("gpu_count")
            )
        )
        .collect()
    )


def _rates(catalog: Catalog, offers: pl.DataFrame) -> dict[str, float]:
    """USD for one unit of each currency in use; currencies without a rate are left out."""
    rates: dict[str, float] = {}
    for code in offers["currency"].drop_nulls().unique():
        try:
            rates[code] = to_usd(catalog, 1.0, code, catalog.as_of).known
        except BadInput:
            continue
    return rates


def offer_id() -> pl.Expr:
    """Return the id of an offer from its columns: "kind/provider/type/region/term", lower case."""
    parts = [
        pl.col(c).str.replace_all("/", "-", literal=True) for c in ("provider", "instance_type", "region")
    ]
    months = pl.col("minimum_months")
    variant = (
        pl.when(pl.col("payment").is_not_null())
        .then(pl.concat_str(pl.lit("/"), "payment"))
        .when((pl.col("term") == "monthly") & (months > 1))
        .then(pl.concat_str(pl.lit("/"), months.cast(pl.Int64), pl.lit("_months")))
        .otherwise(pl.lit(""))
    )
    slug = pl.concat_str("kind", *parts, "term", separator="/").str.to_lowercase()
    return pl.concat_str(
        slug.str.replace_all(r"[^\p{L}\p{N}._+/]+", "-").str.replace_all(r"-+(/|$)", "$1"), variant
    )


def _one_per_id(offers: pl.DataFrame) -> pl.DataFrame:
    """Of several rows of one id the newest stays; of equally new ones the publisher's own before one second hand, then
    the lowest; the other price is kept beside it."""
    offers = offers.with_columns(conflict_usd_per_hour=pl.lit(None, pl.Float64))
    if offers["offer_id"].n_unique() == offers.height:
        return offers
    twice = offers["offer_id"].is_duplicated()
    newest = pl.col("observed_on") == pl.col("observed_on").max().over("offer_id")
    highest, lowest = (
        p.over("offer_id") for p in (pl.col("usd_per_hour").max(), pl.col("usd_per_hour").min())
    )
    chosen = (
        offers.filter(twice)
        .filter(newest)
        .with_columns(
            conflict_usd_per_hour=pl.when(highest > pl.col("usd_per_hour"))
            .then(highest)
            .when(lowest < pl.col("usd_per_hour"))
            .then(lowest)
        )
        .sort(
            pl.col("usd_per_hour").is_null(),
            pl.col("confidence").replace_strict(CONFIDENCES, range(3), default=3),
            "usd_per_hour",
            maintain_order=True,
        )
        .unique("offer_id", keep="first", maintain_order=True)
    )
    return pl.concat([offers.filter(~twice), chosen])


def _doubts_of_the_row(offers: pl.DataFrame) -> pl.DataFrame:
    on_demand = pl.col("usd_per_hour").filter(pl.col("term") == "on_demand").min().over(SOLD_AS_ONE)
    taken_back = pl.col("term").is_in(["spot", "interruptible"])
    doubt = (
        pl.when("_no_currency").then(pl.lit(NO_CURRENCY))
        .when("_no_rate").then(pl.lit(NO_RATE))
        .when("_zero").then(pl.lit(ZERO_PRICE))
        .when(~pl.col("_gpu_known")).then(pl.lit(UNKNOWN_GPU))
        .when(~(pl.col("gpu_count") > 0).fill_null(value=False)).then(pl.lit(UNKNOWN_COUNT))
        .when(pl.col("incomplete").is_not_null()).then(pl.lit(INCOMPLETE))
        .when("_memory_slip").then(pl.lit(WRONG_MEMORY))
        .when(taken_back & (pl.col("usd_per_hour") >= on_demand)).then(pl.lit(SPOT_TOO_HIGH))
    )  # fmt: skip
    return offers.with_columns(doubt=doubt).drop(
        "_no_currency", "_no_rate", "_zero", "_gpu_known", "_memory_slip"
    )


def _fell(catalog: Catalog, offers: pl.DataFrame) -> pl.DataFrame:
    """Doubt a price that follows one more than 2.5 times as high, until it has been seen for 30 days.

    A feed that slips a digit is put right within days; a price that stays is a price. What the row before was last
    seen more than a year earlier says nothing of the step.
    """
    key = [c for c in OFFER if c != "minimum_months"] + ["gpu", "gpu_count", "currency", "per", "price_kind"]
    paid = pl.col("amount") + pl.col("upfront").fill_null(0.0) / (
        pl.max_horizontal(pl.col("minimum_months").fill_null(0.0), pl.lit(1.0)) * HOURS_PER_MONTH
    )
    ended = (
        catalog.all_rows("offers").lazy()
        .filter(pl.col("valid_to").is_not_null() & (pl.col("valid_to") <= catalog.as_of))
        .filter((pl.col("valid_to") - pl.col("observed_on")).dt.total_days() <= STALE_DAYS)
        .group_by(*key, "valid_to").agg(_before=paid.min())
        .rename({"valid_to": "valid_from"})
    )  # fmt: skip
    held = pl.min_horizontal(pl.col("observed_on"), pl.lit(catalog.as_of)) - pl.col("valid_from")
    fell = (paid < (1 - FALL) * pl.col("_before")) & (held.dt.total_days() < BELIEVED_DAYS)
    return (
        offers.lazy()
        .join(ended, on=[*key, "valid_from"], how="left", nulls_equal=True, maintain_order="left")
        .with_columns(doubt=pl.when(pl.col("doubt").is_null() & fell).then(pl.lit(FELL)).otherwise("doubt"))
        .drop("_before")
        .collect()
    )


def _cheaper_than_half(offers: pl.DataFrame) -> pl.DataFrame:
    """Doubt a machine that costs less than the cheapest one with half as many of the same GPUs."""
    cheapest = (
        offers.lazy().filter(pl.col("gpu_count") >= 1).group_by(*LIKE, count="gpu_count")
        .agg(_half_usd=pl.col("usd_per_hour").min())
    )  # fmt: skip
    return (
        offers.lazy()
        .with_columns(_half=pl.col("gpu_count") / 2)
        .join(cheapest, left_on=[*LIKE, "_half"], right_on=[*LIKE, "count"], how="left", nulls_equal=True)
        .with_columns(
            doubt=pl.when(pl.col("doubt").is_null() & (pl.col("usd_per_hour") < pl.col("_half_usd")))
            .then(pl.lit(FEWER_COST_MORE))
            .otherwise("doubt")
        )
        .drop("_half", "_half_usd")
        .collect()
    )


def _far_below(offers: pl.DataFrame) -> pl.DataFrame:
    """Doubt prices under half the median of their GPU and term.

    Each provider has one vote, its lowest price: at one vote a row, the list prices of the two or three clouds
    with fifty regions would make every smaller provider look wrong. Form factors of one memory size are
    compared together. Lowest prices of a provider's own list may vote; asks of marketplaces and stale prices may
    not. Offers found too low lose their vote, and the rest are looked at again.
    """
    rows = offers.lazy().select(
        "provider", "term", "doubt", "floor", price="usd_per_gpu_hour", family=family(),
        votes=(pl.col("kind") != "marketplace") & ~pl.col("stale"),
    ).collect()  # fmt: skip
    while True:
        median = (
            rows.lazy()
            .filter(pl.col("votes") & pl.col("doubt").is_null() & pl.col("price").is_not_null())
            .group_by("family", "term", "provider")
            .agg(pl.col("price").min(), offers=pl.len())
            .group_by("family", "term")
            .agg(median=pl.col("price").median(), providers=pl.len(), offers=pl.col("offers").sum())
            .filter((pl.col("providers") >= FEWEST_PROVIDERS) & (pl.col("offers") >= FEWEST_OFFERS))
            .select("family", "term", "median")
        )
        low = pl.col("doubt").is_null() & (pl.col("price") < HALF * pl.col("median")) & ~pl.col("floor")
        after = (
            rows.lazy()
            .join(median, on=["family", "term"], how="left", maintain_order="left")
            .with_columns(doubt=pl.when(low).then(pl.lit(FAR_BELOW)).otherwise("doubt"))
            .drop("median")
            .collect()
        )
        if after["doubt"].null_count() == rows["doubt"].null_count():
            return offers.with_columns(after["doubt"])
        rows = after


def family() -> pl.Expr:
    """Return the GPU without its form factor: "A100 SXM 80GB" and "A100 PCIe 80GB" are priced alike."""
    return pl.col("gpu").str.replace(r" (SXM\d?|PCIe)\b", "")
