"""Write the tables of `docs/workload.md` from the model: `python -m tools.workload_docs`.

The text before the marker is written by hand and kept; what follows it is made here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from rackrent.workload.base import Model
from rackrent.workload.complaint import SHARES, choices
from rackrent.workload.lending import Lending, TimeOfUseTariff
from rackrent.workload.model import (
    Campus,
    Consider,
    Credit,
    Data,
    Demand,
    Funding,
    HaveMachine,
    Location,
    Own,
    OwnMachine,
    People,
    Quote,
    Range,
    Requirements,
    Tax,
    Workload,
)
from rackrent.workload.program import Benchmark, Input, Network

DOC = Path(__file__).parent.parent / "docs" / "workload.md"
MARKER = "<!-- below: made by `python -m tools.workload_docs` from src/rackrent/workload/model.py -->"

SECTIONS: dict[str, type[Model]] = {
    "The workload": Workload,
    "demand": Demand,
    "model": Network,
    "input": Input,
    "benchmarks[]": Benchmark,
    "location": Location,
    "data": Data,
    "requirements": Requirements,
    "people": People,
    "own": Own,
    "own.time_of_use": TimeOfUseTariff,
    "own.machines[]": OwnMachine,
    "have[]": HaveMachine,
    "lending": Lending,
    "campus[]": Campus,
    "credits[]": Credit,
    "quotes[]": Quote,
    "funding": Funding,
    "tax": Tax,
    "consider": Consider,
    "A range in assumptions": Range,
}

UNITS = {
    "usd_per_kwh": "USD/kWh",
    "usd_per_hour": "USD/h",
    "usd_per_gpu_hour": "USD/GPU-hour",
    "usd_per_machine_hour": "USD/machine-hour",
    "usd_per_vcpu_hour": "USD/vCPU-hour",
    "usd_gb_month": "USD/GB-month",
    "usd_per_day": "USD/day",
    "gb_per_month": "GB/month",
    "gpu_hours_per_month": "GPU-hours/month",
    "gpu_hours_per_month_max": "GPU-hours/month",
    "gpu_hours_total": "GPU-hours",
    "jobs_per_month": "runs/month",
    "months_per_year": "months/year",
    "hours_per_job": "hours",
    "hours_per_day": "hours/day",
    "_usd": "USD",
    "usd": "USD",
    "_kw": "kW",
    "_watts": "W",
    "_gb": "GB",
    "_mbps": "Mbit/s",
    "_cores": "cores",
    "_mb": "MB",
    "mb_per_second": "MB/s",
    "samples_per_second": "samples/s",
    "samples_per_second_per_core": "samples/s",
    "gb_per_sample": "GB",
    "parameters_b": "billions",
    "_months": "months",
    "_days": "days",
    "_hours": "hours",
    "_minutes": "minutes",
}
"""Unit by the end of the field's name; the longest match counts."""


def unit(name: str, info: FieldInfo) -> str:
    """Return the unit of a field; an empty text where it has none."""
    if name in SHARES:
        return "share"
    ends = [end for end in UNITS if name.endswith(end)]
    if ends and not choices(info.annotation):
        return UNITS[max(ends, key=len)]
    if int in (info.annotation, *get_args(info.annotation)):
        return "count"
    return ""


def allowed(info: FieldInfo) -> str:
    """Return what may be written: words of a closed list, bounds of a number, or the kind of value."""
    if words := choices(info.annotation):
        many = "any of " if "list" in str(info.annotation) else ""
        return many + ", ".join(f"`{w}`" for w in words)
    said = str(info.annotation)
    bounds = [
        f"{sign} {limit:,.12g}"
        for rule in _rules(info)
        for bound, sign, attribute in ((Gt, ">", "gt"), (Ge, "≥", "ge"), (Lt, "<", "lt"), (Le, "≤", "le"))
        if isinstance(rule, bound)
        for limit in [getattr(rule, attribute)]
    ]
    if bounds:
        return ", ".join(bounds)
    if "pattern" in said or any(getattr(rule, "pattern", None) for rule in _rules(info)):
        return "codes of three capital letters" if "list" in said else "three capital letters"
    for part, kind in (
        ("list[rackrent", "list of mappings"),
        ("dict[", "number or range by key"),
        ("rackrent", "mapping"),
        ("Range", "number or range"),
        ("list", "list of texts"),
        ("date", "date, as 2018-09-15"),
        ("bool", "yes, no"),
        ("str", "text"),
    ):
        if part in said:
            return kind
    return "number"


def _rules(info: FieldInfo) -> list[Any]:
    """Return the bounds of a field, also those inside `X | None`."""
    inner = [m for a in get_args(info.annotation) for m in getattr(a, "__metadata__", ())]
    found: list[Any] = []
    for rule in [*info.metadata, *inner]:
        found += getattr(rule, "metadata", [rule])
    return found


def default(info: FieldInfo) -> str:
    """Return the default as one would write it in YAML."""
    value = info.get_default()
    if info.is_required():
        return "**required**"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Model):
        return "see below"
    if value is None:
        return "none"
    if value in ([], {}):
        return "empty"
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(model: type[Model]) -> str:
    """Return the Markdown table of one model."""
    lines = ["| field | meaning | unit | allowed | default |", "|---|---|---|---|---|"]
    for name, info in model.model_fields.items():
        units = unit(name, info)
        meaning = (info.description or "").removesuffix(f", {units}").replace("|", "\\|")
        lines.append(f"| `{name}` | {meaning} | {units} | {allowed(info)} | {default(info)} |")
    return "\n".join(lines)


def tables() -> str:
    """Return everything below the marker."""
    parts = []
    for title, model in SECTIONS.items():
        heading = title if title[0].isupper() else f"`{title}`"
        parts.append(f"## {heading}\n\n{(model.__doc__ or '').strip()}\n\n{table(model)}\n")
    return "\n".join(parts)


def main() -> None:
    """Write the document again, its hand-written part untouched."""
    written = DOC.read_text(encoding="utf-8").partition(MARKER)[0]
    DOC.write_text(f"{written}{MARKER}\n\n{tables()}", encoding="utf-8")


if __name__ == "__main__":
    main()
