"""A comparison as a CSV file: one row an option."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

JOINED = ("reasons", "reasons_on_budget", "warnings")
NESTED = frozenset(
    {
        "price",
        "speed",
        "scorecard",
        "totals_by_payer",
        "monthly_usd",
        "break_even_months",
        "lending",
        "cash_flows",
    }
)
"""Fields of an option that hold fields of their own: they have no place in a cell."""


def write_csv(comparison: Comparison, path: Path) -> None:
    """Write every option to `path`: the plain fields of the JSON, and the reasons in one cell.

    The file appears whole or not at all. Raises BadInput where it cannot be written.
    """
    if path.is_dir():
        raise BadInput(
            _("{path} is a folder; name a file in it, such as {file}").format(
                path=path, file=path / "options.csv"
            )
        )
    target = path.resolve()
    try:
        with NamedTemporaryFile(
            "w", dir=target.parent, prefix=f".{target.name}.", delete=False, encoding="utf-8", newline=""
        ) as file:
            written = Path(file.name)
            try:
                _write(comparison, csv.writer(file))
                file.close()
                written.chmod(0o666 & ~_umask())
                written.replace(target)
            except BaseException:
                written.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise BadInput(
            _("{path} cannot be written ({reason})").format(path=path, reason=error.strerror)
        ) from None


def _write(comparison: Comparison, writer: csv._writer) -> None:  # type: ignore[name-defined]
    options = comparison.to_dict(everything=True)["options"]
    names = [name for name in options[0] if name not in NESTED] if options else []
    writer.writerow(names)
    for option in options:
        writer.writerow(["; ".join(option[n]) if n in JOINED else option[n] for n in names])


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
