"""From a validation error to the one sentence a person can act on."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from rackrent.errors import nearest
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH
from rackrent.workload.base import Model
from rackrent.workload.model import Workload
from rackrent.workload.source import Path, shown

SHARES = frozenset(
    {
        "utilisation",
        "growth_per_year",
        "idle_waste",
        "occupancy",
        "fee",
        "income_tax_rate",
        "discount_rate",
        "rate",
        "indirect_rate_equipment",
        "indirect_rate_services",
    }
)
"""Fields in which people write 15 for 15 %."""

COUNTRIES = {
    "US": "USA", "UK": "GBR", "GB": "GBR", "ENG": "GBR", "DE": "DEU", "GER": "DEU", "FR": "FRA", "IT": "ITA",
    "ES": "ESP", "PT": "PRT", "NL": "NLD", "BE": "BEL", "CH": "CHE", "AT": "AUT", "SE": "SWE", "NO": "NOR",
    "FI": "FIN", "DK": "DNK", "IE": "IRL", "PL": "POL", "CZ": "CZE", "GR": "GRC", "RO": "ROU", "HU": "HUN",
    "IS": "ISL", "EE": "EST", "UA": "UKR", "RU": "RUS", "TR": "TUR", "IL": "ISR", "AE": "ARE", "UAE": "ARE",
    "SA": "SAU", "EG": "EGY", "ZA": "ZAF", "NG": "NGA", "KE": "KEN", "CN": "CHN", "HK": "HKG", "TW": "TWN",
    "JP": "JPN", "KR": "KOR", "SG": "SGP", "MY": "MYS", "ID": "IDN", "TH": "THA", "VN": "VNM", "PH": "PHL",
    "IN": "IND", "PK": "PAK", "BD": "BGD", "AU": "AUS", "NZ": "NZL", "CA": "CAN", "MX": "MEX", "BR": "BRA",
    "AR": "ARG", "CL": "CHL", "CO": "COL", "PE": "PER", "GERMANY": "DEU", "CHINA": "CHN", "FRANCE": "FRA",
    "JAPAN": "JPN", "INDIA": "IND", "CANADA": "CAN", "UNITED STATES": "USA", "UNITED KINGDOM": "GBR",
}  # fmt: skip
"""What people write for the countries most of them live in, and the alpha-3 code that is meant."""

BOUNDS = {
    "greater_than": ("gt", N_("{path} is {value}; it must be more than {bound}")),
    "greater_than_equal": ("ge", N_("{path} is {value}; it must be at least {bound}")),
    "less_than": ("lt", N_("{path} is {value}; it must be less than {bound}")),
    "less_than_equal": ("le", N_("{path} is {value}; it must be at most {bound}")),
}

TYPES = {
    "int_type": N_("{path} must be a whole number, not {value}"),
    "int_parsing": N_("{path} must be a whole number, not {value}"),
    "int_from_float": N_("{path} must be a whole number, not {value}"),
    "int_parsing_size": N_("{path} is larger than any sensible number"),
    "float_type": N_("{path} must be a number, not {value}"),
    "float_parsing": N_("{path} must be a number, not {value}"),
    "finite_number": N_("{path} must be a finite number, not {value}"),
    "bool_type": N_("{path} must be yes or no, not {value}"),
    "bool_parsing": N_("{path} must be yes or no, not {value}"),
    "string_type": N_("{path} must be text, not {value}"),
    "string_too_short": N_("{path} must not be empty"),
    "dict_type": N_("{path} must hold fields of its own, one a line below it, not {value}"),
    "model_type": N_("{path} must hold fields of its own, one a line below it, not {value}"),
}


def place(path: Path) -> str:
    """Return a path as people write it.

    >>> place(("have", 0, "power_kw"))
    'have[0].power_kw'
    """
    out = ""
    for step in path:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out if len(out) <= 80 else f"{out[:77]}..."


def field_at(path: Path) -> tuple[type[Model], FieldInfo | None]:
    """Return the model that `path` leads into and the field it ends on (None where the model has no such field)."""
    model: type[Model] = Workload
    info: FieldInfo | None = None
    for step in path:
        if isinstance(step, int):
            continue
        if info is not None:
            model = _model_in(info.annotation) or model
        info = model.model_fields.get(step)
        if info is None:
            break
    return model, info


def _model_in(annotation: Any) -> type[Model] | None:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next((m for a in get_args(annotation) if (m := _model_in(a))), None)


def choices(annotation: Any) -> tuple[str, ...]:
    """Return the words a field allows; empty where it allows any text."""
    if get_origin(annotation) is Literal:
        return tuple(get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType, list):
        return tuple(c for a in get_args(annotation) for c in choices(a))
    return ()


def sentence(error: ErrorDetails, path: Path) -> str:
    """Return what is wrong at `path` and what would be right."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    name = next((s for s in reversed(path) if isinstance(s, str)), "")
    where = place(path)
    if kind == "extra_forbidden":
        return _unknown(path)
    if kind == "missing" and path == ("demand",):
        return _(
            "the workload does not say how much work there is; add for example 'demand: {utilisation: 0.2}'"
        )
    if kind == "missing":
        around = place(path[:-1]) or _("the workload")
        return _("{around} lacks the field {field}").format(around=around, field=shown(name))
    if value is None:
        return _("{path} has no value; give it one or remove the line").format(path=where)
    if kind == "value_error":
        return f"{where or _('the workload')} {context['error']}"
    if kind == "literal_error":
        return _choice(path, value)
    if kind == "list_type":
        if isinstance(value, str):
            return _("{path} must be a list, such as [{value}]").format(path=where, value=shown(value))
        return _("{path} must be a list; begin each item of it with '- '").format(path=where)
    if kind == "string_pattern_mismatch":
        return _code(where, name, str(value))
    if kind == "string_too_long":
        return _("{path} must not be longer than {n} characters").format(path=where, n=context["max_length"])
    if kind in BOUNDS:
        key, message = BOUNDS[kind]
        bound = float(context[key])
        hint = _unit_slip(where, name, float(value), bound) if kind.startswith("less") else None
        return hint or _(message).format(path=where, value=shown(value), bound=f"{bound:,.12g}")
    message = TYPES.get(kind, "{path} cannot be {value}")
    return _(message).format(path=where or _("the workload"), value=shown(value))


def _unknown(path: Path) -> str:
    name, around = str(path[-1]), path[:-1]
    model, _info = field_at(path)
    known = list(model.model_fields)
    said = (
        _("unknown field {name} in {around}").format(name=shown(name), around=place(around))
        if around
        else _("unknown field {name}").format(name=shown(name))
    )
    if around and name in Workload.model_fields:
        return _("{said}; it belongs at the top level").format(said=said)
    if home := next((s for s, names in _sections().items() if name in names), None):
        return _("{said}; it belongs under {section}").format(said=said, section=home)
    if close := nearest(name, known):
        return _("{said}; did you mean {known}?").format(said=said, known=shown(close[0]))
    return _("{said}; known are {known}").format(said=said, known=", ".join(known))


def _sections() -> dict[str, frozenset[str]]:
    """Return the sections of a workload (not its lists) and the fields in each."""
    out = {}
    for name, info in Workload.model_fields.items():
        model = _model_in(info.annotation)
        if model is not None and get_origin(info.annotation) not in (list, dict):
            out[name] = frozenset(model.model_fields)
    return out


def _choice(path: Path, value: object) -> str:
    words = choices(info.annotation) if (info := field_at(path)[1]) else ()
    said = _("{path} is {value}").format(path=place(path), value=shown(value))
    if isinstance(value, str) and (close := nearest(value.replace("-", "_").replace(" ", "_"), words)):
        return _("{said}; did you mean {close}? (one of {words})").format(
            said=said, close=shown(close[0]), words=", ".join(words)
        )
    return _("{said}; it must be one of {words}").format(said=said, words=", ".join(words))


def _code(where: str, name: str, value: str) -> str:
    if name == "currency":
        return _("{path} is {value}; it must be a three-letter currency code such as USD or EUR").format(
            path=where, value=shown(value)
        )
    folded = value.strip().upper()
    meant = COUNTRIES.get(
        folded, folded if len(folded) == 3 and folded.isascii() and folded.isalpha() else None
    )
    if meant:
        return _("{path} is {value}; did you mean {meant}?").format(
            path=where, value=shown(value), meant=meant
        )
    return _(
        "{path} is {value}; it must be a three-letter country code (ISO 3166) such as USA or DEU"
    ).format(path=where, value=shown(value))


def _unit_slip(where: str, name: str, value: float, bound: float) -> str | None:
    """Return what the person probably meant where a figure is too large because of its unit."""
    if name == "utilisation" and 100 < value <= HOURS_PER_MONTH:
        return _(
            "{path} is {value:g}, but it is a share of all hours: for {value:g} of 730 h write {right:.2g}"
        ).format(path=where, value=value, right=value / HOURS_PER_MONTH)
    if name in SHARES and value / 100 <= bound:
        return _("{path} is {value:g}, but it is a share: for {value:g} % write {right:g}").format(
            path=where, value=value, right=value / 100
        )
    if name == "usd_per_kwh" and value <= 200:
        return _("{path} is {value:g}, but it is in dollars: for {value:g} cents write {right:g}").format(
            path=where, value=value, right=value / 100
        )
    if name.endswith("_kw") and value / 1_000 <= bound:
        return _("{path} is {value:g}, but it is in kW: did you mean {right:g} ({value:g} W)?").format(
            path=where, value=value, right=value / 1_000
        )
    if name == "gpu_memory_gb" and value / 1_024 <= bound:
        return _("{path} is {value:g}, but it is in GB: did you mean {right:.4g} ({value:g} MiB)?").format(
            path=where, value=value, right=value / 1_024
        )
    if name == "gpu_hours_per_month":
        return _(
            "{path} is {value:g}: that is {gpus:,.0f} GPUs busy day and night; it must be at most {bound:,.12g}"
        ).format(path=where, value=value, gpus=value / HOURS_PER_MONTH, bound=bound)
    return None
