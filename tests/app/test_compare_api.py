"""The main question from Python."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import rackrent
from rackrent.app.ids import pick
from rackrent.app.prices import search_prices, show_price
from rackrent.catalog.query import OfferQuery
from rackrent.errors import BadInput
from rackrent.report.prices import OfferCard
from rackrent.workload.model import Workload

FIRST = Path(__file__).parent.parent.parent / "examples" / "first-machine.yaml"
QUESTION = {"demand": {"utilisation": 0.2, "reference_gpu": "GTX 1080 Ti"}, "as_of": "2018-09-15"}


def day_of(comparison: rackrent.compare) -> date:  # type: ignore[valid-type]
    return comparison.setting.catalog.as_of


def test_a_question_may_be_a_file_a_mapping_or_a_workload() -> None:
    by_path, by_name = rackrent.compare(FIRST), rackrent.compare(str(FIRST))
    assert by_path.to_dict() == by_name.to_dict()
    by_mapping = rackrent.compare(QUESTION)
    assert by_mapping.to_dict() == rackrent.compare(Workload.model_validate(QUESTION)).to_dict()
    assert by_path.recommended is not None and by_path.recommended.owned


def test_the_same_question_has_the_same_answer_to_the_last_byte() -> None:
    assert repr(rackrent.compare(QUESTION).to_dict(everything=True)) == repr(
        rackrent.compare(QUESTION).to_dict(everything=True)
    )


def test_the_day_is_the_arguments_then_the_workloads_then_the_catalogs_then_today() -> None:
    catalog = rackrent.load_catalog(as_of=date(2026, 10, 1))
    undated = {"demand": {"utilisation": 0.2}}
    assert day_of(rackrent.compare(QUESTION, catalog, as_of=date(2018, 12, 1))) == date(2018, 12, 1)
    assert day_of(rackrent.compare(QUESTION, catalog)) == date(2018, 9, 15)
    assert day_of(rackrent.compare(undated, catalog)) == date(2026, 10, 1)
    assert day_of(rackrent.compare(undated)) == datetime.now(UTC).date()


def test_the_package_shows_its_three_names() -> None:
    assert {"compare", "costing", "load_catalog"} <= set(dir(rackrent))
    assert rackrent.costing.npv([0.0, 105.0], 0.0) == pytest.approx(105)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        rackrent.colour  # noqa: B018


def test_an_id_may_be_shortened_where_only_one_has_the_part() -> None:
    ids = ["cloud/aws/p3/us/spot", "cloud/aws/p3/us/spot-old", "own_build/any/p3/home/own"]
    assert pick("cloud/aws/p3/us/spot", ids) == ids[0], "an id is itself, though another begins with it"
    assert pick("OWN", ids) == ids[2]
    assert pick("home", ids) == ids[2]
    with pytest.raises(BadInput, match="may be cloud/aws/p3/us/spot, cloud/aws/p3/us/spot-old; write more"):
        pick("cloud", ids)
    with pytest.raises(BadInput, match="there is no 'cluod/aws/p3/us/spot'; the nearest are cloud/aws"):
        pick("cluod/aws/p3/us/spot", ids)


def test_a_search_counts_what_it_leaves_out() -> None:
    catalog = rackrent.load_catalog(as_of=date(2026, 10, 15))
    narrow = search_prices(catalog, OfferQuery(gpu=["RTX 4090"]))
    wide = search_prices(catalog, OfferQuery(gpu=["RTX 4090"], include_floors=True, include_doubtful=True))
    assert narrow.floors > 0
    assert len(wide.offers) == len(narrow.offers) + narrow.floors + narrow.doubtful
    assert (wide.floors, wide.doubtful, wide.left_out()) == (0, 0, "")
    assert search_prices(catalog, OfferQuery(gpu=["RTX 4090"], limit=1)).floors == narrow.floors


def test_a_shown_gpu_has_one_cheapest_offer_a_term_and_its_floor_apart() -> None:
    card = show_price(rackrent.load_catalog(as_of=date(2026, 10, 15)), "a100 80gb")
    assert not isinstance(card, OfferCard)
    terms = [row["term"] for row in card.cheapest]
    assert terms and len(terms) == len(set(terms))
    assert all(row["rankable"] and not row["floor"] for row in card.cheapest)
    assert card.floor is not None and card.floor["floor"]
