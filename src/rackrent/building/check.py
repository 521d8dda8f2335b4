"""Check a list of parts: every rule, the map of slots, and the path to more GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rackrent.building.finding import Finding, Site
from rackrent.building.machine import Machine
from rackrent.building.rules import RULES
from rackrent.building.rules_board import placing
from rackrent.i18n import gettext as _

ANYWHERE = Site()
Answer = Literal["fits", "does_not_fit", "unknown"]


@dataclass(frozen=True, slots=True)
class Step:
    """The way to `gpus` cards: what must be bought beside the cards, and what forbids it."""

    gpus: int
    fits: bool
    buys: tuple[str, ...]
    reasons: tuple[str, ...]


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
                {"gpus": s.gpus, "fits": s.fits, "buys": list(s.buys), "reasons": list(s.reasons)} for s in self.path
            ],
        }  # fmt: skip


def check(machine: Machine, site: Site = ANYWHERE, grow_to: int | None = None) -> Check:
    """Apply every rule to a machine; with `grow_to`, also to it with more cards of the kind it has.

    Growing may add kits of the memory it has, up to what the GPUs hold; anything else that is lacking refuses.
    """
    findings = tuple(finding for rule in RULES for finding in rule(machine, site))
    path: tuple[Step, ...] = ()
    if grow_to is not None and machine.cards:
        path = tuple(_step(machine, site, n) for n in range(len(machine.cards) + 1, grow_to + 1))
    return Check(machine, findings, path)


def grown(machine: Machine, gpus: int) -> Machine:
    """Return the machine with `gpus` cards, and kits of its memory added up to what those hold."""
    later = machine.with_cards(gpus)
    return later.with_memory(later.gpu_memory_gb or 0.0)


def _step(machine: Machine, site: Site, gpus: int) -> Step:
    later = grown(machine, gpus)
    refusals = tuple(f.text for rule in RULES for f in rule(later, site) if f.verdict == "does_not_fit")
    buys = [_("{n} x {card}").format(n=gpus - len(machine.cards), card=machine.cards[0].name)]
    more = (later.ram_gb or 0.0) - (machine.ram_gb or 0.0)
    if more > 0:
        buys.append(_("{gb:g} GB of memory").format(gb=more))
    return Step(gpus, not refusals, tuple(buys), refusals)
