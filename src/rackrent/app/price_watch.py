"""Watch prices: say when one moves past a threshold, and remember what was said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rackrent.app.ids import pick
from rackrent.app.state import state_folder
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.currency import to_usd
from rackrent.catalog.judge import judged
from rackrent.catalog.judge import offer_id as id_of_offer
from rackrent.catalog.names import members, resolve_gpu
from rackrent.catalog.outlook import outlook
from rackrent.catalog.schema import TERMS
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.files import write_whole
from rackrent.workload.complaint import BOUNDS, TYPES, place
from rackrent.workload.source import from_yaml, shown

Usd = Annotated[float, Field(gt=0, le=1e9)]
PARTS_NAMED = 4
"""How many parts a message names at most."""


class Watched(BaseModel):
    """One thing to watch: a `gpu` (cheapest price of one an hour), an `offer` (price an hour) or a `part` (price)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, str_strip_whitespace=True)

    gpu: str | None = None
    offer: str | None = None
    part: str | None = None
    term: str = "on_demand"
    provider: str | None = None
    below: Usd | None = None
    above: Usd | None = None
    moves_percent: Annotated[float, Field(gt=0, le=1_000)] | None = None

    @property
    def key(self) -> str:
        """What is remembered of it stands under this: with other thresholds it is looked at for the first time."""
        limits = {"below": self.below, "above": self.above, "moves_percent": self.moves_percent}
        return ", ".join([self.what, *(f"{name} {x:g}" for name, x in limits.items() if x is not None)])

    @property
    def what(self) -> str:
        """What is watched, for people."""
        if self.gpu is not None:
            return ", ".join(w for w in (self.gpu, self.term, self.provider) if w)
        return self.offer or self.part or ""


class WatchFile(BaseModel):
    """A file of things to watch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    watch: Annotated[list[Watched], Field(min_length=1, max_length=1_000)]


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a watched thing: its price, of which day, whose, and what to say of it ("": nothing)."""

    what: str
    usd: float | None
    observed_on: date | None
    offer: str | None
    said: str


@dataclass(frozen=True)
class Looked:
    """One look at everything watched."""

    as_of: date
    seen: Sequence[Seen]

    @property
    def moved(self) -> list[Seen]:
        """What has something to say."""
        return [s for s in self.seen if s.said]

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices watch --json` prints."""
        return {
            "as_of": self.as_of.isoformat(),
            "moved": len(self.moved),
            "watched": [
                asdict(s) | {"observed_on": s.observed_on.isoformat() if s.observed_on else None}
                for s in self.seen
            ],
        }


def watch(catalog: Catalog, file: Path, state_file: Path | None = None) -> Looked:
    """Look at everything in `file` and remember it; what moved past a threshold since the last look has a sentence.

    On the first look a price that is already past a threshold counts as moved. An unknown price says nothing and
    forgets nothing. Raises BadInput for a file that cannot be read or names what nobody knows; nothing is remembered
    then.
    """
    wanted = read_watch_file(file)
    place_of_state = (
        state_file
        or state_folder() / "prices" / f"{sha256(str(file.resolve()).encode()).hexdigest()[:16]}.json"
    )
    known = _read_state(place_of_state)
    state: dict[str, Any] = {}
    seen = []
    for item in wanted.watch:
        usd, day, offer = _price(catalog, item)
        before = known.get(item.key, {})
        said = "" if usd is None else moved(item, before.get("usd"), before.get("told"), usd)
        if usd is not None:
            told = usd if said or "told" not in before else before["told"]
            state[item.key] = {"usd": usd, "told": told, "on": catalog.as_of.isoformat()}
        elif before:
            state[item.key] = before
        if said:
            said = f"{item.what}: {said}" + (_(", seen on {day}").format(day=day.isoformat()) if day else "")
            if item.gpu is not None:
                said += f" ({offer}). " + outlook(catalog, _names(catalog, item.gpu)).sentence()
        seen.append(Seen(item.what, usd, day, offer, said))
    _write_state(place_of_state, state, make_folder=state_file is None)
    return Looked(catalog.as_of, seen)


def moved(item: Watched, before: float | None, told: float | None, now: float) -> str:
    """Return what to say of a price that was `before` at the last look and `told` when last spoken of; "" if nothing.

    >>> moved(Watched(gpu="L4", below=1.0), 1.2, 1.2, 0.9)
    'fell below $1.00: $0.900 (was $1.20)'
    >>> moved(Watched(gpu="L4", below=1.0), 0.95, 0.95, 0.9)
    ''
    """
    price = format_usd(now)
    was = format_usd(before)
    if before is None and item.below is not None and now < item.below:
        return _("is below {limit}: {price}").format(limit=format_usd(item.below), price=price)
    if before is None and item.above is not None and now > item.above:
        return _("is above {limit}: {price}").format(limit=format_usd(item.above), price=price)
    if item.below is not None and before is not None and now < item.below <= before:
        return _("fell below {limit}: {price} (was {was})").format(
            limit=format_usd(item.below), price=price, was=was
        )
    if item.above is not None and before is not None and before <= item.above < now:
        return _("rose above {limit}: {price} (was {was})").format(
            limit=format_usd(item.above), price=price, was=was
        )
    if item.moves_percent is not None and told is not None:
        change = 100 * (now / told - 1)
        if abs(change) >= item.moves_percent:
            said = _("moved by {change:+.1f} %: {price} (was {before})")
            return said.format(change=change, price=price, before=format_usd(told))
    return ""


def _price(catalog: Catalog, item: Watched) -> tuple[float | None, date | None, str | None]:
    """Return (USD, day it was seen, which offer)."""
    if item.part is not None:
        return _part(catalog, item.part)
    offers = judged(catalog)
    if item.offer is not None:
        found = pick(item.offer, _every_id(catalog))
        rows, price = offers.filter(pl.col("offer_id") == found), "usd_per_hour"
        rows = rows.filter(pl.col("doubt").is_null())
    else:
        assert item.gpu is not None
        price = "usd_per_gpu_hour"
        rows = offers.filter(pl.col("gpu").is_in(_names(catalog, item.gpu)) & (pl.col("term") == item.term))
        rows = rows.filter("rankable")
        if item.provider is not None:
            known = offers["provider"].unique().to_list()
            if item.provider.casefold() not in {p.casefold() for p in known}:
                close = nearest(item.provider, known) or sorted(known)
                raise BadInput(
                    _("Unknown provider {name!r}; {hint}").format(
                        name=item.provider, hint=_("did you mean {guess!r}?").format(guess=close[0])
                    )
                )
            rows = rows.filter(pl.col("provider").str.to_lowercase() == item.provider.lower())
    rows = rows.filter(pl.col(price).is_not_null()).sort(price, "offer_id")
    if rows.is_empty():
        return None, None, None
    best = rows.row(0, named=True)
    return best[price], best["observed_on"], best["offer_id"]


def _names(catalog: Catalog, gpu: str) -> list[str]:
    known = catalog.all_rows("gpus")["gpu"].unique(maintain_order=True).to_list()
    return members(resolve_gpu(gpu, known), known)


def _every_id(catalog: Catalog) -> list[str]:
    rows = catalog.all_rows("offers").lazy().select(id_of_offer().alias("id")).unique().sort("id").collect()
    return rows["id"].to_list()


def _part(catalog: Catalog, name: str) -> tuple[float | None, date | None, str | None]:
    known = catalog.all_rows("components")["name"].unique().sort().to_list()
    if name not in known:
        matches = [k for k in known if name.casefold() in k.casefold()]
        if not matches:
            close = ", ".join(nearest(name, known, count=PARTS_NAMED) or known[:PARTS_NAMED])
            raise BadInput(
                _("there is no part {text}; the nearest are {ids}").format(text=repr(name), ids=close)
            )
        if len(matches) > 1:
            raise BadInput(
                _("{text} may be any of {n} parts, such as {ids}; write more of the name").format(
                    text=repr(name), n=len(matches), ids=", ".join(matches[:PARTS_NAMED])
                )
            )
        name = matches[0]
    rows = catalog.table("components").filter((pl.col("name") == name) & (pl.col("amount") > 0))
    if rows.is_empty():
        return None, None, None
    best = rows.sort("observed_on", descending=True).row(0, named=True)
    usd = to_usd(catalog, best["amount"], best["currency"], catalog.as_of).value
    return usd, best["observed_on"], name


def read_watch_file(file: Path) -> WatchFile:
    """Return what a file of things to watch says. Raises BadInput with the line and what would be right."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(_("{file} cannot be read ({reason})").format(file=file.name, reason=error)) from None
    source = from_yaml(text, file.name)
    try:
        said = WatchFile.model_validate(source.tree)
    except ValidationError as error:
        found = error.errors(include_url=False)
        first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
        path = tuple(first["loc"])
        raise source.refuse(
            _sentence(first["type"], path, first["input"], first.get("ctx", {})), path
        ) from None
    for at, item in enumerate(said.watch):
        path = ("watch", at)
        if sum(name is not None for name in (item.gpu, item.offer, item.part)) != 1:
            raise source.refuse(_("{path} must name one of gpu, offer, part").format(path=place(path)), path)
        if item.below is None and item.above is None and item.moves_percent is None:
            raise source.refuse(
                _("{path} needs a threshold: below, above or moves_percent").format(path=place(path)), path
            )
        if item.term not in TERMS[1:]:
            raise source.refuse(
                _("{path} is {value}; it must be one of {words}").format(
                    path=place((*path, "term")), value=shown(item.term), words=", ".join(TERMS[1:])
                ),
                path,
            )
    return said


def _sentence(kind: str, path: tuple[int | str, ...], value: object, context: dict[str, Any]) -> str:
    where = place(path)
    if kind == "too_long":
        return _("{path} holds {n:,} things; {most:,} are the most").format(
            path=where, n=context["actual_length"], most=context["max_length"]
        )
    if kind == "extra_forbidden":
        known = list(Watched.model_fields if len(path) > 1 else WatchFile.model_fields)
        close = nearest(str(path[-1]), known) or known
        return _("unknown field {name}; did you mean {known}?").format(name=shown(path[-1]), known=close[0])
    if kind in BOUNDS:
        key, message = BOUNDS[kind]
        return _(message).format(path=where, value=shown(value), bound=f"{context[key]:,.12g}")
    if kind in TYPES and path:
        return _(TYPES[kind]).format(path=where, value=shown(value))
    return _("the file must hold a list, such as 'watch: [{{gpu: L4, below: 0.5}}]'").format()


def _read_state(file: Path) -> dict[str, Any]:
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(_("{file} cannot be read ({reason})").format(file=file, reason=reason)) from None
    except ValueError:
        said = None
    if not isinstance(said, dict) or not all(_remembered(v) for v in said.values()):
        raise BadInput(_("the state in {file} cannot be read; remove it to begin anew").format(file=file))
    return said


def _remembered(said: Any) -> bool:
    """Whether this is what `watch` remembers of one thing."""
    return isinstance(said, dict) and all(
        isinstance(said.get(name), int | float)
        and not isinstance(said[name], bool)
        and 0 < said[name] < float("inf")
        for name in ("usd", "told")
    )


def _write_state(file: Path, state: dict[str, Any], *, make_folder: bool) -> None:
    """Write whole or not at all. Raises BadInput where it cannot be written."""
    if make_folder:
        file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True)
    write_whole(file, (text + "\n").encode(), example="watched.json")
