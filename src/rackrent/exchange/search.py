"""Searching the offers of a market: one model for Python, the command line and the URL; one table for all offers.

What a filter means is said by `rules.choose`, one offer at a time; here it is asked of columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from rackrent.exchange.rules.choose import COMPARE, DEFAULT_ORDER, LATENCY, ordering, parts
from rackrent.exchange.rules.fields import FIELDS, Type
from rackrent.exchange.rules.filter import NEAR, Condition, covers, parse
from rackrent.exchange.rules.near import Near, Point, km, vector
from rackrent.exchange.rules.offers import Offer

LIMIT_MAX = 1000
_ROW, _BY_ID, _SITE = "_row", "_by_id", "_site"
Site = tuple[str, str, float, float]


class OfferSearch(BaseModel):
    """Which offers to show. What is unknown of an offer fulfils no condition about it."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    filter: str = Field(
        "",
        description="conditions that must all hold, such as 'price <= 2.5 gpu_name in [RTX_4090, A100_80GB] near=DE'",
    )
    order: list[Annotated[str, Field(max_length=40)]] = Field(
        list(DEFAULT_ORDER),
        max_length=8,
        description="what offers are ordered by, first key first; -name: from high to low",
    )
    limit: int = Field(50, ge=1, le=LIMIT_MAX, description="show at most this many")


@dataclass(frozen=True, slots=True)
class Hit:
    """An offer that was found, with the distance to where one wants to be near, or the measured round trip; None: unknown."""

    offer: Offer
    distance_km: float | None = None
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The offers found, in order, and how many there are in all."""

    hits: tuple[Hit, ...]
    total: int


class OfferBook:
    """All offers of a market at one instant, as columns. Make a new one when they change.

    `places` are points of countries (ISO alpha-2), for `near`.
    """

    def __init__(
        self, offers: Sequence[Offer], places: Mapping[str, tuple[Point, ...]] | None = None
    ) -> None:
        self.offers, self.places = offers, places or {}
        columns: dict[str, Iterable[Any]] = {
            name: [f.read(offer) for offer in offers] for name, f in FIELDS.items() if f.read is not None
        }
        order = sorted(range(len(offers)), key=lambda row: offers[row].id)
        by_id = [0] * len(order)
        for place, row in enumerate(order):
            by_id[row] = place
        sites: dict[Site, int] = {}
        for offer in offers:
            sites.setdefault(_site(offer), len(sites))
        columns |= {_BY_ID: by_id, _SITE: [sites[_site(offer)] for offer in offers]}
        self._frame = pl.DataFrame(columns, schema=_SCHEMA).with_row_index(_ROW)
        self._gpus: list[str] = self._frame["gpu_name"].unique().to_list()
        vectors = [vector(latitude, longitude) for _machine, _country, latitude, longitude in sites]
        # One row for all offers of a machine: distance and latency are worked out once for each.
        self._sites = pl.DataFrame(
            {
                "machine": [site[0] for site in sites],
                "country": [site[1] for site in sites],
                **{axis: [v[n] for v in vectors] for n, axis in enumerate("xyz")},
            },
            schema={"machine": pl.String, "country": pl.String, **dict.fromkeys("xyz", pl.Float64)},
        )

    def search(self, asked: OfferSearch, latency_ms: Mapping[str, float] | None = None) -> Found:
        """Return what is asked for, in its order, ties by id; what is unknown comes last.

        `latency_ms` is the measured round trip by machine: near means measured where it is. Raises Invalid, with the
        character at which the filter is wrong.
        """
        wanted = parse(asked.filter, gpus=self._gpus, places=self.places)
        keys = [(part, falls) for name, falls in ordering(asked.order) for part in parts(name)]
        conditions = [(self._holds(c), c.field == LATENCY) for c in wanted.conditions]
        columns = {name for name, _falls in keys} - {LATENCY, NEAR}
        where = self._sites.with_columns(
            _latency(latency_ms or {}).alias(LATENCY),
            (pl.lit(None, pl.Float64) if wanted.near is None else _nearest(wanted.near)).alias(NEAR),
        )
        found = self._frame.filter([holds for holds, measured in conditions if not measured]).select(
            _ROW, _BY_ID, _SITE, *sorted(columns)
        )
        found = found.with_columns(where[name].gather(found[_SITE]).alias(name) for name in (LATENCY, NEAR))
        for holds in (holds for holds, measured in conditions if measured):
            found = found.filter(holds)
        first = _first(found, [*keys, (_BY_ID, False)], asked.limit)
        hits = (
            Hit(self.offers[row], None if squared is None else km(squared), latency)
            for row, squared, latency in first.select(_ROW, NEAR, LATENCY).iter_rows()
        )
        return Found(tuple(hits), found.height)

    def _holds(self, condition: Condition) -> pl.Expr:
        column, values = pl.col(condition.field), condition.values
        if compare := COMPARE.get(condition.operator):
            return cast("pl.Expr", compare(column, values[0]))
        if FIELDS[condition.field].type is Type.GPU:
            values = tuple(gpu for gpu in self._gpus if any(covers(wanted, gpu) for wanted in values))
        among = pl.any_horizontal(pl.lit(value=False), *(column == value for value in values))
        return among if condition.operator in ("=", "in") else ~among


def _first(found: pl.DataFrame, keys: Sequence[tuple[str, bool]], limit: int) -> pl.DataFrame:
    """Return the first rows by the keys (name, whether it falls), nulls last.

    Rows behind the limit by the first key that is known of any are dropped before the rest is sorted.
    """
    keys = [key for key in keys if found[key[0]].null_count() < found.height] or keys
    name, falls = keys[0]
    known = found[name].drop_nulls()
    if len(known) > limit:
        if falls:
            found = found.filter(pl.col(name) >= known.top_k(limit).min())
        else:
            found = found.filter(pl.col(name) <= known.bottom_k(limit).max())
    names, falling = [name for name, _falls in keys], [falls for _name, falls in keys]
    return found.sort(names, descending=falling, nulls_last=True).head(limit)


def _site(offer: Offer) -> Site:
    return offer.machine, offer.geolocation, offer.latitude, offer.longitude


_TYPES: Mapping[Type, Any] = {
    Type.NUMBER: pl.Float64, Type.USD: pl.Int64, Type.DAY: pl.Int64, Type.FLAG: pl.Boolean,
    Type.TEXT: pl.String, Type.GPU: pl.String, Type.COUNTRY: pl.String, Type.RENTAL: pl.String,
}  # fmt: skip
_SCHEMA: Mapping[str, Any] = {
    **{name: _TYPES[f.type] for name, f in FIELDS.items() if f.read is not None},
    **dict.fromkeys((_BY_ID, _SITE), pl.UInt32),
}


def _latency(latency_ms: Mapping[str, float]) -> pl.Expr:
    if not latency_ms:
        return pl.lit(None, pl.Float64)
    return pl.col("machine").replace_strict(latency_ms, default=None, return_dtype=pl.Float64)


def _nearest(near: Near) -> pl.Expr:
    """The squared chord to the nearest point, in the same steps as `near.chord2`, so that ties are the same ties."""
    chords = []
    for v in near.vectors:
        x, y, z = (pl.col(axis) - v[n] for n, axis in enumerate("xyz"))
        chords.append(x * x + y * y + z * z)
    least = pl.min_horizontal(chords)
    return pl.when(pl.col("country") == (near.country or "")).then(0.0).otherwise(least)
