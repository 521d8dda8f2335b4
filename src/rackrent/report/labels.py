"""Names for people: of options, terms, units."""

from __future__ import annotations

from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import KIND_NAMES, TERM_NAMES
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.units import as_fraction

UNITS = {
    "usd": "$",
    "USD": "$",
    "usd_per_hour": "$/h",
    "usd_per_machine_hour": N_("$/h for the machine"),
    "usd_per_gpu_hour": N_("$/GPU-hour"),
    "usd_per_month": N_("$/month"),
    "usd_per_kwh": "$/kWh",
    "USD/kWh": "$/kWh",
    "USD/kW-month": N_("$/kW-month"),
    "usd_per_gb": "$/GB",
    "usd_per_gb_month": N_("$/GB-month"),
    "usd once": N_("$ once"),
    "usd once per machine": N_("$ once per machine"),
    "usd once per 5 kW": N_("$ once per 5 kW"),
    "usd per month and machine": N_("$ per month and machine"),
    "kw": "kW",
    "w": "W",
    "gb": "GB",
    "watts": "W",
    "kg": "kg",
    "seconds": N_("seconds"),
    "hours": N_("hours"),
    "hours once": N_("hours once"),
    "hours per machine": N_("hours per machine"),
    "hours per month": N_("hours per month"),
    "hours per machine and month": N_("hours per machine and month"),
    "weeks": N_("weeks"),
    "years": N_("years"),
    "minutes per start": N_("minutes per start"),
    "starts per month": N_("starts per month"),
    "share": N_("share"),
    "share of launch price": N_("share of launch price"),
    "share of price after 3 years": N_("share of price after 3 years"),
    "share of the price fetched": N_("share of the price fetched"),
    "share of hardware price": N_("share of hardware price"),
    "share of hardware price per year": N_("share of hardware price per year"),
    "share of rented hours": N_("share of rented hours"),
    "share of linear speed": N_("share of linear speed"),
    "share of speed lost": N_("share of speed lost"),
    "share of the speed in one machine": N_("share of the speed in one machine"),
    "probability per instance and month": N_("probability per instance and month"),
    "gCO2/kWh": "g CO2/kWh",
    "kW": "kW",
    "kWh/kWh": "kWh/kWh",
    "GB/s": "GB/s",
    "TFLOP/s": "TFLOP/s",
    "ratio": N_("ratio"),
    "times the price known": N_("times the price known"),
    "times today's tariff": N_("times today's tariff"),
    "times the demand you state": N_("times the demand you state"),
    "x": "x",
}
"""Unit of a figure as the code and the tables write it, to what a person reads."""
PAYMENTS = {
    "all_upfront": N_("all up front"),
    "partial_upfront": N_("part up front"),
    "no_upfront": N_("nothing up front"),
}


def unit(name: str) -> str:
    """Return a unit as people read it."""
    return _(UNITS[name]) if name in UNITS else name.replace("_", " ")


def figure(value: float | None) -> str:
    """Return a figure without noise: at most four digits that matter; unknown is said.

    >>> figure(12.0), figure(0.125), figure(1234567.0), figure(None)
    ('12', '0.125', '1,234,567', 'unknown')
    """
    if value is None:
        return _("unknown")
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def measured(value: float | None, unit_name: str) -> str:
    """Return a figure with its unit; dollars stand before it.

    >>> measured(20.0, "usd_per_hour"), measured(0.4, "kw"), measured(None, "usd")
    ('$20/h', '0.4 kW', 'unknown')
    """
    label = unit(unit_name)
    if value is None:
        return figure(None)
    return f"${figure(value)}{label[1:]}" if label.startswith("$") else f"{figure(value)} {label}"


def count_of(option: Option) -> str:
    """Return GPUs as people say them: "4 x RTX 4090" over all its machines, a share of one where one is shared."""
    machines = option.use.machines if option.use is not None else 1
    count = option.gpu_count * machines
    if not count:
        return option.gpu
    return option.gpu if count == 1 else f"{as_fraction(count)} x {option.gpu}"


def title(option: Option) -> str:
    """Return the first line of an option in a table: how, and from whom on which term."""
    kind = _(KIND_NAMES[option.kind])
    if option.owned:
        return kind[:1].upper() + kind[1:]
    return f"{option.provider} {_(TERM_NAMES[option.term])}"


def variant(option: Option) -> str:
    """Return how a commitment is paid, or for how long it holds, as its id says after the term; "" where it does not."""
    tail = "/".join(option.id.split("/")[5:])
    if tail.endswith("_months"):
        return _("at least {months} months").format(months=tail.removesuffix("_months"))
    return _(PAYMENTS[tail]) if tail in PAYMENTS else ""


def named(option: Option) -> tuple[str, str]:
    """Return the two lines that name an option in a table: how and from whom, then what and where."""
    machines = option.use.machines if option.use is not None else 1
    name = option.name if machines == 1 else f"{machines} x {option.name}"
    what = name if option.gpu in option.name else f"{name} ({count_of(option)})"
    where = "" if option.owned or option.region == "global" else f", {option.region}"
    how = variant(option)
    return f"{title(option)}{how and f', {how}'}", f"{what}{where}"


def per_work(option: Option, comparison: Comparison) -> float | None:
    """Return dollars per hour of the reference GPU, or of the option's own where the hours were counted on none."""
    return option.usd_per_gpu_hour if comparison.setting.reference_gpu is None else option.usd_per_unit_work
