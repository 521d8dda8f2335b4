"""Asking for offers: one model for Python, the command line and the URL, and one search over a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from rackrent.catalog.names import members, resolve_gpu, typed_gpu
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

Positive = Annotated[float, Field(gt=0, le=1e9)]
Sort = Literal["usd_per_gpu_hour", "usd_per_hour", "gpu_memory_gb", "gpu_count", "age_days", "provider"]
FALLING = ("gpu_memory_gb", "gpu_count")
"""Sorted from high to low."""


class OfferQuery(BaseModel):
    """Which offers to show. A ceiling is never exceeded; what is unknown does not pass a limit."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, str_strip_whitespace=True)

    gpu: list[str] = Field([], description="GPU names; a family such as 'A100 80GB' stands for all its forms")
    gpu_count_min: Positive | None = Field(None, description="GPUs in the machine, at least")
    gpu_count_max: Positive | None = Field(None, description="GPUs in the machine, at most")
    gpu_memory_gb_min: Positive | None = Field(None, description="memory of one GPU, at least, GB")
    provider: list[str] = Field([], description="providers; empty: all")
    exclude_provider: list[str] = Field([], description="providers left out")
    kind: list[Literal["cloud", "marketplace", "bare_metal", "exchange", "campus"]] = Field(
        [], description="kinds of offer; empty: all"
    )
    country: list[Annotated[str, Field(pattern=r"^[A-Z]{3}$")]] = Field(
        [], description="countries (ISO 3166 alpha-3) where the machine may stand; empty: anywhere"
    )
    region: list[str] = Field([], description="regions, as the provider names them; empty: all")
    term: list[Literal["on_demand", "reserved_1y", "reserved_3y", "spot", "interruptible", "monthly"]] = (
        Field([], description="rental terms; empty: all")
    )
    price_usd_per_gpu_hour_max: Positive | None = Field(
        None, description="price of one GPU, at most, USD an hour"
    )
    price_usd_per_hour_max: Positive | None = Field(
        None, description="price of the machine, at most, USD an hour"
    )
    vcpus_min: Positive | None = Field(None, description="virtual CPUs, at least")
    ram_gb_min: Positive | None = Field(None, description="memory of the machine, at least, GB")
    max_age_days: Annotated[int, Field(ge=0)] | None = Field(
        None, description="days since the price was seen, at most"
    )
    include_floors: bool = Field(False, description="also lowest asks of markets, which are not prices")
    include_doubtful: bool = Field(
        False, description="also offers that are not ranked: doubtful, outdated or of unknown price"
    )
    sort: Sort = Field("usd_per_gpu_hour", description="what the list is ordered by")
    limit: Annotated[int, Field(ge=1)] | None = Field(None, description="show at most this many")


def search(offers: pl.DataFrame, query: OfferQuery) -> pl.DataFrame:
    """Return the judged offers that a query asks for, in its order.

    `offers` has the columns of `judge.judged`. Raises BadInput for a GPU or provider that nobody has heard of.
    """
    found = offers.lazy().filter(_conditions(offers, query)).sort(
        query.sort, "usd_per_hour", "offer_id",
        descending=[query.sort in FALLING, False, False], nulls_last=True,
    )  # fmt: skip
    return (found if query.limit is None else found.limit(query.limit)).collect()


def _conditions(offers: pl.DataFrame, query: OfferQuery) -> list[pl.Expr]:
    shown = pl.col("rankable")
    if query.include_floors:
        shown = shown | (pl.col("floor") & pl.col("doubt").is_null())
    if query.include_doubtful:
        shown = shown | ~pl.col("floor")
    if query.include_floors and query.include_doubtful:
        shown = pl.lit(value=True)
    conditions = [shown]
    limits = (
        (query.gpu_count_min, "gpu_count", True),
        (query.gpu_count_max, "gpu_count", False),
        (query.gpu_memory_gb_min, "gpu_memory_gb", True),
        (query.vcpus_min, "vcpus", True),
        (query.ram_gb_min, "ram_gb", True),
        (query.price_usd_per_gpu_hour_max, "usd_per_gpu_hour", False),
        (query.price_usd_per_hour_max, "usd_per_hour", False),
        (query.max_age_days, "age_days", False),
    )
    for limit, column, least in limits:
        if limit is not None:
            conditions.append(pl.col(column) >= limit if least else pl.col(column) <= limit)
    lists: tuple[tuple[str, Iterable[str]], ...] = (
        ("kind", query.kind),
        ("country", query.country),
        ("region", query.region),
        ("term", query.term),
    )
    for column, wanted in lists:
        if wanted:
            conditions.append(pl.col(column).is_in(list(wanted)))
    if query.gpu:
        conditions.append(pl.col("gpu").is_in(_gpus(query.gpu, offers["gpu"].unique().to_list())))
    if query.provider or query.exclude_provider:
        known = offers["provider"].unique().to_list()
        if query.provider:
            conditions.append(pl.col("provider").is_in(_providers(query.provider, known)))
        if query.exclude_provider:
            conditions.append(~pl.col("provider").is_in(_providers(query.exclude_provider, known)))
    return conditions


def _gpus(wanted: list[str], known: list[str]) -> list[str]:
    names: list[str] = []
    for name in wanted:
        canonical = typed_gpu(name) or resolve_gpu(name, known)
        names += members(canonical, known)
    return names


def _providers(wanted: list[str], known: list[str]) -> list[str]:
    folded = {name.casefold(): name for name in known}
    names = []
    for name in wanted:
        if name.casefold() not in folded:
            guess = nearest(name, known)
            hint = _("did you mean {guess!r}?").format(guess=guess[0]) if guess else ", ".join(sorted(known))
            raise BadInput(_("Unknown provider {name!r}; {hint}").format(name=name, hint=hint))
        names.append(folded[name.casefold()])
    return names
