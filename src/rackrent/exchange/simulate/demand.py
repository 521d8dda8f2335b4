"""Renters: what they want and when, what they choose, and what they do with it."""

from __future__ import annotations

import math
from itertools import islice
from typing import TypeVar

from rackrent.exchange.model import DAY_MS, HOUR_MS, MINUTE_MS, Instance, Lease, Project, Quote
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.states import AT_REST
from rackrent.exchange.service import lifecycle, money, rates, trade
from rackrent.exchange.simulate.scenario import KINDS, Fault
from rackrent.exchange.simulate.world import World
from rackrent.protocol.words import LeaseState, Rental

T = TypeVar("T")
USD = 1_000_000
RENTALS = (
    (Rental.ON_DEMAND, 0.55),
    (Rental.INTERRUPTIBLE, 0.40),
    (Rental.MONTHLY, 0.04),
    (Rental.RESERVED_1Y, 0.01),
)
"""Shares of wants: an assumption."""
WANTED_GPUS = ((1, 0.6), (2, 0.2), (4, 0.13), (8, 0.07))
MEAN_GPUS = sum(n * share for n, share in WANTED_GPUS)
SPREAD = 1.2
"""Sigma of the log-normal hours of a job."""
DAILY, WEEKEND = 0.4, 0.6
"""Demand swings by this share over the day, and falls to this share on Saturday and Sunday: assumptions."""


def demand_at(ms: int) -> float:
    """Return how demand at an instant compares with that of a working day's average."""
    hour = ms / HOUR_MS % 24
    weekday = (ms // DAY_MS + 3) % 7  # 1970-01-01 was a Thursday
    return (1 + DAILY * math.sin((hour - 9) * math.pi / 12)) * (WEEKEND if weekday >= 5 else 1.0)


class Renter:
    """One who rents, with a purse: what it draws depends on nobody else."""

    def __init__(self, world: World, number: int, mean_gap_ms: float | None) -> None:
        self.world, self.number, self.id = world, number, f"p{number:05d}"
        self.draw = world.scenario.stream("renter", number)
        self.mean_gap_ms = mean_gap_ms
        self.poor = world.scenario.has(Fault.PURSES) and self.draw.random() < 0.2
        self.keys = 0
        self.wants = 0
        budget = self.draw.randrange(500, 5_000) * USD if self.poor and self.draw.random() < 0.3 else None
        world.hub.do(lambda desk: desk.tx.add(Project(id=self.id, account=self.id, budget_micro_usd=budget)))
        world.looked("project")
        if mean_gap_ms is not None:
            world.after(self.draw.expovariate(1 / mean_gap_ms), "want", self.come)

    def __str__(self) -> str:
        return self.id

    # --- wanting ------------------------------------------------------------------------------------------

    def come(self) -> None:
        """Want something, more often when demand is high; and come again."""
        world = self.world
        assert self.mean_gap_ms is not None
        if world.now_ms >= world.scenario.end_ms:
            return
        most = 1 + DAILY
        world.after(self.draw.expovariate(most / self.mean_gap_ms), "want", self.come)
        if self.draw.random() < demand_at(world.now_ms) / most:
            gpus = _choose(self.draw.random(), WANTED_GPUS)
            mean = world.scenario.job_hours
            hours = self.draw.lognormvariate(math.log(mean) - SPREAD**2 / 2, SPREAD)
            self.want(gpus, hours)

    def want(self, gpus: int, hours: float) -> None:
        """Take the cheapest that fits."""
        self.wants += 1
        world, draw = self.world, self.world.scenario.stream("want", self.number, self.wants)
        gpu = draw.choices(list(KINDS), [share for _gb, _price, share, _sizes in KINDS.values()])[0]
        rental = _choose(draw.random(), RENTALS)
        disk_gb = draw.choice((20, 50, 100, 200)) * gpus
        bid = None
        if rental is Rental.INTERRUPTIBLE:
            bid = int(KINDS[gpu][1] * draw.uniform(0.4, 1.0))
        for machine in islice(world.offers.cheapest(gpu, gpus, rental, disk_gb, bid), 4):
            said = world.ask(
                "quote", machine, trade.quote, self.id, machine, rental, gpus, disk_gb, bid_micro_usd=bid
            )
            if said is not None:
                wait_ms = draw.expovariate(1 / 20_000) + (draw.random() < 0.02) * 10 * MINUTE_MS
                world.after(wait_ms, "rent", self.rent, said, hours)
                return
        world.tally.unserved += 1

    def rent(self, said: Quote, hours: float) -> None:
        """Take up a quote; pay in before, if the purse is short."""
        world = self.world
        if world.now_ms >= world.scenario.end_ms:
            return
        needed = said.hold_micro_usd + said.reserve_micro_usd
        hourly = said.rate_micro_usd + said.storage_rate_micro_usd
        if world.hub_up and self.purse() < needed + (0 if self.poor else 24 * hourly):
            self.pay_in(needed + int(hourly * (hours * self.draw.random() if self.poor else 72)))
        ceiling, key = hourly, self.key()
        asked = (self.id, said.id, said.rental, ceiling, key)
        lease = world.ask("rent", said.machine, trade.rent, *asked)
        if lease is None:
            return
        if world.scenario.has(Fault.RETRIES) and self.draw.random() < 0.2:
            again = world.ask("rent again", said.machine, trade.rent, *asked)
            assert again is not None
            world.checks.same("rent", lease.id, again.id)
            world.ask(
                "double click", said.machine, trade.rent, self.id, said.id, said.rental, ceiling, self.key()
            )
            world.after(self.draw.expovariate(1 / 60_000), "retry", self.retry, lease, asked)
        world.after(hours * HOUR_MS, "end", self.end, lease.id, said.machine)
        world.after(self.draw.expovariate(2 / (hours * HOUR_MS)), "use", self.use, lease.id, said.machine)

    def retry(self, lease: Lease, asked: tuple[str, str, Rental, int, str]) -> None:
        """The answer got lost: ask the same again."""
        again = self.world.ask("rent again", lease.machine, trade.rent, *asked)
        if again is not None:
            self.world.checks.same("rent", lease.id, again.id)

    # --- using --------------------------------------------------------------------------------------------

    def use(self, lease: str, machine: str) -> None:
        """Stop for a while, or start again what has come to rest."""
        world = self.world
        if world.now_ms >= world.scenario.end_ms:
            return
        found, instance = world.store.find(Lease, lease), world.store.find(Instance, lease)
        if found is None or instance is None or found.state is not LeaseState.ACTIVE:
            return
        if instance.actual in AT_REST:
            if found.grace_ms is not None and self.draw.random() < 0.5:
                self.pay_in(found.hold_micro_usd * 4)
            world.ask("start", machine, lifecycle.start, lease, self.id)
        elif self.draw.random() < 0.3:
            self.stop(lease, machine)
        if found.proposed_rate_micro_usd is not None and self.draw.random() < 0.5:
            world.checks.agreed.add(lease)
            world.ask(
                "accept rate", machine, rates.accept_rate, lease, self.id, found.proposed_rate_micro_usd
            )
        world.after(self.draw.expovariate(1 / (3 * HOUR_MS)), "use", self.use, lease, machine)

    def stop(self, lease: str, machine: str) -> None:
        """Stop what runs; a second click changes nothing."""
        world = self.world
        if world.ask("stop", machine, lifecycle.stop, lease, self.id) is not None:
            world.checks.stopped[lease] = world.now_ms
            if world.scenario.has(Fault.RETRIES) and self.draw.random() < 0.2:
                world.ask("stop again", machine, lifecycle.stop, lease, self.id)

    def end(self, lease: str, machine: str) -> None:
        """End a lease; try again later where the hub does not answer."""
        world = self.world
        if world.now_ms >= world.scenario.end_ms:
            return
        if not world.hub_up:
            world.after(MINUTE_MS, "end", self.end, lease, machine)
            return
        found = world.store.find(Lease, lease)
        if found is None or found.state is LeaseState.ENDED:
            return
        world.ask("end", machine, lifecycle.end, lease, self.id)
        world.checks.stopped.setdefault(lease, world.now_ms)
        if world.scenario.has(Fault.RETRIES) and self.draw.random() < 0.2:
            world.ask("end again", machine, lifecycle.end, lease, self.id)
            world.checks.same("end", lease, lease)

    # --- paying -------------------------------------------------------------------------------------------

    def purse(self) -> int:
        """Return what there is to spend."""
        return self.world.hub.do(lambda desk: desk.balance(ledger.wallet(self.id)))

    def pay_in(self, amount: int) -> None:
        """Top up; sometimes the same request arrives twice."""
        world, key = self.world, self.key()
        made = world.ask("top up", None, money.top_up, self.id, max(amount, USD), key)
        if made is not None and world.scenario.has(Fault.RETRIES) and self.draw.random() < 0.2:
            again = world.ask("top up again", None, money.top_up, self.id, max(amount, USD), key)
            assert again is not None
            world.checks.same("top up", made.id, again.id)

    def key(self) -> str:
        """Return a new idempotency key."""
        self.keys += 1
        return f"{self.id}-{self.keys}"


class Trace:
    """Demand that is given: GPUs wanted in each hour. What is short of it is asked for, what is too much is ended."""

    def __init__(self, world: World, renters: list[Renter]) -> None:
        self.world, self.renters = world, renters
        self.draw = world.scenario.stream("trace")
        self.wanted: list[tuple[int, int]] = []
        assert world.scenario.trace
        self.hours = world.scenario.trace
        world.after(0, "hour", self.hour, 0)

    def __str__(self) -> str:
        return "trace"

    def hour(self, number: int) -> None:
        """Bring what is wanted to what the trace says of this hour; it begins anew after its last."""
        world = self.world
        if world.now_ms >= world.scenario.end_ms:
            return
        self.wanted = [(end_ms, gpus) for end_ms, gpus in self.wanted if end_ms > world.now_ms]
        missing = self.hours[number % len(self.hours)] - sum(gpus for _end, gpus in self.wanted)
        while missing > 0:
            gpus = min(_choose(self.draw.random(), WANTED_GPUS), missing)
            gpus = max(n for n, _share in WANTED_GPUS if n <= gpus)
            mean = world.scenario.job_hours
            hours = self.draw.lognormvariate(math.log(mean) - SPREAD**2 / 2, SPREAD)
            self.wanted.append((world.now_ms + int(hours * HOUR_MS), gpus))
            self.draw.choice(self.renters).want(gpus, hours)
            missing -= gpus
        world.after(HOUR_MS, "hour", self.hour, number + 1)


def _choose(at: float, shares: tuple[tuple[T, float], ...]) -> T:
    for value, share in shares:
        at -= share
        if at < 0:
            return value
    return shares[-1][0]
