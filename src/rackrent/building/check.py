"""Check a list of parts: every rule, the map of slots, and the path to more GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rackrent.building.finding import Finding, Site
from rackrent.building.machine import HEADROOM, Machine
from rackrent.building.rules import RULES
from rackrent.building.rules_board import placing
from rackrent.i18n import gettext as _

ANYWHERE = Site()
Answer = Literal["fits", "does_not_fit", "unknown"]


@dataclass(frozen=True, slots=True)
class Step:
    """The way to `gpus` cards: what must be bought, what forbids it, and what is then to mind that was not before.

    `wanted_w` is what the supply must then have, W; None where a rating is unknown.
    """

    gpus: int
    fits: bool
    buys: tuple[str, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    wanted_w: float | None


@dataclass(frozen=True, slots=True)
class Check:
    """What the rules say about a machine. `answer` is the worst verdict; notes refuse nothing."""

    machine: Machine
    findings: tuple[Finding, ...]
    path: tuple[Step, ...] = ()

    @property
    def refusals(self) -> list[Finding]:
        """Why it does not fit."""
        return [f for f in self.findings if f.verdict == "does_not_fit"]

    @property
    def answer(self) -> Answer:
        """Whether the parts fit: no if one rule refuses, unknown if one cannot tell."""
        verdicts = {f.verdict for f in self.findings}
        return (
            "does_not_fit" if "does_not_fit" in verdicts else "unknown" if "unknown" in verdicts else "fits"
        )

    def slot_map(self) -> list[dict[str, Any]]:
        """Return per card its slot, its lanes and the positions it covers; empty where that is unknown."""
        way = placing(self.machine)
        if way is None:
            return []
        cards = sorted(self.machine.cards, key=lambda c: c.width_slots or 1)
        return [
            {"card": c.name, "position": s.position, "lanes": lanes, "width": c.width_slots}
            for c, s, lanes in zip(cards, way.slots, way.lanes, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON says it."""
        return {
            "answer": self.answer,
            "findings": [
                {"rule": f.rule, "verdict": f.verdict, "text": f.text, "parts": list(f.parts), "numbers": dict(f.numbers)}
                for f in self.findings
            ],
            "slots": self.slot_map(),
            "load_w": self.machine.load_w,
            "wall_w": self.machine.wall_w,
            "total_usd": None if self.machine.unpriced else round(self.machine.at_least_usd, 2),
            "at_least_usd": round(self.machine.at_least_usd, 2),
            "unpriced": self.machine.unpriced,
            "path": [
                {"gpus": s.gpus, "fits": s.fits, "buys": list(s.buys), "reasons": list(s.reasons), "notes": list(s.notes),
                 "wanted_w": s.wanted_w} for s in self.path
            ],
        }  # fmt: skip


def check(machine: Machine, site: Site = ANYWHERE, grow_to: int | None = None) -> Check:
    """Apply every rule to a machine; with `grow_to`, also to it with more cards of the kind it has.

    Growing may add kits of the memory it has, up to what the GPUs hold; anything else that is lacking refuses.
    """
    findings = tuple(finding for rule in RULES for finding in rule(machine, site))
    path: list[Step] = []
    if grow_to is not None and machine.cards:
        said = {f.text for f in findings}
        for gpus in range(len(machine.cards) + 1, grow_to + 1):
            path.append(_step(machine, site, gpus, said))
            said |= set(path[-1].notes)
    return Check(machine, findings, tuple(path))


def grown(machine: Machine, gpus: int) -> Machine:
    """Return the machine with `gpus` cards, and kits of its memory added up to what those hold."""
    later = machine.with_cards(gpus)
    return later.with_memory(later.gpu_memory_gb or 0.0)


def _step(machine: Machine, site: Site, gpus: int, said: set[str]) -> Step:
    later = grown(machine, gpus)
    findings = [f for rule in RULES for f in rule(later, site)]
    refusals = tuple(f.text for f in findings if f.verdict == "does_not_fit")
    notes = tuple(f.text for f in findings if f.verdict in ("note", "unknown") and f.text not in said)
    wanted_w = None if later.load_w is None else HEADROOM * later.load_w
    buys = [_("{n} x {card}").format(n=gpus - len(machine.cards), card=machine.cards[0].name)]
    more = (later.ram_gb or 0.0) - (machine.ram_gb or 0.0)
    if more > 0:
        buys.append(_("{gb:g} GB of memory").format(gb=more))
    return Step(gpus, not refusals, tuple(buys), refusals, notes, wanted_w)
