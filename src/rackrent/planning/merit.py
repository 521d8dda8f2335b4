"""In which order the machines of a pool are used within a month: those that cost least for an hour's work first.

Some supplies have a number of GPUs, spot also serves at most a share of each hour's demand. Of a demand `d` the layers up
to one, with capacities that sum to `c` and shares that sum to `f`, serve `min(d, f d + c) = f d + min((1 - f) d, c)`:
a share of everything, and what a capacity serves of the rest. So the load-duration curve is enough for spot as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rackrent.planning.load_duration import LoadDuration
from rackrent.planning.supply import Owned, Question, Supply


@dataclass(frozen=True)
class Layer:
    """One supply in the order: cost of an hour of reference work, and how much of it there can be at once.

    `capacity` is None for machines that the plan decides on, else fixed (inf: as much as wanted). `share` is how much
    of each hour's demand it may serve besides.
    """

    supply: Supply
    usd_per_work_hour: float
    capacity: float | None
    share: float = 0.0


def merit_order(question: Question, pool: str, month: int) -> list[Layer]:
    """Return the layers of a pool in one month, cheapest hour first, up to the first without an end."""
    layers: list[Layer] = [
        Layer(s, s.usd_per_gpu_hour / s.work_per_gpu if isinstance(s, Owned) else 0.0, None)
        for s in (*question.committed, *question.owned)
        if s.pool == pool
    ]
    for r in question.rented:
        if r.pool == pool:
            hour = float(question.monthly(r.usd_per_gpu_hour)[month]) / r.work_per_gpu
            if r.share_most is not None:
                layers.append(Layer(r, hour, 0.0, r.share_most))
            else:
                most = np.inf if r.gpus_most is None else r.gpus_most * r.work_per_gpu
                layers.append(Layer(r, hour, float(most)))
    layers.sort(key=lambda layer: layer.usd_per_work_hour)
    for place, layer in enumerate(layers):
        if layer.capacity == np.inf:
            return layers[: place + 1]
    return layers


def served_by_layer(
    layers: list[Layer], machines: Mapping[str, int], curve: LoadDuration
) -> tuple[NDArray[np.float64], float]:
    """Return the work that each layer does of a month's demand, and what is left undone at its peak.

    `machines` is how many there are of each supply that the plan decides on.
    """
    reached, capacity, share = [0.0], 0.0, 0.0
    for layer in layers:
        own = layer.supply.work * machines[layer.supply.name] if layer.capacity is None else layer.capacity
        capacity, share = capacity + own, min(1.0, share + layer.share)
        rest = curve.beyond(share)
        reached.append(share * curve.total + float(rest.served(min(capacity, rest.peak))))
    served: NDArray[np.float64] = np.diff(reached)
    return served, max(0.0, curve.peak * (1.0 - share) - capacity)
