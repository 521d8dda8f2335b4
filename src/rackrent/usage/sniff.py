"""Tell what a usage file is from its first bytes, and have it read."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from rackrent.errors import nearest
from rackrent.i18n import gettext as _
from rackrent.usage import monitoring, orchestrators, plain, slurm, store
from rackrent.usage.complaints import refusal
from rackrent.usage.model import Reading

BILLS = ("focus", "cur", "azure", "gcp")
FORMATS = (
    "sacct", "sacct-json", *BILLS, "dcgm", "prometheus", "skypilot", "dstack", "csv", "rackrent",
)  # fmt: skip
"""Words for `format`."""
HEAD = 1 << 16


def read_files(files: list[Path], format: str | None, zone: str, columns: Mapping[str, str]) -> list[Reading]:
    """Read every file; bills of one kind are read together. Raises BadInput."""
    kinds = [(path, format or sniffed(path)) for path in files]
    found = [_read(path, kind, zone, columns) for path, kind in kinds if kind not in BILLS]
    for kind in BILLS:
        if paths := [path for path, k in kinds if k == kind]:
            _head(paths[0])
            from rackrent.usage.bills.read import read_bills

            found += read_bills(paths, kind)
    return found


def sniffed(path: Path) -> str:
    """Return the format of a file. Raises BadInput where it is none we know."""
    head = _head(path)
    if head[:4] == b"PAR1":
        try:
            return _of_columns(list(pl.read_parquet_schema(path)), path)
        except pl.exceptions.PolarsError:
            raise refusal(str(path), _("this Parquet file is broken or breaks off")) from None
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text[:1] in "{[":
        return _of_json(text, path)
    line = text.partition("\n")[0]
    if line.startswith("# ") or re.match(r"(DCGM_FI_|nvidia_smi_)\w+\{", line):
        return "dcgm"
    if "JobID" in line and re.match(r"\s*JobID(Raw)?\s+\w+", line) and "|" not in line:
        raise refusal(
            str(path), _("this is sacct's table for people; ask for it with -P: {ask}").format(ask=slurm.ASK)
        )
    if "JobID" in line and "|" not in line and re.search(r"JobID(Raw)?[,;\t]", line):
        raise refusal(
            str(path),
            _("the columns of this sacct dump are not parted by '|'; ask for it with -P: {ask}").format(
                ask=slurm.ASK
            ),
        )
    if "|" in line:
        return "sacct"
    separator = max(",;\t", key=line.count)
    return _of_columns([c.strip().strip('"') for c in line.split(separator)], path, separator)


def raw_of(path: Path) -> bytes:
    """Return the content of a file, unpacked where it is gzip. Raises BadInput."""
    _head(path)
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(raw)
        except (OSError, EOFError, zlib.error):
            raise refusal(str(path), _("this gzip file breaks off; fetch it again")) from None
    return raw


def _read(path: Path, kind: str, zone: str, columns: Mapping[str, str]) -> Reading:
    source = path.name
    if kind == "rackrent":
        return store.read(path)
    raw = raw_of(path)
    if kind == "sacct":
        return slurm.read_text(raw, source, zone)
    if kind == "sacct-json":
        return slurm.read_json(raw, source)
    if kind in ("dcgm", "prometheus"):
        return monitoring.read(raw, source, kind)
    if kind in ("skypilot", "dstack"):
        return orchestrators.read(raw, source, kind)
    return plain.read(raw, source, zone, columns)


def _head(path: Path) -> bytes:
    """The first bytes, unpacked. Raises BadInput for what is no text at all."""
    name = str(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise refusal(name, _("this is no file but a stream; save it to a file first"))
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        close = nearest(path.name, beside)
        hint = _("; did you mean {name}?").format(name=close[0]) if close else ""
        raise refusal(name, _("there is no such file{hint}").format(hint=hint)) from None
    except IsADirectoryError:
        raise refusal(name, _("this is a folder; give the files in it")) from None
    except OSError as error:
        raise refusal(name, _("this file cannot be read ({reason})").format(reason=error.strerror)) from None
    if head[:2] == b"\x1f\x8b":
        packed = head
        try:
            head = zlib.decompressobj(31).decompress(packed, HEAD)
        except zlib.error:
            head = b""
        if not head and len(packed) != len(gzip.compress(b"")):
            raise refusal(name, _("this gzip file breaks off; fetch it again"))
    if head[:4] == b"PK\x03\x04":
        if b"xl/" in head or path.suffix.lower() in (".xlsx", ".xlsm"):
            raise refusal(name, _("this is an Excel workbook; save the sheet as CSV"))
        raise refusal(name, _("this is a ZIP archive; unpack it and give the files in it"))
    if head[:4] == b"\xd0\xcf\x11\xe0":
        raise refusal(name, _("this is an Excel workbook; save the sheet as CSV"))
    if not head.strip():
        raise refusal(name, _("this file is empty"))
    if b"\0" in head and head[:4] != b"PAR1":
        raise refusal(name, _("this is a binary file; a usage file is text (UTF-8) or Parquet"))
    return head


def _of_json(text: str, path: Path) -> str:
    found = None
    if '"resultType"' in text or '"DCGM_FI_' in text:
        found = "prometheus"
    elif '"job_submissions"' in text or '"run_spec"' in text:
        found = "dstack"
    elif '"usage_intervals"' in text or '"launched_at"' in text:
        found = "skypilot"
    elif '"usage_start_time"' in text:
        found = "gcp"
    elif '"jobs"' in text or '"job_id"' in text:
        found = "sacct-json"
    if found is None:
        raise refusal(
            str(path),
            _("this JSON is none of the usage formats; name it with --format, one of {known}").format(
                known=", ".join(FORMATS)
            ),
        )
    return found


def _of_columns(columns: list[str], path: Path, separator: str = ",") -> str:
    keys = {re.sub(r"[^a-z0-9]", "", c.lower()) for c in columns}
    if "table" in keys and {"hourutc", "started"} <= keys:
        return "rackrent"
    if {"chargeperiodstart", "billedcost"} <= keys:
        return "focus"
    if {"lineitemlineitemtype", "lineitemusagestartdate"} & keys:
        return "cur"
    if {"meterid", "metercategory"} & keys:
        return "azure"
    if "usagestarttime" in keys and "cost" in keys:
        return "gcp"
    if separator != ",":
        raise refusal(
            str(path),
            _("its columns are parted by {mark}; a CSV is parted by ','").format(mark=repr(separator)),
        )
    return "csv"
