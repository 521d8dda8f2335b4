"""What an operator decides: how long to wait, how much to hold, what to charge."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rackrent.exchange.model import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.rating import PPM
from rackrent.i18n import gettext as _

LEAST = {
    "hold_ms": MINUTE_MS, "hold_reserved_ms": MINUTE_MS, "settle_ms": MINUTE_MS, "settle_storage_ms": MINUTE_MS,
    "fence_margin_ms": 0, "grace_ms": 0, "deletion_notice_ms": 0, "notice_ms": 0,
}  # fmt: skip
"""What a figure is at least, where that is not 1."""
MOST = 100 * 365 * DAY_MS
"""What a figure is at most, where it is not a share: of times, a hundred years."""
OUTLAST_SILENCE = ("hold_ms", "hold_reserved_ms", "settle_ms", "settle_storage_ms")
"""What is longer than a machine may be silent, and a heartbeat more: a settlement sees to it that there is money for all
that can be charged before the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The figures of a hub. Times in milliseconds, the fee in millionths of what a renter pays for use.

    `fence_ms`: a host that is cut off stops what it runs this long after it last heard the hub, by itself; the hub takes
    a GPU to be free `fence_margin_ms` later. `lost_ms`: after that silence a machine's leases are given up. `downtime_ppm`:
    what a host pays for an hour that it fails a reserved lease, in millionths of its price.
    """

    quote_ms: int = 5 * MINUTE_MS
    creation_ms: int = 30 * MINUTE_MS
    heartbeat_ms: int = 30 * SECOND_MS
    silence_ms: int = 90 * SECOND_MS
    fence_ms: int = 15 * MINUTE_MS
    fence_margin_ms: int = MINUTE_MS
    lost_ms: int = 2 * DAY_MS
    skew_ms: int = 10 * SECOND_MS
    settle_ms: int = HOUR_MS
    settle_storage_ms: int = DAY_MS
    late_ms: int = 6 * HOUR_MS
    hold_ms: int = 2 * HOUR_MS
    hold_reserved_ms: int = 30 * DAY_MS
    grace_ms: int = 7 * DAY_MS
    deletion_notice_ms: int = DAY_MS
    notice_ms: int = 10 * MINUTE_MS
    fee_ppm: int = 150_000
    downtime_ppm: int = 100_000
    payout_least_micro_usd: int = 10_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least, most = (0, PPM) if field.name.endswith("_ppm") else (LEAST.get(field.name, 1), MOST)
            if not least <= value <= most:
                raise Invalid(
                    _("{name} of the policy is between {least} and {most}, not {value}.").format(
                        name=field.name, least=least, most=most, value=value
                    )
                )
        if not self.silence_ms <= self.fence_ms <= self.lost_ms:
            raise Invalid(
                _("A machine is silent, then fenced, then lost: silence_ms <= fence_ms <= lost_ms.")
            )
        least = self.silence_ms + self.heartbeat_ms
        for name in OUTLAST_SILENCE:
            if getattr(self, name) < least:
                raise Invalid(
                    _("{name} of the policy is at least silence_ms + heartbeat_ms, which is {least}.").format(
                        name=name, least=least
                    )
                )
