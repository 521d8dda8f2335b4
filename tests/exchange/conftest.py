"""The stores that the cases are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from exchange_world import World

from rackrent.exchange.model import Timer
from rackrent.exchange.service import clock
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.store.base import Store
from rackrent.exchange.store.memory import MemoryStore


@pytest.fixture
def store() -> Iterator[Store]:
    """A store with nothing in it."""
    kept = MemoryStore()
    yield kept
    kept.close()


@pytest.fixture
def world(store: Store) -> Iterator[World]:
    """A market with nothing in it; what must hold at every moment holds at the end."""
    made = World(store)
    yield made
    made.check()


@pytest.fixture(autouse=True)
def no_timer_fails(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub puts off what raises. Here that is a failure, but where it is what is looked at."""

    def raises(_desk: Desk, timer: Timer, error: Exception) -> None:
        raise AssertionError(f"{timer.id} failed") from error

    if request.node.get_closest_marker("timers_may_fail") is None:
        monkeypatch.setattr(clock, "put_off", raises)
