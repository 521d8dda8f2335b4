"""What holds of the kept values, whatever keeps them: keys, indexes, and what must never happen.

Every store enforces `UNIQUE` and `CHECKS`: the SQL ones in the database, by constraint or trigger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from rackrent.exchange import model as m
from rackrent.exchange.rules.ledger import WORLD

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
    m.Allocation: (Unique(("gpu",), "to_ms", "A GPU is in at most one open allocation."),),
    m.Settlement: (
        Unique(("lease", "number"), text="A settlement has a number of its own."),
        Unique(("lease", "from_ms"), text="An interval is settled once."),
    ),
    m.Transfer: (Unique(("reverses",), text="A transfer is reversed once."),),
    m.Lease: (
        Unique(("quote",), text="A quote is taken up once."),
        Unique(("machine", "address"), "ended_ms", "An address is one lease's at a time."),
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
        Check("metered OR gpu_micro_usd = 0", lambda s: s.metered or s.gpu_micro_usd == 0),
        Check(
            "gpu_micro_usd >= 0 AND storage_micro_usd >= 0 AND fee_micro_usd >= 0 AND uncollected_micro_usd >= 0",
            lambda s: (
                min(s.gpu_micro_usd, s.storage_micro_usd, s.fee_micro_usd, s.uncollected_micro_usd) >= 0
            ),
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
    ),
}

APPEND_ONLY: frozenset[type[Any]] = frozenset({m.Transfer, m.Settlement})
"""Kinds that are added and never changed. Accounts are changed by transfers alone."""
