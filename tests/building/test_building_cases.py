"""The building cases: lists that fit and lists that do not, with the reason named."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from rackrent.building.check import Check, check
from rackrent.building.finding import Site
from rackrent.building.machine import Item, Machine
from rackrent.building.match import match
from rackrent.building.read import machine_of, read_parts
from rackrent.catalog.catalog import load
from rackrent.catalog.components import Component, components

THEN = components(load(as_of=date(2018, 9, 30)))
TODAY = components(load(as_of=date(2026, 11, 30)))
HOME = Site(circuit_w=1440.0, circuit="120 V x 15 A")

CHEN = """
GPU: GTX 1080 Ti FE ($699)
CPU: Threadripper 1920X ($473)
CPU Cooler: Fractal S24 ($105)
Motherboard: MSI X399 Gaming Pro Carbon ($329)
Memory: Corsair Vengeance RGB 64GB 4x16 ($665)
Storage: 970 EVO 1TB ($350)
Power Supply: EVGA 1600 P2 ($260)
Case: Lian-Li PC-O11 Air ($100)
Case Fan: Cooler Master 80mm ($8)
"""


def machine(text: str, parts: tuple[Component, ...] = THEN) -> Machine:
    return machine_of(read_parts(text), parts)[0]


def swapped(base: Machine, kind: str, part: Component, quantity: int = 1) -> Machine:
    kept = tuple(i for i in base.items if i.part.part_type != kind)
    return Machine((Item(part, quantity), *kept))


def refused(found: Check) -> set[str]:
    return {f.rule for f in found.refusals}


def text_of(found: Check, rule: str) -> str:
    return next(f.text for f in found.findings if f.rule == rule and f.verdict != "fits")


@pytest.mark.case("B1")
def test_the_published_list_fits_costs_2989_and_grows_to_four():
    found = check(machine(CHEN), HOME, grow_to=4)
    assert found.answer == "fits"
    assert found.machine.at_least_usd == 2989 and found.machine.unpriced == []
    assert [(s.gpus, s.fits) for s in found.path] == [(2, True), (3, True), (4, True)]
    assert [s.wanted_w for s in found.path] == [950, 1262.5, 1575]
    assert found.path[0].notes == ()
    assert found.path[2].notes == ("64 GB of memory is under twice the 44 GB of the GPUs",)
    four = check(machine(CHEN).with_cards(4), HOME)
    assert four.answer == "fits"
    watts = next(f for f in four.findings if f.rule == "watts")
    assert watts.numbers == {"load_w": 1260, "wanted_w": 1575, "psu_w": 1600}
    assert text_of(four, "memory_size") == "64 GB of memory is under twice the 44 GB of the GPUs"
    assert [(s["position"], s["lanes"]) for s in four.slot_map()] == [(1, 16), (3, 8), (5, 16), (7, 8)]


@pytest.mark.case("B2")
def test_four_wide_open_air_cards_are_refused_for_positions_and_heat():
    card = replace(match("GTX 1080 Ti FTW3", THEN).part, width_slots=3.0, length_mm=300.0, cooler="open_air")
    found = check(swapped(machine(CHEN), "gpu", card, 4), HOME)
    assert {"positions", "airflow"} <= refused(found)
    assert "12 positions" in text_of(found, "positions")
    assert "heat" in text_of(found, "airflow") and card.name in text_of(found, "airflow")


@pytest.mark.case("B3")
def test_sixteen_lanes_do_not_carry_four_gpus():
    text = "CPU: i7-8700K\nMotherboard: Z370 Taichi\nGPU: 4 x GTX 1080 Ti FE"
    found = check(machine(text), HOME)
    assert {"lanes", "slot_lanes"} <= refused(found)
    assert text_of(found, "lanes") == (
        "4 GPUs at x8 and the NVMe drive need 32 lanes; Intel Core i7-8700K has 16"
    )


@pytest.mark.case("B4")
def test_four_3090_ask_for_more_than_1200_watts_and_the_sum_is_shown():
    found = check(machine("GPU: 4 x RTX 3090 Turbo\nPSU: Corsair HX1200i\nCPU: i9 10900X", TODAY), HOME)
    assert "watts" in refused(found)
    assert "1400 + 165 + 40" in text_of(found, "watts") and "HX1200i" in text_of(found, "watts")


@pytest.mark.case("B5")
def test_a_16_pin_card_on_an_old_supply_takes_an_adapter_of_counted_leads():
    found = check(machine("GPU: RTX 4090 Founders\nPSU: EVGA SuperNOVA 1600 P2", TODAY), HOME)
    leads = next(f for f in found.findings if f.rule == "leads")
    assert leads.verdict == "note"
    assert "adapters" in leads.text and leads.numbers["needed_8pin"] == 3 and leads.numbers["leads_8pin"] == 9


@pytest.mark.case("B6")
@pytest.mark.parametrize(
    ("text", "rule", "names"),
    [
        ("CPU: EPYC 7302P\nMotherboard: ASRock TRX40 Creator", "socket", ("EPYC 7302P", "TRX40 Creator")),
        ("Memory: Corsair Vengeance 64 GB DDR5-6000\nMotherboard: ASRock TRX40 Creator", "memory_type", ("DDR5-6000", "TRX40")),
        ("CPU Cooler: NZXT Kraken X72\nCase: Lian Li O11 Dynamic EVO XL", None, ()),
    ],
)  # fmt: skip
def test_parts_that_do_not_go_together_are_both_named(text: str, rule: str | None, names: tuple[str, ...]):
    found = check(machine(text, TODAY), HOME)
    assert refused(found) == ({rule} if rule else set())
    assert all(name in text_of(found, rule) for name in names if rule)


@pytest.mark.case("B6")
def test_a_radiator_of_360_does_not_go_into_a_case_for_240():
    case = match("Lian Li PC-O11 Air", THEN).part
    cooler = match("NZXT Kraken X72", TODAY).part
    found = check(Machine((Item(case), Item(cooler))), HOME)
    assert refused(found) == {"cooler_room"}
    assert "Kraken X72" in text_of(found, "cooler_room") and "PC-O11 Air" in text_of(found, "cooler_room")


def test_an_unknown_attribute_is_named_and_never_passed_over():
    for kind, column in (
        ("cpu", "cpu_lanes"), ("motherboard", "slots"), ("motherboard", "memory_max_gb"), ("case", "max_gpu_mm"),
        ("gpu", "connectors"), ("gpu", "width_slots"), ("power_supply", "psu_w"), ("power_supply", "leads_8pin"),
        ("case", "max_radiator_mm"), ("cpu", "tdp_w"),
    ):  # fmt: skip
        base = machine(CHEN)
        items = tuple(
            replace(i, part=replace(i.part, **{column: None})) if i.part.part_type == kind else i
            for i in base.items
        )
        assert check(Machine(items), HOME).answer == "unknown", column


@pytest.mark.case("B1")
@pytest.mark.parametrize(("watts", "fits"), [(1574.0, False), (1575.0, True)])
def test_a_supply_needs_a_quarter_more_than_the_parts_are_rated_at(watts: float, fits: bool):
    four = machine(CHEN).with_cards(4)
    supply = four.one("power_supply")
    assert supply is not None
    found = check(swapped(four, "power_supply", replace(supply, psu_w=watts)), HOME)
    assert refused(found) == (set() if fits else {"watts"})
