"""The plan that is least regretted."""

import numpy as np
import pytest

from rackrent.errors import NothingFeasible
from rackrent.planning.regret import least_regret, states
from rackrent.planning.supply import HOURS, Limits, Owned, Pool, Question, Rented
from rackrent.units import Interval

MONTHS = 12


def question(**more):
    machine = Owned(name="own", pool="a", gpus=2, price_usd=8_000.0, resale_usd=2_000.0)
    rented = Rented(name="od", pool="a", gpus=2, usd_per_gpu_hour=0.6)
    return Question((Pool("a", np.full(MONTHS * HOURS, 6.0), 1),), owned=(machine,), rented=(rented,), **more)


def test_nine_states_with_weights():
    found, weights = states(question(), Interval(-0.5, 0.0, 1.0), Interval(-0.3, -0.1, 0.3))
    assert len(found) == 9
    assert weights.sum() == pytest.approx(1)
    assert found[4].pools[0].demand.tolist() == question().pools[0].demand.tolist()
    last = MONTHS - 1
    assert found[0].pools[0].demand[-1] == pytest.approx(6 * 0.5 ** (last / 12))
    assert found[0].monthly(found[0].rented[0].usd_per_gpu_hour)[last] == pytest.approx(
        0.6 * 0.7 ** (last / 12)
    )


def test_no_other_plan_is_less_regretted():
    found = least_regret(*states(question(), Interval(-0.6, 0.0, 1.0), Interval(-0.3, -0.1, 0.3)))
    regret = (found.usd - found.best_usd) @ found.weights
    assert np.all(found.usd >= found.best_usd * (1 - 1e-4))
    assert found.expected_regret_usd == pytest.approx(max(0.0, regret.min()))
    assert 0 < found.expected_regret_usd < regret.max()


def test_without_doubt_there_is_no_regret():
    found = least_regret(*states(question(), Interval.exactly(0.0), Interval.exactly(0.0)))
    assert found.expected_regret_usd == pytest.approx(0)


def test_a_plan_that_breaks_a_limit_in_some_state_is_not_chosen():
    tight = question(limits=Limits(monthly_usd=1_000.0))
    found = least_regret(*states(tight, Interval(-0.5, 0.0, 4.0), Interval.exactly(0.0)))
    assert np.isinf(found.usd[0, -1]), "made for little demand, it pays too much a month for much"
    assert np.all(np.isfinite(found.usd[found.chosen]))


def test_a_state_that_nothing_can_serve_has_no_plan():
    small = question(limits=Limits(monthly_usd=1_000.0, upfront_usd=0.0))
    with pytest.raises(NothingFeasible):
        least_regret(*states(small, Interval(0.0, 0.0, 4.0), Interval.exactly(0.0)))
