"""What goes wrong, and when: each kind with random numbers of its own, so that leaving one out changes no other."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from rackrent.exchange.model import DAY_MS, HOUR_MS, MINUTE_MS, Account, Lease, Machine
from rackrent.exchange.rules import ledger
from rackrent.exchange.service import money, owner, rates
from rackrent.exchange.simulate.host import Host
from rackrent.exchange.simulate.scenario import WIRE, Fault
from rackrent.exchange.simulate.world import World
from rackrent.protocol.words import Claim, LeaseState

PER_HOST: dict[Fault, float] = {
    Fault.LOST: 4, Fault.CRASH: 20, Fault.PARTITION: 6, Fault.SKEW: 30, Fault.GPU: 20, Fault.AGENTS: 20, Fault.CLAIMS: 7,
    Fault.PRICES: 4,
}  # fmt: skip
"""Days between two faults of a kind on one host, on average. Bad spells of messages come under `lost`, whichever is chosen."""
OF_HUB = {Fault.HUB_RESTART: 1.0, Fault.HUB_OUTAGE: 2.0}
"""Days between two of the hub."""
DEAD_SHARE = 0.03
"""Share of crashes after which a host never comes back."""


class Faults:
    """All that goes wrong in a run. `stop` heals what can be healed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dead: set[str] = set()
        scenario = world.scenario
        for host in world.hosts.values():
            for fault, days in PER_HOST.items():
                chosen = any(scenario.has(f) for f in WIRE) if fault in WIRE else scenario.has(fault)
                if chosen:
                    work: Callable[[Host, Random], None] = getattr(self, f"_{fault.value}")
                    draw = scenario.stream(fault, host.id)
                    self._again(fault, days * DAY_MS, draw, work, host)
        for fault, days in OF_HUB.items():
            if scenario.has(fault):
                draw = scenario.stream(fault)
                self._again(fault, days * DAY_MS, draw, getattr(self, f"_{fault.value}"), None)
        for host in world.hosts.values():
            draw = scenario.stream("payout", host.id)
            self._again("payout", 5 * DAY_MS, draw, self._payout, host)

    def __str__(self) -> str:
        return "faults"

    def stop(self) -> None:
        """Heal everything but the dead."""
        if not self.world.hub_up:
            self._hub_back()
        for host in self.world.hosts.values():
            host.skew_ms = 0
            host.linked = True
            if host.unhealthy:
                for gpu in host.unhealthy:
                    host.recover(gpu)
            if not host.up and host.id not in self.dead:
                host.boot()
            host.fare(rough=False)
            self._give(host)

    def _again(
        self, what: str, mean_ms: float, draw: Random, work: Callable[..., None], host: Host | None
    ) -> None:
        wait_ms = draw.expovariate(self.world.scenario.fault_rate / mean_ms)
        if self.world.now_ms + wait_ms < self.world.scenario.end_ms:
            self.world.after(wait_ms, what, self._strike, host, what, mean_ms, draw, work)

    def _strike(
        self, host: Host | None, what: str, mean_ms: float, draw: Random, work: Callable[..., None]
    ) -> None:
        if host is None:
            work(draw)
        elif host.id not in self.dead:
            work(host, draw)
        self._again(what, mean_ms, draw, work, host)

    # --- hosts --------------------------------------------------------------------------------------------

    def _lost(self, host: Host, draw: Random) -> None:
        if not host.rough:
            host.fare(rough=True)
            self.world.after(
                draw.expovariate(1 / (20 * MINUTE_MS)), "calm", lambda h: h.fare(rough=False), host
            )

    def _crash(self, host: Host, draw: Random) -> None:
        dies, away_ms = draw.random() < DEAD_SHARE, draw.lognormvariate(1.5, 1.2) * MINUTE_MS
        if not host.up:
            return
        host.crash()
        if dies:
            self.dead.add(host.id)
        else:
            self.world.after(away_ms, "boot", lambda h: h.up or h.boot(), host)

    def _partition(self, host: Host, draw: Random) -> None:
        away_ms = draw.lognormvariate(1.5, 1.5) * MINUTE_MS
        if host.linked:
            host.beat()
            host.linked = False
            host.meet()
            self.world.after(away_ms, "linked", self._link, host)

    def _link(self, host: Host) -> None:
        host.linked = True
        host.meet()

    def _skew(self, host: Host, draw: Random) -> None:
        host.beat()
        host.skew_ms = draw.choice((-1, 1)) * draw.randrange(15_000, 45 * MINUTE_MS)
        self.world.after(draw.expovariate(1 / HOUR_MS), "unskewed", self._unskew, host)

    def _unskew(self, host: Host) -> None:
        host.beat()
        host.skew_ms = 0
        host.report()

    def _gpu(self, host: Host, draw: Random) -> None:
        at, dies, ill_ms = draw.random(), draw.random() < 0.5, draw.expovariate(1 / (5 * HOUR_MS))
        gpus = [gpu for gpu in self.world.offers.gpus_of(host.id) if gpu not in host.unhealthy]
        if gpus and host.up:
            gpu = gpus[int(at * len(gpus))]
            host.fall_ill(gpu, dies)
            self.world.after(ill_ms, "well", host.recover, gpu)

    def _agents(self, host: Host, draw: Random) -> None:
        kind, at = draw.choice(("replay", "ghost", "stranger")), draw.random()
        if not host.up:
            return
        if kind == "stranger":  # a lease there is, but not here
            leases = [x.id for x in self.world.store.each(Lease) if x.machine != host.id]
            kind = leases[int(at * len(leases))] if leases else "ghost"
        host.misbehave(kind if kind != "ghost" else f"ghost-{host.seq}")

    # --- owners -------------------------------------------------------------------------------------------

    def _claims(self, host: Host, draw: Random) -> None:
        away_ms = draw.lognormvariate(1.0, 1.0) * HOUR_MS
        drains = draw.random() < 0.3
        machine = self._machine(host)
        work = owner.drain if drains else owner.claim
        if self.world.ask("drain" if drains else "claim", host.id, work, host.id, machine.host) is not None:
            self.world.after(away_ms, "give", self._give, host)

    def _give(self, host: Host) -> None:
        machine = self._machine(host)
        if machine.claim is Claim.UNCLAIMED:
            return
        if self.world.ask("give", host.id, owner.give, host.id, machine.host) is None:
            self.world.after(10 * MINUTE_MS, "give", self._give, host)

    def _prices(self, host: Host, draw: Random) -> None:
        machine, by, at, lease_by = (
            self._machine(host),
            draw.uniform(0.8, 1.25),
            draw.random(),
            draw.uniform(0.7, 1.3),
        )
        ask = int((machine.on_demand_micro_usd or 0) * by)
        self.world.ask(
            "price", host.id, owner.set_prices, host.id, machine.host, on_demand_micro_usd=ask,
            min_bid_micro_usd=ask // 2, monthly_micro_usd=ask * 8 // 10,
        )  # fmt: skip
        leases = [x for x in self.world.store.of(Lease, machine=host.id) if x.state is LeaseState.ACTIVE]
        if leases:
            lease = leases[int(at * len(leases))]
            rate = int(lease.rate_micro_usd * lease_by)
            self.world.ask("propose rate", host.id, rates.propose_rate, lease.id, machine.host, rate)

    def _payout(self, host: Host, draw: Random) -> None:
        machine = self._machine(host)
        account = self.world.store.find(Account, ledger.earned(machine.host))
        if account is not None and account.balance_micro_usd >= self.world.policy.payout_least_micro_usd:
            key = f"payout-{host.id}-{self.world.now_ms}"
            self.world.ask("payout", None, money.payout, machine.host, account.balance_micro_usd, key)

    def _machine(self, host: Host) -> Machine:
        machine = self.world.store.find(Machine, host.id)
        assert machine is not None
        return machine

    # --- the hub ------------------------------------------------------------------------------------------

    def _hub_restart(self, draw: Random) -> None:
        self._hub_away(draw.uniform(2_000, 40_000))

    def _hub_outage(self, draw: Random) -> None:
        self._hub_away(draw.lognormvariate(3.0, 1.2) * MINUTE_MS)

    def _hub_away(self, away_ms: float) -> None:
        world = self.world
        if not world.hub_up:
            return
        for host in world.hosts.values():
            host.beat()
        world.hub_up = False
        for host in world.hosts.values():
            host.meet()
        world.after(away_ms, "hub-back", self._hub_back)

    def _hub_back(self) -> None:
        world = self.world
        if world.hub_up:
            return
        world.restart_hub()
        for host in world.hosts.values():
            wait_ms = host.draw.randrange(world.policy.heartbeat_ms)
            world.after(wait_ms, "back", lambda h: h.meet(), host)
