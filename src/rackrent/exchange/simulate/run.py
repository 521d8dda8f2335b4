"""A whole run: a market is set up, lives through its days, comes to rest, and is wound up."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass

from rackrent.exchange.model import DAY_MS, HOUR_MS, Lease
from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import lifecycle, owner
from rackrent.exchange.simulate.checks import Violation
from rackrent.exchange.simulate.demand import MEAN_GPUS, Renter, Trace
from rackrent.exchange.simulate.faults import Faults
from rackrent.exchange.simulate.host import Host
from rackrent.exchange.simulate.scenario import START_MS, Scenario, machine_of
from rackrent.exchange.simulate.world import World
from rackrent.protocol.words import LeaseState

REST_MS = 3 * HOUR_MS
"""How long a market is left alone before it has to be at rest: more than any wait of the policy but those for the lost."""
Progress = Callable[[World], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run: its world at the end, and what was violated, if anything."""

    world: World
    violation: Violation | None


def simulate(scenario: Scenario, progress: Progress | None = None) -> Outcome:
    """Return the outcome of a run."""
    world = World(scenario)
    collects = gc.isenabled()
    gc.disable()  # values of the store hold no cycles, and there are millions of them
    try:
        _live(world, scenario, progress)
    except Violation as violation:
        return Outcome(world, violation)
    except Exception as error:  # whatever else the rules or the service raise is a fault of theirs
        if hasattr(sys, "ps1"):
            raise
        found = Violation(f"error {type(error).__name__}", str(error))
        found.__cause__ = error
        return Outcome(world, found)
    finally:
        if collects:
            gc.enable()
    return Outcome(world, None)


def _live(world: World, scenario: Scenario, progress: Progress | None) -> None:
    gpus = _fleet(world, scenario)
    gap_ms = scenario.renters * scenario.job_hours * HOUR_MS * MEAN_GPUS / (gpus * scenario.load)
    renters = [
        Renter(world, number, None if scenario.trace else gap_ms)
        for number in range(scenario.renters)
        if scenario.only_renters is None or number in scenario.only_renters
    ]
    if scenario.trace and renters:
        Trace(world, renters)
    faults = Faults(world)
    step_ms = 6 * HOUR_MS
    for until_ms in range(START_MS + step_ms, scenario.end_ms + step_ms, step_ms):
        world.run(min(until_ms, scenario.end_ms))
        if progress is not None:
            progress(world)
    faults.stop()
    world.run(scenario.end_ms + REST_MS)
    world.checks.everything()
    world.checks.rest()
    for lease in world.store.of(Lease):
        if lease.state is not LeaseState.ENDED:
            world.ask("end", lease.machine, lifecycle.end, lease.id, lease.project)
            world.checks.stopped.setdefault(lease.id, world.now_ms)
    world.run(scenario.end_ms + REST_MS + 2 * DAY_MS + HOUR_MS)
    world.checks.everything()
    world.checks.closed()


def _fleet(world: World, scenario: Scenario) -> int:
    """Set up the hosts; return how many GPUs the whole fleet has, those left out included."""
    total = 0
    for number in range(scenario.hosts):
        machine, gpus = machine_of(scenario, number)
        total += len(gpus)
        if scenario.only_hosts is not None and number not in scenario.only_hosts:
            continue
        world.hub.do(owner.enrol, machine, gpus)
        world.looked("enrol")
        world.hub.do(owner.trust, machine.id, TrustEvent.VERIFY)
        world.looked("trust")
        Host(world, machine.id, number)
    return total
