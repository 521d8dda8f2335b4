"""A hub on a store, for cases in which many ask at once: its clock stands still, its ids are never twice."""

from __future__ import annotations

from itertools import count
from typing import Any

from exchange_values import gpu, machine, project

from rackrent.exchange.rules.states import TrustEvent
from rackrent.exchange.service import money, owner
from rackrent.exchange.service.hub import Hub
from rackrent.exchange.store.base import Store

NOW_MS = 1_700_000_000_000


def hub_on(store: Store, prefix: str = "") -> Hub:
    """Return a hub whose ids begin with `prefix`."""
    ids = count()
    return Hub(store, lambda: NOW_MS, lambda kind: f"{prefix}{kind}-{next(ids):06d}")


def lend(hub: Hub, id: str = "m", gpus: int = 1, **fields: Any) -> None:
    """Enrol and verify a machine."""
    cards = [gpu(f"{id}-gpu{n}", machine=id) for n in range(gpus)]
    hub.do(owner.enrol, machine(id, **fields), cards)
    hub.do(owner.trust, id, TrustEvent.VERIFY)


def fund(hub: Hub, id: str = "p", usd: int = 100) -> None:
    """Make a project with money."""
    hub.do(lambda desk: desk.tx.add(project(id)))
    hub.do(money.top_up, id, usd * 1_000_000, f"first of {id}")
