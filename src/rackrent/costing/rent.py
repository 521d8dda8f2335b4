"""Cash flows of renting: on demand, committed, spot, by the month, from a provider, a market or a campus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rackrent.catalog.fact import Fact
from rackrent.catalog.providers import Provider, Tier
from rackrent.costing.egress import egress_cost
from rackrent.costing.finance import commitment_flows
from rackrent.costing.interruption import interruption_overhead, monthly_probability_to_rate
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream, at_end, monthly
from rackrent.costing.use import Use
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_MONTH

COMMITTED_TERMS = frozenset({"reserved_1y", "reserved_3y", "monthly"})
"""Terms that are paid whether the machine is used or not."""
INTERRUPTED_TERMS = frozenset({"spot", "interruptible"})
TERM_MONTHS = {"reserved_1y": 12, "reserved_3y": 36, "monthly": 1}
MINUTES_PER_HOUR = 60.0


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
    streams = (
        _committed(rental, use, setting) if rental.term in COMMITTED_TERMS else _metered(rental, use, setting)
    )
    streams += _data(rental, use, setting)
    hours, rate = setting.assume("administration_hours_cloud"), setting.hour
    text = _("{hours:g} h a month x ${rate:,.2f}").format(hours=hours.known, rate=rate.known)
    time_payer = setting.workload.funding.time_paid_by if setting.workload.funding else "funding"
    usd = monthly(hours.known * rate.known, setting.horizon)
    streams.append(CostStream("administration", usd, text, (hours, rate), payer=time_payer))
    leave = setting.assume("exit_hours")
    text = _("{hours:g} h x ${rate:,.2f} to move elsewhere").format(hours=leave.known, rate=rate.known)
    exit_usd = at_end(leave.known * rate.known, setting.horizon)
    streams.append(CostStream("exit", exit_usd, text, (leave, rate), payer=time_payer))
    return streams


def unknowns(rental: Rental, setting: Setting) -> list[str]:
    """Return why the cost of this rental cannot be known, one sentence each; empty if it can."""
    data, reasons = setting.workload.data, []
    if rental.price.value is None:
        reasons.append(_("price unknown"))
    if data.storage_gb > 0 and (rental.storage is None or rental.storage.value is None):
        reasons.append(_("price of keeping data there unknown"))
    leaving_gb = data.egress_gb_per_month + data.storage_gb
    if leaving_gb > 0 and (rental.egress is None or egress_cost(rental.egress, leaving_gb) is None):
        reasons.append(_("price of data out unknown"))
    return reasons


def _committed(rental: Rental, use: Use, setting: Setting) -> list[CostStream]:
    term = max(TERM_MONTHS[rental.term], int(rental.minimum_months) or 1)
    per_month = rental.price.known * HOURS_PER_MONTH
    usd = use.machines * commitment_flows(per_month, rental.upfront_usd, term, setting.horizon)
    text = _("{n} x ${price:.4f}/h x 730 h every month, used or not, in terms of {term} months").format(
        n=use.machines, price=rental.price.known, term=term
    )
    if rental.upfront_usd:
        text += _(", and ${upfront:,.2f} at the start of each").format(
            upfront=use.machines * rental.upfront_usd
        )
    return [CostStream("commitment", usd, text, (rental.price,), tax_basis="excl")]


def _metered(rental: Rental, use: Use, setting: Setting) -> list[CostStream]:
    h, price = setting.horizon, rental.price.known
    total_hours = float(use.busy_hours.sum())
    text = _("{hours:,.0f} machine-hours of work x ${price:.4f}").format(hours=total_hours, price=price)
    streams = [
        CostStream(
            "rent", monthly(use.busy_hours * price, h), text, (rental.price,), tax_basis="excl", per_use=True
        )
    ]
    waste = _idle_waste(setting)
    wasted = use.busy_hours * waste.known / (1.0 - waste.known)
    text = _("{share:.0%} of rented hours unused: {hours:,.0f} h x ${price:.4f}").format(
        share=waste.known, hours=wasted.sum(), price=price
    )
    streams.append(
        CostStream(
            "idle", monthly(wasted * price, h), text, (waste, rental.price), tax_basis="excl", per_use=True
        )
    )
    starts, minutes = setting.sessions_per_month, setting.assume("startup_minutes")
    working = use.busy_hours > 0
    start_hours = starts.known * minutes.known / MINUTES_PER_HOUR
    text = _("{n:g} starts a month x {minutes:g} min x ${price:.4f}/h").format(
        n=starts.known, minutes=minutes.known, price=price
    )
    usd = monthly(np.where(working, start_hours * price, 0.0), h)
    streams.append(CostStream("startup", usd, text, (starts, minutes, rental.price), tax_basis="excl"))
    if rental.term in INTERRUPTED_TERMS:
        streams.append(_rework(rental, use, setting))
    streams += _between_runs(rental, use, setting)
    return streams


def _idle_waste(setting: Setting) -> Fact:
    given = setting.workload.idle_waste
    return (
        Fact.from_workload("idle_waste", given, "share")
        if given is not None
        else setting.assume("idle_waste")
    )


def _rework(rental: Rental, use: Use, setting: Setting) -> CostStream:
    """Hours done twice because the machine was taken away, with checkpoints at the Young/Daly interval."""
    chance = setting.assume("spot_interruptions")
    minutes = setting.workload.checkpoint_minutes
    checkpoint = Fact.from_workload("checkpoint_minutes", minutes, "minutes")
    restart = setting.assume("startup_minutes")
    rate = float(monthly_probability_to_rate(chance.known))
    mtbf_hours = 1.0 / rate if rate else np.inf
    extra = float(
        interruption_overhead(mtbf_hours, minutes / MINUTES_PER_HOUR, restart.known / MINUTES_PER_HOUR)
    )
    hours = use.busy_hours * extra
    text = _("{share:.2%} more hours for checkpoints and restarts: {hours:,.1f} h x ${price:.4f}").format(
        share=extra, hours=hours.sum(), price=rental.price.known
    )
    facts = (chance, checkpoint, restart, rental.price)
    usd = monthly(hours * rental.price.known, setting.horizon)
    return CostStream("rework", usd, text, facts, tax_basis="excl", per_use=True)


def _between_runs(rental: Rental, use: Use, setting: Setting) -> list[CostStream]:
    """A machine kept stopped where stopping bills in full; nothing where it is ended between runs."""
    provider = rental.provider
    stops_in_full = provider is not None and provider.stopped in ("full", "cannot_stop")
    if setting.workload.between_runs != "stop" or not stops_in_full:
        return []
    assert provider is not None
    stopped = np.maximum(use.machines * HOURS_PER_MONTH - use.busy_hours, 0.0)
    text = _("{hours:,.0f} h stopped, billed in full, x ${price:.4f}").format(
        hours=stopped.sum(), price=rental.price.known
    )
    usd = monthly(stopped * rental.price.known, setting.horizon)
    return [CostStream("idle", usd, text, (rental.price, provider.stopped_fact), tax_basis="excl")]


def _data(rental: Rental, use: Use, setting: Setting) -> list[CostStream]:
    """Storage beside the GPU all the time, data out each month, and everything moved out at the end."""
    data, h = setting.workload.data, setting.horizon
    streams = []
    if data.storage_gb > 0:
        assert rental.storage is not None
        asked = Fact.from_workload("data.storage_gb", data.storage_gb, "gb")
        factor = rental.provider.stopped_disk_factor or 1.0 if rental.provider is not None else 1.0
        stopped_share = 1.0 - np.minimum(use.busy_hours / (use.machines * HOURS_PER_MONTH), 1.0)
        rate = rental.storage.known
        usd = monthly(data.storage_gb * rate * (1.0 + (factor - 1.0) * stopped_share), h)
        text = _("{gb:,.0f} GB x ${rate:.4f} a month, running or stopped").format(
            gb=data.storage_gb, rate=rate
        )
        if factor != 1.0:
            text += _(" ({factor:g} times as much while stopped)").format(factor=factor)
        streams.append(CostStream("storage", usd, text, (asked, rental.storage), tax_basis="excl"))
    if data.egress_gb_per_month > 0:
        streams.append(
            _egress(rental, data.egress_gb_per_month, "data.egress_gb_per_month", setting, "egress")
        )
    if data.storage_gb > 0:
        streams.append(_egress(rental, data.storage_gb, "data.storage_gb", setting, "exit"))
    return streams


def _egress(rental: Rental, gb: float, field: str, setting: Setting, category: str) -> CostStream:
    assert rental.egress is not None
    cost = egress_cost(rental.egress, gb)
    assert cost is not None
    usd = float(cost)
    moved = Fact.from_workload(field, gb, "gb")
    text = _("{gb:,.0f} GB out through the provider's tiers: ${usd:,.2f}").format(gb=gb, usd=usd)
    spread = at_end(usd, setting.horizon) if category == "exit" else monthly(usd, setting.horizon)
    tiers = tuple(t.fact for t in rental.egress)
    return CostStream(category, spread, text, (moved, *tiers), tax_basis="excl")
