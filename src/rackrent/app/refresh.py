"""Refresh the prices: ask every source, keep what came, and keep the last good rows of those that fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from rackrent.catalog.catalog import load
from rackrent.catalog.sources.base import Source, SourceRows, table_of
from rackrent.catalog.sources.http import Client, Offline, SourceFailed
from rackrent.catalog.sources.registry import sources as sources_named
from rackrent.catalog.store import Store, merged
from rackrent.errors import BadInput, NothingFeasible, RackrentError
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext

UNPRINTABLE = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]"
"""Control and format characters, in the regular expressions of Polars."""


@dataclass(frozen=True)
class Refreshed:
    """What became of one source: its rows now, how many begin today, what it warns of, why it failed ("": it did not)."""

    name: str
    rows: int
    new: int
    warnings: tuple[str, ...]
    reason: str
    kept_from: date | None

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices refresh --json` prints of it."""
        return {
            "source": self.name,
            "rows": self.rows,
            "new": self.new,
            "failed": self.reason or None,
            "kept_from": self.kept_from.isoformat() if self.kept_from else None,
            "warnings": list(self.warnings),
        }

    def line(self) -> str:
        """Return the outcome in a line."""
        if not self.reason:
            said = ngettext("{name}: {n} row, {new} new", "{name}: {n} rows, {new} new", self.rows)
            return said.format(name=self.name, n=f"{self.rows:,}", new=f"{self.new:,}")
        if self.kept_from is None:
            return _("{name}: failed: {reason}. Nothing is kept of it").format(
                name=self.name, reason=self.reason
            )
        return _("{name}: failed: {reason}. Its rows of {day} stay, marked").format(
            name=self.name, reason=self.reason, day=self.kept_from.isoformat()
        )


def refresh_prices(
    wanted: Sequence[str] = (),
    *,
    offline: bool = False,
    believe: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> list[Refreshed]:
    """Refresh the sources named in `wanted` (default: all that need nothing of yours) into the user's data folder.

    Raises BadInput for a source nobody knows, NothingFeasible where `offline` leaves none.
    """
    today = datetime.now(UTC).date()
    catalog = load(as_of=today)
    chosen = sources_named(catalog, os.environ, list(wanted))
    if offline:
        chosen = [source for source in chosen if source.name == "own"]
        if not chosen:
            newest = catalog.all_rows("offers")["observed_on"].max()
            raise NothingFeasible(
                _(
                    "without the network nothing can be refreshed; the newest price at hand is of {day}"
                ).format(day=newest)
            )
    with Offline() if offline else Client() as client:
        return refresh(chosen, client, today, believe=believe, progress=progress)


def refresh(
    sources: Sequence[Source],
    client: Client,
    as_of: date,
    *,
    folder: Path | None = None,
    believe: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> list[Refreshed]:
    """Ask each source for its prices of the day `as_of` and keep them; return what became of each.

    A source that fails leaves its last good rows, which are marked from then on. So does one, or a provider in it, that
    lists less than half of what it had, unless `believe`. All is written in one step at the end: until then the old prices hold.
    Raises BadInput where `as_of` is before the last refresh.
    """
    store = Store.open(folder)
    with store.locked():
        store = Store.open(folder)
        offers = _or_empty(store, "offers")
        fx = _or_empty(store, "fx")
        state = {source: dict(said) for source, said in store.state.items()}
        _not_back_in_time(state, as_of)
        outcomes = []
        for source in sources:
            said = state.setdefault(
                source.id, {"name": source.name, "citation": source.citation, "good": None, "failed": {}}
            )
            mine = offers.filter((pl.col("source") == source.id) & pl.col("valid_to").is_null())
            try:
                got = _fetched(source, client, as_of, progress)
                if not believe:
                    got = _believed(mine, got)
            except (SourceFailed, BadInput) as error:
                why = printable(str(error))
                said["failed"] = {"": {"on": as_of.isoformat(), "reason": why, "good": said["good"]}}
                outcomes.append(Refreshed(source.name, mine.height, 0, (), why, _day(said["good"])))
                continue
            new_rates = got.fx.join(fx, on=["month", "currency", "usd_per_unit"], how="anti").height
            offers, fx = _kept(offers, fx, source, got, as_of)
            said["failed"] = {
                provider: {"on": as_of.isoformat(), "reason": reason, "good": _last_seen(mine, provider)}
                for provider, reason in sorted(got.failed.items())
            }
            said |= {"good": as_of.isoformat(), "citation": source.citation}
            now = offers.filter((pl.col("source") == source.id) & pl.col("valid_to").is_null())
            new = now.filter(pl.col("valid_from") == as_of).height
            new -= mine.filter(pl.col("valid_from") == as_of).height
            warned = (
                *got.warnings,
                *(f"{provider}: {reason}" for provider, reason in sorted(got.failed.items())),
            )
            outcomes.append(
                Refreshed(source.name, now.height + got.fx.height, max(new, 0) + new_rates, warned, "", None)
            )
        store.write({"offers": offers, "fx": fx}, state)
    return outcomes


def _fetched(source: Source, client: Client, as_of: date, progress: Callable[[str], None]) -> SourceRows:
    try:
        got = source.fetch(client, as_of, progress)
    except RackrentError:
        raise
    except Exception as error:
        # A feed of others may take any shape tomorrow: whatever that breaks is the failure of its source alone.
        said = _("its shape is not the one it had ({reason})")
        raise SourceFailed(said.format(reason=f"{type(error).__name__}: {error}"[:200])) from error
    # Names come from strangers and end up on a terminal: what steers one is not part of a name.
    return replace(
        got,
        offers=got.offers.with_columns(pl.col(pl.String).str.replace_all(UNPRINTABLE, "")),
        warnings=tuple(printable(warning) for warning in got.warnings),
        failed={provider: printable(reason) for provider, reason in got.failed.items()},
    )


def printable(text: str) -> str:
    """Return a text without the characters that show nothing but steer a terminal.

    >>> printable("p5\\x1b[31m")
    'p5[31m'
    """
    return "".join(c for c in text if c.isprintable())


def _kept(
    offers: pl.DataFrame, fx: pl.DataFrame, source: Source, got: SourceRows, as_of: date
) -> tuple[pl.DataFrame, pl.DataFrame]:
    if got.whole:
        others = offers.filter(pl.col("source") != source.id)
        offers = pl.concat([others, got.offers]).sort(offers.columns, nulls_last=True)
    elif not got.offers.is_empty():
        offers = merged(offers, got.offers, source.id, as_of, silent=frozenset(got.failed))
    if not got.fx.is_empty():
        older = fx.join(got.fx, on=["month", "currency"], how="anti")
        fx = pl.concat([older, got.fx]).sort("month", "currency")
    return offers, fx


def _believed(mine: pl.DataFrame, got: SourceRows) -> SourceRows:
    """Return what came but for providers that list less than half of what they had: those failed, each for itself.

    Raises SourceFailed where nothing is left.
    """
    if got.offers.is_empty() and got.fx.is_empty():
        raise SourceFailed(_("it returned nothing"))
    if got.whole:
        return got
    had = mine.filter(~pl.col("provider").is_in(list(got.failed)))
    now: dict[str, int] = dict(got.offers.group_by("provider").len().iter_rows())
    short = {
        provider: _too_few(now.get(provider, 0), n)
        for provider, n in had.group_by("provider").len().iter_rows()
        if now.get(provider, 0) < 0.5 * n
    }
    left = got.offers.filter(~pl.col("provider").is_in(list(short)))
    if short and left.is_empty():
        raise SourceFailed(_too_few(got.offers.height, had.height))
    return replace(got, offers=left, failed={**got.failed, **short})


def _too_few(n: int, had: int) -> str:
    return _("it lists only {n} of the {had} offers it had (--believe takes them)").format(
        n=f"{n:,}", had=f"{had:,}"
    )


def _or_empty(store: Store, table: str) -> pl.DataFrame:
    rows = store.rows(table)
    return table_of(table, ()) if rows is None else rows


def _not_back_in_time(state: dict[str, Any], as_of: date) -> None:
    last = max((said["good"] for said in state.values() if said["good"]), default="")
    if last > as_of.isoformat():
        raise BadInput(
            _("the last refresh was on {last}, after {day}: is the clock right?").format(last=last, day=as_of)
        )


def _last_seen(mine: pl.DataFrame, provider: str) -> str | None:
    seen = mine.filter(pl.col("provider") == provider)["observed_on"].max()
    return seen.isoformat() if isinstance(seen, date) else None


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
