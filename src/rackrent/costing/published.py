"""Published worked examples, computed again from their own inputs.

Each reproduction keeps the publication's inputs in a table here and takes its `published` column from the
publication; everything else is computed. A publication's own month lengths are parameters of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rackrent.costing.energy import energy_kwh, energy_usd
from rackrent.costing.finance import annuity, straight_line
from rackrent.costing.payback import break_even_month
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH, HOURS_PER_YEAR, WATTS_PER_KW


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what it is, as published (None where the publication does not print it), as computed, its unit."""

    what: str
    published: float | None
    computed: float
    unit: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A worked example: its name on the command line, title, source, figures, and what the reader should know."""

    name: str
    title: str
    source: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


# --- Jeff Chen, 2018 ----------------------------------------------------------------------------------------

CHEN_SOURCE = (
    'Jeff Chen, "Why building your own deep learning computer is 10x cheaper than AWS", Medium, 2018-09'
)
CHEN_USD_PER_KWH = 0.20
CHEN_LIFE_MONTHS = 36
CHEN_HOURS_PER_MONTH = 720.0


@dataclass(frozen=True, slots=True)
class ChenSpan:
    """One pair of columns of the article: a length of time, in which the machine never stops."""

    name: str
    months: int
    hours: float


CHEN_SPANS = (
    ChenSpan(N_("a month"), 1, CHEN_HOURS_PER_MONTH),
    ChenSpan(N_("a year"), 12, HOURS_PER_YEAR),
    ChenSpan(N_("3 years"), 36, 3 * HOURS_PER_YEAR),
)


@dataclass(frozen=True, slots=True)
class ChenMachine:
    """A machine of the article and the AWS prices beside it, one a span; printed figures are None if there are none."""

    name: str
    capital_usd: float
    kw: float
    aws_usd_per_hour: tuple[float, float, float]
    printed_aws_usd: tuple[float | None, ...]
    printed_own_usd: tuple[float | None, ...]
    printed_ratio: tuple[float | None, ...]
    printed_break_even_months: float | None

    def own_usd(self, span: ChenSpan) -> float:
        """Straight-line depreciation to nothing over three years, and power at all hours."""
        depreciation = straight_line(self.capital_usd, 0.0, CHEN_LIFE_MONTHS, span.months).sum()
        power = energy_usd(energy_kwh(self.kw * WATTS_PER_KW, 0.0, span.hours, 0.0), CHEN_USD_PER_KWH)
        return float(depreciation + power)

    def break_even_months(self, utilisation: float) -> float:
        """Cash pay-back against the on-demand price, in months, with the machine off when it is not in use."""
        hours = utilisation * CHEN_HOURS_PER_MONTH
        own = np.full(CHEN_LIFE_MONTHS + 1, self.kw * CHEN_USD_PER_KWH * hours)
        aws = np.full(CHEN_LIFE_MONTHS + 1, self.aws_usd_per_hour[0] * hours)
        own[0], aws[0] = self.capital_usd, 0.0
        months = break_even_month(own, aws)
        assert months is not None, "every machine of the article pays back within its life"
        return months


UNPRINTED = (None, None, None)
ONE_GPU_AWS = (3.00, 1.99, 1.23)
FOUR_GPUS_AWS = (12.24, 7.96, 4.93)

CHEN_TABLE = (
    ChenMachine(
        N_("1 GPU"), 3_000, 1.0, ONE_GPU_AWS, (2_160, 17_432, 32_324), (227, 2_752, 8_256), (10, 6, 4), 2
    ),
    ChenMachine(
        N_("4 GPUs"),
        4_400,
        2.0,
        FOUR_GPUS_AWS,
        (8_813, 69_730, 129_560),
        (410, 4_971, 14_912),
        (21, 14, 9),
        0.5,
    ),
)
"""The article's table. The rates are standard reservations, partial up-front, as effective hourly prices."""
CHEN_VARIANTS = (
    ChenMachine(N_("4 GPUs at $5,100"), 5_100, 2.0, FOUR_GPUS_AWS, UNPRINTED, UNPRINTED, UNPRINTED, None),
    ChenMachine(N_("1 GPU, RTX 2080 Ti"), 3_500, 1.0, ONE_GPU_AWS, UNPRINTED, UNPRINTED, (9, None, 4), None),
)
"""What its text says beside the table: three more cards at $700 each, and a newer card."""
CHEN_UTILISATIONS = (1.0, 0.2)


def chen_2018() -> Reproduction:
    """Reproduce the table of Jeff Chen's article, its variants and its break-even months."""
    rows = [row for machine in CHEN_TABLE for row in _chen_costs(machine)]
    rows += [row for machine in CHEN_VARIANTS for row in _chen_ratios(machine)]
    for utilisation in CHEN_UTILISATIONS:
        for machine in (*CHEN_TABLE, CHEN_VARIANTS[0]):
            what = _("{machine}: break-even at {share:.0%} use").format(
                machine=_(machine.name), share=utilisation
            )
            printed = machine.printed_break_even_months if utilisation == 1.0 else None
            rows.append(Row(what, printed, machine.break_even_months(utilisation), "months"))
    return Reproduction(
        "chen-2018",
        _("Building a machine against renting from AWS, 2018"),
        CHEN_SOURCE,
        tuple(rows),
        _chen_notes(),
    )


def _chen_costs(machine: ChenMachine) -> Iterator[Row]:
    for place, span in enumerate(CHEN_SPANS):
        names = {"machine": _(machine.name), "span": _(span.name)}
        aws = machine.aws_usd_per_hour[place] * span.hours
        yield Row(_("{machine}, {span}: AWS").format(**names), machine.printed_aws_usd[place], aws, "USD")
        own = machine.own_usd(span)
        yield Row(_("{machine}, {span}: own").format(**names), machine.printed_own_usd[place], own, "USD")
        yield Row(
            _("{machine}, {span}: AWS / own").format(**names), machine.printed_ratio[place], aws / own, "x"
        )


def _chen_ratios(machine: ChenMachine) -> Iterator[Row]:
    return (row for row in _chen_costs(machine) if row.unit == "x")


def _chen_notes() -> tuple[str, ...]:
    return (
        _(
            "The three columns are contract terms (on demand, reserved for 1 year, reserved for 3 years), not "
            "amounts of use: in each of them the machine runs all the time. A month is 720 hours here."
        ),
        _("A machine with one GPU draws about 0.4 kW under load, not 1 kW: owning is cheaper than he says."),
        _(
            "The machine is written off to nothing in 3 years. Three years after launch a GeForce RTX card still "
            "fetched 0.58 of its launch price in 2022-23; the card was 23 % of this machine."
        ),
        _(
            "Hours are not work: the V100 that is rented does 0.86 to 3.08 times the work of the GTX 1080 Ti that "
            "is bought, depending on the task."
        ),
        _(
            "Storage in the cloud ($0.10 per GB and month, also while the machine is stopped), the owner's time "
            "for administration, and hours that are paid for but idle are left out."
        ),
        _(
            "Three more cards at $700 make $5,100 by the text; the table has $4,400, the price of two more. "
            "He prints the break-even of the table as about 2 months and about half a month."
        ),
    )


# --- The warehouse-scale cost case --------------------------------------------------------------------------

HENNESSY_PATTERSON_SOURCE = "J. L. Hennessy, D. A. Patterson, Computer Architecture: A Quantitative Approach, 5th ed., 2012, chapter 6"
HAMILTON_SOURCE = 'James Hamilton, "Overall Data Center Costs", perspectives.mvdirona.com, 2010-09-18'


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A data centre: what is bought, over how many months it is paid off, and what it draws."""

    facility_usd: float
    people_usd_per_month: float
    facility_months: int = 120
    power_and_cooling_share: float = 0.82
    servers: int = 45_978
    server_usd: float = 1_450
    server_months: int = 36
    network_usd: float = 12_810_000
    network_months: int = 48
    critical_kw: float = 8_000
    load_share: float = 0.80
    pue: float = 1.45
    usd_per_kwh: float = 0.07
    hours_per_month: float = HOURS_PER_MONTH
    annual_rate: float = 0.05

    def usd_per_month(self) -> dict[str, float]:
        """Monthly cost by category, USD: capital as annuities at a twelfth of the yearly rate, power, people."""
        power_and_cooling = self.facility_usd * self.power_and_cooling_share
        load_watts = self.critical_kw * self.load_share * WATTS_PER_KW
        energy = energy_kwh(load_watts, 0.0, self.hours_per_month, 0.0, self.pue)
        costs: dict[str, ArrayLike] = {
            "servers": annuity(self.servers * self.server_usd, self.annual_rate, self.server_months),
            "network": annuity(self.network_usd, self.annual_rate, self.network_months),
            "power_and_cooling": annuity(power_and_cooling, self.annual_rate, self.facility_months),
            "other_facility": annuity(
                self.facility_usd - power_and_cooling, self.annual_rate, self.facility_months
            ),
            "power": energy_usd(energy, self.usd_per_kwh),
            "people": self.people_usd_per_month,
        }
        return {category: float(np.asarray(usd)) for category, usd in costs.items() if usd}


WAREHOUSE_CATEGORIES = {
    "servers": N_("servers"),
    "network": N_("network"),
    "power_and_cooling": N_("power and cooling plant"),
    "other_facility": N_("rest of the building"),
    "power": N_("electricity"),
    "people": N_("people"),
}
HENNESSY_PATTERSON = Warehouse(facility_usd=88_000_000, people_usd_per_month=85_000)
HENNESSY_PATTERSON_USD = {
    "servers": 1_998_102.77,
    "network": 295_005.25,
    "power_and_cooling": 765_368.76,
    "other_facility": 168_007.78,
    "power": 474_208.00,
    "people": 85_000.00,
    "total": 3_785_692.55,
    "server_hour": 0.11279,
}
HENNESSY_PATTERSON_PERCENT = {
    "servers": 53,
    "network": 8,
    "power_and_cooling": 20,
    "other_facility": 4,
    "power": 13,
    "people": 2,
}
HAMILTON = Warehouse(facility_usd=72_000_000, people_usd_per_month=0)
HAMILTON_TOTAL_USD = 3_530_987.73
HAMILTON_PERCENT = {"servers": 57, "network": 8, "power_and_cooling": 18, "other_facility": 4, "power": 13}


def hennessy_patterson() -> Reproduction:
    """Reproduce the monthly cost of the book's warehouse-scale computer and its price of a server-hour."""
    costs = HENNESSY_PATTERSON.usd_per_month()
    total = sum(costs.values())
    server_hour = total / HENNESSY_PATTERSON.servers / HENNESSY_PATTERSON.hours_per_month
    published = HENNESSY_PATTERSON_USD
    rows = [
        Row(_monthly(WAREHOUSE_CATEGORIES[category]), published[category], usd, "USD")
        for category, usd in costs.items()
    ]
    rows.append(Row(_("total a month"), published["total"], total, "USD"))
    rows.append(Row(_("one server for one hour"), published["server_hour"], server_hour, "USD"))
    rows += _shares(costs, HENNESSY_PATTERSON_PERCENT)
    notes = (
        _(
            "The book prints rounded figures; the cents are those of its inputs, with capital repaid monthly at a "
            "twelfth of 5 % a year."
        ),
        *_warehouse_notes(),
    )
    title = _("A warehouse-scale computer, cost by month")
    return Reproduction("hennessy-patterson", title, HENNESSY_PATTERSON_SOURCE, tuple(rows), notes)


def hamilton_2010() -> Reproduction:
    """Reproduce the shares of James Hamilton's data-centre cost model of 2010."""
    costs = HAMILTON.usd_per_month()
    rows = [
        Row(_("total a month"), HAMILTON_TOTAL_USD, sum(costs.values()), "USD"),
        *_shares(costs, HAMILTON_PERCENT),
    ]
    notes = (_("He prints whole per cents, and leaves people out."), *_warehouse_notes())
    title = _("Overall cost of a data centre, shares by month")
    return Reproduction("hamilton-2010", title, HAMILTON_SOURCE, tuple(rows), notes)


def _monthly(category: str) -> str:
    return _("{category}, a month").format(category=_(category))


def _shares(costs: dict[str, float], printed_percent: dict[str, int]) -> list[Row]:
    total = sum(costs.values())
    return [
        Row(
            _("{category}, share of the total").format(category=_(WAREHOUSE_CATEGORIES[category])),
            printed_percent[category],
            100.0 * usd / total,
            "%",
        )
        for category, usd in costs.items()
    ]


def _warehouse_notes() -> tuple[str, ...]:
    return (
        _("A server-hour is an hour in which a server exists, whether it works or not."),
        _("Repairs, software, wide-area network, land, tax and what old servers sell for are left out."),
    )


REPRODUCTIONS: dict[str, Callable[[], Reproduction]] = {
    "chen-2018": chen_2018,
    "hennessy-patterson": hennessy_patterson,
    "hamilton-2010": hamilton_2010,
}
"""Name on the command line to the function that reproduces it."""
