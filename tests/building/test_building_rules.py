"""Properties that hold of every list: taking a card out, or a bigger supply, breaks nothing."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.building.check import check, grown
from rackrent.building.finding import Site
from rackrent.building.machine import Item, Machine
from rackrent.building.read import machine_of, read_parts
from rackrent.building.rules import RULES
from rackrent.building.slots import best, placings, slots_of
from rackrent.catalog.catalog import load
from rackrent.catalog.components import components

PARTS = components(load(as_of=date(2026, 11, 30)))
HOME = Site(circuit_w=1440.0, circuit="120 V x 15 A")


def of(kind: str) -> st.SearchStrategy[Item]:
    return st.sampled_from([p for p in PARTS if p.part_type == kind]).map(Item)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    kinds = ("cpu", "motherboard", "cpu_cooler", "memory", "storage", "power_supply", "case")
    card = draw(of("gpu"))
    return Machine((replace(card, quantity=draw(st.integers(2, 4))), *(draw(of(kind)) for kind in kinds)))


POWER = {"watts", "leads", "transients", "circuit"}


def refused(machine: Machine, rules: set[str] | None = None) -> set[str]:
    return {f.rule for f in check(machine, HOME).refusals if rules is None or f.rule in rules}


@given(machines())
def test_taking_a_card_out_never_breaks_what_held(machine: Machine):
    fewer = machine.with_cards(len(machine.cards) - 1)
    assert refused(fewer) <= refused(machine)


@given(machines(), st.floats(1, 2000))
def test_a_bigger_supply_breaks_nothing(machine: Machine, more: float):
    psu = machine.one("power_supply")
    assert psu is not None
    if psu.psu_w is None:
        return
    bigger = replace(psu, psu_w=psu.psu_w + more)
    items = tuple(Item(bigger) if i.part is psu else i for i in machine.items)
    assert refused(Machine(items)) <= refused(machine)


@given(machines())
def test_a_longer_case_breaks_nothing(machine: Machine):
    case = machine.one("case")
    assert case is not None and case.max_gpu_mm is not None
    items = tuple(
        Item(replace(case, max_gpu_mm=case.max_gpu_mm + 50)) if i.part is case else i for i in machine.items
    )
    assert refused(Machine(items)) <= refused(machine)


def test_every_rule_cites_a_source_in_brackets():
    for rule in RULES:
        assert rule.__doc__ and ("(" in rule.__doc__ or rule.__name__ in ("complete", "sold")), rule.__name__


@pytest.mark.parametrize(
    ("slots", "widths", "brackets", "places"),
    [
        ("1:16;3:8;5:16;7:8", (2, 2, 2, 2), 8, [1, 3, 5, 7]),
        ("1:16;3:8;5:16;7:8", (2, 2, 2, 2), 7, None),  # the last overhangs
        ("1:16;3:8;5:16;7:8", (3, 3), 7, [1, 5]),
        ("2:16/8;5:8;7:4c", (2, 2), 7, [2, 5]),
        ("2:16/8;5:8;7:4c", (2, 2, 2), 8, None),  # the third slot does not reach the processor
        ("1:16;2:8;3:16;4:8;5:16;6:8;7:16", (2, 2, 2), 8, [1, 3, 7]),
    ],
)
def test_cards_stand_where_there_is_room(
    slots: str, widths: tuple[int, ...], brackets: int, places: list[int] | None
):
    way = best(placings(slots_of(slots), widths, 64.0, brackets), [True] * len(widths))
    assert (None if way is None else [s.position for s in way.slots]) == places


def test_open_air_cards_leave_a_position_free_where_they_can():
    way = best(placings(slots_of("1:16;2:16;3:16;4:16;5:16;6:16;7:16"), (2, 2), 128.0, 8), [False, False])
    assert way is not None and way.touching == ()


def test_two_supplies_carry_together_what_one_does_not():
    card = next(p for p in PARTS if p.name.startswith("NVIDIA Founders Edition GeForce RTX 3090 24"))
    psu = next(p for p in PARTS if p.name.startswith("EVGA SuperNOVA 1600 G2"))
    cpu = next(p for p in PARTS if p.name == "Intel Core i9 10900X")
    one, two = (Machine((Item(card, 4), Item(cpu), Item(psu, n))) for n in (1, 2))
    assert refused(one, {"watts"}) == {"watts"} and refused(two, {"watts", "leads"}) == set()


def test_growing_adds_cards_and_the_memory_they_need():
    kit = next(p for p in PARTS if p.name.startswith("Crucial Pro 64 GB DDR4"))
    card = next(p for p in PARTS if p.gpu == "RTX A6000")
    later = grown(Machine((Item(card), Item(kit))), 4)
    assert (len(later.cards), later.ram_gb) == (4, 192)


def test_a_check_is_quick():
    kinds = ("cpu", "motherboard", "case", "power_supply")
    card = Item(next(p for p in PARTS if p.gpu == "RTX A6000"), 4)
    machine = Machine((card, *(Item(next(p for p in PARTS if p.part_type == k)) for k in kinds)))
    began = time.process_time()
    for _ in range(20):
        check(machine, HOME)
    assert (
        time.process_time() - began
    ) / 20 < 0.05  # ten times what is promised: a slow machine is no failure


def test_two_processors_on_one_board_are_refused_and_both_named():
    text = "CPU: Ryzen 5 5600\nCPU: Ryzen 9 9950X\n"
    machine, _matches = machine_of(read_parts(text), PARTS)
    refusal = next(f for f in check(machine).refusals if f.rule == "once")
    assert refusal.parts == ("AMD Ryzen 5 5600", "AMD Ryzen 9 9950X") and refusal.numbers == {"quantity": 2}


def test_a_note_of_later_cards_is_told_once_and_one_of_now_never_again():
    text = "GPU: Asus Turbo RTX 3090\nCPU: Ryzen 5 5600\nPSU: Corsair HX1200i\nMemory: Crucial Pro 64 GB DDR4-3200\n"
    machine, _matches = machine_of(read_parts(text), PARTS)
    now = [f.text for f in check(machine, HOME).findings if f.verdict in ("note", "unknown")]
    notes = [note for step in check(machine, HOME, grow_to=4).path for note in step.notes]
    assert any("ATX 3.0" in said for said in now)
    assert len(set(notes)) == len(notes) and not set(notes) & set(now)


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (Site(circuit="ZWE"), "what a household circuit carries in ZWE is unknown"),
        (HOME, "EVGA SuperNOVA 1600 G2 ATX 1600W 80+ Gold: full output needs 200-240 V or 20 A"),
        (Site(1104.0, "230 V x 6 A"), None),  # a weak circuit of 230 V is no reason
        (Site(), None),
    ],
)
def test_the_circuit_of_the_country_is_told_and_an_unknown_one_named(site: Site, said: str | None):
    machine, _matches = machine_of(
        read_parts("GPU: Asus Turbo RTX 3090\nPSU: EVGA SuperNOVA 1600 G2\n"), PARTS
    )
    texts = [f.text for f in check(machine, site).findings if f.rule == "circuit" and f.verdict != "fits"]
    assert texts == ([] if said is None else [said])


def test_a_card_of_unknown_generation_is_not_taken_for_one_without_peaks():
    text = "GPU: RTX PRO 6000 Blackwell Max-Q\nPSU: EVGA SuperNOVA 1600 G2\n"
    machine, _matches = machine_of(read_parts(text), PARTS)
    (found,) = (f for f in check(machine).findings if f.rule == "transients")
    assert (found.verdict, found.text) == (
        "unknown", "peaks: of which generation NVIDIA RTX PRO 6000 Blackwell Max-Q is, is unknown"
    )  # fmt: skip


def test_lanes_that_a_switch_shares_are_not_passed_off_as_the_processors():
    text = "GPU: {} x RTX A6000\nCPU: Core i9 7900X\nMotherboard: WS X299 SAGE/10G\n"
    four, one = (machine_of(read_parts(text.format(n)), PARTS)[0] for n in (4, 1))
    (note,) = (f for f in check(four).findings if f.rule == "slot_lanes" and f.verdict == "note")
    assert note.text == (
        "the slots of ASUS WS X299 SAGE/10G add up to 64 lanes by switches that share the 44 of Intel Core i9 7900X"
    )
    assert not any(f.rule == "slot_lanes" and f.verdict == "note" for f in check(one).findings)
