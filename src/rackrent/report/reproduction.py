"""A published example beside what we compute, for JSON and for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TextIO

from rich.console import Console

from rackrent.comparison.option import Option
from rackrent.comparison.verdict import TERM_NAMES
from rackrent.costing.published import Reproduction, Row
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.console import page, points, table


@dataclass(frozen=True)
class SameQuestion:
    """The question at one use: what is recommended, his machine, and the cloud by term (both None where out)."""

    utilisation: float
    recommended: str
    own: Option
    cloud: Mapping[str, Option]

    def ratio(self, term: str) -> float:
        """Return how many times the own machine the cloud costs on this term, in total cash."""
        return self.cloud[term].total_usd / self.own.total_usd

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "utilisation": self.utilisation,
            "recommended": self.recommended,
            "own": {"id": self.own.id, "total_usd": self.own.total_usd},
            "cloud": {
                term: {"id": o.id, "total_usd": o.total_usd, "ratio": self.ratio(term)}
                for term, o in self.cloud.items()
            },
        }


@dataclass(frozen=True)
class FullModel:
    """A published question asked of the full model. `speed` is the rented GPU's against the bought one's."""

    as_of: date
    speed: float
    uses: tuple[SameQuestion, ...]

    def sentence(self) -> str:
        """Return what changes against the published figures."""
        always, seldom = self.uses[0], self.uses[-1]
        return _(
            "In the full model the rented GPU does {speed:.2f} times the work of the bought one, the machine draws its "
            "real power and is sold at the end, and people's time, idle hours and start-up are paid: renting by the "
            "hour costs {always:.1f} times owning when the machine always works, {seldom:.1f} times at {share:.0%} "
            "use; a contract for 3 years {always_3y:.1f} and {seldom_3y:.1f} times."
        ).format(
            speed=self.speed,
            always=always.ratio("on_demand"),
            seldom=seldom.ratio("on_demand"),
            share=seldom.utilisation,
            always_3y=always.ratio("reserved_3y"),
            seldom_3y=seldom.ratio("reserved_3y"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as JSON values."""
        return {
            "as_of": self.as_of.isoformat(),
            "speed": self.speed,
            "uses": [use.to_dict() for use in self.uses],
            "sentence": self.sentence(),
        }


@dataclass(frozen=True)
class Reproduced:
    """A published example computed again, and its question asked of the full model where that is possible."""

    own: Reproduction
    full: FullModel | None

    def to_dict(self) -> dict[str, Any]:
        """Return what `reproduce --json` prints."""
        rows = [
            {"what": r.what, "published": r.published, "computed": r.computed, "unit": r.unit}
            for r in self.own.rows
        ]
        return {
            "name": self.own.name,
            "title": self.own.title,
            "source": self.own.source,
            "rows": rows,
            "notes": list(self.own.notes),
            "full_model": self.full.to_dict() if self.full else None,
        }


def print_reproduction(
    reproduced: Reproduced, *, out: TextIO | None = None, width: int | None = None
) -> None:
    """Print an example to `out` (standard output)."""
    own = reproduced.own
    with page(out, width) as screen:
        screen.print(own.title, style="bold")
        screen.print(own.source, style="dim")
        screen.print()
        rows = table(screen, (_("What"), "left"), (_("Published"), "right"), (_("Computed"), "right"))
        for row in own.rows:
            rows.add_row(row.what, _printed(row), _computed(row))
        screen.print(rows)
        screen.print()
        screen.print(_("What the example leaves out, and how it counts"))
        points(screen, own.notes)
        if reproduced.full is not None:
            _full(screen, reproduced.full)


def _full(screen: Console, full: FullModel) -> None:
    screen.print()
    head = _("The same question in the full model, prices of {day}, 3 years").format(
        day=full.as_of.isoformat()
    )
    screen.print(head, style="bold")
    screen.print()
    terms = list(full.uses[0].cloud)
    columns = [(_("AWS {term}").format(term=_(TERM_NAMES[t])), "right") for t in terms]
    out = table(screen, (_("Use"), "left"), (_("Own"), "right"), *columns)
    for use in full.uses:
        cells = [
            _("{usd} ({ratio:.1f}x)").format(usd=format_usd(use.cloud[t].total_usd), ratio=use.ratio(t))
            for t in terms
        ]
        out.add_row(f"{use.utilisation:.0%}", format_usd(use.own.total_usd), *cells)
    screen.print(out)
    screen.print()
    screen.print(full.sentence())
    for use in full.uses:
        said = _("Cheapest of all at {share:.0%} use: {id}").format(share=use.utilisation, id=use.recommended)
        screen.print(said, soft_wrap=True)


def _printed(row: Row) -> str:
    """Return a figure as the publication prints it: no digit that it does not have."""
    if row.published is None:
        return "-"
    decimals = 0 if row.published == int(row.published) else 2 if row.published >= 1 else 5
    return _with_unit(row.unit, format_usd(row.published, decimals=decimals), f"{row.published:g}")


def _computed(row: Row) -> str:
    usd = format_usd(row.computed, decimals=2 if row.computed >= 1 else 5)
    return _with_unit(row.unit, usd, f"{row.computed:.2f}")


def _with_unit(unit: str, usd: str, number: str) -> str:
    if unit == "USD":
        return usd
    if unit == "months":
        return _("{number} months").format(number=number)
    return f"{number}{unit}"
