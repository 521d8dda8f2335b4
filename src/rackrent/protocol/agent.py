"""What passes between a machine's agent and the hub.

The agent says hello, then sends reports and gets what is wanted in return. Each is the body of an envelope, which is
signed over its bytes as they were sent: nothing is read before the signature has been checked, and nothing is written
anew to check it. Checking is the receiver's: these types carry a signature and say what it is over, no more.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from rackrent.protocol.base import (
    GPUS_MAX,
    INSTANCES_MAX,
    MESSAGE_BYTES_MAX,
    Id,
    Message,
    Ms,
    Seq,
)
from rackrent.protocol.words import InstanceState, Reason

SIGNED_AS = b"rackrent agent message"
"""First of what is signed, so that a signature made for another purpose is none here."""


class Hello(Message):
    """The first word of an agent: who it is and which versions of the protocol it speaks."""

    machine: Id
    boot: Id
    versions: Annotated[tuple[Seq, ...], Field(min_length=1, max_length=16)]
    software: Annotated[str, Field(max_length=64)]


class Welcome(Message):
    """The hub's answer: the version to speak, its clock, and how soon a silent agent must stop what it runs."""

    version: Seq
    now_ms: Ms
    heartbeat_ms: Ms
    fence_ms: Ms


class Status(Message):
    """What an agent says of the instance of a lease; `progress` is the share done of what the state names."""

    lease: Id
    state: InstanceState
    reason: Reason = Reason.HOST_REPORT
    progress: Annotated[float, Field(ge=0, le=1)] | None = None


class Report(Message):
    """All that is on a machine, `seq` counting up. `applied` is the last desired state that the agent has acted on."""

    seq: Seq
    applied: Seq
    boot: Id
    monotonic_ms: Ms
    wall_ms: Ms
    instances: Annotated[tuple[Status, ...], Field(max_length=INSTANCES_MAX)] = ()
    unhealthy: Annotated[tuple[Id, ...], Field(max_length=GPUS_MAX)] = ()

    @model_validator(mode="after")
    def _one_word_a_lease(self) -> Self:
        if len({status.lease for status in self.instances}) < len(self.instances):
            raise ValueError("a report speaks of each lease once")
        return self


class Wanted(Message):
    """What is to be on a machine for a lease: running or stopped, on these GPUs."""

    lease: Id
    run: bool
    gpus: Annotated[tuple[Id, ...], Field(max_length=GPUS_MAX)]


class Desired(Message):
    """All that is to be on a machine, `seq` counting up. What is not named is to be destroyed, with its data."""

    seq: Seq
    instances: Annotated[tuple[Wanted, ...], Field(max_length=INSTANCES_MAX)]


class Kind(StrEnum):
    """What the body of an envelope is."""

    HELLO = "hello"
    WELCOME = "welcome"
    REPORT = "report"
    DESIRED = "desired"


BODIES: dict[Kind, type[Message]] = {
    Kind.HELLO: Hello,
    Kind.WELCOME: Welcome,
    Kind.REPORT: Report,
    Kind.DESIRED: Desired,
}


class Envelope(Message):
    """A message on its way: from or to which machine, the how-manieth, when it was sent, and the signature (Ed25519).

    `body` is the message as JSON, the very bytes that are signed.
    """

    version: Seq
    kind: Kind
    machine: Id
    seq: Seq
    sent_ms: Ms
    body: Annotated[bytes, Field(max_length=MESSAGE_BYTES_MAX)]
    signature: Annotated[bytes, Field(min_length=64, max_length=64)]

    @property
    def signed(self) -> bytes:
        """Return the bytes that the signature is over."""
        return bytes_to_sign(self.version, self.kind, self.machine, self.seq, self.sent_ms, self.body)

    def read(self) -> Message:
        """Return the body as a message. It says nothing of who sent it: check the signature first.

        Raises pydantic's ValidationError where the body is not what `kind` says.
        """
        return BODIES[self.kind].model_validate_json(self.body)


def bytes_to_sign(version: int, kind: Kind, machine: str, seq: int, sent_ms: int, body: bytes) -> bytes:
    """Return the bytes that an envelope's signature is over: each part after its length, so that none runs into the next.

    >>> bytes_to_sign(1, Kind.REPORT, "m", 7, 0, b"{}")[-16:]
    b'\\x00\\x00\\x00\\x017\\x00\\x00\\x00\\x010\\x00\\x00\\x00\\x02{}'
    """
    parts = (SIGNED_AS, *(str(part).encode() for part in (version, kind.value, machine, seq, sent_ms)), body)
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
