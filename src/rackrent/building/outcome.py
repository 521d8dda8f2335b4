"""The machine to build and what a person wants to know about it. All values; nothing is computed from the outside here."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

from rackrent.building.check import Check
from rackrent.building.machine import LABELS, Machine
from rackrent.building.requirements import BuildRequirements
from rackrent.catalog.fact import Fact
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_YEAR, WATTS_PER_KW

ORDER = tuple(LABELS)
UNIT_GPU = "GTX 1080 Ti"
"""Work is counted in multiples of what this GPU does."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A machine of the same number of GPUs that somebody sells or published. `rate` is its work in the build's unit."""

    name: str
    kind: str
    gpu: str
    gpus: int
    price: Fact
    rate: float | None
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """Another build for the same wishes: its name, the machine, its work (None: unknown), and whether it is proven to be the best."""

    name: str
    machine: Machine
    rate: float | None
    proven: bool


@dataclass(frozen=True, slots=True)
class Build:
    """The answer of `rackrent.build`.

    `machine` is None where no machine can be built; `nearest` then is the cheapest that could be with one
    requirement given up, and `reason` says which. Work is a multiple of one GTX 1080 Ti, `by_task` on
    each kind of work (None: unknown). Money is USD before tax.
    """

    requirements: BuildRequirements
    as_of: str
    machine: Machine | None
    check: Check | None
    rate: float | None = None
    by_task: dict[str, float | None] = field(default_factory=dict)
    proven: bool = False
    gap: float | None = None
    reason: str = ""
    nearest: Machine | None = None
    tax: Fact | None = None
    electricity: Fact | None = None
    assembly_hours: Fact | None = None
    variants: tuple[Variant, ...] = ()
    rivals: tuple[Rival, ...] = ()
    notes: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def feasible(self) -> bool:
        """Whether there is a machine."""
        return self.machine is not None

    @property
    def total_usd(self) -> float | None:
        """Price before tax; None where a part has no price."""
        if self.machine is None or self.machine.unpriced:
            return None
        return self.machine.at_least_usd

    @property
    def total_after_tax_usd(self) -> float | None:
        """Price with the country's tax; None where it or a price is unknown."""
        rate = None if self.tax is None else self.tax.value
        return None if self.total_usd is None or rate is None else self.total_usd * (1 + rate)

    @property
    def energy_kwh(self) -> float | None:
        """Electricity of a year at the share of full load asked for, kWh from the wall."""
        if self.machine is None or self.machine.wall_w is None:
            return None
        return self.machine.wall_w / WATTS_PER_KW * HOURS_PER_YEAR * self.requirements.utilisation

    @property
    def energy_usd(self) -> float | None:
        """What that costs, USD; None where the tariff is unknown."""
        rate = None if self.electricity is None else self.electricity.value
        return None if rate is None or self.energy_kwh is None else rate * self.energy_kwh

    @property
    def noise_dba(self) -> float | None:
        """Noise of the loudest card that was measured, dBA; None where none was (nobody publishes whole machines)."""
        known = [c.noise_dba for c in (self.machine.cards if self.machine else ()) if c.noise_dba is not None]
        return max(known, default=None)

    def lines(self) -> list[dict[str, Any]]:
        """Return one line a part: kind, name, quantity, price of one with its date, source and condition."""
        return [] if self.machine is None else parts_lines(self.machine, self.sources)

    def to_csv(self) -> str:
        """Return the list as CSV; `build check` reads it back."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(
            ("type", "name", "quantity", "price", "currency", "observed_on", "condition", "source")
        )
        for line in self.lines():
            usd = "" if line["usd"] is None else line["usd"]
            writer.writerow(
                (line["part_type"], line["name"], line["quantity"], usd, "USD", line["observed_on"], line["condition"], line["source"])
            )  # fmt: skip
        return out.getvalue()

    def to_text(self) -> str:
        """Return the list as forums write it; `build check` reads it back."""
        rows = []
        for line in self.lines():
            count = f"{line['quantity']} x " if line["quantity"] > 1 else ""
            usd = "" if line["usd"] is None else f" (${line['usd']:,.2f})"
            rows.append(f"{LABELS[line['part_type']]}: {count}{line['name']}{usd}")
        if self.machine is not None:
            least = _("at least ") if self.machine.unpriced else ""
            rows.append(f"Total: {least}${self.machine.at_least_usd:,.2f}")
        return "\n".join(rows) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON says it."""
        machine = self.machine
        return {
            "feasible": self.feasible, "reason": self.reason, "as_of": self.as_of,
            "requirements": self.requirements.model_dump(mode="json"),
            "objective": self.requirements.aim, "proven": self.proven, "gap": self.gap,
            "parts": self.lines(),
            "total_usd": _cents(self.total_usd), "at_least_usd": _cents(machine.at_least_usd) if machine else None,
            "unpriced": machine.unpriced if machine else [], "total_after_tax_usd": _cents(self.total_after_tax_usd),
            "tax_rate": None if self.tax is None else self.tax.value,
            "assembly_hours": None if self.assembly_hours is None else {
                "low": self.assembly_hours.low, "likely": self.assembly_hours.value, "high": self.assembly_hours.high
            },
            "load_w": machine.load_w if machine else None, "wall_w": _cents(machine.wall_w) if machine else None,
            "heat_w": _cents(machine.wall_w) if machine else None, "noise_dba": self.noise_dba,
            "energy_kwh_per_year": _cents(self.energy_kwh), "energy_usd_per_year": _cents(self.energy_usd),
            "work": {"unit": f"one {UNIT_GPU}", "rate": self.rate, "by_task": self.by_task},
            "check": None if self.check is None else self.check.to_dict(),
            "variants": [
                {"name": v.name, "at_least_usd": _cents(v.machine.at_least_usd), "unpriced": v.machine.unpriced, "rate": v.rate,
                 "proven": v.proven, "parts": parts_lines(v.machine, self.sources)} for v in self.variants
            ],
            "rivals": [
                {"name": r.name, "kind": r.kind, "gpu": r.gpu, "gpus": r.gpus, "usd": _cents(r.price.value), "source": r.price.source,
                 "observed_on": str(r.price.observed_on), "rate": r.rate, "differs": list(r.differs)} for r in self.rivals
            ],
            "nearest": None if self.nearest is None else {
                "at_least_usd": _cents(self.nearest.at_least_usd), "unpriced": self.nearest.unpriced,
                "parts": parts_lines(self.nearest, self.sources),
            },
            "notes": list(self.notes),
        }  # fmt: skip


def parts_lines(machine: Machine, sources: dict[str, str]) -> list[dict[str, Any]]:
    """Return one line a part, in the order in which parts lists are written."""
    items = sorted(machine.items, key=lambda i: ORDER.index(i.part.part_type))
    return [
        {
            "part_type": i.part.part_type, "name": i.part.name, "quantity": i.quantity, "usd": i.part.usd,
            "observed_on": str(i.part.price.observed_on), "source": sources.get(i.part.price.source, i.part.price.source),
            "condition": i.part.condition, "confidence": i.part.price.confidence, "note": i.part.price.note,
        }
        for i in items
    ]  # fmt: skip


def differences(ours: Machine, theirs: dict[str, tuple[str, int, float | None]]) -> tuple[str, ...]:
    """Say part by part how a machine differs from a list of (name, quantity, price of one) by kind."""
    said = []
    for kind in ORDER:
        mine, other = ours.all(kind), theirs.get(kind)
        if not mine or other is None or _same(mine[0].part.name, other[0]):
            continue
        part, name, count = mine[0].part, other[0], other[1]
        text = _("{kind}: {ours} ({a}) where it has {theirs} ({b})")
        said.append(
            text.format(
                kind=_(LABELS[kind]), ours=_times(mine[0].quantity, part.name), a=_usd(part.usd, mine[0].quantity),
                theirs=_times(count, name), b=_usd(other[2], count),
            )
        )  # fmt: skip
    return tuple(said)


def _same(one: str, other: str) -> bool:
    a, b = (set(n.casefold().replace(",", " ").split()) for n in (one, other))
    return a <= b or b <= a


def _times(count: int, name: str) -> str:
    return f"{count} x {name}" if count > 1 else name


def _usd(amount: float | None, count: int) -> str:
    return _("price unknown") if amount is None else f"${count * amount:,.0f}"


def _cents(amount: float | None) -> float | None:
    return None if amount is None else round(amount, 2)
