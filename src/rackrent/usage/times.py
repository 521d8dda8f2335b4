"""Times and durations as dumps write them, in Polars expressions. All results are UTC."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

import polars as pl

from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

SECONDS_PER_DAY = 86_400.0


def zone_of(timezone: str | None) -> str:
    """Return the name of a time zone that exists, UTC for None. Raises BadInput with the nearest name."""
    if timezone is None:
        return "UTC"
    try:
        return ZoneInfo(timezone).key
    except (KeyError, ValueError, OSError):
        close = nearest(timezone, available_timezones())
        raise BadInput(
            _("there is no time zone {name}; {hint}").format(
                name=repr(timezone),
                hint=_("did you mean {close}?").format(close=close[0])
                if close
                else _("it is a name such as Europe/Berlin"),
            )
        ) from None


def duration_s(text: pl.Expr) -> pl.Expr:
    """Return seconds from Slurm's `D-HH:MM:SS`, `HH:MM:SS`, `MM:SS.mmm`; null for anything else.

    >>> said = pl.DataFrame({"text": ["1-02:03:04", "00:10:00", "01:02.500", "UNLIMITED"]})
    >>> said.select(duration_s(pl.col("text"))).to_series().to_list()
    [93784.0, 600.0, 62.5, None]
    """
    parts = text.str.extract_groups(r"^(-)?(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$")
    number = [parts.struct.field(str(i)).cast(pl.Float64, strict=False).fill_null(0.0) for i in (2, 3, 4, 5)]
    seconds = number[0] * SECONDS_PER_DAY + number[1] * 3600 + number[2] * 60 + number[3]
    signed = pl.when(parts.struct.field("1").is_not_null()).then(-seconds).otherwise(seconds)
    return pl.when(parts.struct.field("4").is_not_null()).then(signed)


def moment(text: pl.Expr, zone: str, *, late: bool = False) -> pl.Expr:
    """Return the UTC time of ISO text; without an offset it is local time in `zone`; null where it is no time.

    An hour that the clocks pass twice is its first pass (`late`: its second); one that they skip is null.
    """
    return text.map_batches(lambda s: moments(s, zone, late=late), return_dtype=pl.Datetime("us", "UTC"))


def moments(text: pl.Series, zone: str, *, late: bool = False) -> pl.Series:
    """Return the same of a column that is there."""
    plain = text.str.to_datetime(SLURM, strict=False, time_unit="us")
    out = _in_zone(plain, zone, late)
    odd = plain.is_null() & text.is_not_null() & ~text.is_in(NEVER)
    if not odd.any():
        return out
    written = pl.DataFrame({"text": text.filter(odd)}).select(_odd(pl.col("text"), zone, late)).to_series()
    return out.scatter(odd.arg_true(), written)


def lacks_offset(frame: pl.DataFrame, *names: str) -> bool:
    """Return whether a time in one of these columns is local: it says no offset from UTC."""
    columns = [frame[name].drop_nulls() for name in names if name in frame.columns]
    said = [c.filter(~c.is_in(NEVER) & c.str.contains(r"^\s*\d{4}-")) for c in columns]
    return any(not c.str.contains(r":\d\d.*(?:Z|[+-]\d{2}:?\d{2})\s*$").all() for c in said)


SLURM = "%Y-%m-%dT%H:%M:%S"
NEVER = ("", "None", "Unknown", "NONE", "UNKNOWN", "NULL", "null")
"""What dumps print for a time that has not come."""


def _in_zone(naive: pl.Series, zone: str, late: bool) -> pl.Series:
    local = naive.dt.replace_time_zone(zone, ambiguous="latest" if late else "earliest", non_existent="null")
    return local.dt.convert_time_zone("UTC")


def _odd(text: pl.Expr, zone: str, late: bool) -> pl.Expr:
    """Other ways to write a time: a blank for the T, no seconds, a day, fractions, an offset."""
    tidy = text.str.strip_chars().str.replace(" ", "T", literal=True)
    parts = tidy.str.extract_groups(r"(Z|([+-])(\d{2}):?(\d{2}))?$")
    offset = tidy.str.contains(r":\d\d.*(?:Z|[+-]\d{2}:?\d{2})$")
    bare = pl.when(offset).then(tidy.str.replace(r"(?:Z|[+-]\d{2}:?\d{2})$", "")).otherwise(tidy)
    naive = pl.coalesce(
        bare.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us"),
        bare.str.to_datetime("%Y-%m-%dT%H:%M", strict=False, time_unit="us"),
        bare.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us")),
    )
    minutes = parts.struct.field("3").cast(pl.Int64) * 60 + parts.struct.field("4").cast(pl.Int64)
    shift = pl.when(parts.struct.field("2") == "-").then(-minutes).otherwise(minutes).fill_null(0)
    local = naive.dt.replace_time_zone(zone, ambiguous="latest" if late else "earliest", non_existent="null")
    absolute = naive.dt.replace_time_zone("UTC") - pl.duration(minutes=shift)
    return pl.when(offset).then(absolute).otherwise(local.dt.convert_time_zone("UTC"))


def epoch(seconds: pl.Expr) -> pl.Expr:
    """Return the UTC time of seconds since 1970; null for 0, which stands for "not yet"."""
    micros = (seconds.cast(pl.Float64) * 1e6).cast(pl.Int64)
    return pl.when(seconds > 0).then(pl.from_epoch(micros, time_unit="us").dt.replace_time_zone("UTC"))
