"""Lists of parts as people write them."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.building.match import match
from rackrent.building.read import Entry, machine_of, read_parts
from rackrent.catalog.catalog import load
from rackrent.catalog.components import components
from rackrent.errors import BadInput

PARTS = components(load(as_of=date(2026, 11, 30)))
WANTED = [Entry("RTX 4090", "gpu", 2, 1599.0), Entry("Ryzen 9 9950X", "cpu")]


@pytest.mark.parametrize(
    "text",
    [
        "GPU: RTX 4090 x2 ($1,599.00 @ Amazon)\nCPU: Ryzen 9 9950X\n",
        "[PCPartPicker Part List](https://pcpartpicker.com/list/x)\n\n"
        "**Video Card:** [RTX 4090](https://pcpartpicker.com/p) (2-Way SLI) (**$1599.00** @ Newegg)\n"
        "**CPU:** [Ryzen 9 9950X](https://x)\n**Total:** $3,198\n",
        "Type|Item|Price\n:----|:----|:----\n**Video Card** | [RTX 4090](https://x) (2-Way SLI) | $1,599.00 @ Newegg\n"
        "**CPU** | [Ryzen 9 9950X](https://x) |-\n**Total** | | **$3,198**\n",
        "| GPU | RTX 4090 x2 | $1599 |\n| CPU | Ryzen 9 9950X | |\n",
        "GPU: 2 x RTX 4090 | $1,599\nCPU: Ryzen 9 9950X\n",
        "type,name,quantity,price\ngpu,RTX 4090,2,1599\ncpu,Ryzen 9 9950X,,\n",
        "- {type: gpu, name: RTX 4090, quantity: 2, price: 1599}\n- {type: cpu, name: Ryzen 9 9950X}\n",
        "gpu: {name: RTX 4090, quantity: 2, price: 1599}\ncpu: {name: Ryzen 9 9950X}\n",
    ],
)
def test_one_list_in_every_form(text: str):
    assert read_parts(text) == WANTED


@pytest.mark.parametrize(
    ("typed", "kind", "name"),
    [
        ("threadripper 1920x", "cpu", "AMD Ryzen Threadripper 1920X"),
        ("rtx4090 founders", "gpu", "NVIDIA Founders Edition GeForce RTX 4090 24GB GDDR6X"),
        ("3090", "gpu", "RTX 3090"),
        ("Torrent", "case", "Fractal Design Torrent"),
        ("9950X", None, "AMD Ryzen 9 9950X"),
        ("990 pro 4tb", "storage", "Samsung 990 Pro 4000 GB"),
        ("AMD Ryzen 9 9950X 4.3 GHz 16-Core Processor", "cpu", "AMD Ryzen 9 9950X"),
        (
            "Corsair Vengeance LPX 32 GB (2 x 16 GB) DDR4-3200 CL16 Memory",
            "memory",
            "Vengeance LPX 32 GB DDR4-3200",
        ),
        ("990 pro 16tb", "storage", None),
    ],
)
def test_loosely_typed_names_are_matched(typed: str, kind: str | None, name: str | None):
    if name is None:
        with pytest.raises(BadInput, match=r"nearest: .*990 Pro 4000 GB"):
            match(typed, PARTS, kind)
        return
    found = match(typed, PARTS, kind).part.name
    assert name in found and ("Ti" in name) == ("Ti" in found.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no part"),
        ("GPU: Voodoo 2 banshee", "there is no part 'Voodoo 2 banshee'"),
        ("toaster: RTX 4090", "'toaster' is no kind of part"),
        ("type,name,quantity\ngpu,RTX 4090,-1", "quantity is '-1'"),
        ("type,name,price\ngpu,RTX 4090,free", "price is 'free'"),
        ("- {name: RTX 4090, colour: red}", "'colour' is no field of a part"),
        ("gpu\0", "not text"),
        ("- {type: gpu, name: [1, 2]}", "the name of a part must be text"),
        ("GPU: RTX 4091 Foo", "nearest: Inno3D X3 OC GeForce RTX 4090"),
        ("- {type: gpu, name: RTX 4090, quantity: .nan}", "quantity is nan"),
        ("\n".join(["GPU: RTX 4090"] * 65), "65 lines"),
    ],
)
def test_a_bad_list_is_refused_in_one_sentence(text: str, said: str):
    with pytest.raises(BadInput) as error:
        machine_of(read_parts(text), PARTS)
    assert said in str(error.value) and "\n" not in str(error.value)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str):
    with suppress(BadInput):
        assert machine_of(read_parts(text), PARTS)[1]


def test_a_name_cannot_steer_the_terminal():
    (entry,) = read_parts("CPU: Ryzen 5 5600 \x1b[31m\x07\u202e ok")
    assert entry.name == "Ryzen 5 5600 [31m ok"
