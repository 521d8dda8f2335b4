"""Jobs run again: first come first served, each within one machine, nothing over-booked."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.planning.queues import queues_of
from rackrent.planning.replay import Node, replay
from rackrent.usage.model import JOBS, shaped

JOBS_DRAWN = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 12), st.sampled_from([0.25, 1, 2, 3, 4])), min_size=1, max_size=25
)  # fmt: skip
NODES_DRAWN = st.lists(
    st.builds(Node, st.sampled_from([1.0, 2.0, 4.0]), st.sampled_from([1.0, 2.0])), max_size=4
)


@settings(deadline=None)
@given(JOBS_DRAWN, NODES_DRAWN)
def test_rented_jobs_start_when_a_machine_is_up_and_others_at_once(jobs, nodes):
    at, hours, gpus = zip(*jobs, strict=True)
    found = replay(at, hours, gpus, nodes, rented_after=0.1)
    assert set(found.wait_hours) <= {0.0, 0.1}
    assert (found.wait_hours == 0.1).tolist() == found.rented.tolist()
    room = max((n.gpus for n in nodes), default=0)
    assert all(found.rented[i] for i, g in enumerate(gpus) if g > room)
    assert all(not r for r in found.rented) or sum(g for g in gpus) > min((n.gpus for n in nodes), default=0)


@settings(deadline=None)
@given(JOBS_DRAWN, NODES_DRAWN)
def test_a_queue_is_served_in_order_and_no_gpu_twice(jobs, nodes):
    at, hours, gpus = (np.array(a, dtype=float) for a in zip(*jobs, strict=True))
    found = replay(at, hours, gpus, nodes)
    room = max((n.gpus for n in nodes), default=0)
    ran = gpus <= room
    assert np.isnan(found.wait_hours).tolist() == (~ran).tolist(), "only what has no room at all never runs"
    order = [i for i in np.argsort(at, kind="stable") if ran[i]]
    begun = at + found.wait_hours
    assert all(a <= b + 1e-9 for a, b in zip(begun[order], begun[order][1:], strict=False))
    # At no start are more GPUs held than there are, whichever machines the jobs are on (the slowest count most).
    fastest = max((n.speed for n in nodes), default=1)
    for moment in begun[order]:
        held = sum(
            gpus[i]
            for i in order
            if begun[i] <= moment + 1e-9 and moment + 1e-9 < begun[i] + hours[i] / fastest
        )
        assert held <= sum(n.gpus for n in nodes) + 1e-6


def test_a_job_does_not_spread_over_machines():
    two = [Node(2), Node(2)]
    assert replay([0, 0, 0], [5, 5, 5], [1, 1, 2], two).wait_hours.tolist() == [0, 0, 0], "best fit"
    assert replay([0], [5], [4], two).wait_hours.tolist() == [pytest.approx(np.nan, nan_ok=True)]
    assert replay([0], [5], [4], two, rented_after=0.1).rented.tolist() == [True]


def test_a_faster_machine_is_free_sooner():
    assert replay([0, 1], [8, 8], [1, 1], [Node(1, speed=4)]).wait_hours.tolist() == [0, 1]


def test_a_large_job_at_the_head_blocks_those_behind_it():
    waits = replay([0, 1, 2], [10, 10, 10], [1, 2, 1], [Node(2)]).wait_hours.tolist()
    assert waits == [0, 9, 18]


def jobs(rows):
    when = datetime(2026, 6, 1, tzinfo=UTC)
    frame = pl.DataFrame(
        [
            {
                "job": str(n), "pool": pool, "gpus": float(gpus), "eligible": when + timedelta(hours=sent),
                "started": when + timedelta(hours=begun), "ended": when + timedelta(hours=begun + ran),
            }
            for n, (pool, gpus, sent, begun, ran) in enumerate(rows)
        ],
        schema_overrides={"pool": pl.String},
    )  # fmt: skip
    return shaped(frame, JOBS)


def test_waits_now_and_then_by_pool_and_gang():
    sent = jobs([("a", 1, 0, 10, 4), ("a", 1, 1, 31, 4), ("a", 4, 2, 50, 4), ("b", 2, 0, 0, 4)])
    found = queues_of(sent, {"a": [Node(1)], "b": []}, month=6, startup_hours=0.1)
    assert [(w.pool, w.gpus, w.jobs) for w in found.by_gang] == [("a", 1, 2), ("a", 4, 1), ("b", 2, 1)]
    small, large, other = found.by_gang
    assert small.now.median_hours == 20 and small.now.p90_hours == pytest.approx(28)
    # The second comes while the first holds the only GPU; alone it would wait 3 hours for it.
    assert (small.planned.median_hours, small.alone.median_hours) == (pytest.approx(0.05), 1.5)
    assert large.planned.median_hours == pytest.approx(0.1) and large.alone is None
    assert (small.rented_share, large.rented_share, other.rented_share) == (0.5, 1, 1)
    assert found.overall.jobs == 4 and found.overall.alone is None


def test_without_a_known_wait_there_is_no_queue():
    unknown = jobs([("a", 1, 0, 1, 1)]).with_columns(eligible=None, submitted=None)
    assert queues_of(shaped(unknown, JOBS), {"a": []}, month=1, startup_hours=0.1) is None
    assert queues_of(jobs([("a", 1, 0, 1, 1)]), {"b": []}, month=1, startup_hours=0.1) is None
