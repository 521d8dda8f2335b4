"""The builds that `compare` and `plan` set beside what is sold: cheapest of the day's parts, and the checker passes each."""

from __future__ import annotations

from datetime import date

import pytest

import rackrent
from rackrent.app.compare import compare
from rackrent.building.check import check
from rackrent.building.machine import Item, Machine
from rackrent.building.ready import COUNTS, ready_build, ready_builds
from rackrent.catalog.catalog import load
from rackrent.catalog.components import components
from rackrent.comparison.owned import counts
from rackrent.workload.read import workload_from

TODAY, IN_2018, BETWEEN = (load(as_of=d) for d in (date(2026, 11, 30), date(2018, 9, 15), date(2021, 6, 1)))
NEEDED = {"gpu", "cpu", "cpu_cooler", "motherboard", "memory", "storage", "power_supply", "case"}


@pytest.mark.case("B10")
@pytest.mark.parametrize("catalog", [TODAY, IN_2018], ids=["today", "2018"])
def test_every_build_is_whole_priced_and_passes_the_checker(catalog):
    parts = {p.name: p for p in components(catalog)}
    built = ready_builds(catalog)
    assert {b.system.gpu_count for b in built} == set(COUNTS)
    for system in (b.system for b in built):
        assert {p.part_type for p in system.parts} == NEEDED, system.id
        assert system.price.value == pytest.approx(sum(p.quantity * p.price.known for p in system.parts))
        machine = Machine(tuple(Item(parts[p.name], p.quantity) for p in system.parts))
        assert check(machine).refusals == [], system.id
        assert len(machine.cards) == system.gpu_count


@pytest.mark.parametrize(
    ("gpu", "count"), [("RTX 5070 Ti", 1), ("GTX 1080 Ti", 1), ("RTX 5080", 2), ("RTX A6000", 4)]
)
def test_a_build_is_what_the_command_proposes(gpu: str, count: int):
    system = ready_build(TODAY, gpu, count).system
    asked = rackrent.build({"gpu": gpu, "gpus": count, "objective": "cheapest"}, TODAY)
    assert asked.proven and asked.total_usd == pytest.approx(system.price.value)
    assert {(p.name, p.quantity) for p in system.parts} == {
        (i.part.name, i.quantity) for i in asked.machine.items
    }


def test_a_price_is_as_old_as_the_oldest_of_its_parts_and_memory_that_rose_is_minded():
    newer_card = ready_build(TODAY, "RTX 4090", 1)
    assert {p.price.observed_on for p in newer_card.system.parts} == {date(2026, 3, 1), date(2025, 7, 23)}
    assert newer_card.system.price.observed_on == date(2025, 7, 23)
    assert "memory has become dearer since its price was seen" in newer_card.notes
    in_time = ready_build(load(as_of=date(2025, 8, 1)), "RTX 4090", 1)
    assert not any("memory" in n for n in in_time.notes)


def test_a_day_without_prices_of_parts_has_published_lists_only():
    assert components(BETWEEN) == () and ready_builds(BETWEEN) == []
    work = {"demand": {"utilisation": 0.2, "reference_gpu": "RTX 3090"}, "consider": {"kinds": ["own_build"]}}
    assert {o.provider for o in compare(work, BETWEEN).options} == {"Emil Wallner"}


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"gpus": 1, "demand": {"utilisation": 0.2}}, (1,)),
        ({"gpus": 1, "demand": {"utilisation": 0.9}}, (1, 2, 4)),
        ({"gpus": 3, "demand": {"utilisation": 0.2}}, (4,)),
        ({"gpus": 8, "demand": {"utilisation": 0.2}}, ()),
        ({"gpus": 8, "multi_node": True, "demand": {"utilisation": 0.2}}, (4,)),
        ({"gpus": 1, "demand": {"utilisation": 0.9}, "consider": {"kinds": ["cloud"]}}, ()),
    ],
)
def test_machines_are_built_for_as_many_gpus_as_the_work_takes(said, wanted):
    assert counts(workload_from(said)) == wanted


def test_a_line_of_capital_rests_on_the_parts():
    work = {
        "demand": {"utilisation": 0.2, "reference_gpu": "RTX 3090"},
        "consider": {"gpus": ["RTX 5070 Ti"]},
    }
    option = next(o for o in compare(work, TODAY).options if o.id == "own_build/any/1x-rtx-5070-ti/home/own")
    hardware = next(s for s in option.streams if s.category == "hardware")
    total, *parts = hardware.facts
    assert total.known == pytest.approx(sum(f.known for f in parts)) == pytest.approx(hardware.usd[0])
    assert len(parts) == len(NEEDED) and all(f.table == "components" for f in parts)
    assert all(TODAY.cite(f.source) != f.source for f in parts)
    assert "the sum of" in hardware.formula
