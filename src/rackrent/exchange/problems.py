"""What the exchange refuses, each kind with a stable `type` and an HTTP status for the API."""

from __future__ import annotations

from typing import ClassVar

from rackrent.errors import RackrentError


class Refused(RackrentError):
    """A request that cannot be granted. Nothing has changed."""

    type: ClassVar[str] = "refused"
    status: ClassVar[int] = 400


class NotFound(Refused):
    """There is no such thing, or it is not yours: the two look the same from outside."""

    type = "not-found"
    status = 404


class Conflict(Refused):
    """What the store must never hold was about to be written: a GPU twice, an interval twice, a key twice."""

    type = "conflict"
    status = 409


class Insufficient(Refused):
    """The money is not there."""

    type = "insufficient-funds"
    status = 402


class Illegal(Refused):
    """An event that the state does not know."""

    type = "illegal-transition"
    status = 409


class Unavailable(Refused):
    """The machine no longer has what was asked for."""

    type = "unavailable"
    status = 409


class QuoteMismatch(Refused):
    """The quote is over, is used up, is of another project, or does not say what is asked for."""

    type = "quote-mismatch"
    status = 409


class Replayed(Refused):
    """A message of an agent that is not newer than the last one."""

    type = "replayed-message"
    status = 409


class Invalid(Refused):
    """A value that makes no sense: a negative amount, an unknown field."""

    type = "invalid"
    status = 422


class Busy(Refused):
    """The database is held up by others, or cannot be reached. Nothing has changed unless the text says otherwise."""

    type = "busy"
    status = 503
