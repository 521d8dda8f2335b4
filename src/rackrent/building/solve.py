"""The choice of parts as a mixed-integer program, and HiGHS to solve it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

import highspy
import numpy as np
from highspy._core import _Highs

from rackrent.building.machine import BOARD_W, DRIVE_W, FANS_W, HEADROOM, MODULE_W, Machine
from rackrent.building.options import KINDS, Option, brackets_needed, options, pairs
from rackrent.building.requirements import BuildRequirements
from rackrent.building.slots import positions_covered
from rackrent.catalog.components import Component

UNPRICED_USD = 1e6
"""What a part of unknown price costs where such parts are accepted: as few as possible are taken."""
TIME_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a solve gave: the chosen options, whether the optimum is proven, else the relative gap to the bound."""

    chosen: tuple[Option, ...]
    proven: bool
    gap: float

    @property
    def machine(self) -> Machine:
        """The chosen parts."""
        return Machine(tuple(o.item for o in self.chosen))

    @property
    def rate(self) -> float:
        """Work per hour of all cards, in the unit of the speeds given."""
        return sum((o.rate or 0.0) * o.item.quantity for o in self.chosen if o.part.part_type == "gpu")

    @property
    def usd(self) -> float:
        """Known prices together."""
        return sum(o.usd for o in self.chosen)


@dataclass
class Program:
    """Rows over one binary variable an option: `low <= sum(value * option) <= high`."""

    choices: list[Option]
    by_kind: dict[str, list[int]]
    rows: list[tuple[float, float, list[int], list[float]]] = field(default_factory=list)

    def of(self, gpu: str) -> Program | None:
        """Return the program with the cards of one GPU only; None where it has none."""
        others = {i for i in self.by_kind["gpu"] if self.choices[i].part.gpu != gpu}
        if len(others) == len(self.by_kind["gpu"]):
            return None
        kept = [i for i in range(len(self.choices)) if i not in others]
        now = {old: new for new, old in enumerate(kept)}
        out = Program(
            [self.choices[i] for i in kept],
            {kind: [now[i] for i in these if i in now] for kind, these in self.by_kind.items()},
        )
        for low, high, index, value in self.rows:
            terms = {now[i]: v for i, v in zip(index, value, strict=True) if i in now}
            if terms:
                out.add(low, high, terms)
        return out

    def add(self, low: float, high: float, terms: Mapping[int, float]) -> None:
        """Add a row."""
        self.rows.append((low, high, list(terms), list(terms.values())))


def program(
    parts: Sequence[Component], wanted: BuildRequirements, speeds: Mapping[str, float]
) -> Program | None:
    """Return the rules as rows; None where a kind has no option left.

    Of two kinds that must go together, an option needs one of the other kind that goes with it: as one of each kind
    is chosen, that is exact.
    """
    found = options(sorted(parts, key=lambda p: p.name), wanted, speeds)
    if found is None:
        return None
    going = pairs(wanted)
    _prune(found, going)
    if any(not found[kind] for kind in KINDS):
        return None
    choices = [o for kind in KINDS for o in found[kind]]
    by_kind: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for i, option in enumerate(choices):
        by_kind[option.part.part_type].append(i)
    out = Program(choices, by_kind)
    for kind in KINDS:
        out.add(1.0, 1.0, dict.fromkeys(by_kind[kind], 1.0))
    for a, b, goes in going:
        fits = {(i, j) for i in by_kind[a] for j in by_kind[b] if goes(choices[i], choices[j])}
        _needs_one(out, by_kind[a], by_kind[b], fits)
        _needs_one(out, by_kind[b], by_kind[a], {(j, i) for i, j in fits})
    _brackets(out, wanted)
    _watts_and_memory(out, wanted)
    return out


def _prune(found: dict[str, list[Option]], going: Sequence[tuple[str, str, object]]) -> None:
    """Drop options that go with nothing of another kind, until none is left to drop."""
    size = -1
    while size != sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for a, b, goes in going:
            assert callable(goes)
            found[a] = [x for x in found[a] if any(goes(x, y) for y in found[b])]
            found[b] = [y for y in found[b] if any(goes(x, y) for x in found[a])]


def _needs_one(out: Program, these: list[int], those: list[int], fits: set[tuple[int, int]]) -> None:
    """Each of `these` needs one of `those`. Options with the same partners share a row."""
    partners: dict[frozenset[int], list[int]] = {}
    for i in these:
        partners.setdefault(frozenset(j for j in those if (i, j) in fits), []).append(i)
    for goes, alike in partners.items():
        if len(goes) < len(those):
            out.add(-inf, 0.0, {**dict.fromkeys(alike, 1.0), **dict.fromkeys(goes, -1.0)})


def _brackets(out: Program, wanted: BuildRequirements) -> None:
    """Cards of a shape on a board need a case of so many brackets."""
    shapes: dict[tuple[int, bool], list[int]] = {}
    for i in out.by_kind["gpu"]:
        card = out.choices[i].part
        free = card.cooler in ("blower", "liquid") or (card.width_slots or 0) <= 1
        shapes.setdefault((positions_covered(card.width_slots or 1), free), []).append(i)
    sizes = sorted({out.choices[c].part.expansion_slots or 0.0 for c in out.by_kind["case"]})
    for cards in shapes.values():
        needs = {
            b: brackets_needed(out.choices[cards[0]].part, out.choices[b].part, wanted) or 0
            for b in out.by_kind["motherboard"]
        }
        for size in sizes:
            boards = [b for b, need in needs.items() if need > size]
            cases = [c for c in out.by_kind["case"] if (out.choices[c].part.expansion_slots or 0.0) <= size]
            if boards:
                out.add(-inf, 2.0, dict.fromkeys((*cards, *boards, *cases), 1.0))


def _watts_and_memory(out: Program, wanted: BuildRequirements) -> None:
    """Watts for the cards of later with the memory they ask for, which the board must hold.

    The memory of later depends on the card and on the kit: rows for each size of GPU memory, which bind for its cards.
    """
    sizes: dict[float, list[int]] = {}
    for i in out.by_kind["gpu"]:
        sizes.setdefault(out.choices[i].part.gpu_memory_gb or 0.0, []).append(i)
    fixed = HEADROOM * (BOARD_W + DRIVE_W + FANS_W)
    for gb, cards in sizes.items():
        terms = {p: out.choices[p].part.psu_w or 0.0 for p in out.by_kind["power_supply"]}
        terms |= {c: -HEADROOM * (out.choices[c].part.tdp_w or 0.0) for c in out.by_kind["cpu"]}
        slack = 0.0
        for m in out.by_kind["memory"]:
            option = out.choices[m]
            kit, now = option.part, option.item.quantity
            later = max(now, ceil(wanted.most * gb / (kit.capacity_gb or 1.0)))
            terms[m] = -HEADROOM * MODULE_W * later * (kit.modules or 0.0)
            slack = max(slack, -terms[m])
            if later > now:
                holds = [
                    b
                    for b in out.by_kind["motherboard"]
                    if later * (kit.modules or 0) <= (out.choices[b].part.memory_slots or 0)
                    and later * (kit.capacity_gb or 0) <= (out.choices[b].part.memory_max_gb or 0)
                ]
                out.add(-inf, 1.0, {**dict.fromkeys((*cards, m), 1.0), **dict.fromkeys(holds, -1.0)})
        for i in out.by_kind["gpu"]:
            # Another card's watts do not count here, and what the row then asks too much for memory is given back.
            own = i in cards
            terms[i] = -HEADROOM * wanted.most * (out.choices[i].part.tdp_w or 0.0) if own else slack
        worst_cpu = max(HEADROOM * (out.choices[c].part.tdp_w or 0.0) for c in out.by_kind["cpu"])
        for i in out.by_kind["gpu"]:
            if i not in cards:
                terms[i] += fixed + worst_cpu
        out.add(fixed, inf, terms)


def solve(
    out: Program, cost: Sequence[float], *, extra: Sequence[tuple[float, float, Mapping[int, float]]] = ()
) -> Found | None:
    """Return the choice of least cost under the rows and `extra` ones; None where there is none."""
    rows = [*out.rows, *((low, high, list(t), list(t.values())) for low, high, t in extra)]
    count = len(out.choices)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = count, len(rows)
    lp.col_cost_ = np.asarray(cost, dtype=np.float64)
    lp.col_lower_, lp.col_upper_ = np.zeros(count), np.ones(count)
    lp.row_lower_ = np.array([max(r[0], -highspy.kHighsInf) for r in rows])
    lp.row_upper_ = np.array([min(r[1], highspy.kHighsInf) for r in rows])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *(len(r[2]) for r in rows)])
    lp.a_matrix_.index_ = np.array([i for r in rows for i in r[2]], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([v for r in rows for v in r[3]], dtype=np.float64)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * count
    highs = _Highs()  # `highspy.Highs` prints a banner on standard output, where only our JSON may stand
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 1e-6)
    highs.setOptionValue("time_limit", TIME_LIMIT_S)
    highs.setOptionValue(
        "mip_heuristic_run_feasibility_jump", False
    )  # half the time of programs as small as these
    highs.passModel(lp)
    highs.run()
    info = highs.getInfo()
    if info.primal_solution_status != 2:  # feasible point
        return None
    values = highs.getSolution().col_value
    chosen = tuple(o for o, v in zip(out.choices, values, strict=True) if v > 0.5)
    proven = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Found(chosen, proven, 0.0 if proven else float(info.mip_gap))
