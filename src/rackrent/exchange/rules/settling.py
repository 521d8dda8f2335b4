"""How a lease is settled: an interval becomes a row and the transfers that pay for it.

An interval is charged only where the host was heard of until its end. It is paid from the hold, which is filled up again
from the purse first; in the grace period from the storage reserve. What the money does not suffice for is collected from
nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from rackrent.exchange.model import HOUR_MS, Kind, Lease, Settlement, Transfer
from rackrent.exchange.rules import ledger
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.rating import fee, for_ms, rated
from rackrent.exchange.values import replace
from rackrent.protocol.words import LeaseState


@dataclass(frozen=True, slots=True)
class Funds:
    """What there is for a lease, in micro-USD: in the purse (within the budget), in its hold, in its reserve."""

    purse: int
    hold: int
    reserve: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A lease after an interval: the interval, its transfers, what is left, and whether the hold suffices for the next."""

    lease: Lease
    interval: Settlement
    transfers: tuple[Transfer, ...]
    funds: Funds

    @property
    def taken_from_purse(self) -> int:
        """Return what went from the purse into the hold."""
        return sum(t.amount_micro_usd for t in self.transfers if t.kind is Kind.HOLD)


def confirmed_ms(lease: Lease, last_heard_ms: int, now_ms: int) -> int:
    """Return up to when a lease can be settled: a charge needs the host's word, no charge needs none."""
    return min(now_ms, last_heard_ms) if lease.metering or lease.storing else now_ms


def settle(lease: Lease, to_ms: int, funds: Funds, policy: Policy, now_ms: int) -> Settled | None:
    """Return a lease settled up to `to_ms`, at most up to the end of its metering; None where no time has passed.

    Call again until None: an interval in which metering ends is two.
    """
    ends = lease.until_ms is not None and lease.until_ms <= to_ms
    to_ms = lease.until_ms if ends and lease.until_ms is not None else to_ms
    if to_ms <= lease.settled_ms and not ends:
        return None
    duration = max(0, to_ms - lease.settled_ms)
    gpu, gpu_left = (
        rated(lease.rate_micro_usd, duration, lease.gpu_remainder)
        if lease.metering
        else (0, lease.gpu_remainder)
    )
    storage, storage_left = (
        rated(lease.storage_rate_micro_usd, duration, lease.storage_remainder)
        if lease.storing
        else (0, lease.storage_remainder)
    )
    paid = _Paid(lease, funds, now_ms)
    in_grace = lease.grace_ms is not None
    if not in_grace and duration > 0:  # an interval of no length is not kept, and its transfers with it
        paid.fill(gpu + storage, lease.hold_micro_usd if lease.state is LeaseState.ACTIVE else 0)
    collected = paid.pay(gpu + storage, policy, from_reserve=in_grace)
    closing = ends and lease.state is LeaseState.RECLAIMING
    number = lease.settlements + (duration > 0)
    return Settled(
        replace(
            lease, settled_ms=lease.settled_ms + duration, settlements=number,
            metering=lease.metering and not ends, storing=lease.storing and not closing,
            until_ms=None if ends else lease.until_ms,
            gpu_remainder=gpu_left, storage_remainder=storage_left, fee_remainder=paid.fee_remainder,
        ),
        Settlement(
            id=f"{lease.id}:{number}", lease=lease.id, number=number, from_ms=lease.settled_ms,
            to_ms=lease.settled_ms + duration, metered=lease.metering, gpu_micro_usd=gpu, storage_micro_usd=storage,
            fee_micro_usd=paid.fee, uncollected_micro_usd=gpu + storage - collected,
        ),
        tuple(paid.transfers),
        Funds(paid.purse, paid.hold, paid.reserve),
    )  # fmt: skip


def period_ms(lease: Lease, policy: Policy) -> int:
    """Return after how long a lease is settled next: what a full hold lasts, where that is less than the policy says."""
    period, rate = policy.settle_ms if lease.metering else policy.settle_storage_ms, _rate(lease)
    return min(period, lease.hold_micro_usd * HOUR_MS // rate) if rate else period


def next_ms(lease: Lease, hold: int, policy: Policy, now_ms: int) -> int:
    """Return when a lease is settled next: a period from now, but no later than what is in its hold can be used up.

    What is charged then begins at `settled_ms`, the host's last word, which may be a while before now. Where that was
    longer ago than the hold lasts, as after the hub was away, there is nothing to charge before its next word.
    """
    due_ms, rate = now_ms + period_ms(lease, policy), _rate(lease)
    if rate and lease.grace_ms is None:
        left = lease.gpu_remainder * lease.metering + lease.storage_remainder * lease.storing
        due_ms = min(due_ms, lease.settled_ms + (hold * HOUR_MS - left) // rate)
    return max(due_ms, now_ms + policy.heartbeat_ms)


def suffices_until_next(lease: Lease, funds: Funds, policy: Policy) -> bool:
    """Return whether the hold pays for all that can be charged before the next settlement comes round."""
    return funds.hold >= for_ms(_rate(lease), period_ms(lease, policy))


def _rate(lease: Lease) -> int:
    """Return micro-USD an hour of what is charged now."""
    return lease.rate_micro_usd * lease.metering + lease.storage_rate_micro_usd * lease.storing


class _Paid:
    def __init__(self, lease: Lease, funds: Funds, now_ms: int) -> None:
        self.lease, self.now_ms = lease, now_ms
        self.purse, self.hold, self.reserve = funds.purse, funds.hold, funds.reserve
        self.fee, self.fee_remainder = 0, lease.fee_remainder
        self.transfers: list[Transfer] = []

    def fill(self, due: int, keep: int) -> None:
        """Fill the hold from the purse so that `keep` is left in it after `due`."""
        amount = min(max(0, due + keep - self.hold), self.purse)
        self._move(Kind.HOLD, ledger.wallet(self.lease.project), ledger.hold(self.lease.id), amount)
        self.purse, self.hold = self.purse - amount, self.hold + amount

    def pay(self, due: int, policy: Policy, *, from_reserve: bool) -> int:
        """Pay what there is of `due` to host and hub; return it."""
        amount = min(due, self.hold)
        amount_reserve = min(due - amount, self.reserve) if from_reserve else 0
        self.hold, self.reserve = self.hold - amount, self.reserve - amount_reserve
        for part, source in (
            (amount, ledger.hold(self.lease.id)),
            (amount_reserve, ledger.reserve(self.lease.id)),
        ):
            share, self.fee_remainder = fee(part, policy.fee_ppm, self.fee_remainder)
            self.fee += share
            self._move(Kind.USE, source, ledger.earned(self.lease.host), part - share)
            self._move(Kind.FEE, source, ledger.FEES, share)
        return amount + amount_reserve

    def _move(self, kind: Kind, debit: str, credit: str, amount: int) -> None:
        if amount > 0:
            key = f"{self.lease.id}:{self.lease.settlements + 1}:{len(self.transfers)}"
            self.transfers.append(
                Transfer(
                    id=key,
                    kind=kind,
                    debit=debit,
                    credit=credit,
                    amount_micro_usd=amount,
                    at_ms=self.now_ms,
                    lease=self.lease.id,
                )
            )
