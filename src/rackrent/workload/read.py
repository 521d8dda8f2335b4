"""Read a workload that a person wrote. Whatever is wrong is said in one sentence, with file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.workload.complaint import sentence
from rackrent.workload.model import Workload
from rackrent.workload.ranges import split_ranges, steps, with_figure
from rackrent.workload.source import Path as FieldPath
from rackrent.workload.source import Source, from_python, from_yaml, refusal, shown

BYTES_MAX = 1_000_000
"""Largest file read; a workload is a page or two."""


def read_workload(path: Path) -> Workload:
    """Read the workload in the YAML (or JSON) file `path`. Raises BadInput."""
    where = str(path)
    return parse_workload(_decode(_bytes(path, where), where), where)


def parse_workload(text: str, where: str = "workload") -> Workload:
    """Read a workload from YAML text; `where` names it in messages. Raises BadInput.

    >>> parse_workload("demand: {gpu_hours_per_month: 100}").demand.gpu_hours_per_month
    100.0
    """
    return _checked(from_yaml(text, where))


def workload_from(mapping: Mapping[str, Any] | Workload, where: str = "workload") -> Workload:
    """Make a workload from a mapping of the same shape as the file. Raises BadInput.

    >>> workload_from({"demand": {"utilisation": 0.2}, "gpus": 4}).gpus
    4
    """
    if isinstance(mapping, Workload):
        return mapping
    return _checked(from_python(mapping, where))


def read_machines(path: Path) -> Workload:
    """Read the machines listed under `have` in the YAML file `path`, and what it says of how machines are counted.

    The file is a workload, or only the list: demand may be missing. Raises BadInput, also where it lists none.
    """
    where = str(path)
    return _machines(from_yaml(_decode(_bytes(path, where), where), where))


def machines_from(have: Sequence[Mapping[str, Any]], where: str = "have") -> Workload:
    """Make a workload of a list of machines as `have` holds them. Raises BadInput.

    >>> machines_from([{"gpu": "RTX 3090", "gpus": 4}]).have[0].machines
    1
    """
    return _machines(from_python({"have": list(have)}, where))


def _machines(source: Source) -> Workload:
    if isinstance(source.tree, dict) and source.tree:
        if not source.tree.get("have"):
            raise source.refuse(
                _(
                    "this lists no machines; a list named have is needed, such as 'have: [{gpu: RTX 3090, gpus: 4}]'"
                )
            )
        source.tree.setdefault("demand", {"gpu_hours_per_month": "1"})
    return _checked(source)


def _bytes(path: Path, where: str) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        raise refusal(where, _missing(path)) from None
    except IsADirectoryError:
        raise refusal(where, _("this is a folder; give a YAML file in it")) from None
    except PermissionError:
        raise refusal(where, _("you are not allowed to read this file")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise refusal(where, _("this file cannot be read ({reason})").format(reason=reason)) from None
    if len(raw) > BYTES_MAX:
        raise refusal(where, _("this file is larger than 1 MB; a workload is a page or two of YAML"))
    return raw


def _missing(path: Path) -> str:
    try:
        beside = [p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml", ".json")]
    except (OSError, ValueError):
        beside = []
    if close := nearest(path.name, beside):
        return _("there is no such file; did you mean {name}?").format(name=shown(close[0]))
    return _("there is no such file")


def _decode(raw: bytes, where: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if b"\0" not in raw:
            line = raw.count(b"\n", 0, error.start) + 1
            raise refusal(where, _("this is not UTF-8 text; save the file as UTF-8"), line) from None
        text = "\0"
    if "\0" in text:
        raise refusal(where, _("this is a binary file; a workload is YAML text in UTF-8"))
    return text


def _checked(source: Source) -> Workload:
    if source.tree in (None, {}):
        raise source.refuse(
            _("this is empty; a workload needs at least demand, such as 'demand: {utilisation: 0.2}'")
        )
    if not isinstance(source.tree, dict):
        raise source.refuse(
            _("a workload is a list of fields such as 'gpus: 4', not {value}").format(
                value=shown(source.tree)
            )
        )
    tree, ranges = split_ranges(source)
    try:
        workload = Workload.model_validate({**tree, "ranges": ranges} if ranges else tree)
        for end in ("low", "high"):
            at_end = tree
            for path, given in ranges.items():
                assert isinstance(given, dict)
                at_end = with_figure(at_end, path, given[end])
            if ranges:
                Workload.model_validate(at_end)
    except ValidationError as error:
        raise _complaint(error, source) from None
    return workload


def _complaint(error: ValidationError, source: Source) -> BadInput:
    """Say the first problem (misspelt fields first: what they make missing is not a problem of its own) and count the others."""
    details = error.errors(include_url=False)
    misspelt = {d["loc"][:-1] for d in details if d["type"] == "extra_forbidden"}
    found: dict[FieldPath, tuple[bool, int, str]] = {}
    for detail in details:
        path, kind = _written_path(detail["loc"], source), detail["type"]
        if path is None or path in found or (kind == "missing" and detail["loc"][:-1] in misspelt):
            continue
        found[path] = (kind != "extra_forbidden", source.line(path) or 0, sentence(detail, path))
    first, *others = sorted(found.items(), key=lambda item: item[1][:2])
    path, (_rank, _line, said) = first
    if others:
        more = ngettext("{n} more problem", "{n} more problems", len(others)).format(n=len(others))
        said = _("{said} (and {more})").format(said=said, more=more)
    return source.refuse(said, path)


def _written_path(loc: FieldPath, source: Source) -> FieldPath | None:
    """Return the path as the person wrote it.

    An assumption is a number or a range, so it fails both ways: keep the way the person chose (None drops the other).
    """
    if loc[:1] == ("ranges",) and len(loc) > 1:
        return (*steps(str(loc[1])), *loc[2:])
    if loc[:1] != ("assumptions",) or len(loc) < 3:
        return loc
    tree = source.tree
    assert isinstance(tree, dict)
    given = tree["assumptions"]
    as_range = isinstance(given, dict) and isinstance(given[str(loc[1])], dict)
    return (*loc[:2], *loc[3:]) if as_range == (loc[2] != "float") else None
