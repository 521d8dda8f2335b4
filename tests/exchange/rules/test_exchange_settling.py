"""What settling an interval leaves behind."""

from __future__ import annotations

from rackrent.exchange.model import HOUR_MS, Lease
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.rules.settling import Funds, settle
from rackrent.protocol.words import LeaseState, Rental


def test_an_interval_of_no_length_moves_no_money() -> None:
    """A lease that was settled at the very instant at which it is stopped: nothing of it is kept, so nothing is taken."""
    lease = Lease(
        id="l", project="p", machine="m", host="h", quote="q", rental=Rental.ON_DEMAND, gpus=1, cpu_cores=1, ram_gb=1,
        disk_gb=0, address=0, rate_micro_usd=1_000_000, storage_rate_micro_usd=0, hold_micro_usd=2_000_000,
        created_ms=0, deadline_ms=0, delivered_ms=0, settled_ms=HOUR_MS, settlements=1, until_ms=HOUR_MS,
        state=LeaseState.ACTIVE, metering=True,
    )  # fmt: skip
    funds = Funds(purse=5_000_000, hold=1_000_000, reserve=0)
    found = settle(lease, HOUR_MS + 5, funds, Policy(), HOUR_MS + 5)
    assert found is not None
    assert (found.interval.from_ms, found.interval.to_ms) == (HOUR_MS, HOUR_MS)
    assert found.transfers == () and found.funds == funds and found.taken_from_purse == 0
    assert not found.lease.metering and found.lease.settlements == 1
