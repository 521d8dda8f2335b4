"""What every part of a workload shares, so that parts may live in files of their own: base and bounded types."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

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


def _day(value: object) -> object:
    """Take a date or a text YYYY-MM-DD; numbers and times of day are slips."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value.strip()):
        try:
            value = date.fromisoformat(value.strip())
        except ValueError:
            raise ValueError(_("is {value}; there is no such day").format(value=value)) from None
    if not isinstance(value, date) or isinstance(value, datetime):
        raise ValueError(
            _("must be a date written as 2018-09-15, not {value}").format(value=repr(str(value))[:40])
        )
    if not 2000 <= value.year < 2100:
        raise ValueError(_("is {value}; it must be a day of this century").format(value=value))
    return value


Share = Annotated[float, Field(ge=0, lt=1)]
Growth = Annotated[float, Field(ge=-0.99, le=4)]
Discount = Annotated[float, Field(ge=-0.1, lt=1)]
Usd = Annotated[float, Field(ge=0, le=1e9)]
Country = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Day = Annotated[date, BeforeValidator(_day)]
