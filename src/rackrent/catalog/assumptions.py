"""Assumptions: secondary figures nobody publishes, each named, visible and overridable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from rackrent.catalog.catalog import Catalog, fact_of
from rackrent.catalog.fact import Fact
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _


class LowLikelyHigh(Protocol):
    """An interval as a person gives it (`workload.Range`)."""

    @property
    def low(self) -> float: ...
    @property
    def likely(self) -> float: ...
    @property
    def high(self) -> float: ...


Overrides = Mapping[str, "float | LowLikelyHigh"]


def assumption(catalog: Catalog, key: str, overrides: Overrides | None = None) -> Fact:
    """Return the assumption `key` with its low, likely (`value`) and high.

    `overrides` are a person's own figures by key; the fact is then of kind "workload". Raises BadInput with the
    nearest key where the table has no such assumption.
    """
    rows = {row["key"]: row for row in catalog.known_by("assumptions", ("key",)).iter_rows(named=True)}
    row = rows.get(key)
    if row is None:
        known = ", ".join(nearest(key, set(rows)) or sorted(rows))
        raise BadInput(_("There is no assumption {key}; did you mean {known}?").format(key=key, known=known))
    if overrides is not None and key in overrides:
        given, unit = overrides[key], row["unit"]
        field = f"assumptions.{key}"
        if isinstance(given, int | float):
            return Fact.from_workload(field, float(given), unit)
        return Fact(
            "workload",
            "workload",
            field,
            given.likely,
            unit,
            "your workload",
            None,
            "high",
            given.low,
            given.high,
        )
    fact = fact_of("assumptions", key, row, row["likely"], row["unit"], low=row["low"], high=row["high"])
    return Fact(
        "assumption", "assumptions", key, fact.value, fact.unit, fact.source, fact.observed_on, fact.confidence,
        fact.low, fact.high, row["basis"],
    )  # fmt: skip


def check_overrides(catalog: Catalog, overrides: Overrides) -> None:
    """Raise BadInput for the first override whose key is not an assumption, or whose value makes no sense."""
    for key in overrides:
        fact = assumption(catalog, key, overrides)
        unit = fact.unit
        share = unit.startswith(("share", "probability"))
        low, high = (-0.9, 10.0) if key == "price_change_per_year" else (0.0, 0.99 if share else 1e6)
        for value in (fact.low, fact.known, fact.high):
            if value is not None and not low <= value <= high:
                hint = _("; for {value:g} % write {share:g}").format(value=value, share=value / 100)
                raise BadInput(
                    _(
                        "assumptions.{key} is {value:g}; it must lie between {low:g} and {high:g}{hint}"
                    ).format(
                        key=key,
                        value=value,
                        low=low,
                        high=high,
                        hint=hint if share and 1 <= value < 100 else "",
                    )
                )
