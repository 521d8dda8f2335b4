"""A smaller history with the same violation: the run again with fewer faults, hosts, renters and days."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rackrent.exchange.simulate.run import Outcome, simulate
from rackrent.exchange.simulate.scenario import Scenario

RUNS_MOST = 40
"""Runs that are tried at most. Only that of a single host goes on for longer than the history that is to be made smaller."""


def shrink(
    scenario: Scenario,
    outcome: Outcome,
    progress: Callable[[str], None] | None = None,
    runs_most: int = RUNS_MOST,
) -> tuple[Scenario, Outcome]:
    """Return a smaller scenario, and its outcome, that breaks the same rule; the same ones where none is found.

    `outcome` is that of `scenario` and has a violation. Each attempt leaves something out; what still fails is kept.
    """
    left = runs_most
    found = True
    while found and left > 0:
        found = False
        for smaller in _smaller(scenario, outcome):
            if left == 0:
                break
            left -= 1
            tried = simulate(smaller)
            assert outcome.violation is not None
            if tried.violation is not None and tried.violation.what == outcome.violation.what:
                scenario, outcome, found = smaller, tried, True
                if progress is not None:
                    progress(f"{outcome.world.events} events, {len(scenario.faults)} kinds of fault")
                break
    return scenario, outcome


def _smaller(scenario: Scenario, outcome: Outcome) -> Iterator[Scenario]:
    """Yield what to try next, the boldest first."""
    world, violation = outcome.world, outcome.violation
    assert violation is not None
    ended = replace(scenario, until_ms=world.now_ms + 1)
    if ended.end_ms < scenario.end_ms:
        yield ended
    hosts = sorted(scenario.only_hosts if scenario.only_hosts is not None else range(scenario.hosts))
    renters = sorted(scenario.only_renters if scenario.only_renters is not None else range(scenario.renters))
    if violation.machine is not None and len(hosts) > 1:
        # what renters choose is then another, so it may come later than it did
        yield replace(scenario, only_hosts=frozenset({int(violation.machine[1:])}), until_ms=None)
    if scenario.faults:
        yield replace(scenario, faults=frozenset())
    words = sorted(scenario.faults)
    if len(words) > 3:
        for part in (words[::2], words[1::2], words[: len(words) // 2], words[len(words) // 2 :]):
            yield replace(scenario, faults=frozenset(part))
    for there, name in ((hosts, "only_hosts"), (renters, "only_renters")):
        if len(there) > 1:
            for half in (there[: len(there) // 2], there[len(there) // 2 :]):
                yield replace(scenario, **{name: frozenset(half)})  # type: ignore[arg-type]
    for fault in words:
        yield replace(scenario, faults=scenario.faults - {fault})
