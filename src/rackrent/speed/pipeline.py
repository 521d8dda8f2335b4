"""The pipeline bound: a GPU works no faster than its input arrives.

Loading, computing and reading overlap, so one step takes `max(gpu, cpu, disk, network)` and the slowest stage sets
the delivered rate. A slow volume or few processor cores can so bring a fast GPU down to a slow one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MEGABITS_PER_MEGABYTE = 8.0
MEGABITS_PER_GIGABIT = 1_000.0

Stage = Literal["gpu", "cpu", "disk", "network"]


@dataclass(frozen=True, slots=True)
class Input:
    """What one sample needs on its way to the GPU.

    `sample_mb` is read from disk, or over the network where `over_network`; one processor core prepares
    `samples_per_second_per_core`. None: that stage is not looked at.
    """

    sample_mb: float | None = None
    samples_per_second_per_core: float | None = None
    over_network: bool = False


@dataclass(frozen=True, slots=True)
class Feed:
    """What a machine can feed its GPUs with, shared between the `gpus` that work. None: unknown."""

    gpus: float
    cores: float | None = None
    disk_mb_per_second: float | None = None
    network_gbps: float | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """Samples a second that one GPU really works off, the stage that binds, and stages nobody knows.

    An unknown stage is not taken to bind: the rate is then at most this.
    """

    samples_per_second: float
    bound: Stage
    unknown: tuple[Stage, ...] = ()


def delivered(gpu_samples_per_second: float, need: Input, feed: Feed) -> Delivered:
    """Return what one GPU delivers that could compute `gpu_samples_per_second`.

    >>> delivered(300, Input(samples_per_second_per_core=50), Feed(gpus=1, cores=4))
    Delivered(samples_per_second=200.0, bound='cpu', unknown=())
    >>> delivered(300, Input(sample_mb=0.5), Feed(gpus=2, disk_mb_per_second=500))
    Delivered(samples_per_second=300, bound='gpu', unknown=())
    """
    rates: dict[Stage, float | None] = {"gpu": gpu_samples_per_second}
    if need.samples_per_second_per_core is not None:
        cores = feed.cores
        rates["cpu"] = None if cores is None else cores * need.samples_per_second_per_core / feed.gpus
    if need.sample_mb:
        if need.over_network:
            gbps = feed.network_gbps
            mb_per_second = None if gbps is None else gbps * MEGABITS_PER_GIGABIT / MEGABITS_PER_MEGABYTE
            rates["network"] = None if mb_per_second is None else mb_per_second / need.sample_mb / feed.gpus
        else:
            disk = feed.disk_mb_per_second
            rates["disk"] = None if disk is None else disk / need.sample_mb / feed.gpus
    known = {stage: rate for stage, rate in rates.items() if rate is not None}
    bound = min(known, key=lambda stage: known[stage])
    return Delivered(known[bound], bound, tuple(stage for stage, rate in rates.items() if rate is None))


def delivered_ratio(
    gpu_ratio: float, reference_samples_per_second: float, need: Input, feed: Feed, reference: Feed
) -> float:
    """Return the ratio of what two machines deliver, a GPU each, whose GPUs alone stand `gpu_ratio` to 1.

    >>> need = Input(samples_per_second_per_core=30)
    >>> delivered_ratio(3.0, 100, need, Feed(1, cores=4), Feed(1, cores=12))
    1.2
    """
    fast = delivered(gpu_ratio * reference_samples_per_second, need, feed)
    slow = delivered(reference_samples_per_second, need, reference)
    return fast.samples_per_second / slow.samples_per_second


def loader_rate_for(
    ratio: float, gpu_ratio: float, reference_samples_per_second: float, feed: Feed, reference: Feed
) -> float | None:
    """Return the samples a second that one core must prepare for two machines to stand `ratio` to 1.

    The inverse of `delivered_ratio` in the loader's rate, where the reference GPU itself is kept busy; None where no
    rate gives that ratio: it lies above `gpu_ratio`, or below what the cores alone make.

    >>> loader_rate_for(1.2, 3.0, 100, Feed(1, cores=4), Feed(1, cores=12))
    30.0
    """
    if feed.cores is None or reference.cores is None or not 0 < ratio < gpu_ratio:
        return None
    rate = ratio * reference_samples_per_second * feed.gpus / feed.cores
    reference_is_busy = rate * reference.cores / reference.gpus >= reference_samples_per_second
    return rate if reference_is_busy else None
