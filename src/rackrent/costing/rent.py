"""Cash flows of renting: on demand, committed, spot, by the month, from a provider, a market or a campus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.fact import Fact
from rackrent.catalog.providers import Provider, Tier
from rackrent.costing.egress import egress_cost
from rackrent.costing.interruption import interruption_overhead, monthly_probability_to_rate
from rackrent.costing.rental import Habits, Rentals, rental_money
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream, Payer, at_end, monthly
from rackrent.costing.use import Use
from rackrent.i18n import gettext as _
from rackrent.money import format_usd

COMMITTED_TERMS = frozenset({"reserved_1y", "reserved_3y", "monthly"})
"""Terms that are paid whether the machine is used or not."""
INTERRUPTED_TERMS = frozenset({"spot", "interruptible"})
TERM_MONTHS = {"reserved_1y": 12, "reserved_3y": 36, "monthly": 1}
MINUTES_PER_HOUR = 60.0
SECONDS_PER_HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class Rental:
    """A machine that can be rented.

    `price` is USD an hour for the WHOLE machine, running, without `upfront_usd`, which is paid at the start of
    each term. `minimum_months` must be paid whatever is used. `storage` is USD per GB-month of a disk beside it;
    `egress` the tiers of data out. Both are None where they are unknown.
    """

    term: str
    price: Fact
    upfront_usd: float = 0.0
    minimum_months: float = 0.0
    provider: Provider | None = None
    storage: Fact | None = None
    egress: Sequence[Tier] | None = None


def rent_streams(rental: Rental, use: Use, setting: Setting) -> list[CostStream]:
    """Return the cash flows of renting over the horizon.

    Raises ValueError if a price that is needed is unknown: ask `unknowns` first.
    """
    habits = habits_of(setting)
    money = {part: usd[0] for part, usd in rental_money(_row(rental, use, setting), habits).items()}
    streams = (
        _committed(rental, use, money)
        if rental.term in COMMITTED_TERMS
        else _metered(rental, use, setting, habits, money)
    )
    return streams + _data(rental, setting, money) + time_streams(setting)


def time_streams(setting: Setting) -> list[CostStream]:
    """Return what people's time costs with any rented machine: looking after it, and leaving at the end."""
    funding = setting.workload.funding
    payer: Payer = funding.time_paid_by if funding else "funding"
    rate = setting.hour
    hours, leave = setting.assume("administration_hours_cloud"), setting.assume("exit_hours")
    text = _("{hours:g} h a month x ${rate:,.2f}").format(hours=hours.known, rate=rate.known)
    usd = monthly(hours.known * rate.known, setting.horizon)
    exit_text = _("{hours:g} h x ${rate:,.2f} to move elsewhere").format(hours=leave.known, rate=rate.known)
    exit_usd = at_end(leave.known * rate.known, setting.horizon)
    return [
        CostStream("administration", usd, text, (hours, rate), payer=payer),
        CostStream("exit", exit_usd, exit_text, (leave, rate), payer=payer),
    ]


def unknowns(rental: Rental, setting: Setting) -> list[str]:
    """Return why the cost of this rental cannot be known, one sentence each; empty if it can."""
    data, reasons = setting.workload.data, []
    if rental.price.value is None:
        reasons.append(_("price unknown"))
    if data.storage_gb > 0 and (rental.storage is None or rental.storage.value is None):
        reasons.append(_("price of keeping data there unknown"))
    metered = rental.term not in COMMITTED_TERMS
    stopped = rental.provider.stopped if rental.provider is not None else None
    if setting.workload.between_runs == "stop" and metered and stopped is None:
        reasons.append(_("what a stopped machine costs there is unknown"))
    leaving_gb = data.egress_gb_per_month + data.storage_gb
    if leaving_gb > 0 and (rental.egress is None or egress_cost(rental.egress, leaving_gb) is None):
        reasons.append(_("price of data out unknown"))
    return reasons


def term_months(term: str, minimum_months: float) -> int:
    """Return the months of one term that are paid whatever is used; 0 for metered terms."""
    return max(TERM_MONTHS[term], ceil(minimum_months)) if term in COMMITTED_TERMS else 0


def idle_waste(setting: Setting) -> Fact:
    """Return the share of rented hours that nobody uses: the person's own, else the assumption."""
    given = setting.workload.idle_waste
    return (
        Fact.from_workload("idle_waste", given, "share")
        if given is not None
        else setting.assume("idle_waste")
    )


def habits_of(setting: Setting) -> Habits:
    """Return what holds for every rented machine of the workload."""
    minutes = setting.assume("startup_minutes").known
    starts = setting.sessions_per_month.known
    return Habits(
        idle_waste(setting).known, starts * minutes / MINUTES_PER_HOUR, starts, rework_share(setting)
    )


def rework_share(setting: Setting) -> float:
    """Return hours done twice per hour of work on a machine that may be taken away (Daly); 0 if none may be."""
    if not setting.workload.interruptible:
        return 0.0
    rate = float(monthly_probability_to_rate(setting.assume("spot_interruptions").known))
    mtbf_hours = 1.0 / rate if rate else np.inf
    checkpoint = setting.workload.checkpoint_minutes / MINUTES_PER_HOUR
    restart = setting.assume("startup_minutes").known / MINUTES_PER_HOUR
    return float(interruption_overhead(mtbf_hours, checkpoint, restart))


def stopped_in_full(provider: Provider | None, setting: Setting) -> bool:
    """Whether a machine is kept stopped between runs where stopping bills in full."""
    kept = setting.workload.between_runs == "stop"
    return kept and provider is not None and provider.stopped in ("full", "cannot_stop")


def unit_hours(provider: Provider | None) -> float:
    """Return the unit in which a provider bills time, hours; 0 where it is unknown (nothing is added then)."""
    seconds = None if provider is None else provider.billing_s
    return (seconds or 0.0) / SECONDS_PER_HOUR


def least_hours(provider: Provider | None) -> float:
    """Return the time that each start pays at least, hours; 0 where it is unknown (nothing is added then)."""
    seconds = None if provider is None else provider.minimum_s
    return (seconds or 0.0) / SECONDS_PER_HOUR


def disk_factor(provider: Provider | None, setting: Setting) -> float:
    """What a stopped machine's disk costs over a running one's; 1 where nothing else is known.

    It is 0 for machines kept stopped where a stopped one costs nothing (and forgets its data).
    """
    if setting.workload.between_runs == "stop" and provider is not None and provider.stopped == "nothing":
        return 0.0
    return 1.0 if provider is None or provider.stopped_disk_factor is None else provider.stopped_disk_factor


def data_out_usd(egress: Sequence[Tier] | None, gb: float) -> float:
    """Return what `gb` out in one month costs, USD; NaN where it is unknown."""
    if gb <= 0:
        return 0.0
    cost = None if egress is None else egress_cost(egress, gb)
    return np.nan if cost is None else float(cost)


def leaving_usd(egress: Sequence[Tier] | None, setting: Setting) -> float:
    """Return what moving the kept data out at the end costs on top of that month's data out, USD; NaN if unknown."""
    data = setting.workload.data
    return data_out_usd(egress, data.egress_gb_per_month + data.storage_gb) - data_out_usd(
        egress, data.egress_gb_per_month
    )


def _row(rental: Rental, use: Use, setting: Setting) -> Rentals:
    data = setting.workload.data
    rate = rental.storage.known if data.storage_gb > 0 and rental.storage is not None else 0.0
    return Rentals(
        np.array([rental.price.known]),
        np.array([rental.upfront_usd]),
        np.array([term_months(rental.term, rental.minimum_months)]),
        np.array([rental.term in INTERRUPTED_TERMS]),
        np.array([stopped_in_full(rental.provider, setting)]),
        np.array([unit_hours(rental.provider)]),
        np.array([least_hours(rental.provider)]),
        np.array([data.storage_gb * rate]),
        np.array([disk_factor(rental.provider, setting)]),
        np.array([data_out_usd(rental.egress, data.egress_gb_per_month)]),
        np.array([leaving_usd(rental.egress, setting)]),
        np.array([float(use.machines)]),
        use.busy_hours[np.newaxis, :],
    )


Money = dict[str, NDArray[np.float64]]


def _committed(rental: Rental, use: Use, money: Money) -> list[CostStream]:
    text = _(
        "{n} x ${price:.4f}/h x 730 h every month, used or not, in terms of {term} months renewed to the horizon"
    ).format(n=use.machines, price=rental.price.known, term=term_months(rental.term, rental.minimum_months))
    if rental.upfront_usd:
        text += _(", and ${upfront:,.2f} at the start of each").format(
            upfront=use.machines * rental.upfront_usd
        )
    return [CostStream("commitment", money["commitment"], text, (rental.price,), tax_basis="excl")]


def _metered(rental: Rental, use: Use, setting: Setting, habits: Habits, money: Money) -> list[CostStream]:
    price, hours = rental.price.known, float(use.busy_hours.sum())
    waste, starts, minutes = (
        idle_waste(setting),
        setting.sessions_per_month,
        setting.assume("startup_minutes"),
    )
    text = _("{hours:,.0f} machine-hours of work x ${price:.4f}").format(hours=hours, price=price)
    streams = [CostStream("rent", money["rent"], text, (rental.price,), tax_basis="excl", per_use=True)]
    text = _("{share:.0%} of rented hours unused: {hours:,.0f} h x ${price:.4f}").format(
        share=waste.known, hours=hours * waste.known / (1.0 - waste.known), price=price
    )
    of_waste = (waste, rental.price)
    streams.append(CostStream("idle", money["idle"], text, of_waste, tax_basis="excl", per_use=True))
    text = _("{n:g} starts a month x {minutes:g} min x ${price:.4f}/h").format(
        n=starts.known, minutes=minutes.known, price=price
    )
    of_starts = (starts, minutes, rental.price)
    streams.append(CostStream("startup", money["startup"], text, of_starts, tax_basis="excl"))
    if money["rounding"].any():
        assert rental.provider is not None
        text = _(
            "{n:g} starts a month billed in units of {unit:g} h, at least {least:g} h each: {hours:,.1f} h beyond use x ${price:.4f}"
        ).format(
            n=starts.known,
            unit=unit_hours(rental.provider),
            least=least_hours(rental.provider),
            hours=money["rounding"].sum() / price,
            price=price,
        )
        of_rounding = (starts, rental.provider.billing_fact, rental.price)
        streams.append(CostStream("rounding", money["rounding"], text, of_rounding, tax_basis="excl"))
    if rental.term in INTERRUPTED_TERMS:
        chance = setting.assume("spot_interruptions")
        save = Fact.from_workload("checkpoint_minutes", setting.workload.checkpoint_minutes, "minutes")
        text = _("{share:.2%} more hours for checkpoints and restarts: {hours:,.1f} h x ${price:.4f}").format(
            share=habits.rework, hours=hours * habits.rework, price=price
        )
        of_rework = (chance, save, minutes, rental.price)
        streams.append(
            CostStream(
                "rework",
                money["rework"],
                text,
                of_rework,
                tax_basis="excl",
                shares=(("startup_minutes", 0.0),),
                per_use=True,
            )
        )
    if stopped_in_full(rental.provider, setting):
        assert rental.provider is not None
        text = _("{usd} for hours stopped, billed in full at ${price:.4f}").format(
            usd=format_usd(float(money["stopped"].sum())), price=price
        )
        of_stopping = (rental.price, rental.provider.stopped_fact)
        streams.append(CostStream("idle", money["stopped"], text, of_stopping, tax_basis="excl"))
    return streams


def _data(rental: Rental, setting: Setting, money: Money) -> list[CostStream]:
    """Storage beside the GPU all the time, data out each month, and everything moved out at the end."""
    data, streams = setting.workload.data, []
    if data.storage_gb > 0:
        assert rental.storage is not None
        asked = Fact.from_workload("data.storage_gb", data.storage_gb, "gb")
        factor = disk_factor(rental.provider, setting) if rental.term not in COMMITTED_TERMS else 1.0
        text = _("{gb:,.0f} GB x ${rate:.4f} a month, running or stopped").format(
            gb=data.storage_gb, rate=rental.storage.known
        )
        if factor != 1.0:
            text += _(" ({factor:g} times as much while stopped)").format(factor=factor)
        streams.append(
            CostStream("storage", money["storage"], text, (asked, rental.storage), tax_basis="excl")
        )
    for part, gb, field in (
        ("egress", data.egress_gb_per_month, "data.egress_gb_per_month"),
        ("exit", data.storage_gb, "data.storage_gb"),
    ):
        if gb > 0:
            assert rental.egress is not None
            text = _("{gb:,.0f} GB out through the provider's tiers: ${usd:,.2f}").format(
                gb=gb, usd=money[part][-1]
            )
            facts = (Fact.from_workload(field, gb, "gb"), *(t.fact for t in rental.egress))
            streams.append(CostStream(part, money[part], text, facts, tax_basis="excl"))
    return streams
