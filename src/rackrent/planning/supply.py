"""What a mix is made of: demand in pools, and machines owned, committed to or rented that can serve one.

Months are 730 h; month m begins at entry m of a stream of cash and ends at entry m + 1. Prices that move are arrays,
one entry a month; one number stands for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.planning.demand_check import hourly
from rackrent.planning.load_duration import LoadDuration, load_duration
from rackrent.units import HOURS_PER_MONTH, MONTHS_PER_YEAR

HOURS = int(HOURS_PER_MONTH)


@dataclass(frozen=True)
class Pool:
    """Work that the same GPUs can do, by the hour, in GPUs of one reference kind.

    `gang` is how many GPUs its largest job needs in one machine.
    """

    name: str
    demand: NDArray[np.float64]
    gang: int = 1


@dataclass(frozen=True, kw_only=True)
class Supply:
    """A way of serving a pool, in machines of `gpus`; one of its GPUs does the work of `work_per_gpu` reference ones."""

    name: str
    pool: str
    gpus: int
    work_per_gpu: float = 1.0

    @property
    def work(self) -> float:
        """Return the work of one machine that is fully used."""
        return self.gpus * self.work_per_gpu


@dataclass(frozen=True, kw_only=True)
class Owned(Supply):
    """A machine that can be bought at the start of a month, and sold at the start of a later one or at the end.

    `price_usd` by month of order; it works `lead_months` later. `resale_usd` has one entry more: what a sale at the
    start of each month, and at the end, brings after costs. `usd_per_month` is paid for each machine there is,
    `usd_per_gpu_hour` for each hour a GPU is busy (its electricity above idling). `now` are there already.
    """

    price_usd: ArrayLike
    resale_usd: ArrayLike = 0.0
    usd_per_month: float = 0.0
    usd_per_gpu_hour: float = 0.0
    kw: float = 0.0
    rack_units: float = 0.0
    lead_months: int = 0
    now: int = 0
    most: int | None = None


@dataclass(frozen=True, kw_only=True)
class Committed(Supply):
    """A machine paid for a whole term, used or not; the term may begin in any month. Prices by month of its begin.

    A term that runs past the end is owed whole: what is left of it falls due in the last entry.
    """

    term_months: int
    upfront_usd: ArrayLike = 0.0
    usd_per_month: ArrayLike = 0.0
    most: int | None = None


@dataclass(frozen=True, kw_only=True)
class Rented(Supply):
    """GPUs rented by the hour, at most `gpus_most` at a time (None: as many as wanted).

    `share_most` in its place is the share of each hour's demand that may be served so: spot, for the part of the work
    that survives an interruption. The price of spot holds the work done twice.
    """

    usd_per_gpu_hour: ArrayLike
    gpus_most: float | None = None
    share_most: float | None = None


@dataclass(frozen=True)
class Limits:
    """What must not be exceeded; None: no limit.

    `upfront_usd` is all that is paid for machines and up front for terms; `monthly_usd` every other payment of a
    month; `kw` and `rack_units` what owned machines may draw and fill.
    """

    upfront_usd: float | None = None
    monthly_usd: float | None = None
    kw: float | None = None
    rack_units: float | None = None


@dataclass(frozen=True)
class Question:
    """Pools of demand, the ways of serving them, limits and the discount rate of a year."""

    pools: tuple[Pool, ...]
    owned: tuple[Owned, ...] = ()
    committed: tuple[Committed, ...] = ()
    rented: tuple[Rented, ...] = ()
    limits: Limits = field(default_factory=Limits)
    annual_rate: float = 0.05

    def __post_init__(self) -> None:
        names = [pool.name for pool in self.pools]
        _require(bool(names), _("A plan needs at least one pool of demand."))
        supplies = [*self.owned, *self.committed, *self.rented]
        _require(len(set(names)) == len(names), _("Two pools of demand have the same name."))
        _require(
            len({s.name for s in supplies}) == len(supplies),
            _("Two ways of getting GPUs have the same name."),
        )
        hours = {hourly(pool.demand).size for pool in self.pools}
        _require(len(hours) == 1, _("All pools of demand must have the same number of hours."))
        _require(
            next(iter(hours)) % HOURS == 0,
            _("Demand must cover whole months of {hours} hours.").format(hours=HOURS),
        )
        _require(self.annual_rate > -1, _("An interest rate must be above -100 % a year."))
        gangs = {pool.name: pool.gang for pool in self.pools}
        for s in supplies:
            _require(s.pool in gangs, _("{name} serves no pool of demand there is.").format(name=s.name))
            _require(
                s.gpus >= gangs[s.pool],
                _("{name} has {gpus} GPUs; its pool has jobs that need {gang} in one machine.").format(
                    name=s.name, gpus=s.gpus, gang=gangs[s.pool]
                ),
            )
            _require(s.work_per_gpu > 0, _("A GPU of {name} must do more than no work.").format(name=s.name))
        for machine in self.owned:
            self._no_arbitrage(machine)
        for r in self.rented:
            _require(
                r.share_most is None or (0 <= r.share_most <= 1 and r.gpus_most is None),
                _(
                    "{name} may serve a share of the demand from 0 to 1, or a number of GPUs, not both."
                ).format(name=r.name),
            )

    def _no_arbitrage(self, machine: Owned) -> None:
        price, resale = self.monthly(machine.price_usd), self.monthly(machine.resale_usd, extra=1)
        for month in range(self.months - machine.lead_months):
            sales = resale[month + machine.lead_months :]
            _require(
                bool(sales.max() <= price[month]),
                _("{name} would sell for more than it cost in month {month}.").format(
                    name=machine.name, month=month
                ),
            )

    @property
    def months(self) -> int:
        """Return how many months the demand covers."""
        return len(self.pools[0].demand) // HOURS

    @property
    def discount(self) -> NDArray[np.float64]:
        """Return the present value of a dollar at each entry, shape (months + 1,)."""
        years = np.arange(self.months + 1) / MONTHS_PER_YEAR
        found: NDArray[np.float64] = (1.0 + self.annual_rate) ** -years
        return found

    def monthly(self, figure: ArrayLike, *, extra: int = 0) -> NDArray[np.float64]:
        """Return a figure by month, shape (months + extra,)."""
        try:
            return np.broadcast_to(np.asarray(figure, dtype=np.float64), (self.months + extra,))
        except ValueError:
            raise BadInput(
                _("A price that moves needs one entry for each of {months} months.").format(
                    months=self.months + extra
                )
            ) from None

    def curves(self) -> dict[str, list[LoadDuration]]:
        """Return the load-duration curve of each pool and month."""
        return {
            pool.name: [load_duration(part) for part in np.split(hourly(pool.demand), self.months)]
            for pool in self.pools
        }

    def useful(self, supply: Supply) -> int:
        """Return the machines beyond which another could never have work."""
        demand = next(pool.demand for pool in self.pools if pool.name == supply.pool)
        return ceil(float(np.max(demand)) / supply.work - 1e-9)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise BadInput(message)
