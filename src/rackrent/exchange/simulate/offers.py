"""What renters choose from: for each GPU the machines by price, with what is free on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rackrent.exchange.model import Allocation, Gpu, Lease, Machine
from rackrent.exchange.rules.terms import ask_micro_usd
from rackrent.protocol.words import Claim, Rental, Trust


@dataclass(slots=True)
class _Listing:
    machine: Machine
    listed: bool
    gpus: int = 0
    posted: int = 0
    """GPUs held at posted prices."""
    bids: int = 0
    ids: tuple[str, ...] = ()


class Offers:
    """The offers of a market. It is fed with what changes; what it says may be a moment old, the hub decides."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Listing] = {}
        self._by_gpu: dict[str, list[_Listing]] = {}
        self._unsorted: set[str] = set()
        self._gpu_of: dict[str, str] = {}
        self._bids: set[str] = set()

    def machine(self, machine: Machine) -> None:
        """Take in a machine as it now is."""
        listing = self._by_id.get(machine.id)
        if listing is None:
            listing = self._by_id[machine.id] = _Listing(machine, listed=False)
        elif listing.machine.on_demand_micro_usd != machine.on_demand_micro_usd:
            self._unsorted.add(self._gpu_of[machine.id])
        listing.machine = machine
        listing.listed = (
            machine.reachable and not machine.skewed and machine.trust is Trust.VERIFIED
            and machine.claim is Claim.UNCLAIMED
        )  # fmt: skip

    def count(self, old: Any, new: Any) -> None:
        """Take in a change of a GPU, a lease or an allocation."""
        kind = type(new if new is not None else old)
        if kind is Gpu:
            listing = self._by_id[new.machine]
            if old is None:
                listing.gpus += 1
                listing.ids += (new.id,)
                if new.machine not in self._gpu_of:
                    self._gpu_of[new.machine] = new.name
                    self._by_gpu.setdefault(new.name, []).append(listing)
                    self._unsorted.add(new.name)
            else:
                listing.gpus += new.healthy - old.healthy
        elif kind is Lease:
            if old is None and new.rental is Rental.INTERRUPTIBLE:
                self._bids.add(new.id)
            elif new is None:
                self._bids.discard(old.id)
        elif kind is Allocation:
            more = 1 if old is None else -(new.to_ms is not None and old.to_ms is None)
            listing = self._by_id[new.machine]
            if new.lease in self._bids:
                listing.bids += more
            else:
                listing.posted += more

    def gpus_of(self, machine: str) -> tuple[str, ...]:
        """Return the ids of a machine's GPUs."""
        return self._by_id[machine].ids

    def cheapest(
        self, gpu: str, gpus: int, rental: Rental, disk_gb: int, bid_micro_usd: int | None = None
    ) -> Iterator[str]:
        """Yield the machines that have what is wanted, cheapest first; those where bids give way after all others."""
        if gpu in self._unsorted:
            self._unsorted.discard(gpu)
            self._by_gpu[gpu].sort(
                key=lambda found: (found.machine.on_demand_micro_usd or 0, found.machine.id)
            )
        crowded = []
        for found in self._by_gpu.get(gpu, ()):
            if not found.listed or gpus > found.gpus - found.posted:
                continue
            machine = found.machine
            ask = ask_micro_usd(machine, rental)
            if ask is None or (bid_micro_usd is not None and ask > bid_micro_usd):
                continue
            if (
                machine.disk_gb - machine.disk_gb_leased < disk_gb
                or machine.addresses_leased >= machine.addresses
            ):
                continue
            if gpus <= found.gpus - found.posted - found.bids:
                yield machine.id
            else:
                crowded.append(machine.id)
        yield from crowded
