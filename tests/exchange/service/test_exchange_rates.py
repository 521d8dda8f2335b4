"""A rate changes what a lease costs from now on, and nothing before its delivery or after its end."""

from __future__ import annotations

import pytest
from exchange_world import HOUR, MINUTE, SECOND, USD, World

from rackrent.exchange.problems import Illegal
from rackrent.exchange.service import rates


def test_a_rate_lowered_before_delivery_makes_no_interval(world: World) -> None:
    """An interval from the beginning of time would stand before the first that is charged."""
    world.machine()
    world.project()
    lease = world.rent()
    world.now += MINUTE
    world.hub.do(rates.propose_rate, lease.id, lease.host, 500_000)
    assert world.settlements(lease) == []
    world.obey()
    world.wait(HOUR)
    assert world.lease(lease).rate_micro_usd == 500_000
    assert world.settlements(lease)[0].from_ms == world.lease(lease).delivered_ms


def test_a_lease_that_is_over_keeps_its_rate_and_its_last_interval(world: World) -> None:
    world.machine()
    world.project()
    lease = world.running()
    world.wait(MINUTE)
    world.end(lease)
    for over in (False, True):
        if over:
            world.obey()
        world.now += MINUTE
        before = world.settlements(lease)
        with pytest.raises(Illegal, match="is ending: its rate stays as it is"):
            world.hub.do(rates.propose_rate, lease.id, lease.host, 500_000)
        assert world.settlements(lease) == before
    ended = world.lease(lease)
    assert ended.ended_ms is not None and world.settlements(lease)[-1].to_ms <= ended.ended_ms


def test_a_rise_accepted_after_the_stop_costs_nothing_of_what_ran_before(world: World) -> None:
    """What ran between the last word and the stop was charged at the rate that was accepted later."""
    world.machine()
    world.project()
    lease = world.running(disk_gb=100)
    world.wait(HOUR)
    world.hub.do(rates.propose_rate, lease.id, lease.host, 20 * USD)
    world.now += 20 * SECOND
    world.stop(lease)
    world.now += 5 * SECOND
    world.hub.do(rates.accept_rate, lease.id, "p1", 20 * USD)
    world.now += 5 * SECOND
    world.obey()
    assert (world.gpu_billed(lease), world.metered_ms(lease)) == (USD, HOUR)
    world.wait(2 * HOUR)
    assert world.gpu_billed(lease) == USD and world.lease(lease).storing
    world.start(lease)
    world.obey()
    world.wait(HOUR)
    world.stop(lease)
    world.obey()
    assert (world.gpu_billed(lease), world.metered_ms(lease)) == (21 * USD, 2 * HOUR)
