"""What the hours that the work leaves idle would bring if they were lent out: told beside an option, never in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.judge import judged
from rackrent.catalog.places import policy
from rackrent.comparison.candidate import gpu_named
from rackrent.comparison.lending_power import Power, power_of
from rackrent.comparison.option import Option
from rackrent.costing.lending import (
    LendingIncome,
    ask_floor_usd,
    lending_income,
    payouts,
)
from rackrent.costing.own import Hardware
from rackrent.costing.setting import Setting
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR
from rackrent.workload.lending import Lending
from rackrent.workload.model import Workload

MARKETS = ("marketplace", "exchange")
"""Kinds of offer whose price is what a lender could ask too."""
PROTECTED = ("residency", "certificates", "signed_agreements", "no_third_party_hosts", "dedicated_hardware")
"""Requirements that say that nobody else's work belongs beside the data."""
LINES = {
    "hours": N_("lendable hours a month"),
    "energy_floor": N_("power of a rented hour, per GPU-hour"),
    "ask_floor": N_("lowest ask that pays, per GPU-hour"),
    "revenue": N_("revenue a month"),
    "fee": N_("fee of the market a month"),
    "energy": N_("electricity a month"),
    "wear": N_("wear a month"),
    "income_tax": N_("income tax a month"),
    "income": N_("income a month"),
}
"""Closed list of what an account of lending holds, and the English names."""


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of the account: `what` of `LINES`, its value (h or USD), how it was computed, and from what."""

    what: str
    value: float
    formula: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Lent:
    """What lending out an option's idle hours would bring, for all its machines, in a month of the mean.

    `reason` says why there is no `income` (off, no terms given, no price known); empty where there is one. `floors`
    are the power of a rented GPU-hour, USD: at the lendable hours, at peak, off peak (None where the tariff is flat).
    `before` names what is unknown and therefore not taken off the income: "wear", "income_tax".
    """

    reason: str
    hours: float | None = None
    gpus: int = 0
    floors: tuple[float | None, float | None, float | None] = (None, None, None)
    ask_floor_usd: float | None = None
    ask: Fact | None = None
    occupancy: Fact | None = None
    income: LendingIncome | None = None
    before: tuple[str, ...] = ()
    first_payout_month: int | None = None
    carried_usd: float | None = None
    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The figures it rests on, each once, in order."""
        return tuple(dict.fromkeys(f for line in self.lines for f in line.facts))

    def to_dict(self) -> dict[str, Any]:
        """Return the account as JSON values; income is positive, and null where it is unknown."""
        i = self.income
        parts = (
            "revenue_usd",
            "fee_usd",
            "energy_kwh",
            "energy_usd",
            "wear_usd",
            "income_tax_usd",
            "net_usd",
        )
        of_month: dict[str, float | None] = {
            f"{part}_per_month": None if i is None else float(getattr(i, part)) for part in parts
        }
        for unknown in self.before:
            of_month[f"{unknown}_usd_per_month"] = None
        return {
            "reason": self.reason or None,
            "hours_per_month": self.hours,
            "gpus": self.gpus,
            "energy_floor_usd_per_gpu_hour": self.floors[0],
            "energy_floor_peak_usd_per_gpu_hour": self.floors[1],
            "energy_floor_off_peak_usd_per_gpu_hour": self.floors[2],
            "ask_floor_usd_per_gpu_hour": self.ask_floor_usd,
            "ask_usd_per_gpu_hour": self.ask.value if self.ask else None,
            "occupancy": self.occupancy.value if self.occupancy else None,
            **of_month,
            "before": list(self.before),
            "first_payout_month": self.first_payout_month,
            "carried_usd": self.carried_usd,
            "warnings": list(self.warnings),
        }


def check_lending(workload: Workload, catalog: Catalog) -> None:
    """Raise BadInput where the terms of lending name a GPU nobody knows."""
    if workload.lending is not None and workload.lending.ask_gpu is not None:
        gpu_named(catalog, workload.lending.ask_gpu)


def lend(option: Option, setting: Setting, occupancy: Fact | None = None) -> Lent | None:
    """Return what lending out the idle hours of `option` would bring; None where it is rented or out.

    `occupancy` is a market's own figure, as a share with its source; without it the workload's counts.
    """
    candidate, use = option.candidate, option.use
    if not option.feasible or use is None or candidate is None or candidate.hardware is None:
        return None
    if off := _off(setting.workload):
        return Lent(off)
    power = power_of(option, candidate.hardware, setting)
    hours = _hours(option, setting)
    terms, gpus = setting.workload.lending, candidate.hardware.gpus
    lent = Lent(
        "",
        hours.value,
        gpus * use.machines,
        power.floors(gpus),
        lines=(hours, Line("energy_floor", power.floors(gpus)[0], power.how, power.facts)),
    )
    if terms is None:
        return replace(lent, reason=_("no terms of lending are given: add `lending:`"))
    return _on_terms(lent, terms, option, power, setting, occupancy)


def _off(workload: Workload) -> str:
    """Why nothing may be lent out; empty if it may."""
    asked = [f"requirements.{name}" for name in PROTECTED if getattr(workload.requirements, name)]
    if asked:
        return _("off: {fields} say that no stranger's work may run beside this data").format(
            fields=_(", ").join(asked)
        )
    funding, terms = workload.funding, workload.lending
    if funding is not None and funding.may_buy != "services" and not (terms and terms.funder_allows):
        return _(
            "off: the terms of {funding} may forbid it; set lending.funder_allows where they allow it"
        ).format(funding=funding.name)
    return ""


def _hours(option: Option, setting: Setting) -> Line:
    """Lendable machine-hours a month: what the work leaves idle from delivery to the end, by the hours of the day."""
    use, terms = option.use, setting.workload.lending
    assert use is not None
    months = max(setting.horizon - use.start_month, 0.0)
    busy = float(use.busy_hours.sum())
    idle = max(use.machines * HOURS_PER_MONTH * months - busy, 0.0) / months if months else 0.0
    of_day = HOURS_PER_DAY if terms is None else terms.hours_per_day
    bands = setting.time_of_use
    facts = [Fact.from_workload("demand", float(setting.work.mean()), "hours per month")]
    if terms is not None and terms.only_off_peak and bands is not None:
        of_day = min(of_day, HOURS_PER_DAY - bands.peak_hours_per_day)
    text = _(
        "({n} x 730 h x {months:.1f} months from delivery - {busy:,.0f} h of work) / {months:.1f}"
    ).format(n=use.machines, months=months, busy=busy)
    if not months:
        text = _("delivered after the time looked at")
    elif of_day < HOURS_PER_DAY:
        facts.append(Fact.from_workload("lending.hours_per_day", of_day, "hours"))
        text = _("{text} x {hours:g} of 24 hours").format(text=text, hours=of_day)
    if option.candidate is not None and option.candidate.lead is not None:
        facts.append(setting.assume(option.candidate.lead))
    speed = option.speed.facts if option.speed is not None else ()
    return Line("hours", idle * of_day / HOURS_PER_DAY, text, (*facts, *speed))


def _on_terms(
    lent: Lent, terms: Lending, option: Option, power: Power, setting: Setting, occupancy: Fact | None
) -> Lent:
    """The account on the terms given: floor of the ask, income where a price is known, payouts, what to mind."""
    assert option.candidate is not None
    hardware = option.candidate.hardware
    assert hardware is not None
    fee = Fact.from_workload("lending.fee", terms.fee, "share")
    wear, wear_how, wear_facts = _wear(terms, hardware, setting)
    tax = given_rate(terms)
    before = tuple(name for name, known in (("wear", wear), ("income_tax", tax)) if known is None)
    price = power.usd_per_kwh
    floor = float(
        ask_floor_usd(
            hardware.gpus, power.drawn, fee=terms.fee, usd_per_kwh=price, wear_usd_per_gpu_hour=wear or 0.0
        )
    )
    text = _("(${power:.4f} of power + ${wear:.4f} of wear) / (1 - {fee:.1%} fee)").format(
        power=lent.floors[0], wear=wear or 0.0, fee=terms.fee
    )
    floor_line = Line("ask_floor", floor, text, (fee, *power.facts, *wear_facts))
    lent = replace(
        lent,
        ask_floor_usd=floor,
        before=before,
        warnings=_warnings(option, setting),
        lines=(*lent.lines, floor_line),
    )
    ask = _ask(terms, option, setting.catalog)
    if ask is None:
        reason = _(
            "no price of {gpu} on a marketplace is known (a lowest ask is none): give lending.ask_usd_per_gpu_hour"
        ).format(gpu=option.gpu)
        return replace(lent, reason=reason)
    share = occupancy or Fact.from_workload(
        "lending.occupancy", terms.occupancy, "share", terms.occupancy_from or ""
    )
    assert lent.hours is not None
    income = lending_income(
        ask.known, hardware.gpus, lent.hours, share.known, power.drawn,
        fee=terms.fee, usd_per_kwh=price, wear_usd_per_gpu_hour=wear or 0.0,
        income_tax_rate=0.0 if tax is None else tax.known,
    )  # fmt: skip
    rented = lent.hours * share.known
    lines = [
        Line(
            "revenue", float(income.revenue_usd),
            _("{n} x {gpu} x {hours:,.0f} lendable h x {share:.1%} rented x ${ask:.4g}").format(
                n=hardware.gpus, gpu=option.gpu, hours=lent.hours, share=share.known, ask=ask.known
            ),
            (ask, share),
        ),
        Line(
            "fee", float(income.fee_usd),
            _("{rate:.1%} of ${base:,.2f}").format(rate=terms.fee, base=float(income.revenue_usd)), (fee,),
        ),
        Line(
            "energy", float(income.energy_usd),
            _("({hours:,.0f} h x {listed:.3f} kW + {rented:,.0f} h rented x {more:.3f} kW) x ${usd:.4f}/kWh").format(
                hours=lent.hours, listed=power.drawn.listed_kw, rented=rented, more=power.drawn.rented_kw, usd=price
            ),
            power.facts,
        ),
    ]  # fmt: skip
    if wear is not None:
        lines.append(Line("wear", float(income.wear_usd), wear_how, wear_facts))
    if tax is not None:
        text = _("{rate:.1%} of what is left, nothing on a loss").format(rate=tax.known)
        lines.append(Line("income_tax", float(income.income_tax_usd), text, (tax,)))
    facts = tuple(dict.fromkeys(f for line in lines for f in line.facts))
    lines.append(Line("income", float(income.net_usd), _("revenue less all of these; not counted"), facts))
    first, carried = _paid_out(float(income.paid_usd), terms, setting)
    return replace(
        lent, ask=ask, occupancy=share, income=income, lines=(*lent.lines, *lines),
        first_payout_month=first, carried_usd=carried,
    )  # fmt: skip


def given_rate(terms: Lending) -> Fact | None:
    """Return the rate of income tax as a fact; None where it is unknown."""
    if terms.income_tax_rate is None:
        return None
    return Fact.from_workload("lending.income_tax_rate", terms.income_tax_rate, "share")


def _wear(terms: Lending, hardware: Hardware, setting: Setting) -> tuple[float | None, str, tuple[Fact, ...]]:
    """Wear of a GPU-hour rented, USD, with how and from what; None where the machine's value is unknown.

    Repairs are a share of the machine's value a year: an hour lent out takes the share of one hour more.
    """
    if terms.wear_usd_per_gpu_hour is not None:
        fact = Fact.from_workload(
            "lending.wear_usd_per_gpu_hour", terms.wear_usd_per_gpu_hour, "usd_per_gpu_hour"
        )
        return fact.known, _("${usd:.4f} per GPU-hour as you state").format(usd=fact.known), (fact,)
    value = hardware.price or hardware.resale_now
    if value is None or value.value is None:
        return None, "", ()
    share = setting.assume("repair_share")
    usd = value.value * share.known / HOURS_PER_YEAR
    text = _(
        "repairs of {share:.1%} a year of ${value:,.0f}: ${usd:.4f} for each machine-hour rented"
    ).format(share=share.known, value=value.value, usd=usd)
    return usd / hardware.gpus, text, (value, share)


def _ask(terms: Lending, option: Option, catalog: Catalog) -> Fact | None:
    """The ask of a GPU-hour: the person's own, else the market's price for such a GPU; None if neither is known."""
    meant = terms.ask_gpu is None or gpu_named(catalog, terms.ask_gpu).gpu == option.gpu
    if terms.ask_usd_per_gpu_hour is not None and meant:
        return Fact.from_workload(
            "lending.ask_usd_per_gpu_hour", terms.ask_usd_per_gpu_hour, "usd_per_gpu_hour"
        )
    rows = judged(catalog).filter(
        pl.col("kind").is_in(MARKETS) & pl.col("rankable")
        & (pl.col("gpu") == option.gpu) & (pl.col("term") == "on_demand")
    )  # fmt: skip
    if rows.is_empty():
        return None
    row = rows.sort("usd_per_gpu_hour", "offer_id").row(0, named=True)
    return Fact(
        "catalog", "offers", row["offer_id"], row["usd_per_gpu_hour"], "usd_per_gpu_hour",
        catalog.cite(row["source"]), row["observed_on"], row["confidence"],
        note=_("the lowest price of such a GPU on a marketplace: a lender who asks more waits"),
    )  # fmt: skip


def _paid_out(earned_usd: float, terms: Lending, setting: Setting) -> tuple[int | None, float]:
    """The first month whose end brings money, and what is still owed at the end of the horizon, USD."""
    paid, owed = payouts(np.full(setting.horizon, earned_usd), terms.payout_minimum_usd)
    months = np.flatnonzero(paid)
    return (int(months[0]) + 1 if len(months) else None), owed


def _warnings(option: Option, setting: Setting) -> tuple[str, ...]:
    """What a lender should mind: the licence of the cards, and what contracts at home may forbid."""
    candidate = option.candidate
    assert candidate is not None
    rules = []
    if candidate.gpu.segment == "consumer" and candidate.gpu.vendor == "NVIDIA":
        rules.append(("licence", "geforce_rent_out"))
    if candidate.colocation is None:
        rules += [("hosting", "insurance"), ("hosting", "isp_terms")]
    known = (policy(setting.catalog, topic, "world", item) for topic, item in rules)
    return tuple(rule.text for rule in known if rule is not None)
