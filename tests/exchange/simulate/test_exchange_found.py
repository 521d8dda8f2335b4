"""What the simulator found in the rules, the service and its own checks, each as the shortest history that showed it."""

from __future__ import annotations

import pytest
from exchange_world import HOUR, MINUTE, SECOND, USD, World

from rackrent.exchange.model import Incident, Instance, Machine, Project
from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import money, owner, trade
from rackrent.exchange.service.agent import Status
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.simulate import checks
from rackrent.exchange.simulate import world as simulated
from rackrent.exchange.simulate.host import Host
from rackrent.exchange.simulate.scenario import Scenario, machine_of
from rackrent.protocol.words import InstanceState, LeaseState, Reason, Rental


def test_what_an_agent_runs_again_after_a_reboot_is_charged_again(world: World) -> None:
    """It ran for nothing: the charge was broken off at the reboot, and `running` was no news of what ran before."""
    world.machine()
    world.project()
    lease = world.running()
    world.wait(10 * MINUTE)
    world.reboot()
    world.agents["m1"].has = {lease.id: InstanceState.RUNNING}
    world.now += 20 * SECOND
    world.report()
    assert world.lease(lease).metering
    world.wait(HOUR)
    world.end(lease)
    world.obey()
    assert world.metered_ms(lease) == 10 * MINUTE + HOUR, "the 20 seconds around the reboot are free"


def test_what_failed_while_the_hub_was_away_is_not_charged_to_a_later_stop(world: World) -> None:
    """The renter ended it before its host was heard again, and paid for an hour in which it no longer ran."""
    world.machine()
    world.project()
    lease = world.running()
    world.wait(10 * MINUTE)
    world.now += HOUR
    world.hub = Hub(world.store, lambda: world.now, world.ids, world.policy)
    world.end(lease)
    world.report("m1", Status(lease.id, InstanceState.FAILED, Reason.GPU_UNHEALTHY))
    world.obey()
    assert world.lease(lease).state is LeaseState.ENDED
    assert world.metered_ms(lease) == 10 * MINUTE


def test_an_orphan_that_is_being_destroyed_is_no_news(world: World) -> None:
    """Hub and agent answered each other without end while it was destroyed: an incident for every message."""
    world.machine()
    ghost = Status("ghost", InstanceState.RUNNING)
    world.report("m1", ghost)
    wanted = world.at(Machine, "m1").desired_seq
    world.report("m1", ghost)
    assert world.at(Machine, "m1").desired_seq == wanted, "the agent has not acted on it yet"
    world.agents["m1"].applied = wanted
    for _message in range(3):
        world.report("m1", Status("ghost", InstanceState.STOPPING))
    world.report("m1")
    assert world.at(Machine, "m1").desired_seq == wanted
    found = world.hub.do(lambda desk: desk.tx.of(Incident, lease="ghost"))
    assert [incident.reason for incident in found] == [Reason.ORPHAN] * 2


def test_what_has_just_been_given_its_gpu_is_not_stuck() -> None:
    """A renter's money ended in the quiet hours, another got the GPU, and was said to be stuck after 17 seconds."""
    scenario = Scenario(hosts=1, days=1, seed=1, faults=frozenset())
    market = simulated.World(scenario)
    machine, gpus = machine_of(scenario, 0)
    market.hub.do(owner.enrol, machine, gpus)
    market.looked("enrol")
    market.hub.do(owner.trust, machine.id, TrustEvent.VERIFY)
    market.looked("trust")
    Host(market, machine.id, 0)
    market.hub.do(lambda desk: desk.tx.add(Project(id="p", account="p")))
    market.looked("project")
    market.ask("top up", None, money.top_up, "p", 100 * USD, "first")
    said = market.ask("quote", machine.id, trade.quote, "p", machine.id, Rental.ON_DEMAND, 1, 0)
    assert said is not None
    lease = market.ask(
        "rent", machine.id, trade.rent, "p", said.id, Rental.ON_DEMAND, said.rate_micro_usd, "key"
    )
    assert lease is not None
    while (
        instance := market.store.find(Instance, lease.id)
    ) and instance.actual is not InstanceState.LOADING:
        market.run(market.now_ms + SECOND)
    market.checks.rest()
    market.now_ms += checks.ON_ITS_WAY_MS
    with pytest.raises(
        checks.Violation, match=f"stuck: lease {lease.id}: it is pending, its instance loading"
    ):
        market.checks.rest()


def test_the_last_seconds_of_the_money_are_paid_for(world: World) -> None:
    """A settlement covers what the host has confirmed since the one before, so more than a period: up to half a minute was free."""
    world.machine()
    world.project(usd=3.0 - 5 / 3600)
    lease = world.running()
    world.wait(2 * HOUR - 10 * SECOND)
    world.now += 10 * SECOND
    world.hub.wake()  # the money left lasts for an hour and 5 seconds from the host's last word, 10 seconds ago
    assert world.lease(lease).settled_ms == world.now - 10 * SECOND
    world.wait(2 * HOUR, every=SECOND)
    assert world.instance(lease).actual is InstanceState.STOPPED
    assert world.metered_ms(lease) == 3 * HOUR - 5 * SECOND
    assert {s.uncollected_micro_usd for s in world.settlements(lease)} == {0}
