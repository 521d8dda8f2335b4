"""Refreshing: each source for itself, all or nothing of it, and the same thing twice changes nothing."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from rackrent.app.compare import compare
from rackrent.app.refresh import refresh
from rackrent.catalog.catalog import DATA_DIR, Catalog
from rackrent.catalog.history import price_on
from rackrent.catalog.judge import judged
from rackrent.catalog.sources.base import offer_row, source_rows
from rackrent.catalog.sources.http import Offline, SourceFailed
from rackrent.catalog.store import Store
from rackrent.errors import BadInput

DAY = date(2026, 12, 1)
LATER = DAY + timedelta(days=1)


class Told:
    """A source that says what it is told to, or fails."""

    citation = "told by a test"

    def __init__(self, name: str, *offers: dict, failed: dict | None = None, raises: str = "") -> None:
        self.name, self.id = name, f"{name}-id"
        self.offers, self.failed, self.raises = offers, failed, raises

    def fetch(self, client, as_of, progress):
        progress(self.name)
        if self.raises:
            raise SourceFailed(self.raises)
        rows = [offer_row(self.id, as_of, **offer) for offer in self.offers]
        return source_rows(rows, failed=self.failed)


def l4(provider: str = "Alpha", amount: float | None = 1.0, **said) -> dict:
    return {
        "provider": provider,
        "instance_type": "a1",
        "gpu": "L4",
        "gpu_count": 1.0,
        "amount": amount,
    } | said


@pytest.fixture
def ask(tmp_path):
    def ask(*sources, day=DAY, **said):
        with Offline() as client:
            return refresh(sources, client, day, folder=tmp_path, **said)

    return ask


def offers(folder, day):
    catalog = Catalog(day, DATA_DIR, store=Store.at_hand(folder))
    return {r["provider"]: r for r in judged(catalog).to_dicts() if r["provider"] in ("Alpha", "Beta")}


def test_rows_come_in_and_twice_in_a_row_changes_nothing(tmp_path, ask):
    first = ask(Told("one", l4()), Told("two", l4("Beta", 2.0)))
    assert [(o.name, o.rows, o.new, o.reason) for o in first] == [("one", 1, 1, ""), ("two", 1, 1, "")]
    assert {p: r["usd_per_hour"] for p, r in offers(tmp_path, DAY).items()} == {"Alpha": 1.0, "Beta": 2.0}
    before = Store.at_hand(tmp_path).name
    again = ask(Told("one", l4()), Told("two", l4("Beta", 2.0)))
    assert [(o.rows, o.new) for o in again] == [(1, 0), (1, 0)]
    assert Store.at_hand(tmp_path).name == before


@pytest.mark.case("P11")
@pytest.mark.parametrize("broken", [{"raises": "it answered 500"}, {}])
def test_a_source_that_fails_or_says_nothing_keeps_its_rows_marked(tmp_path, ask, broken):
    ask(Told("one", l4()), Told("two", l4("Beta", 2.0)))
    one, two = ask(Told("one", **broken), Told("two", l4("Beta", 2.5)), day=LATER)
    assert (two.reason, one.kept_from) == ("", DAY)
    assert "2026-12-01 stay" in one.line()
    now = offers(tmp_path, LATER)
    assert (now["Alpha"]["usd_per_hour"], now["Alpha"]["unanswered"], now["Alpha"]["observed_on"]) == (
        1.0,
        True,
        DAY,
    )
    assert (now["Beta"]["usd_per_hour"], now["Beta"]["unanswered"]) == (2.5, False)
    ask(Told("one", l4()), day=LATER)
    assert not offers(tmp_path, LATER)["Alpha"]["unanswered"]


def test_a_price_that_changes_twice_a_day_is_the_last_of_that_day(tmp_path, ask):
    """A row that began and ended on one day held on none; it is not kept."""
    ask(Told("one", l4()))
    for amount in (1.1, 1.2):
        ask(Told("one", l4(amount=amount)), day=LATER)
    rows = Store.at_hand(tmp_path).rows("offers")
    assert rows.sort("valid_from").select("amount", "valid_from", "valid_to").rows() == [
        (1.0, DAY, LATER),
        (1.2, LATER, None),
    ]


def test_new_rates_are_counted_as_new(ask):
    class Rates(Told):
        def fetch(self, client, as_of, progress):
            row = {"month": date(2026, 11, 1), "currency": "EUR", "usd_per_unit": 1.1, "source": self.id,
                   "observed_on": as_of, "confidence": "high", "valid_from": date(2026, 11, 1)}  # fmt: skip
            return source_rows(fx=[row])

    assert [ask(Rates("rates"))[0].new for _again in range(2)] == [1, 0]


def test_names_from_strangers_cannot_steer_a_terminal(tmp_path, ask):
    """A feed's name of a type reached the screen with its escape sequences."""

    class Hostile(Told):
        def fetch(self, client, as_of, progress):
            offer = offer_row(self.id, as_of, **l4(instance_type="a1\x1b[31m\x07\u202e\n"))
            return source_rows([offer], warnings=["no price for \x1b]0;x\x07"], failed={"Beta": "\x9b2J"})

    (outcome,) = ask(Hostile("one"))
    assert offers(tmp_path, DAY)["Alpha"]["instance_type"] == "a1[31m"
    assert outcome.warnings == ("no price for ]0;x", "Beta: 2J")
    (outcome,) = ask(Told("two", raises="it said \x1b[2J"))
    assert outcome.reason == "it said [2J"
    assert {f.reason for f in Store.at_hand(tmp_path).failures().values()} == {"2J", "it said [2J"}


@pytest.mark.case("P11")
def test_one_provider_of_a_source_that_fails_is_marked_alone(tmp_path, ask):
    ask(Told("one", l4(), l4("Beta")))
    (outcome,) = ask(Told("one", l4(), failed={"Beta": "it answered 500"}), day=LATER)
    assert outcome.warnings == ("Beta: it answered 500",)
    now = offers(tmp_path, LATER)
    assert (now["Alpha"]["unanswered"], now["Beta"]["unanswered"]) == (False, True)
    assert Store.at_hand(tmp_path).failures()["one-id", "Beta"].good == DAY


def test_a_source_that_lists_half_of_before_is_not_believed_unasked(tmp_path, ask):
    many = [l4(instance_type=f"a{n}") for n in range(9)]
    ask(Told("one", *many))
    (outcome,) = ask(Told("one", *many[:4]), day=LATER)
    assert "only 4 of the 9" in outcome.reason
    (outcome,) = ask(Told("one", *many[:4]), day=LATER, believe=True)
    assert (outcome.reason, outcome.rows) == ("", 4)


@pytest.mark.case("P11")
def test_a_provider_that_lists_half_of_before_is_not_believed_among_others_that_list_all(tmp_path, ask):
    """A small provider could lose nearly all its offers unnoticed where the source lists many of others."""
    others = [l4("Beta", instance_type=f"b{n}") for n in range(20)]
    ask(Told("one", *(l4(instance_type=f"a{n}") for n in range(3)), *others))
    (outcome,) = ask(Told("one", l4(amount=0.9, instance_type="a0"), *others), day=LATER)
    assert (outcome.reason, outcome.rows) == ("", 23)
    assert "Alpha: it lists only 1 of the 3" in outcome.warnings[0]
    now = offers(tmp_path, LATER)
    assert (now["Alpha"]["usd_per_hour"], now["Alpha"]["unanswered"]) == (1.0, True)
    assert (now["Beta"]["observed_on"], now["Beta"]["unanswered"]) == (LATER, False)
    (outcome,) = ask(Told("one", *others), day=LATER)
    assert "Alpha: it lists only 0 of the 3" in outcome.warnings[0]


@pytest.mark.case("P10")
def test_what_ran_is_billed_at_the_price_of_then(tmp_path, ask):
    ask(Told("one", l4(amount=3.0), l4(instance_type="a2")))
    ask(Told("one", l4(instance_type="a2")), day=LATER)
    catalog = Catalog(LATER, DATA_DIR, store=Store.at_hand(tmp_path))
    launched = "cloud/alpha/a1/unspecified/on_demand"
    assert price_on(catalog, launched, LATER) is None
    assert 10 * price_on(catalog, launched, DAY) == pytest.approx(30.0)


def test_a_clock_that_goes_back_is_noticed(ask):
    ask(Told("one", l4()), day=LATER)
    with pytest.raises(BadInput, match="is the clock right"):
        ask(Told("one", l4()), day=DAY)


@pytest.mark.case("P11")
def test_a_comparison_says_that_it_rests_on_a_source_that_failed(tmp_path, ask):
    ask(Told("one", l4()))
    ask(Told("one", raises="it answered 500"), day=LATER)
    question = {
        "demand": {"gpu_hours_per_month": 100},
        "consider": {"providers": ["Alpha"], "kinds": ["cloud"]},
    }
    result = compare(question, Catalog(LATER, DATA_DIR, store=Store.at_hand(tmp_path)))
    (option,) = [o for o in result.feasible if o.provider == "Alpha"]
    assert "its price is of 2026-12-01: its source failed when last refreshed" in option.warnings
