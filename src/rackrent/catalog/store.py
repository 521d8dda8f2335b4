"""What was refreshed, kept in the user's data folder: generations of Parquet files behind one pointer.

A generation is written whole into a folder of its own; then the file `current` is replaced in one step. Whoever reads
sees the old generation or the new one, whatever happens to the writer.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from rackrent.catalog.schema import TABLES
from rackrent.errors import BadInput, CatalogError
from rackrent.i18n import gettext as _

TABLES_KEPT = ("offers", "fx")
OFFER = ("provider", "kind", "instance_type", "region", "term", "payment", "minimum_months")
"""What makes two rows one offer, whoever says it."""
ORDER = ("source", "provider", "instance_type", "region", "term", "payment", "gpu", "gpu_count", "amount", "valid_from", "valid_to", "observed_on")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Failure:
    """A refresh that failed: the day it was tried, why, and the last day on which it went well (None: never)."""

    on: date
    reason: str
    good: date | None


def data_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for what rackrent keeps: RACKRENT_DATA, else rackrent in XDG_DATA_HOME (~/.local/share)."""
    if given := environment.get("RACKRENT_DATA"):
        return Path(given)
    home = environment.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "rackrent"


class Store:
    """One generation of refreshed rows; `folder` is the place of all of them, `name` is that of this one."""

    def __init__(self, folder: Path, name: str | None) -> None:
        """Read nothing yet."""
        self.folder, self.name = folder, name
        self._state: dict[str, Any] | None = None

    @classmethod
    def at_hand(cls, folder: Path | None = None) -> Store | None:
        """Return the current generation, None where nothing was ever refreshed."""
        store = cls.open(folder)
        return None if store.name is None else store

    @classmethod
    def open(cls, folder: Path | None = None) -> Store:
        """Return the current generation; an empty one where nothing was ever refreshed."""
        place = folder or data_dir() / "prices"
        try:
            name = (place / "current").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return cls(place, None)
        except (OSError, UnicodeDecodeError) as error:
            raise cls._broken(place, error) from None
        if not name.startswith("gen-") or not name[4:].isdigit() or not (place / name).is_dir():
            raise cls._broken(place, FileNotFoundError(_("it points to {name}").format(name=repr(name)[:40])))
        return cls(place, name)

    @staticmethod
    def _broken(place: Path, error: Exception) -> CatalogError:
        return CatalogError(
            _(
                "The refreshed prices in {folder} cannot be read ({reason}). Remove that folder and refresh."
            ).format(folder=place, reason=str(error).splitlines()[0] if str(error) else type(error).__name__)
        )

    def rows(self, table: str) -> pl.DataFrame | None:
        """Return the rows of a table, None where none are kept."""
        if self.name is None or table not in TABLES_KEPT:
            return None
        columns = TABLES[table].columns
        try:
            rows = pl.read_parquet(self.folder / self.name / f"{table}.parquet")
            held = set(rows.columns)
            # A column that a later version of the package added is unknown in older rows.
            said = [
                pl.col(c.name) if c.name in held or not c.nullable else pl.lit(None).alias(c.name)
                for c in columns
            ]
            return rows.select(said).cast(dict(TABLES[table].dtypes))  # type: ignore[arg-type]
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self._broken(self.folder, error) from None

    def over(self, table: str, shipped: pl.DataFrame) -> pl.DataFrame:
        """Return shipped rows with the refreshed ones joined over them."""
        rows = self.rows(table)
        if rows is None or rows.is_empty():
            return shipped
        if table == "fx":
            return pl.concat([shipped.join(rows, on=["month", "currency"], how="anti"), rows])
        return pl.concat([cut(shipped, rows), rows])

    @property
    def state(self) -> dict[str, Any]:
        """Source id to name, citation, day of the last good fetch, and the failure since then if there is one."""
        if self._state is None:
            if self.name is None:
                return {}
            try:
                said = json.loads((self.folder / self.name / "state.json").read_text(encoding="utf-8"))
                _failures(said)
            except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
                raise self._broken(self.folder, error) from None
            self._state = said
        return self._state

    def failures(self) -> dict[tuple[str, str | None], Failure]:
        """Return what failed when last refreshed: (source id, provider or None for all of it)."""
        return _failures(self.state)

    def citations(self) -> dict[str, str]:
        """Return source id to citation."""
        return {source: said["citation"] for source, said in self.state.items()}

    def write(self, tables: Mapping[str, pl.DataFrame], state: dict[str, Any]) -> Store:
        """Write another generation and make it the current one; return it, or this one where nothing differs."""
        kept = {name: self.rows(name) for name in TABLES_KEPT}
        changed = {name: rows for name, rows in tables.items() if not _equal(kept[name], rows)}
        if self.name is not None and not changed and state == self.state:
            return self
        number = 1 + int(self.name[4:]) if self.name else 1
        name = f"gen-{number:06d}"
        draft = self.folder / f"{name}.draft"
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(self.folder / name, ignore_errors=True)  # left by a refresh that never became current
        draft.mkdir(parents=True)
        for table, rows in tables.items():
            rows.write_parquet(draft / f"{table}.parquet", compression="zstd")
        (draft / "state.json").write_text(json.dumps(state, ensure_ascii=False, indent=1), encoding="utf-8")
        for file in draft.iterdir():
            _to_disk(file)
        draft.rename(self.folder / name)
        pointer = self.folder / "current.draft"
        pointer.write_text(name + "\n", encoding="utf-8")
        _to_disk(pointer)
        os.replace(pointer, self.folder / "current")
        self._drop_old(keep={name, self.name})
        return Store(self.folder, name)

    def _drop_old(self, keep: set[str | None]) -> None:
        for old in self.folder.glob("gen-*"):
            if old.name not in keep:
                shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody else refresh meanwhile. Raises BadInput where somebody does."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            opened = (self.folder / "lock").open("w")
        except OSError as error:
            raise BadInput(
                _("{folder} cannot be written ({reason}); RACKRENT_DATA names another folder").format(
                    folder=self.folder, reason=error.strerror or type(error).__name__
                )
            ) from None
        with opened as lock:
            try:
                import fcntl
            except ImportError:  # no such lock on this system
                yield
                return
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BadInput(
                    _("another refresh is under way in {folder}").format(folder=self.folder)
                ) from None
            yield


def _failures(state: dict[str, Any]) -> dict[tuple[str, str | None], Failure]:
    """Read the failures of a state. Raises ValueError, TypeError, KeyError or AttributeError where it is none."""
    out: dict[tuple[str, str | None], Failure] = {}
    for source, said in state.items():
        good = date.fromisoformat(said["good"]) if said["good"] else None
        if not isinstance(said["citation"], str):
            raise TypeError(source)
        for provider, failed in said["failed"].items():
            last = date.fromisoformat(failed["good"]) if failed.get("good") else good
            out[source, provider or None] = Failure(date.fromisoformat(failed["on"]), failed["reason"], last)
    return out


def cut(shipped: pl.DataFrame, refreshed: pl.DataFrame) -> pl.DataFrame:
    """End shipped offers where the refreshed ones of the same name begin.

    An offer that a live source has said since is no longer what the package says of it, also once the source
    stops saying it. A shipped row seen later than that begins anew and is left alone.
    """
    first = refreshed.lazy().group_by(OFFER).agg(_first=pl.col("valid_from").min())
    ends = pl.col("_first").is_not_null() & (pl.col("observed_on") <= pl.col("_first"))
    open_then = pl.col("valid_to").is_null() | (pl.col("valid_to") > pl.col("_first"))
    return (
        shipped.lazy()
        .join(first, on=list(OFFER), how="left", nulls_equal=True, maintain_order="left")
        .filter(~(ends & (pl.col("valid_from") >= pl.col("_first"))).fill_null(value=False))
        .with_columns(valid_to=pl.when(ends & open_then).then("_first").otherwise("valid_to"))
        .drop("_first")
        .collect()
    )


def merged(
    held: pl.DataFrame,
    fetched: pl.DataFrame,
    source: str,
    as_of: date,
    *,
    silent: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Return the history of offers with what a source says on `as_of` added.

    A row that says the same as before is not repeated: it was seen again, so `observed_on` moves on. A row that
    differs ends the old one that day. What the source no longer says ends that day too, but for providers in
    `silent`, of which nothing came. Nothing else is ever changed or deleted.
    """
    mine = (pl.col("source") == source) & pl.col("valid_to").is_null()
    now_open, rest = _keyed(held.filter(mine)), held.filter(~mine)
    new = _keyed(fetched)
    key = ["_said", "_n"]
    seen = new.select(*key, _seen="observed_on")
    again = now_open.join(seen, on=key, how="inner", maintain_order="left")
    again = again.with_columns(observed_on=pl.max_horizontal("observed_on", "_seen")).drop("_seen")
    gone = now_open.join(new.select(key), on=key, how="anti", maintain_order="left")
    quiet = pl.col("provider").is_in(list(silent))
    ended = gone.filter(~quiet & (pl.col("valid_from") < as_of)).with_columns(valid_to=pl.lit(as_of))
    begun = new.join(now_open.select(key), on=key, how="anti", maintain_order="left")
    parts = [rest, *(p.drop(key) for p in (again, gone.filter(quiet), ended, begun))]
    return pl.concat(parts).sort(ORDER, nulls_last=True, maintain_order=True)


def _keyed(rows: pl.DataFrame) -> pl.DataFrame:
    """Add what a row says, in 64 bits, and a number among those that say the same, so that each meets its like."""
    said = pl.struct(pl.exclude("observed_on", "valid_from", "valid_to")).hash(seed=1)
    return rows.with_columns(_said=said).with_columns(_n=pl.int_range(pl.len()).over("_said"))


def _equal(old: pl.DataFrame | None, new: pl.DataFrame) -> bool:
    return old is not None and old.schema == new.schema and old.equals(new)


def _to_disk(file: Path) -> None:
    with file.open("rb") as written:
        os.fsync(written.fileno())
