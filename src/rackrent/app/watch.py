"""Whether a verdict is still the one that was remembered, and if not what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from math import inf
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from rackrent.comparison.names import ASSUMPTION_NAMES
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import describe
from rackrent.i18n import gettext as _
from rackrent.money import format_usd

OPTIONS_REMEMBERED = 20
"""The best options whose figures are kept, beside the headline: one of them may win next time."""
SMALLEST = 1e-6
"""A smaller change, as a share, is rounding."""


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Figures(_Kept):
    """What is remembered of an option: its name, what it costs, what that rests on."""

    kind: str
    name: str
    npv_usd: float
    price_usd: float | None
    speed: float | None


class Remembered(_Kept):
    """A verdict of one day with the figures behind it. `recommended` is None where nothing could do the work."""

    version: Literal[1] = 1
    question: str
    as_of: date
    recommended: str | None
    rival: str | None
    gpu_hours_per_month: float
    horizon_months: int
    options: dict[str, Figures]
    assumptions: dict[str, float]

    @model_validator(mode="after")
    def _names_its_options(self) -> Remembered:
        if self.recommended is not None and self.recommended not in self.options:
            raise ValueError("the recommended option is not among those remembered")
        return self


@dataclass(frozen=True)
class Watched:
    """The verdict of today beside the remembered one (None on the first run)."""

    before: Remembered | None
    now: Remembered

    @property
    def changed(self) -> bool:
        """Whether another option is recommended than was remembered."""
        return self.before is not None and self.before.recommended != self.now.recommended

    def sentence(self) -> str:
        """Return in one line what is remembered, unchanged, or changed and why."""
        before, today = self.before, _verdict(self.now)
        if before is None:
            return _("Remembered the verdict of {day}: {verdict}.").format(day=self.now.as_of, verdict=today)
        if not self.changed:
            return _("Verdict unchanged since {day}: {verdict}.").format(day=before.as_of, verdict=today)
        return _("Verdict changed since {day}: from {old} to {new}. {why}").format(
            day=before.as_of, old=_name(before), new=_name(self.now), why=self.why()
        )

    def why(self) -> str:
        """Return which price, speed or assumption changed most, and what that did to the two options."""
        assert self.before is not None
        pair = [id for id in (self.before.recommended, self.now.recommended) if id is not None]
        costs = [
            _("{name}: {before} then, {now} now").format(
                name=(self.now.options.get(id) or self.before.options[id]).name,
                before=_usd(self.before, id),
                now=_usd(self.now, id),
            )
            for id in pair
        ]
        most = max(_changes(self.before, self.now, pair), default=(0.0, _("nothing that was remembered")))[1]
        return _("Changed most: {what}. {costs}.").format(what=most, costs="; ".join(costs))

    def to_dict(self) -> dict[str, Any]:
        """Return what `compare --watch --json` prints."""
        return {
            "changed": self.changed,
            "since": self.before.as_of.isoformat() if self.before else None,
            "as_of": self.now.as_of.isoformat(),
            "recommended_before": self.before.recommended if self.before else None,
            "recommended": self.now.recommended,
            "why": self.why() if self.changed else None,
            "sentence": self.sentence(),
        }


def watched(comparison: Comparison, question: str, before: Remembered | None) -> Watched:
    """Set the verdict of `comparison` beside the one remembered of the same question."""
    return Watched(before, remember(comparison, question, before.options if before else ()))


def remember(comparison: Comparison, question: str, also: Iterable[str] = ()) -> Remembered:
    """Return the verdict with the figures of the best options and of those in `also` that can do the work."""
    best, ranking = comparison.recommended, comparison.options
    rival = comparison.rival_of(best) if best is not None else None
    known = [*comparison.headline, *ranking[: min(OPTIONS_REMEMBERED, ranking.feasible_count)], rival]
    known += [comparison.option(id) for id in also]
    setting = comparison.setting
    return Remembered(
        question=question,
        as_of=setting.catalog.as_of,
        recommended=best.id if best else None,
        rival=rival.id if rival else None,
        gpu_hours_per_month=float(setting.work.mean()),
        horizon_months=setting.horizon,
        options={o.id: _figures(o) for o in known if o is not None and o.feasible},
        assumptions={f.key.removeprefix("assumptions."): f.known for f in comparison.assumptions()},
    )


def _figures(option: Option) -> Figures:
    return Figures(
        kind=option.kind,
        name=describe(option),
        npv_usd=option.npv_usd,
        price_usd=option.effective_price_usd,
        speed=option.speed.ratio if option.speed else None,
    )


def _name(seen: Remembered) -> str:
    return _("no option at all") if seen.recommended is None else seen.options[seen.recommended].name


def _verdict(seen: Remembered) -> str:
    if seen.recommended is None:
        return _("no option can do this work")
    return _("{name} at {usd}").format(name=_name(seen), usd=_usd(seen, seen.recommended))


def _usd(seen: Remembered, id: str | None) -> str:
    """The present value of an option on that day; words where it was not among those kept."""
    if id is None:
        return _("none")
    return format_usd(seen.options[id].npv_usd) if id in seen.options else _("not among the best")


def _changes(before: Remembered, now: Remembered, pair: list[str]) -> Iterator[tuple[float, str]]:
    """Yield what changed, as (share by which it did, what it was and is)."""
    for id in pair:
        old, new = before.options.get(id), now.options.get(id)
        if old is None or new is None:
            if old is not None:
                yield inf, _("{name} can no longer do the work").format(name=old.name)
            if new is not None:
                yield inf, _("{name} was not among the best").format(name=new.name)
            continue
        said = _("price of {name}, {before} to {now}")
        yield from _change(old.price_usd, new.price_usd, said, format_usd, new.name)
        said = _("speed of {name}, {before} to {now} times the reference")
        yield from _change(old.speed, new.speed, said, "{:.3g}".format, new.name)
    said = _("work asked for, {before} to {now} GPU-hours a month")
    yield from _change(before.gpu_hours_per_month, now.gpu_hours_per_month, said, "{:,.0f}".format)
    said = _("time looked at, {before} to {now} months")
    yield from _change(before.horizon_months, now.horizon_months, said, str)
    for key in before.assumptions.keys() & now.assumptions.keys():
        name = _(ASSUMPTION_NAMES[key]) if key in ASSUMPTION_NAMES else key
        said = _("{name}, {before} to {now}")
        yield from _change(before.assumptions[key], now.assumptions[key], said, "{:.4g}".format, name)


def _change(
    old: float | None, new: float | None, said: str, shown: Any, name: str = ""
) -> Iterator[tuple[float, str]]:
    if old is None or new is None or old == new:
        return
    share = abs(new - old) / min(abs(old), abs(new)) if old and new else inf
    if share > SMALLEST:
        yield share, said.format(name=name, before=shown(old), now=shown(new))
