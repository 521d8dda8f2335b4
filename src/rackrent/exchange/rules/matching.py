"""Who gets the GPUs of a machine: the owner first, then what is paid at posted prices, then bids, highest first.

Ties go to the lease that was made first, then to the lower id. The order of any two leases never changes, so nobody is
displaced back and forth. A lease gets all of its GPUs or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from rackrent.protocol.words import Rental


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """A lease that wants GPUs, or has them: `held` are the ids of those; `leaving`: it has been told to give them up."""

    lease: str
    rental: Rental
    gpus: int
    rate_micro_usd: int
    since_ms: int
    held: tuple[str, ...] = ()
    leaving: bool = False

    @property
    def rank(self) -> tuple[int, Fraction, int, str]:
        """Return its place: what is held at a posted price is never displaced, so it comes before what waits for it."""
        if self.rental is Rental.INTERRUPTIBLE:
            return 2, Fraction(-self.rate_micro_usd, self.gpus), self.since_ms, self.lease
        return (0 if self.held else 1), Fraction(0), self.since_ms, self.lease


@dataclass(frozen=True, slots=True)
class Matched:
    """What is to happen: leases that get GPUs now, and leases that must give theirs up."""

    granted: dict[str, tuple[str, ...]]
    displaced: tuple[str, ...]


def match(gpus: Iterable[str], claimants: Iterable[Claimant]) -> Matched:
    """Return who gets the rentable `gpus` of a machine that its owner does not claim.

    Who waits for GPUs that others are giving up has its share of the free ones kept: nobody behind it gets them.

    >>> low = Claimant(lease="a", rental=Rental.INTERRUPTIBLE, gpus=1, rate_micro_usd=100, since_ms=0, held=("g0",))
    >>> high = Claimant(lease="b", rental=Rental.INTERRUPTIBLE, gpus=1, rate_micro_usd=200, since_ms=9)
    >>> match(["g0"], [low, high])
    Matched(granted={}, displaced=('a',))
    >>> match(["g0", "g1"], [low, high])
    Matched(granted={'b': ('g1',)}, displaced=())
    """
    everyone = sorted(claimants, key=lambda c: c.rank)
    rentable = sorted(gpus)
    there = set(rentable)
    left = len(there)
    taken = {gpu for c in everyone for gpu in c.held}
    free = [gpu for gpu in rentable if gpu not in taken]
    granted: dict[str, tuple[str, ...]] = {}
    displaced: list[str] = []
    for c in everyone:
        if c.leaving:
            continue
        need = sum(gpu in there for gpu in c.held) if c.held else c.gpus
        fits = need <= left
        if c.held and (fits or c.rental is not Rental.INTERRUPTIBLE):
            left -= need
        elif c.held:
            displaced.append(c.lease)
        elif fits:
            left -= c.gpus
            if len(free) >= c.gpus:
                granted[c.lease] = tuple(free[: c.gpus])
            free = free[c.gpus :]
    return Matched(granted, tuple(displaced))


def free_for(
    gpus: Iterable[str], claimants: Iterable[Claimant], rental: Rental, bid_micro_usd: int = 0
) -> int:
    """Return how many GPUs a new lease could get at once, or after others have given way to it.

    `bid_micro_usd` is that of one GPU. A bid has to be higher than those it displaces; a posted price displaces every bid.
    """
    left = len(set(gpus))
    for c in claimants:
        if rental is Rental.INTERRUPTIBLE:
            ahead = c.rental is not Rental.INTERRUPTIBLE or c.rate_micro_usd >= bid_micro_usd * c.gpus
        else:
            ahead = c.rental is not Rental.INTERRUPTIBLE
        left -= c.gpus * ahead
    return max(0, left)
