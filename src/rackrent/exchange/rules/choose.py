"""What a filter means, one offer at a time: whether it holds, and what comes before what.

`exchange.search` asks the same of a hundred thousand offers at once; tests hold it to this.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rackrent.errors import nearest
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.fields import FIELDS, Type
from rackrent.exchange.rules.filter import NEAR, Condition, Filter, covers
from rackrent.exchange.rules.near import least_chord2, vector
from rackrent.exchange.rules.offers import Offer
from rackrent.i18n import gettext as _

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LATENCY = "latency_ms"
DEFAULT_ORDER = ("price", NEAR)


def holds(asked: Filter, offer: Offer, latency_ms: float | None = None) -> bool:
    """Return whether an offer fulfils a filter; `latency_ms` is the measured way to its machine, None where unknown."""
    return all(
        _holds(condition, value_of(condition.field, offer, latency_ms)) for condition in asked.conditions
    )


def value_of(field: str, offer: Offer, latency_ms: float | None = None) -> Any:
    """Return what is known of a field of an offer, or None."""
    read = FIELDS[field].read
    return latency_ms if read is None else read(offer)


def _holds(condition: Condition, value: Any) -> bool:
    if value is None:
        return False
    if compare := COMPARE.get(condition.operator):
        return compare(value, condition.values[0])
    if FIELDS[condition.field].type is Type.GPU:
        among = any(covers(wanted, value) for wanted in condition.values)
    else:
        among = value in condition.values
    return among is (condition.operator in ("=", "in"))


def ordering(keys: Sequence[str]) -> list[tuple[str, bool]]:
    """Return (field or near, whether it falls) for the keys of an order; `-` before a name: from high to low.

    Raises Invalid for what cannot be ordered by.

    >>> ordering(["near", "-reliability"])
    [('near', False), ('reliability', True)]
    """
    known = [NEAR, *(name for name, field in FIELDS.items() if field.type.ordered)]
    for key in keys:
        if key.removeprefix("-") not in known:
            guess = ", ".join(nearest(key.removeprefix("-"), known, count=3) or known)
            raise Invalid(
                _("Offers cannot be ordered by {key!r}; like it: {names}.").format(key=key, names=guess)
            )
    return [(key.removeprefix("-"), key.startswith("-")) for key in keys]


def chosen(
    offers: Iterable[Offer],
    asked: Filter,
    order: Sequence[str] = DEFAULT_ORDER,
    latency_ms: Mapping[str, float] | None = None,
) -> list[Offer]:
    """Return the offers that a filter asks for, in order, ties by id; what is unknown comes last either way.

    Near means measured where it is: offers with a measured latency (by machine) come first by it, the rest by distance.
    """
    latency = latency_ms or {}
    vectors = asked.near.vectors if asked.near is not None else []
    keys = [(part, falls) for name, falls in ordering(order) for part in parts(name)]

    def reads(name: str, offer: Offer) -> Any:
        if name != NEAR:
            return value_of(name, offer, latency.get(offer.machine))
        if asked.near is None:
            return 0.0
        place = vector(offer.latitude, offer.longitude)
        return least_chord2(place, offer.geolocation, asked.near, vectors)

    def key(offer: Offer) -> tuple[Any, ...]:
        out: list[Any] = []
        for name, falls in keys:
            value = reads(name, offer)
            out += [value is None, 0 if value is None else -value if falls else value]
        return (*out, offer.id)

    return sorted((o for o in offers if holds(asked, o, latency.get(o.machine))), key=key)


def parts(name: str) -> tuple[str, ...]:
    """Return what is compared for a key of an order: near is latency first, then distance."""
    return (LATENCY, NEAR) if name == NEAR else (name,)
