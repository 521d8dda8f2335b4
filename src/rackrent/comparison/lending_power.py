"""What one machine draws at the meter for being lent out, and what that costs in each band of the tariff."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rackrent.catalog.fact import Fact
from rackrent.comparison.option import Option
from rackrent.costing.lending import Drawn, energy_floor_usd
from rackrent.costing.own import Hardware, busy_kw, idle_kw
from rackrent.costing.setting import Setting
from rackrent.i18n import gettext as _
from rackrent.units import HOURS_PER_DAY


@dataclass(frozen=True)
class Power:
    """What one machine draws at the meter for being lent, and what a kWh costs: `bands` of (share of hours, USD)."""

    drawn: Drawn
    bands: tuple[tuple[float, float], ...]
    peak: float | None
    off_peak: float | None
    how: str
    facts: tuple[Fact, ...]

    @property
    def usd_per_kwh(self) -> float:
        """What a kWh costs over the lendable hours, USD."""
        return sum(share * usd for share, usd in self.bands)

    def floors(self, gpus: int) -> tuple[float, float | None, float | None]:
        """Return the power of a rented GPU-hour, USD: over the lendable hours, at peak, off peak (None: flat)."""
        kwh = (float(self.drawn.listed_kw) + float(self.drawn.rented_kw)) / gpus  # type: ignore[arg-type]
        shares, prices = zip(*self.bands, strict=True)
        mixed = float(energy_floor_usd(np.array(shares) * kwh, prices))
        at = [
            None if usd is None else float(energy_floor_usd([kwh], [usd]))
            for usd in (self.peak, self.off_peak)
        ]
        return mixed, at[0], at[1]


def power_of(option: Option, hardware: Hardware, setting: Setting) -> Power:
    """Return the power of lending one machine of an option whose power and tariff are known."""
    candidate = option.candidate
    assert candidate is not None
    site = "colocation" if candidate.colocation is not None else setting.workload.location.site
    load, rest = busy_kw(hardware, hardware.gpus, setting), idle_kw(hardware, setting)
    tariff, pue = setting.tariff(site), setting.pue(site)
    assert load is not None  # an option whose power or tariff is unknown is out
    assert tariff is not None
    paid = 1.0  # per dollar of the tariff: without a tax that you get back, with one that comes on top
    if tariff.tax_basis == "incl":
        paid = 1.0 / (1.0 + setting.included_tax)
    elif tariff.tax_basis == "excl":
        paid = 1.0 + (setting.tax.value or 0.0)
    listed = 0.0 if setting.workload.own.powered_when_idle else rest[0]
    rented = max(load[0] - rest[0], 0.0)
    drawn = Drawn(listed * pue.known, rented * pue.known)
    text = _(
        "{kw:.3f} kW more than if not lent ({load}; {idle}) x PUE {pue:.2f} x ${usd:.4f}/kWh, shared by {n} x {gpu}"
    )
    terms, tou = setting.workload.lending, setting.time_of_use
    bands: tuple[tuple[float, float], ...] = ((1.0, tariff.fact.known * paid),)
    peak = off_peak = None
    if tou is not None:
        peak, off_peak = tou.peak_usd_per_kwh * paid, tou.off_peak_usd_per_kwh * paid
        share = tou.peak_hours_per_day / HOURS_PER_DAY
        only = terms is not None and terms.only_off_peak
        bands = ((1.0, off_peak),) if only else ((1.0 - share, off_peak), (share, peak))
    out = Power(drawn, bands, peak, off_peak, "", (*load[1], *rest[1], pue, tariff.fact))
    how = text.format(
        kw=listed + rented,
        load=load[2],
        idle=rest[2],
        pue=pue.known,
        usd=out.usd_per_kwh,
        n=hardware.gpus,
        gpu=option.gpu,
    )
    return replace(out, how=how)
