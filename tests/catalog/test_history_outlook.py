"""How prices moved, what looks wrong in them, and what that says of buying or waiting."""

from __future__ import annotations

from datetime import date

import pytest
from small_market import market, offer

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.check import findings
from rackrent.catalog.history import gpu_runs, offer_runs, price_on
from rackrent.catalog.judge import judged
from rackrent.catalog.outlook import outlook, yearly_changes
from rackrent.catalog.sources.base import table_of
from rackrent.catalog.store import Store

JAN, JUNE, OCT = date(2026, 1, 1), date(2026, 6, 1), date(2026, 10, 1)


def step(
    first: float, then: float, at: date = JUNE, start: date = JAN, seen: date = OCT, **said
) -> list[dict]:
    """An offer whose price changed."""
    return [
        offer(amount=first, valid_from=start, valid_to=at, observed_on=at, **said),
        offer(amount=then, valid_from=at, observed_on=seen, **said),
    ]


def test_an_offer_over_time(tmp_path):
    gone = offer(instance_type="b1", valid_from=JAN, valid_to=OCT, observed_on=JUNE)
    catalog = market(tmp_path, *step(2.0, 1.5), gone)
    runs = offer_runs(catalog, "cloud/alpha/a1/global/on_demand")
    assert [(r.start, r.end, r.usd) for r in runs] == [(JAN, JUNE, 2.0), (JUNE, None, 1.5)]
    runs = offer_runs(catalog, "cloud/alpha/b1/global/on_demand")
    assert [(r.start, r.end, r.usd) for r in runs] == [(JAN, OCT, 1.0), (OCT, None, None)]


@pytest.mark.case("P10")
def test_what_has_left_the_market_is_billed_at_its_price_of_then(tmp_path):
    catalog = market(tmp_path, offer(amount=3.0, valid_from=JAN, valid_to=JUNE, observed_on=JAN))
    assert 10 * price_on(catalog, "cloud/alpha/a1/global/on_demand", date(2026, 2, 1)) == pytest.approx(30.0)
    assert price_on(catalog, "cloud/alpha/a1/global/on_demand", OCT) is None


def test_a_gpu_over_time_is_its_cheapest_offer_that_can_be_ranked(tmp_path):
    catalog = market(
        tmp_path,
        *step(2.0, 1.5),
        offer(provider="Beta", amount=1.8, valid_from=JAN, observed_on=OCT),
        offer(provider="Floor", amount=0.1, price_kind="observed_minimum", valid_from=JAN, observed_on=OCT),
    )
    runs = gpu_runs(catalog, ["L4"])
    assert [(r.start, r.usd, r.offer_id.split("/")[1]) for r in runs] == [
        (JAN, 1.8, "beta"),
        (JUNE, 1.5, "alpha"),
    ]
    assert gpu_runs(Catalog(date(2025, 1, 1), catalog.directory), ["L4"]) == []


def test_a_gpu_over_time_leaves_a_price_on_the_day_it_is_too_old(tmp_path):
    """Nothing begins or ends that day, and yet the search answers with another offer from then on."""
    old = offer(provider="Beta", amount=0.8, valid_from=date(2024, 1, 1), observed_on=date(2024, 1, 1))
    catalog = market(tmp_path, old, offer(valid_from=date(2024, 1, 1), observed_on=OCT))
    runs = gpu_runs(catalog, ["L4"])
    assert [(r.start, r.usd) for r in runs] == [(date(2024, 1, 1), 0.8), (date(2025, 1, 1), 1.0)]
    for run in runs:
        best = judged(catalog.on(run.start)).filter("rankable")["usd_per_gpu_hour"].min()
        assert best == run.usd


def test_a_gpu_over_time_takes_a_fall_on_the_day_it_is_believed(tmp_path):
    runs = gpu_runs(
        market(tmp_path, *step(2.0, 0.7), offer(provider="Beta", amount=1.5, valid_from=JAN)), ["L4"]
    )
    assert [(r.start, r.usd) for r in runs] == [(JAN, 1.5), (date(2026, 7, 1), 0.7)]


@pytest.mark.parametrize(
    ("then", "seen", "doubted"), [(0.7, JUNE, True), (0.9, JUNE, False), (0.7, OCT, False)]
)
def test_a_price_that_fell_by_60_percent_is_believed_once_it_has_held(tmp_path, then, seen, doubted):
    catalog = market(tmp_path, *step(2.0, then, seen=seen), as_of=seen)
    row = judged(catalog).row(0, named=True)
    assert (row["doubt"] == "fell by more than 60 % and has not held for 30 days yet") is doubted
    assert row["rankable"] is not doubted


def test_a_step_after_years_of_silence_says_nothing(tmp_path):
    rows = step(2.0, 0.5, seen=JUNE, start=date(2020, 1, 1))
    rows[0]["observed_on"] = date(2020, 1, 1)
    assert judged(market(tmp_path, *rows, as_of=JUNE))["doubt"].to_list() == [None]


@pytest.mark.case("P13")
@pytest.mark.parametrize(
    ("memory", "doubted"), [(24.0, False), (23.0, False), (0.0234, True), (24_576.0, True)]
)
def test_gpu_memory_in_another_unit_is_doubted(tmp_path, memory, doubted):
    row = judged(market(tmp_path, offer(gpu_memory_gb=memory))).row(0, named=True)
    assert (row["doubt"] == "its GPU memory is not that of its GPU") is doubted


def _kinds(catalog) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for finding in findings(catalog):
        out.setdefault(finding.kind, []).append(f"{finding.what}: {finding.why}")
    return out


def _five(**said) -> list[dict]:
    others = [offer(provider=p, amount=8.0, gpu_count=8.0, instance_type="x") for p in ("B", "C", "D")]
    return [*others, offer(provider="Odd", gpu_count=8.0, **said)]


@pytest.mark.parametrize(
    ("amount", "kind", "said"),
    [
        (64.0, "unit", "multiplied by its GPUs?"),
        (1.0, "unit", "a price of one GPU taken for that of the machine?"),
        (8.0 * 730, "unit", "a price a month taken for one an hour?"),
        (800.0, "unit", "cents taken for dollars?"),
        (40.0, "outlier", "5 times the median of 4 providers"),
    ],
)
def test_a_price_in_another_unit_is_noticed(tmp_path, amount, kind, said):
    found = _kinds(market(tmp_path, *_five(amount=amount)))
    assert len(found[kind]) == 1
    assert said in found[kind][0]
    assert found[kind][0].startswith("cloud/odd/")


def test_ordinary_prices_are_not_complained_of(tmp_path):
    assert _kinds(market(tmp_path, *_five(amount=9.0))) == {}


@pytest.mark.case("P19")
def test_a_conflict_is_told_with_both_prices(tmp_path):
    found = _kinds(market(tmp_path, offer(amount=0.178), offer(amount=0.086)))
    assert found["conflict"] == [
        "cloud/alpha/a1/global/on_demand: $0.086 an hour is used; $0.178 is said too"
    ]


@pytest.mark.case("P11")
def test_a_source_that_does_not_answer_is_told_with_its_last_good_day(tmp_path):
    catalog = market(tmp_path, offer(valid_from=JAN, observed_on=JUNE))
    failed = {"": {"on": "2026-10-01", "reason": "it answered 500", "good": "2026-06-01"}}
    state = {"test": {"name": "t", "citation": "c", "good": "2026-06-01", "failed": failed}}
    store = Store.open(tmp_path / "s").write(
        {"offers": table_of("offers", ()), "fx": table_of("fx", ())}, state
    )
    found = _kinds(Catalog(OCT, catalog.directory, store=store))
    assert found["unanswered"] == ["test: last good on 2026-06-01: it answered 500"]


def test_only_an_offer_beside_itself_counts_as_a_move(tmp_path):
    cheaper = offer(provider="New", amount=0.1, valid_from=OCT, observed_on=OCT)
    catalog = market(tmp_path, *step(2.0, 1.0), cheaper)
    ((provider, change),) = yearly_changes(catalog, ["L4"])
    assert provider == "Alpha"
    assert change == pytest.approx(0.5 ** (365.25 / 273) - 1)


@pytest.mark.parametrize(("then", "lean"), [(1.0, "wait"), (2.0, "buy"), (1.8, "none")])
def test_a_lean_needs_offers_that_agree(tmp_path, then, lean):
    rows = [row for p in ("A", "B", "C") for row in step(2.0, then, provider=p)]
    told = outlook(market(tmp_path, *rows), ["L4"])
    assert told.lean == lean
    assert "3 offers of 3 providers" in told.because[0]


@pytest.mark.parametrize("providers", [("A", "B"), ("A", "A", "A")])
def test_too_little_data_leans_nowhere(tmp_path, providers):
    rows = [row for n, p in enumerate(providers) for row in step(2.0, 1.0, provider=p, instance_type=f"t{n}")]
    told = outlook(market(tmp_path, *rows), ["L4"])
    assert (told.lean, told.sentence()) == ("none", "The data at hand do not say whether to buy or to wait.")
    assert "to say more" in told.because[0]


def test_an_offer_seen_once_moved_nowhere_because_nobody_looked(tmp_path):
    assert yearly_changes(market(tmp_path, offer(valid_from=JAN, observed_on=JAN)), ["L4"]) == []


def test_one_offer_over_a_year_old_is_one_offer(tmp_path):
    catalog = market(tmp_path, offer(valid_from=date(2025, 1, 1), observed_on=date(2025, 1, 1)), as_of=OCT)
    assert _kinds(catalog)["stale"] == ["test: 1 offer, seen last on 2025-01-01"]
