"""Search over columns finds what the rules choose one by one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from offered import offer

from rackrent.cli.flags import flags_from
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.choose import chosen
from rackrent.exchange.rules.fields import FIELDS
from rackrent.exchange.rules.filter import parse
from rackrent.exchange.search import OfferBook, OfferSearch
from rackrent.protocol.words import Rental

PAGE = (Path(__file__).parents[3] / "docs" / "exchange.md").read_text(encoding="utf-8")
PLACES = {"DE": ((52.5, 13.37), (47.7, 8.68)), "FR": ((48.87, 2.33),)}
GPUS = ["RTX_4090", "RTX_3090", "A100_SXM_80GB", "A100_PCIe_80GB", "A100_SXM_80GB_MIG_1g.10gb"]
SITES = {
    "m1": ("DE", 52.5, 13.4),
    "m2": ("FR", 48.9, 2.3),
    "m3": ("DE", 48.1, 11.6),
    "m4": ("US", 40.7, -74.0),
}
money = st.sampled_from([100_000, 400_000, 400_001, 2_500_000])
rentals = st.sampled_from([Rental.ON_DEMAND] * 4 + [Rental.INTERRUPTIBLE])
share = st.none() | st.sampled_from([0.5, 0.98, 0.99])


@st.composite
def some_offers(draw):
    rows = draw(st.lists(st.tuples(st.sampled_from(list(SITES)), st.sampled_from(GPUS), money, share, rentals,
                                   st.none() | st.just(1_900_000_000_000), st.none() | money), min_size=4, max_size=16))  # fmt: skip
    made = []
    for n, (machine, gpu, price, known, rental, until, bid) in enumerate(rows):
        country, latitude, longitude = SITES[machine]
        made.append(offer(id=f"{machine}:{n % 7}:{n}", machine=machine, gpu_name=gpu, price_micro_usd=price, reliability=known,
                          rental=rental, until_ms=until, min_bid_micro_usd=bid, inet_up=known, geolocation=country,
                          latitude=latitude, longitude=longitude))  # fmt: skip
    return draw(st.permutations(made))


values = {
    "number": ["0.5", "0.98", "1", "24", "-3", "52.5"],
    "usd": ["0.1", "0.4", "0.4000005", "2.5"],
    "day": ["2030-01-01", "2030-03-17", "2099-12-31"],
    "flag": ["true", "no"],
    "text": ["m1", "'m2'", "h"],
    "gpu": ["RTX_4090", "A100-80GB", "'A100 SXM 80GB'", "a100_sxm_80gb_mig_1g.10gb"],
    "country": ["DE", "fr", "'US'"],
    "rental": ["on_demand", "interruptible", "monthly"],
}


@st.composite
def condition(draw):
    field = draw(st.sampled_from(list(FIELDS.values())))
    one = st.sampled_from(values[field.type])
    if draw(st.booleans()):
        inside = ", ".join(draw(st.lists(one, min_size=1, max_size=3)))
        return f"{field.name} {draw(st.sampled_from(['in', 'notin']))} [{inside}]"
    operators = ["=", "!=", "=="] + (["<", "<=", ">", ">="] if field.type.ordered else [])
    return f"{field.name} {draw(st.sampled_from(operators))} {draw(one)}"


near = st.sampled_from(["", "near=DE", "near=52.5,13.4", "near=DE", "near=fr", "near='-33.9,151.2'"])
keys = st.sampled_from(
    ["price", "-price", "near", "-near", "reliability", "-reliability", "until", "-min_bid", "latency_ms"]
)
latencies = st.dictionaries(st.sampled_from(list(SITES)), st.sampled_from([3.0, 20.0, 80.5]))


@settings(max_examples=300, deadline=None)
@given(
    some_offers(),
    st.lists(condition(), max_size=2),
    near,
    st.lists(keys, min_size=1, max_size=3),
    latencies,
    st.integers(1, 5),
)
@example([offer(), offer(id="b", reliability=None)], ["reliability != 0.5"], "near=DE", ["near"], {}, 1)
def test_columns_choose_what_the_rules_choose(offers, conditions, place, order, latency, limit):
    text = " ".join([*conditions, place])
    text = text if "rental" in text else f"rental != monthly {text}"
    expected = chosen(offers, parse(text, gpus=GPUS, places=PLACES), order, latency)
    found = OfferBook(offers, PLACES).search(OfferSearch(filter=text, order=order, limit=limit), latency)
    assert [hit.offer.id for hit in found.hits] == [o.id for o in expected[:limit]]
    assert found.total == len(expected)


def test_a_hit_says_how_far_it_is_and_how_long_the_way_was_measured_to_be():
    book = OfferBook([offer(machine="m", latitude=48.8566, longitude=2.3522, geolocation="FR")], PLACES)
    (hit,) = book.search(OfferSearch(filter="near=52.52,13.405"), {"m": 21.5}).hits
    assert round(hit.distance_km or 0) == 877 and hit.latency_ms == 21.5
    (hit,) = book.search(OfferSearch()).hits
    assert (hit.distance_km, hit.latency_ms) == (None, None)


def test_a_market_without_offers_finds_none():
    assert OfferBook([]).search(OfferSearch(filter="price < 1 gpu_name=RTX_4090", order=["near"])).hits == ()


def test_a_wrong_filter_is_refused_with_the_names_that_are_offered():
    with pytest.raises(Invalid, match="like it: A100_SXM_80GB"):
        OfferBook([offer(gpu_name="A100_SXM_80GB")]).search(OfferSearch(filter="gpu_name=A1000_SXM_80GB"))


def test_every_parameter_of_a_search_says_what_it_is():
    assert all(field.description for field in OfferSearch.model_fields.values())


def test_the_documentation_names_every_field_with_its_meaning():
    rows = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [row for row in rows if row[0] in FIELDS] == [
        (f.name, f.type.value, f.meaning) for f in FIELDS.values()
    ]


def test_every_filter_in_the_documentation_can_be_read():
    searching = PAGE.partition("## Searching")[2]
    filters = re.findall(r"```\n(.+?)```", searching, re.DOTALL)[0].splitlines()
    assert len(filters) >= 4
    for text in filters:
        OfferBook([offer()], PLACES).search(OfferSearch(filter=text))


def test_the_same_model_makes_the_flags_of_the_command_line():
    flags = flags_from(OfferSearch, {name: name for name in OfferSearch.model_fields})
    assert [flag.option for flag in flags.values()] == ["--filter", "--order", "--limit"]
    assert all(flag.help() and flag.parameter() for flag in flags.values())
