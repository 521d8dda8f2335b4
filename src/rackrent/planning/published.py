"""A published planning example, computed again from its own data: Shaved Ice, how many units to commit to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rackrent.costing.published import Reproduction, Row
from rackrent.i18n import gettext as _
from rackrent.planning.reserved import reserved_cost, reserved_level

SHAVED_ICE_SOURCE = (
    "Shaved Ice: Optimal Compute Resource Commitments for Dynamic Multi-Cloud Workloads, ICPE 2025; "
    "hourly sums of the data that Snowflake published with it (Apache License 2.0)"
)
SHAVED_ICE_FILE = Path(__file__).parent / "data" / "shaved_ice_2024-01.csv"
SHAVED_ICE_PREMIUM = 2.1
"""An hour on demand over a committed one."""
SHAVED_ICE_PEAK = 100.0
SHAVED_ICE_HOURS = 335
"""The file has 336; the paper's panels leave out the last."""
SHAVED_ICE_PANELS = (34_086, 32_105, 30_662, 29_727, 29_333, 29_583, None, None, 33_500)
"""As printed. None: the paper rounds two panels to a dollar more or less than ours, and our source does not say which."""
SHAVED_ICE_GRID = 100


def shaved_ice_demand() -> NDArray[np.float64]:
    """Return the demand of the paper's panels, scaled to a peak of 100, shape (335,)."""
    units = pl.read_csv(SHAVED_ICE_FILE)["units"].to_numpy()
    return np.asarray(units / units.max() * SHAVED_ICE_PEAK)[:SHAVED_ICE_HOURS]


def shaved_ice_usd(demand: NDArray[np.float64], level: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the paper's cost, `sum(c + 2.1 max(x - c, 0))`, at each level c, in committed unit-hours."""
    return SHAVED_ICE_PREMIUM * reserved_cost(demand, level, reserved_to_on_demand=1 / SHAVED_ICE_PREMIUM)


def shaved_ice() -> Reproduction:
    """Reproduce the nine panels, the best of the paper's grid, and the exact optimum."""
    demand = shaved_ice_demand()
    low = float(demand.min())
    panels = np.linspace(low, SHAVED_ICE_PEAK, len(SHAVED_ICE_PANELS))
    costs = shaved_ice_usd(demand, panels)
    rows = [
        Row(_("commit to {level:.3f}").format(level=level), printed, float(usd), "USD")
        for level, printed, usd in zip(panels, SHAVED_ICE_PANELS, costs, strict=True)
    ]
    grid = np.linspace(low, SHAVED_ICE_PEAK, SHAVED_ICE_GRID)
    best = float(grid[np.argmin(shaved_ice_usd(demand, grid))])
    exact = reserved_level(demand, reserved_to_on_demand=1 / SHAVED_ICE_PREMIUM)
    for level, what in (
        (best, _("best of a grid of {n}").format(n=SHAVED_ICE_GRID)),
        (exact, _("exact optimum")),
    ):
        usd = float(shaved_ice_usd(demand, np.asarray(level)))
        rows += [
            Row(_("{what}: level").format(what=what), None, level, ""),
            Row(_("{what}: cost").format(what=what), None, usd, "USD"),
        ]
    notes = (
        _(
            "A committed unit costs 1 an hour whether it is used or not, one on demand 2.1; demand is scaled so that "
            "its peak is 100, and the panels leave out the last of 336 hours."
        ),
        _(
            "Published are the costs of the nine panels. The paper prints the seventh and eighth one dollar off ours, by "
            "rounding; we do not have its digits for them."
        ),
        _("The exact optimum is a quantile of the demand and needs no grid."),
        _(
            "It knows the demand in advance: what it would save is an upper bound on what a plan made before saves."
        ),
    )
    title = _("How many units to commit to, two weeks of a cloud's demand")
    return Reproduction("shaved-ice", title, SHAVED_ICE_SOURCE, tuple(rows), notes)


REPRODUCTIONS: dict[str, Callable[[], Reproduction]] = {"shaved-ice": shaved_ice}
"""Name on the command line to the function that reproduces it."""
