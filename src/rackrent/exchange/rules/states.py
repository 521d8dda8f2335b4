"""The states of instance, lease and machine, and which event leads from which to which.

A transition is a function of (state, event); the event's reason and instant are written beside it by the caller. What is
not in a table is illegal.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from rackrent.exchange.problems import Illegal
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Claim, InstanceState, LeaseState, Trust


class InstanceEvent(StrEnum):
    """What can happen to an instance: the host's word, or the hub's decision."""

    LOAD = "load"
    START = "start"
    RUN = "run"
    STOP = "stop"
    STOPPED = "stopped"
    TAKEN = "taken"
    SILENT = "silent"
    FAIL = "fail"
    RESTART = "restart"
    GONE = "gone"


class LeaseEvent(StrEnum):
    """What can happen to a lease."""

    DELIVER = "deliver"
    RECLAIM = "reclaim"
    END = "end"


class ClaimEvent(StrEnum):
    """What can happen to a claim on a machine."""

    ASK = "ask"
    TAKE = "take"
    DRAIN = "drain"
    GIVE = "give"


class TrustEvent(StrEnum):
    """What can happen to the trust in a machine."""

    VERIFY = "verify"
    SUSPEND = "suspend"
    RESUME = "resume"


I, E = InstanceState, InstanceEvent  # noqa: E741
LIVE = frozenset({I.CREATING, I.LOADING, I.STARTING, I.RUNNING, I.UNREACHABLE})
"""States in which an instance may be using a GPU without having been told to stop."""
HOLDING = LIVE | {I.STOPPING}
"""States in which a GPU may still be in use."""
AT_REST = frozenset({I.STOPPED, I.INTERRUPTED, I.FAILED})

INSTANCE: Mapping[tuple[InstanceState, InstanceEvent], InstanceState] = {
    **{(s, E.LOAD): I.LOADING for s in (I.CREATING, I.UNREACHABLE)},
    **{(s, E.START): I.STARTING for s in (I.CREATING, I.LOADING, I.UNREACHABLE)},
    **{(s, E.RUN): I.RUNNING for s in (I.CREATING, I.LOADING, I.STARTING, I.UNREACHABLE)},
    **{(s, E.STOP): I.STOPPING for s in LIVE},
    **{(s, E.SILENT): I.UNREACHABLE for s in LIVE - {I.UNREACHABLE}},
    **{(s, E.FAIL): I.FAILED for s in HOLDING},
    (I.STOPPING, E.STOPPED): I.STOPPED,
    **{(s, E.TAKEN): I.INTERRUPTED for s in HOLDING},
    **{(s, E.RESTART): I.CREATING for s in AT_REST},
    **{(s, E.GONE): I.ENDED for s in HOLDING | AT_REST},
}  # fmt: skip

LEASE: Mapping[tuple[LeaseState, LeaseEvent], LeaseState] = {
    (LeaseState.PENDING, LeaseEvent.DELIVER): LeaseState.ACTIVE,
    (LeaseState.PENDING, LeaseEvent.RECLAIM): LeaseState.RECLAIMING,
    (LeaseState.ACTIVE, LeaseEvent.RECLAIM): LeaseState.RECLAIMING,
    (LeaseState.RECLAIMING, LeaseEvent.END): LeaseState.ENDED,
}

CLAIM: Mapping[tuple[Claim, ClaimEvent], Claim] = {
    (Claim.UNCLAIMED, ClaimEvent.ASK): Claim.CLAIMED,
    (Claim.DRAINING, ClaimEvent.ASK): Claim.CLAIMED,
    (Claim.CLAIMED, ClaimEvent.TAKE): Claim.OWNER,
    (Claim.UNCLAIMED, ClaimEvent.DRAIN): Claim.DRAINING,
    (Claim.OWNER, ClaimEvent.GIVE): Claim.UNCLAIMED,
    (Claim.CLAIMED, ClaimEvent.GIVE): Claim.UNCLAIMED,
    (Claim.DRAINING, ClaimEvent.GIVE): Claim.UNCLAIMED,
}

TRUST: Mapping[tuple[Trust, TrustEvent], Trust] = {
    (Trust.UNVERIFIED, TrustEvent.VERIFY): Trust.VERIFIED,
    (Trust.UNVERIFIED, TrustEvent.SUSPEND): Trust.SUSPENDED,
    (Trust.VERIFIED, TrustEvent.SUSPEND): Trust.SUSPENDED,
    (Trust.SUSPENDED, TrustEvent.RESUME): Trust.UNVERIFIED,
}

S = TypeVar("S", bound=StrEnum)
V = TypeVar("V", bound=StrEnum)


def after(table: Mapping[tuple[S, V], S], state: S, event: V) -> S:
    """Return the state that follows. Raises Illegal, naming state and event, where the table has none.

    >>> after(LEASE, LeaseState.PENDING, LeaseEvent.DELIVER).value
    'active'
    >>> after(LEASE, LeaseState.ENDED, LeaseEvent.DELIVER)
    Traceback (most recent call last):
    rackrent.exchange.problems.Illegal: What is ended cannot deliver.
    """
    following = table.get((state, event))
    if following is None:
        raise Illegal(_("What is {state} cannot {event}.").format(state=state.value, event=event.value))
    return following
