"""What is due when something raises: the rest of the market goes on, and people are told."""

from __future__ import annotations

from typing import Any

import pytest
from exchange_world import DAY, HOUR, MINUTE, SECOND, World

from rackrent.exchange.model import Alarm, Incident, Lease, Machine, Timer
from rackrent.exchange.problems import Busy
from rackrent.exchange.service import clock
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.store.memory import MemoryStore
from rackrent.protocol.words import InstanceState, Rental

pytestmark = pytest.mark.timers_may_fail


def broken_for(lease: Lease, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Have the settlement of one lease raise, alone or among others."""
    settle = clock.settle_due

    def raises(desk: Desk, machine: Machine, found: Lease) -> None:
        if found.id == lease.id:
            raise error
        settle(desk, machine, found)

    def one_by_one(_desk: Desk, timers: list[Timer]) -> list[Timer]:
        return timers

    monkeypatch.setattr(clock, "settle_due", raises)
    monkeypatch.setattr(clock, "settle_many", one_by_one)


def test_one_timer_that_raises_does_not_stop_the_clock(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took its whole batch back with it, was the first again next time, and nothing was ever due after it."""
    world.machine(gpus=3)
    world.project()
    leases = [world.running(rental=Rental.ON_DEMAND) for _ in range(3)]
    with monkeypatch.context() as broken:
        broken_for(leases[1], broken, ZeroDivisionError("a fault"))
        world.wait(HOUR + MINUTE)
        settled = [world.lease(lease).settlements for lease in leases]
        assert settled == [1, 0, 1]
        assert world.incidents(leases[1]) == ["settle_failed"]
        world.wait(20 * MINUTE)
        assert world.incidents(leases[1]) == ["settle_failed"] * 5, "every five minutes"
    world.wait(10 * MINUTE)
    assert world.lease(leases[1]).settlements == 1
    assert world.gpu_billed(leases[1]) > world.gpu_billed(leases[0]), "nothing is lost"


def test_what_failed_of_a_machine_is_said_of_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(_desk: Desk, _machine: Machine) -> None:
        raise ValueError("no\0good")

    world.machine()
    world.machine("m2")
    with monkeypatch.context() as broken:
        broken.setattr(clock, "silence", raises)
        world.wait(3 * MINUTE, "m1")
    incidents = world.hub.do(lambda desk: desk.tx.of(Incident, machine="m1"))
    assert [(str(i.reason), i.text) for i in incidents] == [
        ("silence_failed", "What was due raised ValueError('no\\x00good'); it is tried again.")
    ]
    assert world.at(Machine, "m1").reachable
    world.wait(5 * MINUTE, "m1")
    assert not world.at(Machine, "m1").reachable


def test_a_timer_that_somebody_else_has_seen_to_is_left_alone(world: World) -> None:
    world.machine()
    world.project()
    lease = world.running()
    timer: Timer = world.at(Timer, f"settle:{lease.id}")
    world.wait(HOUR + MINUTE)
    before: Any = world.at(Timer, timer.id), world.settlements(lease)
    world.hub.do(clock.wake_this, timer)
    world.hub.do(clock.put_off, timer, ValueError())
    assert (world.at(Timer, timer.id), world.settlements(lease)) == before
    assert before[0].kind is Alarm.SETTLE and before[0].due_ms > timer.due_ms


def test_what_becomes_due_meanwhile_waits_for_the_next_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that had been away settled each second what no host had confirmed yet: where there was much of it, it did nothing
    else, and took the hosts that it did not listen to for silent."""
    world.machine()
    world.project()
    lease = world.running()
    world.wait(10 * MINUTE)
    world.now += 3 * HOUR
    world.hub.started_ms = world.now

    def a_second_later() -> int:
        world.now += SECOND  # so long does each transaction take
        return world.now

    with monkeypatch.context() as slow:
        slow.setattr(world.hub, "now_ms", a_second_later)
        assert world.hub.wake() <= 3
    assert world.at(Machine, "m1").reachable
    world.report()
    assert world.instance(lease).actual is InstanceState.RUNNING


def test_a_busy_database_is_nobodys_fault(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.machine()
    world.project()
    lease = world.running()
    world.now += DAY
    with monkeypatch.context() as held:
        held.setattr(MemoryStore, "due", lambda *_args: (_ for _ in ()).throw(Busy("held up")))
        with pytest.raises(Busy):
            world.hub.wake()
    assert "settle_failed" not in world.incidents(lease)


def test_what_is_unheard_after_an_outage_is_not_looked_at_every_second(world: World) -> None:
    """Its hold was used up by then, as counted from its host's last word: it was due again at once, until that spoke."""
    world.machine()
    world.project()
    lease = world.running()
    world.now += 3 * HOUR
    world.hub = Hub(world.store, lambda: world.now, world.ids, world.policy)
    world.hub.wake()
    assert world.at(Timer, f"settle:{lease.id}").due_ms == world.now + world.policy.heartbeat_ms
    world.report()
    world.wait(HOUR)
    assert world.metered_ms(lease) > 3 * HOUR
