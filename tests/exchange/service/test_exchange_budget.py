"""The budget of a calendar month."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from exchange_world import DAY, HOUR, World

from rackrent.exchange.model import Project
from rackrent.exchange.problems import Insufficient

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def november(world: World) -> World:
    """An hour before December, a project with $10 a month."""
    world.now = int(datetime(2026, 11, 30, 23, tzinfo=UTC).timestamp()) * 1000
    world.machine(gpus=8)
    world.project(usd=1_000, budget_usd=10.0)
    return world


def left(world: World) -> int:
    project: Project = world.at(Project, "p1")
    assert project.budget_micro_usd is not None
    return project.budget_micro_usd - project.spent_micro_usd


def test_what_is_given_back_can_be_spent_again_this_month(november: World) -> None:
    lease = november.rent(gpus=5)
    with pytest.raises(Insufficient):
        november.rent()
    november.end(lease)
    november.obey()
    assert left(november) == 10_000_000
    november.rent(gpus=3)


def test_each_month_has_the_whole_budget(november: World) -> None:
    november.rent(gpus=5)
    november.now += 2 * HOUR
    november.report()
    november.rent(gpus=2)
    assert left(november) == 6_000_000


def test_what_last_month_bore_is_not_given_back_to_this_one(november: World) -> None:
    """Set aside before the month was over and given back after, it raised the budget of the next month."""
    old = november.running(gpus=4)
    november.now += HOUR - 60_000
    november.report()
    november.hub.wake()
    november.now += DAY // 24
    november.report()
    fresh = november.rent(gpus=3)
    spent = november.at(Project, "p1").spent_micro_usd
    assert spent >= 2 * fresh.rate_micro_usd
    november.end(old)
    november.obey()
    assert november.at(Project, "p1").spent_micro_usd >= 2 * fresh.rate_micro_usd
