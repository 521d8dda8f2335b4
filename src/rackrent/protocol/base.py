"""What all messages have in common: frozen, strict, no field that is not known, and a limit on everything that can grow.

Money is whole micro-USD, instants are milliseconds of UTC since 1970; the unit is in the name.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MESSAGE_BYTES_MAX = 1 << 20
"""A body longer than this is refused before it is read."""
INSTANCES_MAX = 1_024
GPUS_MAX = 64
DISK_GB_MAX = 1_000_000
SAFE_INTEGER_MAX = (1 << 53) - 1
"""Whole numbers up to here are exact in every reader of JSON."""


class Message(BaseModel):
    """A message, or a part of one."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]
Text = Annotated[str, Field(max_length=2_000)]
MicroUsd = Annotated[int, Field(ge=0, le=SAFE_INTEGER_MAX)]
Ms = Annotated[int, Field(ge=0, le=SAFE_INTEGER_MAX)]
Seq = Annotated[int, Field(ge=0, le=SAFE_INTEGER_MAX)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
GpuCount = Annotated[int, Field(ge=1, le=GPUS_MAX)]
DiskGb = Annotated[int, Field(ge=0, le=DISK_GB_MAX)]
Key = Annotated[str, Field(min_length=8, max_length=128, pattern=r"^[\x21-\x7e]+$")]
"""A key of the sender's own making: the same request with the same key is done once."""
