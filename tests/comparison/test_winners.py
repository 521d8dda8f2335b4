"""Who wins at other amounts of work and over other horizons."""

from __future__ import annotations

import pytest

from rackrent.app.compare import compare
from rackrent.comparison.breakeven import Sides, break_even_utilisation
from rackrent.comparison.result import Comparison
from rackrent.comparison.winners import share_asked, winners

QUESTION = {
    "as_of": "2018-09-15",
    "demand": {"utilisation": 0.2, "reference_gpu": "GTX 1080 Ti"},
    "task": "cnn_training",
    "precision": "fp32",
    "gpu_memory_gb": 11,
}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(QUESTION)


def test_the_question_itself_is_answered_as_the_comparison_answers_it(comparison: Comparison) -> None:
    cell = next(c for c in winners(comparison, comparison.headline) if c.asked)
    best, second = comparison.headline[:2]
    assert (cell.share, cell.months) == (pytest.approx(0.2), 36)
    assert (cell.option, cell.npv_usd) == (best.id, pytest.approx(best.npv_usd))
    assert (cell.next_option, cell.next_npv_usd) == (second.id, pytest.approx(second.npv_usd))


def test_renting_wins_below_the_break_even_use_and_owning_above(comparison: Comparison) -> None:
    owned = next(o for o in comparison.headline if o.owned)
    rented = next(o for o in comparison.headline if not o.owned)
    at = break_even_utilisation(owned, Sides(comparison.options))
    assert at is not None
    below, above = (next(c for c in winners(comparison, [owned, rented], [x], []) if c.share == x) for x in (at * 0.8, at * 1.25))  # fmt: skip
    assert (below.option, above.option) == (rented.id, owned.id)


@pytest.mark.parametrize(
    "demand",
    [
        {"gpu_hours_per_month": 146},
        {"gpu_hours_total": 146 * 36},
        {"jobs_per_month": 14.6, "hours_per_job": 10},
    ],
)
def test_the_map_does_not_depend_on_how_the_work_is_put(
    comparison: Comparison, demand: dict[str, float]
) -> None:
    same = compare(QUESTION | {"demand": demand | {"reference_gpu": "GTX 1080 Ti"}})
    assert share_asked(same.setting) == pytest.approx(0.2)
    owned = next(o for o in same.headline if o.owned)
    usd = [c.npv_usd for c in winners(same, [owned], [0.5], [12, 60])]
    expected = [
        c.npv_usd for c in winners(comparison, [comparison.option(owned.id) or owned], [0.5], [12, 60])
    ]
    assert usd == pytest.approx(expected, rel=1e-6)


def test_more_than_can_be_done_has_no_winner(comparison: Comparison) -> None:
    owned = [o for o in comparison.headline if o.owned]
    cells = winners(comparison, owned, [1.5], [])
    assert [c.option for c in cells if c.share == 1.5] == [None]
