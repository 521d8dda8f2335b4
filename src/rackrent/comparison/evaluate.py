"""From a candidate to a costed option: can it do the work, in what time, for what money, with what energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from rackrent.catalog.fact import Fact
from rackrent.catalog.places import carbon
from rackrent.comparison.candidate import Candidate
from rackrent.comparison.delivered import speed_of
from rackrent.comparison.feasibility import (
    budget_reasons,
    machine_reasons,
    seller_reasons,
    shape_for,
    time_reasons,
)
from rackrent.comparison.option import OWNED_KINDS, Option
from rackrent.comparison.owned import resale_today
from rackrent.costing import own, rent
from rackrent.costing.finance import npv
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream, Payer, at_start
from rackrent.costing.transfers import credit_streams, indirect_streams, tax_streams, waiting_stream
from rackrent.costing.use import Shape, Use, finish_of, machines_needed
from rackrent.i18n import gettext as _
from rackrent.speed import Speed
from rackrent.units import (
    DAYS_PER_MONTH,
    HOURS_PER_MONTH,
    MONTHS_PER_YEAR,
    SECONDS_PER_HOUR,
    WATTS_PER_KW,
    WEEKS_PER_MONTH,
)

MEGABITS_PER_GB = 8_000.0
GRAMS_PER_KG = 1_000.0
GPUS_PER_SERVER = 8.0
"""A rented GPU bears this share of its server's making."""


def evaluate(candidate: Candidate, setting: Setting) -> Option:
    """Return the option that `candidate` makes for the workload: costed, or with the reasons why it is out."""
    w = setting.workload
    speed = speed_of(candidate, setting)
    option = _bare(candidate, setting, speed)
    reasons = [*candidate.against, *seller_reasons(candidate, w), *machine_reasons(candidate, w)]
    if speed.ratio is None:
        reasons.append(_("speed on this work unknown"))
    shape = shape_for(candidate, w)
    if reasons or shape is None or speed.ratio is None:
        return option.with_reasons(*reasons)
    use, too_slow = use_of(candidate, shape, speed.ratio, setting)
    reasons = [*too_slow, *time_reasons(candidate, use, w), *_unknowns(candidate, use, setting)]
    if reasons:
        return option.with_reasons(*reasons)
    return _costed(candidate, option, use, setting)


def use_of(candidate: Candidate, shape: Shape, ratio: float, setting: Setting) -> tuple[Use, list[str]]:
    """Return how the candidate's machines are used, and why they cannot finish in time (empty if they can).

    Work is the same for every option: a card of half the speed needs twice the hours.
    """
    w = setting.workload
    gpu_hours = setting.work / ratio
    busy_hours = gpu_hours / w.gpus * shape.machine_share
    at_most = ceil(w.jobs_at_once * shape.machine_share)
    needed = machines_needed(busy_hours)
    if candidate.machines_have is not None:
        at_most = min(at_most, candidate.machines_have)
    # A rented machine is there only while it works: as many as the runs allow. A committed or own one is
    # paid all the time: as few as can do the busiest month.
    elastic = candidate.rental is not None and candidate.rental.term not in rent.COMMITTED_TERMS
    machines = at_most if elastic else min(needed, at_most)
    start = start_month(candidate, setting)
    gpus_busy = min(candidate.gpus, w.gpus / shape.machine_share)
    run_hours = w.demand.hours_per_job / ratio if w.demand.hours_per_job is not None else None
    use = Use(machines, busy_hours, gpus_busy, finish_of(busy_hours, machines, start), start, run_hours)
    reasons = []
    if needed > at_most:
        wall = float(busy_hours.max()) / at_most
        reasons.append(
            _("the busiest month needs {wall:,.0f} h on what may run at once; it has {month:.0f}").format(
                wall=wall, month=HOURS_PER_MONTH
            )
        )
    if candidate.gpu_hours_cap is not None and float(gpu_hours.max()) > candidate.gpu_hours_cap:
        reasons.append(
            _("{need:,.0f} GPU-hours in a month, {cap:,.0f} allowed").format(
                need=float(gpu_hours.max()), cap=candidate.gpu_hours_cap
            )
        )
    return use, reasons


def start_month(candidate: Candidate, setting: Setting) -> float:
    """Return when the first work can start, in months: delivery of hardware, or upload of the data."""
    if candidate.lead is not None:
        return setting.assume(candidate.lead).known / WEEKS_PER_MONTH
    if candidate.machines_have is not None:
        return 0.0
    return upload_month(setting) + candidate.wait_hours / HOURS_PER_MONTH


def upload_month(setting: Setting) -> float:
    """Return how long the data takes to a rented machine, in months."""
    data = setting.workload.data
    return data.upload_gb * MEGABITS_PER_GB / data.upload_mbps / SECONDS_PER_HOUR / HOURS_PER_MONTH


def _bare(candidate: Candidate, setting: Setting, speed: Speed) -> Option:
    return Option(
        id=candidate.id,
        kind=candidate.kind,
        provider=candidate.provider,
        name=candidate.name,
        region=candidate.region,
        term=candidate.term,
        gpu=candidate.gpu.gpu,
        gpu_count=candidate.gpus,
        price=candidate.price,
        discount_rate=setting.workload.discount_rate,
        speed=speed,
        warnings=candidate.warnings,
        noise_dba=candidate.gpu.noise_load_dba if candidate.kind in OWNED_KINDS else None,
        candidate=candidate,
    )


def _unknowns(candidate: Candidate, use: Use, setting: Setting) -> list[str]:
    if candidate.hardware is not None:
        return own.unknowns(candidate.hardware, use, setting, _site(candidate, setting))
    assert candidate.rental is not None
    return rent.unknowns(candidate.rental, setting)


def _site(candidate: Candidate, setting: Setting) -> str:
    return "colocation" if candidate.colocation is not None else setting.workload.location.site


def _costed(candidate: Candidate, option: Option, use: Use, setting: Setting) -> Option:
    streams: list[CostStream]
    machine_price = None
    if candidate.hardware is not None:
        site = _site(candidate, setting)
        streams = own.own_streams(
            candidate.hardware, use, setting, site=site, colocation=candidate.colocation
        )
        machine_price = candidate.hardware.price.value if candidate.hardware.price else None
    else:
        assert candidate.rental is not None
        streams = rent.rent_streams(candidate.rental, use, setting)
        streams += credit_streams(streams, candidate.provider, setting)
    kept = {candidate.have: use.machines} if candidate.have is not None else {}
    streams += _sale_of_what_you_have(setting, kept)
    streams += waiting_stream(use.start_month * DAYS_PER_MONTH, setting)
    streams += tax_streams(streams, setting)
    streams += indirect_streams(streams, machine_price, setting.workload.funding)
    energy = _energy_kwh(candidate, use, setting)
    intensity = _carbon(candidate, setting)
    costed = replace(
        option,
        use=use,
        streams=tuple(streams),
        warnings=(*option.warnings, *(s.mind for s in streams if s.mind)),
        energy_kwh=energy,
        co2_use_kg=None
        if energy is None or intensity is None or intensity.value is None
        else energy * intensity.value / GRAMS_PER_KG,
        co2_embodied_kg=_embodied_kg(candidate, use, setting),
    )
    return replace(costed, reasons_on_budget=budget_reasons(costed, setting))


@dataclass(frozen=True)
class Shared:
    """What every offer of the market shares: when its work starts (months), and the costs that no offer changes.

    `npv_usd` is their present value for everyone, `on_budget_usd` (months + 1,) the cash that the funding pays.
    """

    start_month: float
    npv_usd: float
    on_budget_usd: NDArray[np.float64]


def shared_by_offers(setting: Setting) -> Shared:
    """Return what every offer of the market shares: people's time, the sale of what you have, waiting."""
    streams = shared_streams(setting)
    everyone = np.sum([s.usd for s in streams], axis=0)
    paid = [s.usd for s in streams if s.payer == "funding"]
    on_budget = np.sum(paid, axis=0) if paid else np.zeros_like(everyone)
    return Shared(upload_month(setting), float(npv(everyone, setting.workload.discount_rate)), on_budget)


def shared_streams(setting: Setting) -> list[CostStream]:
    """Return the streams that every offer of the market has alike."""
    streams = rent.time_streams(setting) + _sale_of_what_you_have(setting)
    return streams + waiting_stream(upload_month(setting) * DAYS_PER_MONTH, setting)


def _sale_of_what_you_have(setting: Setting, kept: Mapping[int, int] | None = None) -> list[CostStream]:
    """Machines that are not kept can be sold now. `kept` is how many of each entry of `have` stay in use."""
    funding = setting.workload.funding
    payer: Payer = funding.resale_kept_by if funding else "funding"
    out = []
    for index, machine in enumerate(setting.workload.have):
        now = resale_today(setting.catalog, machine, index)
        if now is None or not now.value:
            continue
        sold = machine.machines - (kept or {}).get(index, 0)
        if sold <= 0:
            continue
        cost = setting.assume("resale_selling_cost")
        usd = sold * now.value * (1 - cost.known)
        text = _("{n} x ${price:,.0f} today less {cost:.1%} selling cost").format(
            n=sold, price=now.value, cost=cost.known
        )
        out.append(CostStream("opportunity", at_start(-usd, setting.horizon), text, (now, cost), payer=payer))
    return out


def _energy_kwh(candidate: Candidate, use: Use, setting: Setting) -> float | None:
    """Energy into the site over the horizon, kWh. Rented: while it is rented, with the operator's PUE.

    A committed machine idles for you when it does not work.
    """
    if candidate.hardware is not None:
        return own.energy_kwh(candidate.hardware, use, setting, _site(candidate, setting))
    if candidate.gpu.tdp_w is None:
        return None
    rest, efficiency = (
        setting.assume("idle_watts_machine").known,
        setting.assume("power_supply_efficiency").known,
    )
    working = use.gpus_busy * candidate.gpu.tdp_w * setting.assume("load_share_of_tdp").known + rest
    resting = candidate.gpus * own.idle_watts_of_card(candidate.gpu, setting) + rest
    busy = float(use.busy_hours.sum())
    if candidate.term in rent.COMMITTED_TERMS:
        idle = max(use.machines * HOURS_PER_MONTH * setting.horizon - busy, 0.0)
    else:
        waste = rent.idle_waste(setting).known
        idle = busy * waste / (1.0 - waste)
    watt_hours = (busy * working + idle * resting) / efficiency
    return watt_hours / WATTS_PER_KW * setting.pue(candidate.provider).known


def _carbon(candidate: Candidate, setting: Setting) -> Fact | None:
    where = setting.workload.location
    if candidate.hardware is not None or candidate.kind == "campus":
        return carbon(setting.catalog, where.country, where.region)
    cloud_region = f"gcp:{candidate.region}" if candidate.provider == "GCP" else None
    return carbon(setting.catalog, candidate.country, None, cloud_region)


def _embodied_kg(candidate: Candidate, use: Use, setting: Setting) -> float:
    """CO2 of making the hardware, kg: all of it where you buy, your hours' share of its life where you rent."""
    cards = candidate.gpus * setting.assume("embodied_co2_gpu").known
    if candidate.hardware is not None:
        body = "embodied_co2_desktop" if candidate.kind == "own_build" else "embodied_co2_server"
        return 0.0 if candidate.hardware.yours else use.machines * (cards + setting.assume(body).known)
    each = cards + setting.assume("embodied_co2_server").known * candidate.gpus / GPUS_PER_SERVER
    life_hours = setting.assume("hardware_life_years").known * HOURS_PER_MONTH * MONTHS_PER_YEAR
    committed = candidate.term in rent.COMMITTED_TERMS
    hours = use.machines * HOURS_PER_MONTH * setting.horizon if committed else float(np.sum(use.busy_hours))
    return each * hours / life_hours
