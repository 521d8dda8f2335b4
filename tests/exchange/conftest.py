"""The stores that the cases are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from exchange_world import World

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
