"""Stable names in place of people and accounts: no original name is in any table afterwards."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

import polars as pl

from rackrent.usage.model import Reading

KEY = b"rackrent usage pseudonyms 1"
"""Public: it makes pseudonyms the same from one month's dump to the next. Whoever has a list of all names can
still try them; for that, hand out the tables without the names at all."""
NUMBER = r"^[\d_\[\]%.,:+-]+$"
"""A job's number, also one of an array."""


def pseudonym(name: str, kind: str) -> str:
    """Return the pseudonym of a name: the same for the same name, always.

    >>> pseudonym("ada", "person") == pseudonym("ada", "person"), pseudonym("ada", "person") == "ada"
    (True, False)
    """
    digest = hmac.new(KEY, f"{kind}:{name}".encode(), hashlib.sha256).hexdigest()
    return f"{kind}-{digest[:10]}"


def pseudonymised(readings: list[Reading]) -> list[Reading]:
    """Return the readings with pseudonyms for people, accounts, and jobs that have a name: it often says whose they
    are (a pod's has its namespace in it). Numbers of jobs stay."""
    return [
        replace(
            reading,
            jobs=reading.jobs.with_columns(
                _hidden(reading.jobs, kind) for kind in ("person", "account", "job")
            ),
            charges=reading.charges.with_columns(_hidden(reading.charges, "account")),
        )
        for reading in readings
    ]


def _hidden(frame: pl.DataFrame, kind: str) -> pl.Series:
    unlike = frame[kind].drop_nulls().unique()
    names = unlike.filter(~unlike.str.contains(NUMBER)) if kind == "job" else unlike
    return frame[kind].replace_strict(
        {name: pseudonym(name, kind) for name in names},
        default=frame[kind] if kind == "job" else None, return_dtype=pl.String,
    )  # fmt: skip
