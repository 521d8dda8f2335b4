"""The base of every part of a workload, so that parts may live in files of their own."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, field_validator

from rackrent.i18n import gettext as _


class Model(BaseModel):
    """Base: unknown fields are errors, values are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, str_strip_whitespace=True)

    @field_validator("*")
    @classmethod
    def _printable(cls, value: object) -> object:
        """Text is one printable line: it is shown in terminals, tables and web pages."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not (text.isprintable() and len(text) <= 300):
                raise ValueError(_("must be printable text on one line, at most 300 characters"))
        return value
