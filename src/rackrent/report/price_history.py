"""The prices of a GPU or an offer over time, and what looks wrong in them, for JSON and for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, TextIO

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.check import KINDS, Finding
from rackrent.catalog.history import Run
from rackrent.catalog.outlook import Outlook
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.console import ROOMY, page, points, table

BAR = 20
"""Longest bar of the chart, characters."""
EACH_SHOWN = 8
"""Findings of one kind on a screen."""


@dataclass(frozen=True)
class History:
    """Prices over time of `what`: of the whole machine (an offer) or of one GPU (the cheapest that could be ranked)."""

    catalog: Catalog
    what: str
    per_gpu: bool
    term: str | None
    runs: Sequence[Run]
    outlook: Outlook | None

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices history --json` prints."""
        return {
            "as_of": self.catalog.as_of.isoformat(),
            "what": self.what,
            "unit": "usd_per_gpu_hour" if self.per_gpu else "usd_per_hour",
            "term": self.term,
            "runs": [
                {k: v.isoformat() if isinstance(v, date) else v for k, v in asdict(run).items()}
                | {"citation": self.catalog.cite(run.source) if run.source else None}
                for run in self.runs
            ],
            "outlook": None
            if self.outlook is None
            else asdict(self.outlook) | {"says": self.outlook.sentence()},
        }


def print_history(history: History, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print prices, bars as long as they are high, and what speaks for buying or waiting."""
    with page(out, width) as screen:
        heading = (
            _("{what}: cheapest price of one GPU an hour") if history.per_gpu else _("{what}: price an hour")
        )
        screen.print(heading.format(what=history.what), style="bold", soft_wrap=True)
        roomy = screen.width >= ROOMY or not history.per_gpu
        listed = table(
            screen, (_("From"), "left"), (_("Until"), "left"), (_("USD"), "right"), ("", "left"), (_("Seen"), "left"),
            *([(_("Offer") if history.per_gpu else _("Source"), "left")] if roomy else []),
        )  # fmt: skip
        highest = max((run.usd for run in history.runs if run.usd is not None), default=1.0)
        for run in history.runs:
            listed.add_row(
                run.start.isoformat(),
                run.end.isoformat() if run.end else _("now"),
                format_usd(run.usd) if run.usd is not None else _("none"),
                bar(run.usd, highest),
                run.seen.isoformat() if run.seen else "",
                *([(run.offer_id if history.per_gpu else run.source) or ""] if roomy else []),
            )
        screen.print(listed)
        if history.per_gpu:
            screen.print()
            screen.print(
                _(
                    "A step between two offers may be a source that was added, not a move of prices (--json names them)."
                )
            )
        if history.outlook is not None:
            screen.print()
            screen.print(history.outlook.sentence())
            points(screen, history.outlook.because)


def bar(usd: float | None, highest: float) -> str:
    """Return a bar as long as a price is high; at least one character where there is a price.

    >>> bar(0.5, 1.0), bar(None, 1.0)
    ('##########', '')
    """
    return "" if usd is None else "#" * max(1, round(BAR * usd / highest))


@dataclass(frozen=True)
class Checked:
    """What looks wrong in the prices of a day."""

    catalog: Catalog
    offers: int
    newest: date | None
    findings: Sequence[Finding]

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices check --json` prints."""
        return {
            "as_of": self.catalog.as_of.isoformat(),
            "offers": self.offers,
            "newest": self.newest.isoformat() if self.newest else None,
            "counts": dict(Counter(f.kind for f in self.findings)),
            "findings": [asdict(f) for f in self.findings],
        }


def print_check(
    checked: Checked, *, every: bool = False, out: TextIO | None = None, width: int | None = None
) -> None:
    """Print findings kind by kind: the first few of each reason, or all."""
    with page(out, width) as screen:
        day = checked.catalog.as_of.isoformat()
        if checked.newest is None:
            screen.print(_("No offer is known on {day}.").format(day=day))
        else:
            said = _("{n} offers on {day}, the newest seen on {newest}.")
            screen.print(said.format(n=f"{checked.offers:,}", day=day, newest=checked.newest.isoformat()))
        for kind, heading in KINDS.items():
            found = [f for f in checked.findings if f.kind == kind]
            if not found:
                continue
            screen.print()
            screen.print(f"{_(heading)}: {len(found):,}", style="bold")
            shown = found if every else _first_of_each(found)
            points(screen, tuple(f"{f.what}: {f.why}" for f in shown))
            if len(found) > len(shown):
                screen.print(_("    and {n} more (--all)").format(n=f"{len(found) - len(shown):,}"))


def _first_of_each(found: Sequence[Finding]) -> list[Finding]:
    """Return at most eight, and of each reason two before more of another."""
    turns: Counter[str] = Counter()
    numbered = []
    for finding in found:
        turns[finding.why] += 1
        numbered.append((turns[finding.why] > 2, finding))
    return [f for _late, f in sorted(numbered, key=lambda pair: pair[0])][:EACH_SHOWN]
