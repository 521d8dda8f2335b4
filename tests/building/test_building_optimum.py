"""The optimiser against exhaustive search, and against the checker."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rackrent.building.check import check, grown
from rackrent.building.machine import Item, Machine
from rackrent.building.match import match
from rackrent.building.optimise import optimise
from rackrent.building.options import KINDS, KITS, lacking
from rackrent.building.requirements import NOT_CUDA, BuildRequirements
from rackrent.catalog.catalog import load
from rackrent.catalog.components import Component, components

THEN = components(load(as_of=date(2018, 9, 30)))
TODAY = components(load(as_of=date(2026, 11, 30)))
SPEEDS_2018 = {"GTX 1060 6GB": 0.4, "GTX 1070": 0.6, "GTX 1070 Ti": 0.65, "GTX 1080": 0.72, "GTX 1080 Ti": 1.0, "RTX 2080": 1.3, "RTX 2080 Ti": 1.9}  # fmt: skip
SPEEDS = {gpu: 1 + (n * 37 % 11) / 5 for n, gpu in enumerate(sorted({p.gpu for p in TODAY if p.gpu}))}
UNSAID = {"transients"}
"""What the optimiser may leave unknown."""


def sound(machine: Machine) -> bool:
    """Whether the checker refuses nothing and leaves nothing unknown that matters."""
    verdicts = [f for f in check(machine).findings if f.verdict in ("does_not_fit", "unknown")]
    return all(f.verdict == "unknown" and f.rule in UNSAID for f in verdicts)


def every(parts: list[Component], wanted: BuildRequirements) -> Iterator[tuple[float, float, Machine]]:
    """Yield (work, price and wishes, machine) of every sound machine: exhaustive search by the checker alone."""
    choices: list[list[Item]] = []
    for kind in KINDS:
        counts = (wanted.gpus,) if kind == "gpu" else KITS if kind == "memory" else (1,)
        choices.append([Item(p, n) for p in parts if p.part_type == kind for n in counts])
    speeds = SPEEDS | SPEEDS_2018
    for items in product(*choices):
        machine = Machine(items)
        price = machine.at_least_usd
        if machine.unpriced or (wanted.budget is not None and price > wanted.budget):
            continue
        drive = machine.one("storage")
        assert drive is not None and machine.ram_gb is not None
        if machine.ram_gb < wanted.ram or (drive.capacity_gb or 0) < wanted.disk or drive.interface != "nvme":
            continue
        if sound(machine) and sound(grown(machine, wanted.most)):
            wishes = 10 * sum(lacking(item.part, wanted) for item in items)
            yield sum(speeds[c.gpu or ""] for c in machine.cards), price + wishes, machine


def best_of(found: list[tuple[float, float, Machine]], aim: str) -> tuple[float, float] | None:
    """Return (work, price) of the best by exhaustive search."""
    keys = {
        "cheapest": lambda f: (f[1], 0.0),
        "most_work": lambda f: (-round(f[0], 9), f[1]),
        "work_per_dollar": lambda f: (-f[0] / f[1], 0.0),
    }
    top = min(found, key=keys[aim], default=None)
    return None if top is None else top[:2]


@pytest.mark.case("B7")
@pytest.mark.brief("A1")
def test_the_build_of_2018_equals_exhaustive_search():
    names = {
        "gpu": ("GTX 1080 Ti Founders", "RTX 2080 Ti Turbo", "GTX 1080 Ti FTW3", "RTX 2080 Turbo"),
        "cpu": ("Threadripper 1920X", "Threadripper 1900X", "Core i7-8700K"),
        "motherboard": ("X399 Gaming Pro Carbon", "X399 Taichi", "Z370 Taichi"),
        "cpu_cooler": ("Celsius S24", "NH-U9 TR4-SP3"),
        "memory": ("Vengeance RGB 64GB", "Aegis 32GB"),
        "storage": ("970 EVO 1TB", "EX920 1TB"),
        "power_supply": ("EVGA SuperNOVA 1600 P2", "HX1200", "SuperNOVA 1600 G2"),
        "case": ("PC-O11 Air", "H500"),
    }
    parts = [match(name, THEN, kind).part for kind, some in names.items() for name in some]
    wanted = BuildRequirements(gpus=1, grow_to=4, budget=3000, date="2018-09", adapters=True)
    found = optimise(parts, wanted, SPEEDS | SPEEDS_2018)
    assert found is not None and found.proven
    assert (found.found.rate, pytest.approx(found.found.usd)) == best_of(
        list(every(parts, wanted)), "most_work"
    )
    assert found.found.usd <= 3000
    assert check(found.found.machine, grow_to=4).path[-1].fits


GOOD = {
    2018: (
        "GTX 1080 Ti Founders", "Threadripper 1920X", "X399 Taichi", "NH-U9 TR4-SP3", "Aegis 32GB", "970 EVO 1TB",
        "EVGA SuperNOVA 1600 P2", "PC-O11 Air",
    ),
    2026: (
        "RTX 5080 Founders", "Ryzen 9 9900X", "ProArt X870E", "Phantom Spirit 120 SE", "Crucial Pro 96 GB DDR5",
        "Samsung 990 Pro 1000 GB", "SeaSonic PRIME TX-1600", "Fractal Design Torrent",
    ),
}  # fmt: skip
"""Lists that fit: drawn parts join them, so that most questions have an answer."""


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Component], BuildRequirements]:
    pool, year, platforms = draw(
        st.sampled_from([(THEN, 2018, {"X399", "X299"}), (TODAY, 2026, {"AM5", "X299"})])
    )
    most = draw(st.integers(1, 4))
    parts: list[Component] = []
    for kind in KINDS:
        known = [
            p
            for p in pool
            if p.part_type == kind
            and p.usd is not None
            and (kind not in ("cpu", "motherboard") or set(p.platforms) & platforms)
            and (kind != "gpu" or (p.cooler in ("blower", "open_air") and not NOT_CUDA.search(p.gpu or "")))
            and (kind != "gpu" or p.gpu in (SPEEDS | SPEEDS_2018))
        ]
        parts.append(match(GOOD[year][KINDS.index(kind)], pool, kind).part)
        size = {"gpu": 2, "memory": 1, "storage": 0, "cpu_cooler": 1}.get(kind, 1)
        parts += draw(st.lists(st.sampled_from(known), max_size=size))
    parts = list({p.name: p for p in parts}.values())
    wanted = BuildRequirements(
        gpus=draw(st.integers(1, most)), grow_to=most, discontinued=True, adapters=True, ram=draw(st.sampled_from([8, 64])),
        disk=500, budget=draw(st.sampled_from([None, 2600, 6000])), quiet=draw(st.sampled_from([0, 5])),
        objective=draw(st.sampled_from(["cheapest", "most_work", "work_per_dollar"])),
    )  # fmt: skip
    return parts, wanted


@pytest.mark.case("B10")
@settings(max_examples=40, deadline=None)
@given(questions())
def test_the_optimum_is_that_of_exhaustive_search(question: tuple[list[Component], BuildRequirements]):
    parts, wanted = question
    found = optimise(parts, wanted, SPEEDS | SPEEDS_2018)
    expected = best_of(list(every(parts, wanted)), wanted.aim)
    if found is None or expected is None:
        assert found is None and expected is None
        return
    assert found.proven and sound(found.found.machine) and sound(grown(found.found.machine, wanted.most))
    price = found.found.usd + sum(o.wish_usd for o in found.found.chosen)
    if wanted.aim == "cheapest":
        assert price == pytest.approx(expected[1])
    elif wanted.aim == "most_work":
        assert (found.found.rate, price) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    else:
        assert found.found.rate / price == pytest.approx(expected[0] / expected[1])


@pytest.mark.case("B10")
@pytest.mark.parametrize("gpus", [1, 2, 4])
@pytest.mark.parametrize("aim", ["cheapest", "most_work", "work_per_dollar"])
def test_what_is_proposed_from_the_whole_catalog_passes_the_checker(gpus: int, aim: str):
    wanted = BuildRequirements(gpus=gpus, objective=aim, budget=20_000, discontinued=True)
    found = optimise(TODAY, wanted, SPEEDS)
    assert found is not None and found.proven
    assert check(found.found.machine).refusals == []


@pytest.mark.case("B8")
def test_no_machine_costs_300_dollars():
    assert optimise(TODAY, BuildRequirements(budget=300), SPEEDS) is None


@pytest.mark.brief("A10")
def test_a_wish_turns_the_choice_between_parts_of_about_one_price():
    plain, quiet = (
        optimise(TODAY, BuildRequirements(objective="cheapest", looks=w), SPEEDS) for w in (0, 10)
    )
    assert plain is not None and quiet is not None
    weights = [
        sum(lacking(o.part, BuildRequirements(looks=10)) for o in found.found.chosen)
        for found in (plain, quiet)
    ]
    assert weights[1] < weights[0] and quiet.found.usd >= plain.found.usd


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("fewer than gpus", {"gpus": 3, "grow_to": 2}),
        ("contradict each other", {"gpus": 6, "small": 5}),
        ("without leaves out", {"gpu": "RTX 4090", "without": ["4090"]}),
        ("a month such as 2018-09", {"date": "2018-13"}),
    ],
)
def test_contradictory_wishes_are_named(said: str, fields: dict[str, object]):
    with pytest.raises(ValidationError, match=said):
        BuildRequirements.model_validate(fields)
