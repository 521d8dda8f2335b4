"""What a run is made of: how many hosts, for how long, which faults; and its random numbers, all from one seed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from random import Random

from rackrent.exchange.model import DAY_MS, Gpu, Machine
from rackrent.exchange.rules.rating import PPM

START_MS = 1_767_571_200_000
"""Monday 2026-01-05, 00:00 UTC: when every run begins, so that weeks and months fall alike."""


class Fault(StrEnum):
    """What can go wrong."""

    LOST = "lost"
    DOUBLED = "doubled"
    REORDERED = "reordered"
    LATE = "late"
    CRASH = "crash"
    PARTITION = "partition"
    HUB_RESTART = "hub_restart"
    HUB_OUTAGE = "hub_outage"
    SKEW = "skew"
    GPU = "gpu"
    IMAGE = "image"
    AGENTS = "agents"
    RETRIES = "retries"
    CLAIMS = "claims"
    PURSES = "purses"
    PRICES = "prices"

    def __repr__(self) -> str:
        return f"Fault.{self.name}"


WIRE = (Fault.LOST, Fault.DOUBLED, Fault.REORDERED, Fault.LATE)
"""Faults of single messages, which come in spells."""
ALL = frozenset(Fault)

KINDS = {
    "RTX 4090": (24.0, 340_000, 0.40, (1, 2, 4, 8)),
    "RTX A6000": (48.0, 330_000, 0.20, (1, 2, 4)),
    "L40S": (48.0, 790_000, 0.15, (2, 4, 8)),
    "A100 SXM 80GB": (80.0, 1_390_000, 0.15, (4, 8)),
    "H100 SXM 80GB": (80.0, 2_690_000, 0.10, (8,)),
}
"""GPU: memory (GB), price that posted prices lie around (micro-USD an hour), share of the hosts, GPUs in a machine.

The prices are those of RunPod's community cloud in the catalog (`runpod-*-community`, 2026-05-24); shares and sizes are
assumptions of the simulator.
"""
STORAGE_MICRO_USD = 80_000
"""A GB-month: the price of the catalog's EBS rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A run. The same values give the same run, byte for byte.

    `fault_rate` says how many times as often as usual things go wrong. `trace` is GPUs wanted in each hour; without one
    demand is made up so that it is about `load` of all GPUs. `job_hours` is the mean length of a job.
    `only_hosts`, `only_renters`: leave the others out, for a smaller history; those that stay do as they did. `until_ms`:
    when faults and demand end, if before `days` are over.
    """

    hosts: int
    days: float
    seed: int
    faults: frozenset[Fault] = ALL
    fault_rate: float = 1.0
    trace: tuple[int, ...] | None = None
    load: float = 0.7
    job_hours: float = 8.0
    only_hosts: frozenset[int] | None = None
    only_renters: frozenset[int] | None = None
    until_ms: int | None = None
    check_every: int = 20_000
    """Events between two checks of everything."""

    def __repr__(self) -> str:
        """Return what runs it again, as Python: what is not as usual, in the same words whatever the order of sets.

        >>> Scenario(hosts=9, days=2, seed=1, faults=frozenset({Fault.LOST, Fault.CRASH}))
        Scenario(hosts=9, days=2, seed=1, faults=frozenset({Fault.CRASH, Fault.LOST}))
        """
        given = ((f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Scenario({', '.join(f'{name}={_python(value)}' for name, value in given)})"

    @property
    def renters(self) -> int:
        """Return how many renters there are: one for two hosts, at least two."""
        return max(2, self.hosts // 2)

    @property
    def end_ms(self) -> int:
        """Return when faults and demand end."""
        whole = START_MS + int(self.days * DAY_MS)
        return whole if self.until_ms is None else min(whole, self.until_ms)

    def stream(self, *concern: object) -> Random:
        """Return the random numbers of one concern, which no other concern shifts."""
        return Random("/".join(map(str, (self.seed, *concern))))

    def has(self, fault: Fault) -> bool:
        """Return whether this can go wrong."""
        return fault in self.faults


def machine_of(scenario: Scenario, number: int) -> tuple[Machine, list[Gpu]]:
    """Return a machine of the fleet with its GPUs."""
    draw = scenario.stream("fleet", number)
    kind = draw.choices(list(KINDS), [share for _gb, _price, share, _sizes in KINDS.values()])[0]
    memory_gb, price, _share, sizes = KINDS[kind]
    gpus = draw.choice(sizes)
    ask = int(price * draw.lognormvariate(0.0, 0.15))
    id = f"m{number:05d}"
    machine = Machine(
        id=id, host=f"h{number // 2:05d}", country="DE", latitude=52.5, longitude=13.4,
        cpu_cores=8 * gpus, ram_gb=64 * gpus, disk_gb=500 * gpus, addresses=2 * gpus + 2,
        on_demand_micro_usd=ask, min_bid_micro_usd=ask * draw.randrange(350_000, 650_000) // PPM,
        monthly_micro_usd=ask * 8 // 10, reserved_1y_micro_usd=ask * 6 // 10, reserved_3y_micro_usd=ask * 45 // 100,
        storage_micro_usd_per_gb_month=STORAGE_MICRO_USD,
    )  # fmt: skip
    return machine, [
        Gpu(id=f"g{number:05d}-{n}", machine=id, name=kind, memory_gb=memory_gb) for n in range(gpus)
    ]


def _python(value: object) -> str:
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(map(repr, sorted(value)))}}})" if value else "frozenset()"
    return repr(value)
