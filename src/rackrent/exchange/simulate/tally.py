"""What a run is counted by: use, prices, interruptions, earnings, refusals."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rackrent.exchange.model import Gpu, Instance, Kind, Lease, Machine, Settlement, Transfer
from rackrent.exchange.rules.ledger import FEES
from rackrent.protocol.words import InstanceState, Rental


class Tally:
    """Counts of one run up to the end of its demand. GPU time is milliseconds of one GPU, by the name of the GPU; prices
    micro-USD an hour of one."""

    def __init__(self, until_ms: int) -> None:
        self.until_ms = until_ms
        self.gpus: Counter[str] = Counter()
        self.sold_ms: Counter[str] = Counter()
        self.revenue: Counter[str] = Counter()
        self.leases: Counter[str] = Counter()
        self.rates: dict[tuple[str, str], list[int]] = {}
        self.interrupted: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.incidents: Counter[str] = Counter()
        self.earned: Counter[str] = Counter()
        self.uncollected = 0
        self.unserved = 0
        self._gpu_of: dict[str, str] = {}
        self._lease: dict[str, tuple[str, int]] = {}

    def count(self, old: Any, new: Any) -> None:
        """Take in a change of the store."""
        kind = type(new if new is not None else old)
        if kind is Settlement:
            gpu, gpus = self._lease[new.lease]
            if new.metered:
                self.sold_ms[gpu] += gpus * max(0, min(new.to_ms, self.until_ms) - new.from_ms)
                self.revenue[gpu] += new.gpu_micro_usd
            self.uncollected += new.uncollected_micro_usd
        elif kind is Instance:
            if old is not None and old.actual is not new.actual:
                if new.actual is InstanceState.INTERRUPTED:
                    self.interrupted[new.reason] += 1
                elif new.actual is InstanceState.FAILED:
                    self.failed[new.reason] += 1
        elif kind is Lease:
            if old is None:
                gpu = self._gpu_of[new.machine]
                self._lease[new.id] = gpu, new.gpus
                self.leases[new.rental] += 1
                term = "bid" if new.rental is Rental.INTERRUPTIBLE else "posted"
                if not new.rental.reserved:
                    self.rates.setdefault((gpu, term), []).append(new.rate_micro_usd // new.gpus)
            elif new.ended_ms is not None and old.ended_ms is None and new.ended_ms <= self.until_ms:
                self.ended[new.reason] += 1
        elif kind is Machine and old is None:
            self.earned[new.host] = 0
        elif kind is Transfer and new.kind in (Kind.USE, Kind.FORFEIT) and new.credit != FEES:
            if new.at_ms > self.until_ms:
                return
            self.earned[new.credit.removeprefix("earned:")] += new.amount_micro_usd
        elif kind is Gpu and old is None:
            self.gpus[new.name] += 1
            self._gpu_of[new.machine] = new.name
