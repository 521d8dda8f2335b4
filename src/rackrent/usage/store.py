"""A `Usage` as one Parquet file: the three tables below each other, told apart by the column `table`."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import polars as pl

from rackrent.i18n import gettext as _
from rackrent.usage.complaints import refusal
from rackrent.usage.model import CHARGES, HOURLY, JOBS, Reading, Usage, shaped

TABLES = {"jobs": JOBS, "hourly": HOURLY, "charges": CHARGES}
SAID = "rackrent.usage"


def write(usage: Usage, path: Path) -> None:
    """Write the tables and warnings to `path`: whole, or not at all. Raises BadInput where it cannot be written."""
    tables = [getattr(usage, name).with_columns(table=pl.lit(name)) for name in TABLES]
    said = json.dumps({"warnings": usage.warnings, "rows_unreadable": usage.rows_unreadable})
    if path.exists() and not path.is_file():
        raise refusal(str(path), _("this is no file that could be replaced"))
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        try:
            pl.concat(tables, how="diagonal").write_parquet(beside, metadata={SAID: said})
            os.chmod(beside, 0o644)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise refusal(
            str(path), _("this file cannot be written ({reason})").format(reason=error.strerror)
        ) from None


def read(path: Path) -> Reading:
    """Read what `write` wrote. Raises BadInput where it is broken."""
    try:
        whole = pl.read_parquet(path)
        said = json.loads(pl.read_parquet_metadata(path).get(SAID, "{}"))
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise refusal(str(path), _("this Parquet file is broken or breaks off")) from None
    tables = {name: shaped(whole.filter(pl.col("table") == name), schema) for name, schema in TABLES.items()}
    return Reading(
        path.name, "rackrent", tables["jobs"], tables["hourly"], tables["charges"], warnings=tuple(said.get("warnings", ())),
        unreadable=said.get("rows_unreadable", 0), hours_given=True,
    )  # fmt: skip
