"""The verdict in words, with the three facts it turns on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackrent.comparison.breakeven import Sides, break_even_price, headroom
from rackrent.comparison.option import Option
from rackrent.costing.payback import break_even_month
from rackrent.costing.setting import Setting
from rackrent.i18n import N_, ngettext
from rackrent.i18n import gettext as _
from rackrent.money import format_usd

KIND_NAMES = {
    "own_build": N_("own build"),
    "own_prebuilt": N_("prebuilt machine"),
    "own_existing": N_("the machine you have"),
    "colocation": N_("colocation"),
    "bare_metal": N_("bare metal"),
    "cloud": N_("cloud"),
    "marketplace": N_("marketplace"),
    "exchange": N_("exchange"),
    "campus": N_("campus cluster"),
}
TERM_NAMES = {
    "own": N_("owned"),
    "on_demand": N_("on demand"),
    "reserved_1y": N_("reserved 1 year"),
    "reserved_3y": N_("reserved 3 years"),
    "spot": N_("spot"),
    "interruptible": N_("interruptible"),
    "monthly": N_("by the month"),
}


@dataclass(frozen=True)
class Verdict:
    """`text` in one or two sentences; `turns_on` the facts it turns on, one sentence each."""

    text: str
    turns_on: tuple[str, ...] = ()


def describe(option: Option) -> str:
    """Return an option's name for a sentence: kind, product or provider, term."""
    kind = _(KIND_NAMES[option.kind])
    count = (
        f"{option.use.machines} x "
        if option.use is not None and option.use.machines > 1 and option.owned
        else ""
    )
    if option.owned:
        return _("{kind}: {name}").format(kind=kind, name=f"{count}{option.name}")
    return _("{kind}: {provider} {name}, {term}").format(
        kind=kind, provider=option.provider, name=option.name, term=_(TERM_NAMES[option.term])
    )


def verdict(
    best: Option, on_budget: Option | None, rival: Option | None, sides: Sides, setting: Setting
) -> Verdict:
    """Return the verdict: `best` for everyone, `on_budget` for the funding, `rival` the best of the other side."""
    months = ngettext("{n} month", "{n} months", setting.horizon).format(n=setting.horizon)
    if rival is None:
        if not sides.looked_at(owned=not best.owned):
            other = (
                _("no rented option was looked at") if best.owned else _("no machine to own was looked at")
            )
        else:
            other = _("no rented option can do it") if best.owned else _("no machine you could own can do it")
        text = _("{best}: {usd} in present value over {months}; {other}.").format(
            best=_capital(describe(best)), usd=format_usd(best.npv_usd), months=months, other=other
        )
        return Verdict(_with_budget(text, best, on_budget, setting))
    text = _("{best}: {usd} in present value over {months}, against {rival_usd} for {rival}.").format(
        best=_capital(describe(best)),
        usd=format_usd(best.npv_usd),
        months=months,
        rival_usd=format_usd(rival.npv_usd),
        rival=describe(rival),
    )
    return Verdict(_with_budget(text, best, on_budget, setting), _turns(best, rival, sides, setting))


def _with_budget(text: str, best: Option, on_budget: Option | None, setting: Setting) -> str:
    if setting.workload.funding is None:
        return text
    if on_budget is None:
        return _("{text} Your funding can pay for none of the options: {why}.").format(
            text=text, why=_(", ").join(best.reasons_on_budget)
        )
    if on_budget.id == best.id:
        return text
    return _("{text} On your budget it is another: {other}, {usd} of your money.").format(
        text=text, other=describe(on_budget), usd=format_usd(on_budget.npv_on_budget_usd)
    )


def _turns(best: Option, rival: Option, sides: Sides, setting: Setting) -> tuple[str, ...]:
    owned, rented = (best, rival) if best.owned else (rival, best)
    return tuple(
        fact
        for fact in (_use(owned, best, sides), _price(best, rival, setting), _time(owned, rented))
        if fact
    )


def _use(owned: Option, best: Option, sides: Sides) -> str:
    """At which use of the owned machines the other side would win, with whatever is then its best option."""
    assert owned.use is not None
    now = owned.use.utilisation
    with np.errstate(invalid="ignore"):
        lead = sides.rented_usd - sides.owned_usd
    crossings = sides.crossings(lead if best.owned else -lead)
    below = max((m for m in crossings if m < 1), default=None)
    # Where the machines are full, others of their side take over: that is no turn of the answer.
    full = 0.98 * headroom(owned)
    above = min((m for m in crossings if 1 < m < full), default=None)
    turns = []
    if below is not None:
        text = _("below {at:.1%} renting wins") if best.owned else _("below {at:.1%} owning wins")
        turns.append(text.format(at=below * now))
    if above is not None:
        text = _("above {at:.1%} renting wins") if best.owned else _("above {at:.1%} owning wins")
        turns.append(text.format(at=above * now))
    if not turns:
        none = _("more or less use does not change the answer")
        turns.append(none if best.owned else _("no use that it could take makes owning win"))
    text = (
        _("Use: the machine works {now:.1%} of all hours; {turns}.")
        if best.owned
        else _("Use: an owned machine would work {now:.1%} of all hours; {turns}.")
    )
    return text.format(now=now, turns=_(", ").join(turns))


def _price(best: Option, rival: Option, setting: Setting) -> str:
    """At which price the rival would win: all else the same."""
    multiple = break_even_price(rival, best, setting.tax.value or 0.0)
    price = rival.effective_price_usd
    if price is None:
        return ""
    if rival.owned:
        if multiple is None:
            return _("Price: owning would not win even if the machine were free.")
        return _("Price: owning wins if the machine costs under {at} (now {now}).").format(
            at=format_usd(multiple * price), now=format_usd(price)
        )
    gpus = rival.gpu_count
    if multiple is None:
        return _("Price: renting would not win even if the hours were free.")
    return _("Price: renting wins under {at} for an hour of one {gpu} (now {now}).").format(
        at=format_usd(multiple * price / gpus), gpu=rival.gpu, now=format_usd(price / gpus)
    )


def _time(owned: Option, rented: Option) -> str:
    month = break_even_month(owned.monthly_usd, rented.monthly_usd, level_start=False)
    if month is None:
        return _("Time: in cash, owning never catches up within the horizon.")
    if month == 0:
        return _("Time: in cash, owning is ahead from the start.")
    return _(
        "Time: in cash, owning has paid back after {month:.1f} months; to stop sooner, renting is cheaper."
    ).format(month=month)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
