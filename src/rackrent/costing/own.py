"""Cash flows of owning a machine: bought, kept (already yours), or placed in a colocation site."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, Part, resale
from rackrent.costing.finance import declining_balance, straight_line
from rackrent.costing.resale import gpu_resale_usd
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream, Payer, TaxBasis, at_end, at_start, monthly
from rackrent.costing.use import Use
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.units import DAYS_PER_YEAR, HOURS_PER_MONTH, MONTHS_PER_YEAR, WATTS_PER_KW

KW_PER_COOLER = 5.0
"""The assumption `cooling_capital` is per this many kW."""
REST_SHARE_YEARS = 3.0
"""The assumption `resale_rest_share` is the share left after this many years."""
RESALE_SEGMENTS = {
    "consumer": "consumer_gpu",
    "workstation": "datacenter_gpu",
    "datacenter": "datacenter_gpu",
}


@dataclass(frozen=True, slots=True)
class Hardware:
    """One machine that is, or would be, owned.

    `price` is for the whole machine before tax (USD); None if unknown. `gpu_price_usd` is the part of it that
    is the GPUs; `parts` are what it is the sum of (empty: one price for the whole). `rated_kw` is the vendor's rating; `load_kw` and `idle_kw` are figures the person gave.
    `yours` says that it is owned already; `resale_now` is then what it would sell for today.
    """

    gpu: Gpu
    gpus: int
    price: Fact | None
    gpu_price_usd: float | None = None
    rated_kw: Fact | None = None
    load_kw: Fact | None = None
    idle_kw: Fact | None = None
    assembled_by_you: bool = False
    yours: bool = False
    resale_now: Fact | None = None
    parts: tuple[Part, ...] = ()


def busy_kw(
    hardware: Hardware, gpus_busy: float, setting: Setting
) -> tuple[float, tuple[Fact, ...], str] | None:
    """Return what a working machine draws at the wall (kW), the facts behind it and the formula; None if unknown.

    The person's figure is used as it is; a vendor's rating is scaled by `load_share_of_tdp` (an 8x H100 node rated
    10.2 kW was measured at 8.4); a build is (GPUs x TDP x share + rest of the machine) / supply efficiency.
    """
    if hardware.load_kw is not None:
        return (
            hardware.load_kw.known,
            (hardware.load_kw,),
            _("{kw:.3g} kW as you state").format(kw=hardware.load_kw.known),
        )
    share = setting.assume("load_share_of_tdp")
    if hardware.rated_kw is not None and hardware.rated_kw.value is not None:
        rated = hardware.rated_kw.value
        idle = rated * setting.assume("idle_share_of_rating").known
        full = rated * share.known
        kw = idle + (full - idle) * gpus_busy / hardware.gpus
        text = _("rated {rated:.3g} kW x {share:.2f} under load").format(rated=rated, share=share.known)
        return kw, (hardware.rated_kw, share, setting.assume("idle_share_of_rating")), text
    if hardware.gpu.tdp_w is None:
        return None
    rest, efficiency = setting.assume("idle_watts_machine"), setting.assume("power_supply_efficiency")
    card = hardware.gpu.fact("tdp_w", "w")
    resting = (hardware.gpus - gpus_busy) * idle_watts_of_card(hardware.gpu, setting)
    watts = (gpus_busy * hardware.gpu.tdp_w * share.known + resting + rest.known) / efficiency.known
    text = _("({n:g} x {tdp:g} W x {share:.2f} + {rest:g} W) / {efficiency:.2f} supply efficiency = {kw:.3f} kW").format(
        n=gpus_busy, tdp=hardware.gpu.tdp_w, share=share.known, rest=rest.known + resting, efficiency=efficiency.known,
        kw=watts / WATTS_PER_KW,
    )  # fmt: skip
    return watts / WATTS_PER_KW, (card, share, rest, efficiency), text


def idle_watts_of_card(gpu: Gpu, setting: Setting) -> float:
    """Return what one card draws when idle (W): measured, else a share of its rating."""
    if gpu.idle_w is not None:
        return gpu.idle_w
    return (gpu.tdp_w or 0.0) * setting.assume("idle_share_of_tdp").known


def idle_kw(hardware: Hardware, setting: Setting) -> tuple[float, tuple[Fact, ...], str]:
    """Return what an idle machine draws at the wall (kW), the facts behind it and the formula."""
    if hardware.idle_kw is not None:
        kw = hardware.idle_kw.known
        return kw, (hardware.idle_kw,), _("{watts:.0f} W idle as you state").format(watts=kw * WATTS_PER_KW)
    stated = hardware.load_kw or hardware.rated_kw
    if stated is not None and stated.value is not None:
        share = setting.assume("idle_share_of_rating")
        text = _("{share:.2f} of {kw:.3g} kW when idle").format(share=share.known, kw=stated.value)
        return stated.value * share.known, (stated, share), text
    rest, efficiency = setting.assume("idle_watts_machine"), setting.assume("power_supply_efficiency")
    card = idle_watts_of_card(hardware.gpu, setting)
    kw = (rest.known + hardware.gpus * card) / efficiency.known / WATTS_PER_KW
    if hardware.gpu.idle_w is not None:
        of_card: tuple[Fact, ...] = (hardware.gpu.fact("idle_w", "w"),)
    else:
        of_card = (hardware.gpu.fact("tdp_w", "w"), setting.assume("idle_share_of_tdp"))
    text = _("({rest:g} W + {n} x {card:.0f} W idle) / {efficiency:.2f} supply efficiency").format(
        rest=rest.known, n=hardware.gpus, card=card, efficiency=efficiency.known
    )
    return kw, (rest, *of_card, efficiency), text


def own_streams(
    hardware: Hardware, use: Use, setting: Setting, *, site: str, colocation: Fact | None = None
) -> list[CostStream]:
    """Return the cash flows of owning `use.machines` machines at `site` over the horizon.

    `colocation` is a rate per kW and month: space and cooling are then in it, electricity is not. Raises
    ValueError if price, power or tariff is unknown: ask `unknowns` first.
    """
    funding = setting.workload.funding
    power_payer: Payer = funding.power_paid_by if funding else "funding"
    time_payer: Payer = funding.time_paid_by if funding else "funding"
    streams = [] if hardware.yours else _purchase(hardware, use, setting, time_payer)
    streams += _administration(hardware, use, setting, time_payer)
    streams += _power(hardware, use, setting, site, power_payer)
    load = busy_kw(hardware, use.gpus_busy, setting)
    assert load is not None
    total_kw = load[0] * use.machines
    if colocation is not None:
        rate = colocation.known
        text = _("{kw:.2f} kW x ${rate:,.2f} per kW and month").format(kw=total_kw, rate=rate)
        streams.append(
            CostStream(
                "colocation",
                monthly(total_kw * rate, setting.horizon),
                text,
                (colocation, *load[1]),
                tax_basis="excl",
            )
        )
        streams += _line(setting, "dedicated_line", "funding")
        hands = setting.assume("remote_hands")
        text = _("{n} x ${rate:,.2f} a month for hands on site").format(n=use.machines, rate=hands.known)
        usd = monthly(use.machines * hands.known, setting.horizon)
        streams.append(CostStream("colocation", usd, text, (hands,), tax_basis="excl"))
    else:
        streams += _housing(use, setting, site, total_kw, power_payer)
    streams += _upkeep_and_end(hardware, use, setting)
    return streams


def unknowns(hardware: Hardware, use: Use, setting: Setting, site: str) -> list[str]:
    """Return why the cost of this machine cannot be known, one sentence each; empty if it can."""
    reasons = []
    if not hardware.yours and (hardware.price is None or hardware.price.value is None):
        reasons.append(_("price unknown"))
    load = busy_kw(hardware, use.gpus_busy, setting)
    if load is None:
        reasons.append(_("power draw unknown"))
    elif (idle := idle_kw(hardware, setting)[0]) > load[0]:
        reasons.append(
            _("draws {idle:.0f} W idle and {load:.0f} W working: give power_kw").format(
                idle=idle * WATTS_PER_KW, load=load[0] * WATTS_PER_KW
            )
        )
    if setting.tariff(site) is None:
        country = setting.workload.location.country
        reasons.append(
            _("electricity price in {country} unknown: set own.usd_per_kwh").format(country=country)
        )
    return reasons


def _purchase(hardware: Hardware, use: Use, setting: Setting, time_payer: Payer) -> list[CostStream]:
    assert hardware.price is not None
    h, price = setting.horizon, hardware.price.known
    shipping = setting.assume("shipping_share")
    text = _("{n} x ${price:,.2f}").format(n=use.machines, price=price)
    if hardware.parts:
        text = _("{text}, the sum of {parts}").format(text=text, parts=_sum_of(hardware.parts))
    streams = [
        CostStream(
            "hardware",
            at_start(use.machines * price, h),
            text,
            (hardware.price, *(p.price for p in hardware.parts)),
            tax_basis="excl",
        ),
        CostStream(
            "shipping",
            at_start(use.machines * price * shipping.known, h),
            _("{share:.1%} of ${price:,.2f}").format(share=shipping.known, price=use.machines * price),
            (hardware.price, shipping),
            tax_basis="excl",
        ),
    ]
    if hardware.assembled_by_you:
        hours, rate = setting.assume("assembly_hours"), setting.hour
        streams.append(
            CostStream(
                "assembly",
                at_start(use.machines * hours.known * rate.known, h),
                _("{n} x {hours:g} h x ${rate:,.2f}").format(
                    n=use.machines, hours=hours.known, rate=rate.known
                ),
                (hours, rate),
                payer=time_payer,
            )
        )
    return streams


def _sum_of(parts: tuple[Part, ...]) -> str:
    """Return the prices of parts as a sum, in their order."""
    each = (f"{p.quantity} x " * (p.quantity > 1) + f"${p.price.known:,.2f}" for p in parts)
    return " + ".join(each)


def _administration(hardware: Hardware, use: Use, setting: Setting, payer: Payer) -> list[CostStream]:
    first, later, rate = (
        setting.assume("administration_hours_first_month"),
        setting.assume("administration_hours"),
        setting.hour,
    )
    hours = np.full(setting.horizon, later.known)
    if not hardware.yours:
        hours[0] = first.known
    text = _("{n} x ({first:g} h in the first month, then {later:g} h) x ${rate:,.2f}").format(
        n=use.machines, first=hours[0], later=later.known, rate=rate.known
    )
    usd = monthly(use.machines * hours * rate.known, setting.horizon)
    if hardware.yours:
        return [CostStream("administration", usd, text, (later, rate), payer=payer)]
    at_first = float(hours[0] / hours.sum()) if hours.any() else 0.0
    shares = ((first.key, at_first), (later.key, 1.0 - at_first))
    return [CostStream("administration", usd, text, (first, later, rate), payer=payer, shares=shares)]


def _power(hardware: Hardware, use: Use, setting: Setting, site: str, payer: Payer) -> list[CostStream]:
    """Electricity in two streams: idling all the time, and what working adds (proportional to the hours)."""
    load, tariff = busy_kw(hardware, use.gpus_busy, setting), setting.tariff(site)
    assert load is not None
    assert tariff is not None
    site_pue, rest = setting.pue(site), idle_kw(hardware, setting)
    rate = tariff.fact.known
    basis: TaxBasis = "incl" if tariff.tax_basis != "excl" else "excl"
    if tariff.tax_basis == "incl":
        rate /= 1.0 + setting.included_tax
    on = setting.workload.own.powered_when_idle
    always_kw = rest[0] if on else 0.0
    h, m = setting.horizon, use.machines
    price_text = _("x PUE {pue:.2f} x ${rate:.4f}/kWh").format(pue=site_pue.known, rate=rate)
    streams = []
    if on:
        usd = m * always_kw * HOURS_PER_MONTH * site_pue.known * rate
        text = (
            _("{n} x {kw:.3f} kW ({how}) x 730 h").format(n=m, kw=always_kw, how=rest[2]) + " " + price_text
        )
        facts = (*rest[1], site_pue, tariff.fact)
        # Of a machine that idles at so many watts and its cards at others, each moves its own part.
        machine = next((f.known for f in rest[1] if f.key.endswith("idle_watts_machine")), 0.0)
        efficiency = next((f.known for f in rest[1] if f.key.endswith("power_supply_efficiency")), 1.0)
        of_machine = min(1.0, machine / efficiency / WATTS_PER_KW / always_kw) if always_kw else 0.0
        idle_shares = (("idle_watts_machine", of_machine), ("idle_share_of_tdp", 1.0 - of_machine))
        streams.append(CostStream("power", monthly(usd, h), text, facts, payer, basis, shares=idle_shares))
    extra = load[0] - always_kw
    text = _("{hours:,.0f} machine-hours of work x {kw:.3f} kW more than idle ({how})").format(
        hours=use.busy_hours.sum(), kw=extra, how=load[2]
    )
    usd_by_month = use.busy_hours * extra * site_pue.known * rate
    facts = (*load[1], site_pue, tariff.fact)
    # What working adds is load less idle: a change of the load weighs more on it than on the load itself.
    of_load = load[0] / extra if extra > 0 else 0.0
    shares = (
        ("load_share_of_tdp", of_load),
        ("power_supply_efficiency", of_load),
        ("idle_watts_machine", 0.0),
        ("idle_share_of_rating", 0.0),
    )
    text = f"{text} {price_text}"
    added = monthly(usd_by_month, h)
    streams.append(CostStream("power", added, text, facts, payer, basis, shares=shares, per_use=True))
    return streams


def energy_kwh(hardware: Hardware, use: Use, setting: Setting, site: str) -> float | None:
    """Return the energy drawn into the site over the horizon, kWh; None if unknown."""
    load = busy_kw(hardware, use.gpus_busy, setting)
    if load is None:
        return None
    busy = float(use.busy_hours.sum())
    idle = (
        use.machines * HOURS_PER_MONTH * setting.horizon - busy
        if setting.workload.own.powered_when_idle
        else 0.0
    )
    return (busy * load[0] + idle * idle_kw(hardware, setting)[0]) * setting.pue(site).known


def _line(setting: Setting, key: str, payer: Payer) -> list[CostStream]:
    fee = setting.assume(key)
    text = _("${fee:,.2f} a month").format(fee=fee.known)
    return [
        CostStream(
            "connectivity", monthly(fee.known, setting.horizon), text, (fee,), payer=payer, tax_basis="excl"
        )
    ]


def _housing(use: Use, setting: Setting, site: str, total_kw: float, payer: Payer) -> list[CostStream]:
    """Space, cooling, circuits and connection of a machine that stands with you."""
    h = setting.horizon
    space = setting.assume("office_space")
    text = _("{n} x ${rate:,.2f} a month").format(n=use.machines, rate=space.known)
    streams = [
        CostStream(
            "space", monthly(use.machines * space.known, h), text, (space,), payer=payer, tax_basis="none"
        )
    ]
    streams += _line(setting, "dedicated_line" if site == "server_room" else "static_address", "funding")
    if site == "server_room" or setting.workload.location.air_conditioned:
        cooler = setting.assume("cooling_capital")
        units = ceil(total_kw / KW_PER_COOLER)
        text = _("{units} x ${price:,.0f}, one per {kw:g} kW").format(
            units=units, price=cooler.known, kw=KW_PER_COOLER
        )
        streams.append(
            CostStream(
                "cooling", at_start(units * cooler.known, h), text, (cooler,), payer=payer, tax_basis="excl"
            )
        )
    available = setting.circuit(site)
    if available is not None and total_kw > available.known:
        outlet = setting.assume("circuit_and_outlet")
        units = ceil(total_kw / available.known) - 1
        text = _("{units} more circuits at ${price:,.0f}: {kw:.2f} kW against {have:.2f} kW on one").format(
            units=units, price=outlet.known, kw=total_kw, have=available.known
        )
        usd = at_start(units * outlet.known, h)
        streams.append(CostStream("circuit", usd, text, (outlet, available), payer=payer, tax_basis="excl"))
    return streams


def _upkeep_and_end(hardware: Hardware, use: Use, setting: Setting) -> list[CostStream]:
    """Repairs during the horizon; sale or disposal at its end."""
    h = setting.horizon
    funding = setting.workload.funding
    keeper: Payer = funding.resale_kept_by if funding else "funding"
    value_fact = hardware.price if hardware.price is not None else hardware.resale_now
    streams = []
    if value_fact is not None and value_fact.value is not None:
        share = setting.assume("repair_share")
        usd = use.machines * value_fact.value * share.known / MONTHS_PER_YEAR
        text = _("{share:.1%} a year of ${price:,.0f}").format(
            share=share.known, price=use.machines * value_fact.value
        )
        streams.append(CostStream("repairs", monthly(usd, h), text, (value_fact, share), tax_basis="excl"))
    sale = _resale(hardware, use, setting)
    if sale is not None:
        streams.append(
            CostStream(
                "resale",
                at_end(-sale.spread[0], h),
                sale.text,
                sale.facts,
                payer=keeper,
                spread=sale.spread,
                mind=sale.mind,
            )
        )
    disposal = setting.assume("disposal")
    text = _("{n} x ${price:,.0f} for wiping and shipping").format(n=use.machines, price=disposal.known)
    streams.append(CostStream("disposal", at_end(use.machines * disposal.known, h), text, (disposal,)))
    return streams


@dataclass(frozen=True, slots=True)
class _Sale:
    """What a sale at the end brings, USD, net of selling cost: lower quartile (counted), median, upper quartile."""

    spread: tuple[float, float, float]
    text: str
    facts: tuple[Fact, ...]
    mind: str = ""


def _resale(hardware: Hardware, use: Use, setting: Setting) -> _Sale | None:
    """What all machines sell for at the end of the horizon; None if nothing is counted."""
    model = setting.workload.own.resale
    base = hardware.price or hardware.resale_now
    if model == "none" or base is None or base.value is None:
        return None
    cost = setting.assume("resale_selling_cost")
    net = use.machines * (1 - cost.known)
    life, h = setting.workload.own.useful_life_months, setting.horizon
    if model != "curve":
        written_off = straight_line if model == "straight_line" else declining_balance
        left = max(0.0, base.value - float(np.sum(written_off(base.value, 0.0, life, h))))
        text = _("book value {left} a machine less {cost:.1%} selling cost").format(
            left=format_usd(left, decimals=0), cost=cost.known
        )
        return _Sale((net * left, net * left, net * left), text, (base, cost))
    gpus, text, facts = _gpu_resale(hardware, base, setting)
    mind = _("resale: {text}").format(text=text) if gpus[0] == 0 else ""
    rest = 0.0 if hardware.gpu_price_usd is None else max(0.0, base.value - hardware.gpu_price_usd)
    share = setting.assume("resale_rest_share")
    years = h / MONTHS_PER_YEAR
    kept = [rest * (s or 0.0) ** (years / REST_SHARE_YEARS) for s in (share.low, share.value, share.high)]
    text += _("; the rest of the machine {rest}; less {cost:.1%} selling cost").format(
        rest=format_usd(kept[1], decimals=0), cost=cost.known
    )
    # Counted is the lower quartile of the GPUs and the likely share of the rest.
    counted, middle, high = (net * (g + r) for g, r in zip(gpus, (kept[1], kept[1], kept[2]), strict=True))
    return _Sale((counted, middle, high), text, (base, *facts, share, cost), mind)


def _gpu_resale(
    hardware: Hardware, base: Fact, setting: Setting
) -> tuple[tuple[float, float, float], str, tuple[Fact, ...]]:
    """What the GPUs of one machine sell for at the end, lower quartile to upper; nothing is counted past the data."""
    gpu, n = hardware.gpu, hardware.gpus
    if gpu.launch_price_usd is None or gpu.launch_date is None or gpu.segment is None:
        text = _("no launch price or date known for {gpu}: its GPUs count as worth nothing").format(
            gpu=gpu.gpu
        )
        return (0.0, 0.0, 0.0), text, ()
    curve = resale(setting.catalog, RESALE_SEGMENTS[gpu.segment])
    days = (setting.catalog.as_of - gpu.launch_date).days
    age = days / DAYS_PER_YEAR + setting.horizon / MONTHS_PER_YEAR
    paid = hardware.gpu_price_usd if hardware.gpu_price_usd is not None else base.known
    points = (curve.age_years, curve.low, curve.median, curve.high)
    value = gpu_resale_usd(*points, gpu.launch_price_usd, paid / n, age, quantile="median")
    low, median, high = float(value.low), float(value.likely), float(value.high)
    facts = (gpu.fact("launch_price_usd", "usd"), *curve.facts)
    if value.beyond_data:
        text = ngettext(
            "{n} GPU aged {age:.1f} years since launch: past the data, nothing is counted (at most {high})",
            "{n} GPUs aged {age:.1f} years since launch: past the data, nothing is counted (at most {high} each)",
            n,
        ).format(n=n, age=age, high=format_usd(high, decimals=0))
        # Anything from nil to the last point is possible: the quartiles of that are counted in the uncertainty.
        return (0.0, n * high / 2, n * high * 3 / 4), text, facts
    text = ngettext(
        "{n} GPU aged {age:.1f} years since launch at {low}, the lower quartile of the curve",
        "{n} GPUs aged {age:.1f} years since launch at {low} each, the lower quartile of the curve",
        n,
    )
    return (n * low, n * median, n * high), text.format(n=n, age=age, low=format_usd(low, decimals=0)), facts
