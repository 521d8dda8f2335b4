"""What holds of the kept values, whatever keeps them: keys, indexes, and what must never happen.

Every store enforces `UNIQUE`, `CHECKS`, `CHAINS` and `APPEND_ONLY`: the SQL ones in the database, by constraint or trigger.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from operator import attrgetter
from typing import Any, get_args, get_type_hints

from rackrent.exchange import model as m
from rackrent.exchange.problems import Conflict, Insufficient, Invalid
from rackrent.exchange.rules.ledger import WORLD
from rackrent.i18n import N_
from rackrent.i18n import gettext as _

KINDS: tuple[type[Any], ...] = get_args(m.Entity)

INDEXES: Mapping[type[Any], tuple[tuple[str, ...], ...]] = {
    m.Machine: (("host",),),
    m.Gpu: (("machine",), ("parent",)),
    m.Quote: (("project",),),
    m.Lease: (("machine",), ("project",)),
    m.Instance: (("machine", "over"),),
    m.Allocation: (("lease", "to_ms"), ("machine", "to_ms"), ("lease",), ("gpu", "to_ms")),
    m.Settlement: (("lease",),),
    m.Transfer: (("lease",),),
    m.Incident: (("lease",), ("machine",)),
}
"""The sets of fields that `Tx.of` may be asked by."""


@dataclass(frozen=True)
class Unique:
    """No two values of a kind have the same `fields` (among those where the field `where_null` is null)."""

    fields: tuple[str, ...]
    where_null: str | None = None
    text: str = ""


UNIQUE: Mapping[type[Any], tuple[Unique, ...]] = {
    m.Allocation: (Unique(("gpu",), "to_ms", N_("A GPU is in at most one open allocation.")),),
    m.Settlement: (
        Unique(("lease", "number"), text=N_("A settlement has a number of its own.")),
        Unique(("lease", "from_ms"), text=N_("An interval is settled once.")),
    ),
    m.Transfer: (Unique(("reverses",), text=N_("A transfer is reversed once.")),),
    m.Lease: (
        Unique(("quote",), text=N_("A quote is taken up once.")),
        Unique(("machine", "address"), "ended_ms", N_("An address is one lease's at a time.")),
    ),
}
"""Nulls in `fields` are never equal to each other."""


@dataclass(frozen=True)
class Check:
    """What holds of each value: as SQL, and the same as Python."""

    sql: str
    holds: Callable[[Any], bool]


CHECKS: Mapping[type[Any], tuple[Check, ...]] = {
    m.Account: (
        Check(
            f"balance_micro_usd >= 0 OR id = '{WORLD}'", lambda a: a.balance_micro_usd >= 0 or a.id == WORLD
        ),
    ),
    m.Transfer: (
        Check("amount_micro_usd > 0", lambda t: t.amount_micro_usd > 0),
        Check("debit <> credit", lambda t: t.debit != t.credit),
    ),
    m.Settlement: (
        Check("to_ms > from_ms", lambda s: s.to_ms > s.from_ms),
        Check("number >= 1", lambda s: s.number >= 1),
        Check("metered OR gpu_micro_usd = 0", lambda s: s.metered or s.gpu_micro_usd == 0),
        Check(
            "gpu_micro_usd >= 0 AND storage_micro_usd >= 0 AND fee_micro_usd >= 0 AND uncollected_micro_usd >= 0",
            lambda s: (
                min(s.gpu_micro_usd, s.storage_micro_usd, s.fee_micro_usd, s.uncollected_micro_usd) >= 0
            ),
        ),
        Check(
            "uncollected_micro_usd <= gpu_micro_usd + storage_micro_usd",
            lambda s: s.uncollected_micro_usd <= s.gpu_micro_usd + s.storage_micro_usd,
        ),
    ),
    m.Allocation: (
        Check("to_ms IS NULL OR to_ms >= from_ms", lambda a: a.to_ms is None or a.to_ms >= a.from_ms),
    ),
    m.Machine: (
        Check("disk_gb_leased BETWEEN 0 AND disk_gb", lambda v: 0 <= v.disk_gb_leased <= v.disk_gb),
        Check("addresses_leased BETWEEN 0 AND addresses", lambda v: 0 <= v.addresses_leased <= v.addresses),
    ),
    m.Lease: (
        Check("rate_micro_usd >= 0 AND gpus > 0", lambda v: v.rate_micro_usd >= 0 and v.gpus > 0),
        Check(
            "(state = 'ended') = (ended_ms IS NOT NULL AND data_end IS NOT NULL)",
            lambda v: (v.state == "ended") == (v.ended_ms is not None and v.data_end is not None),
        ),
        Check(
            "storage_rate_micro_usd >= 0 AND hold_micro_usd >= 0",
            lambda v: v.storage_rate_micro_usd >= 0 and v.hold_micro_usd >= 0,
        ),
    ),
}

APPEND_ONLY: frozenset[type[Any]] = frozenset({m.Transfer, m.Settlement})
"""Kinds that are added and never changed. Accounts are changed by transfers alone."""


@dataclass(frozen=True)
class Chain:
    """Values with the same `group` follow on one another: number n `begins` where number n - 1 `ends`."""

    group: str
    number: str
    begins: str
    ends: str
    text: str


CHAINS: Mapping[type[Any], Chain] = {
    m.Settlement: Chain(
        "lease", "number", "from_ms", "to_ms", N_("An interval begins where the one before it ends.")
    ),
}

LARGEST = 2**63 - 1
"""Integers are kept in 64 bits: nine million million dollars in micro-USD."""


def checker(kind: type[Any]) -> Callable[[Any], None]:
    """Return a function that raises for a value of a kind that no store keeps.

    Invalid for a number or a text that a database does not hold, Conflict where one of `CHECKS` is broken.
    """
    hints = get_type_hints(kind)
    whole = [name for name, hint in hints.items() if hint is int]
    whole_or_none = [name for name, hint in hints.items() if hint == (int | None)]
    numbers, optional = _several(whole), _several(whole_or_none)
    packed = struct.Struct(f"{len(whole)}q").pack  # the quickest way to see that all of them are 64 bits
    packed_optional = struct.Struct(f"{len(whole_or_none)}q").pack
    fractions = [name for name, hint in hints.items() if hint in (float, float | None)]
    floats = _several(fractions)
    texts = _several([name for name, hint in hints.items() if hint is str])
    checks = CHECKS.get(kind, ())

    def fits(value: Any) -> bool:
        try:
            packed(*numbers(value))
            if whole_or_none:
                packed_optional(*[number or 0 for number in optional(value)])
        except struct.error:
            return False
        return not fractions or all(map(isfinite, filter(None, floats(value))))

    def check(value: Any) -> None:
        if not fits(value):
            raise Invalid(
                _("{kind} {id} holds a number that does not fit into 64 bits.").format(
                    kind=kind.__name__, id=value.id
                )
            )
        text = "".join(texts(value))
        if "\0" in text or not (text.isascii() or _is_unicode(text)):
            raise Invalid(
                _("{kind} {id!r} holds a character that cannot be kept.").format(
                    kind=kind.__name__, id=value.id
                )
            )
        for rule in checks:
            if not rule.holds(value):
                raise Conflict(
                    _("{kind} {id} breaks the rule: {rule}.").format(
                        kind=kind.__name__, id=value.id, rule=rule.sql
                    )
                )

    return check


def _several(fields: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if not fields:
        return lambda _value: ()
    read = attrgetter(*fields)
    return read if len(fields) > 1 else lambda value: (read(value),)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def duplicate(value: Any) -> Conflict:
    """Return the refusal of a value whose id is there already."""
    return Conflict(_("{kind} {id} is there already.").format(kind=type(value).__name__, id=value.id))


def missing(value: Any) -> Conflict:
    """Return the refusal to change a value that is not there."""
    return Conflict(_("There is no {kind} {id}.").format(kind=type(value).__name__, id=value.id))


def fixed(kind: type[Any]) -> Conflict:
    """Return the refusal to change what is never changed; an account is changed by transfers alone."""
    return Conflict(_("{kind} is never changed.").format(kind=kind.__name__))


def uncovered(account: str) -> Insufficient:
    """Return the refusal to take from an account more than it has."""
    return Insufficient(_("There is not enough money in {account}.").format(account=account))


def unbounded() -> Invalid:
    """Return the refusal of a balance that no database holds."""
    return Invalid(_("A balance does not fit into 64 bits."))
