"""Hours of use from a CSV file: hour, pool, gpu, gpus_in_use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _


@dataclass(frozen=True)
class HoursOfUse:
    """Hours of use, and no jobs."""

    hourly: pl.DataFrame
    jobs: pl.DataFrame


def read_hours(paths: Sequence[Path], columns: Mapping[str, str]) -> HoursOfUse:
    """Read files with one row an hour. `columns` maps our names to those of the files. Raises BadInput."""
    frames = [_read(path, columns) for path in paths]
    jobs = pl.DataFrame(schema={"pool": pl.String, "gpu": pl.String, "gpus": pl.Float64})
    return HoursOfUse(pl.concat(frames), jobs)


def _read(path: Path, columns: Mapping[str, str]) -> pl.DataFrame:
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(_("{file} cannot be read: {reason}").format(file=path, reason=reason)) from None
    name_of = {ours: columns.get(ours, ours) for ours in ("hour", "gpus_in_use", "pool", "gpu")}
    for ours in ("hour", "gpus_in_use"):
        if name_of[ours] not in frame.columns:
            raise BadInput(
                _("{file}: column {name} is missing; it has {have}. Say which is which with --column {ours}=NAME").format(
                    file=path, name=repr(name_of[ours]), have=", ".join(frame.columns[:15]), ours=ours
                )
            )  # fmt: skip
    hour = pl.col(name_of["hour"]).str.strip_suffix("Z").str.replace("T", " ")
    optional = [
        (pl.col(name_of[ours]) if name_of[ours] in frame.columns else pl.lit(None, dtype=pl.String)).alias(
            ours
        )
        for ours in ("pool", "gpu")
    ]
    read = frame.select(
        *optional,
        hour_utc=hour.str.to_datetime(strict=False, time_unit="us").dt.replace_time_zone("UTC"),
        gpus_in_use=pl.col(name_of["gpus_in_use"]).cast(pl.Float64, strict=False),
    )
    wrong = read.with_row_index("row", 2).filter(
        pl.col("hour_utc").is_null() | pl.col("gpus_in_use").is_null()
    )
    if not wrong.is_empty():
        raise BadInput(
            _("{file}, row {row}: the hour or the GPUs in use cannot be read").format(
                file=path, row=wrong["row"][0]
            )
        )
    return read
