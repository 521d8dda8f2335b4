"""How sure a verdict is, in sentences: the odds, what it hangs on, when the other side would win."""

from __future__ import annotations

from rackrent.comparison.result import Comparison
from rackrent.comparison.tornado import Bar, Tornado, driver_name
from rackrent.i18n import gettext as _
from rackrent.money import format_usd

DRIVERS_SAID = 3


def risk(comparison: Comparison) -> tuple[str, ...]:
    """Return how sure the verdict is, in sentences: the odds, what it hangs on, when the other side would win."""
    best = comparison.recommended
    if best is None or comparison.options.feasible_count < 2:
        return ()
    states, place = comparison.uncertainty, comparison.options.place(best.id)
    low, _middle, high = states.quantiles_usd[place]
    said = [
        _("Odds: best in {share} of {n} states of the world; costs {low} to {high} in 8 of 10; expected regret {regret}.").format(
            share=percent(float(states.probability_best[place])),
            n=f"{states.draws:,}",
            low=format_usd(float(low), decimals=0),
            high=format_usd(float(high), decimals=0),
            regret=format_usd(float(states.regret_usd[place]), decimals=0),
        )
    ]  # fmt: skip
    tornado = comparison.tornado
    if tornado is not None and tornado.bars:
        said.append(_hangs_on(tornado))
    if tornado is not None and tornado.turns:
        said.append(_("The other side wins if: {turns}.").format(turns=_("; or ").join(tornado.turns)))
    return tuple(said)


def _hangs_on(tornado: Tornado) -> str:
    bars = _("; ").join(_moves(bar) for bar in tornado.bars[:DRIVERS_SAID])
    return _("Hangs most on: {drivers}.").format(drivers=bars)


def _moves(bar: Bar) -> str:
    least, most = sorted((bar.lead_low_usd, bar.lead_high_usd))
    return _("{driver} (ahead by {least} to {most})").format(
        driver=driver_name(bar.driver.key),
        least=format_usd(least, decimals=0),
        most=format_usd(most, decimals=0),
    )


def percent(share: float) -> str:
    """Return a share as a whole percentage that never rounds to certainty.

    >>> percent(0.985), percent(0.0), percent(0.002), percent(0.9999)
    ('98%', '0%', '<1%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"
