"""A plan in sentences: the verdict, how long jobs would wait, and how far all of it is to be trusted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rackrent.costing.rent import INTERRUPTED_TERMS
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.planning.evaluate import Decisions, Whole, machines_there
from rackrent.planning.machines import Named
from rackrent.planning.market import TERMS
from rackrent.planning.plan import Plan
from rackrent.planning.queues import Spread
from rackrent.planning.tested import Doubt
from rackrent.units import HOURS_PER_DAY, MONTHS_PER_YEAR

LITTLE = 5e-4
"""A share of the work below this is none."""
SOON_HOURS = 1.0
"""A wait below this is told in minutes."""


def verdict(plan: Plan) -> str:
    """Return the plan in a few sentences: what to do, what it costs, and what it would have saved."""
    parts = _parts(plan, plan.mix.decisions)
    spot = sum(plan.served_share(o) for o in plan.options if o.term in INTERRUPTED_TERMS)
    if not parts and spot < LITTLE:
        text = (
            _("Rent everything by the hour: within your limits nothing you could own or reserve is cheaper for this work.")
            if plan.request.limited
            else _("Rent everything by the hour: nothing you could own or reserve is cheaper for this work.")
        )  # fmt: skip
        return _(" ").join((text, _cost(plan)))
    if spot >= LITTLE:
        parts.append(_("run {share:.0%} of the work on spot").format(share=spot))
    rest = sum(plan.served_share(o) for o in plan.options if o.term == "on_demand")
    if rest >= LITTLE:
        parts.append(_("rent the rest by the hour ({share:.0%} of the work)").format(share=rest))
    else:
        parts.append(_("rent nothing by the hour"))
    said = _("{what}.").format(what=_(", ").join(parts))
    saved = [_saved(plan)] if plan.saving_now >= LITTLE else []
    return _(" ").join((said[0].upper() + said[1:], _cost(plan), *saved))


def _parts(plan: Plan, decisions: Decisions) -> list[str]:
    """What decisions own and reserve, one part each: at most at once, where it changes."""
    there = machines_there(plan.mix.question, decisions)
    parts = [_had(o, there[o.supply.name]) for o in plan.options if o.had]
    for o in plan.options:
        most = int(there[o.supply.name].max()) if o.supply.name in there and not o.had else 0
        if most and o.term == "own":
            parts.append(
                ngettext("own {n} machine with {gpus} x {gpu}", "own {n} machines with {gpus} x {gpu} each", most)
                .format(n=most, gpus=o.supply.gpus, gpu=o.gpu)
            )  # fmt: skip
        elif most:
            years = TERMS[o.term] // MONTHS_PER_YEAR
            parts.append(
                ngettext("reserve {n} x {gpu} for {years} year", "reserve {n} x {gpu} for {years} years", int(years))
                .format(n=most * o.supply.gpus, gpu=o.gpu, years=int(years))
            )  # fmt: skip
    return parts


def _had(option: Named, there: Whole) -> str:
    now = getattr(option.supply, "now", 0)
    first, last = int(there[0]), int(there[-1])
    if first == 0:
        said = ngettext("sell your machine ({name})", "sell your {n} machines ({name})", now)
    elif last == now:
        said = ngettext("keep your machine ({name})", "keep your {n} machines ({name})", now)
    else:
        said = _("keep {first} of your {n} machines ({name}), {last} at the end")
    return said.format(n=now, name=option.product, first=first, last=last)


def now_in_words(plan: Plan) -> str:
    """Return what the plan is set against."""
    if plan.now_is_billed:
        return _("what you do now, at the price per GPU-hour of your bill")
    if any(o.had for o in plan.options):
        return _(
            "keeping what you have and renting the rest by the hour (the files do not say what you pay now)"
        )
    return _("renting all of it by the hour (the files do not say what you pay now)")


def _cost(plan: Plan) -> str:
    mean, _most = plan.monthly_usd
    said = _("Over {months} months that costs {usd} in present value").format(
        months=plan.request.months, usd=format_usd(plan.present_value_usd)
    )
    against = {"now": format_usd(plan.now_usd), "what": now_in_words(plan)}
    pays = {"upfront": format_usd(plan.upfront_usd), "month": format_usd(mean)}
    if plan.saving_now < -LITTLE:
        return _(
            "{said}, more than the {now} for {what}: at what you pay, stay with what you do. "
            "It would take {upfront} up front and {month} a month in the mean."
        ).format(said=said, **against, **pays)
    if plan.saving_now < LITTLE:
        alike = _("{said}, {month} a month in the mean; what you pay now is not in the files.")
        if plan.now_is_billed or any(o.had for o in plan.options):
            alike = _("{said}, {month} a month in the mean, as what you do now: nothing you could own or reserve is cheaper.")  # fmt: skip
        return alike.format(said=said, month=pays["month"])
    return _(
        "{said} against {now} for {what}: {saving:.0%} less, with {upfront} up front and {month} a month in the mean."
    ).format(said=said, saving=plan.saving_now, **against, **pays)


def _saved(plan: Plan) -> str:
    days = _("{days:,.0f} days").format(days=plan.history.hours / HOURS_PER_DAY)
    said = _("In the {days} of your history it would have saved {usd}").format(
        days=days, usd=format_usd(plan.saved_in_window_usd)
    )
    test = plan.out_of_sample
    if test is None or test.hindsight_share is None or test.broken:
        return _("{said}; how much of that is hindsight cannot be told.").format(said=said)
    return _("{said}, of which {share:.0%} is hindsight.").format(
        said=said, share=max(0.0, test.hindsight_share)
    )


def power_in_words(plan: Plan) -> str:
    """Return what own machines draw; empty where there are none."""
    return (
        _("Own machines draw up to {kw:,.1f} kW when all of them are busy.").format(kw=plan.kw)
        if plan.kw
        else ""
    )


def waits_in_words(plan: Plan) -> list[str]:
    """Return what becomes of the queue, in sentences; none where the jobs do not say when they were sent."""
    found = plan.queues
    if found is None:
        return []
    now, planned = found.overall.now, found.overall.planned
    said = [
        _("{jobs:,} jobs waited {now}. On this plan they wait {planned}: what has no room on the machines you own and reserve starts on a rented one, which is up after {startup}.").format(
            jobs=found.overall.jobs, now=spread_in_words(now), planned=spread_in_words(planned),
            startup=duration(found.startup_hours),
        )
    ]  # fmt: skip
    counted = sum(
        plan.served_share(o) for o in plan.options if o.term == "on_demand" or o.term in INTERRUPTED_TERMS
    )
    if found.overall.rented_share > LITTLE:
        said.append(
            _("Job by job {share:.0%} of the GPU-hours are rented, where the plan counts {counted:.0%} by the hour: jobs do not fill machines to the last GPU.").format(
                share=found.overall.rented_share, counted=counted
            )
        )  # fmt: skip
    alone = found.overall.alone
    if found.overall.rented_share > LITTLE:
        said.append(
            _("If nothing were rented by the hour, some of them would never start.")
            if alone is None
            else _("If nothing were rented by the hour, they would wait {alone}.").format(alone=spread_in_words(alone))
        )  # fmt: skip
    said.append(
        _("The jobs are run again first come first served, each within one machine, on the machines of month {month}; people who wait less send more, which nobody can replay.").format(
            month=found.month
        )
    )  # fmt: skip
    return said


def spread_in_words(spread: Spread) -> str:
    """Return a wait in words: median and nine of ten."""
    return _("{median} in the median, nine of ten no longer than {p90}").format(
        median=duration(spread.median_hours), p90=duration(spread.p90_hours)
    )


def duration(hours: float) -> str:
    """Return a time for people: minutes below an hour."""
    if hours < SOON_HOURS:
        return _("{minutes:.0f} min").format(minutes=hours * 60)
    return _("{hours:,.1f} h").format(hours=hours)


def trust(plan: Plan) -> list[str]:
    """Return how far the plan is to be trusted: on hours it has not seen, under doubt, against rules without foresight."""
    said = [tested(plan)]
    if plan.doubt is not None:
        said.append(_under_doubt(plan, plan.doubt))
    several = len({run.pool for run in plan.policies}) > 1
    for run in plan.policies:
        best = run.hindsight_usd
        told = _("Reserving without knowing the future ({option}): a rule that reserves once renting has cost as much costs {rule:.2f} times the best in hindsight (at most {most:.2f} is promised), with a threshold drawn by lot {random:.2f} times in the mean ({mean:.2f}), renting all {rented:.2f} times.").format(
            option=run.option, rule=run.deterministic_usd / best, most=run.deterministic_bound, random=run.randomised_usd / best,
            mean=run.randomised_bound, rented=run.on_demand_usd / best,
        )  # fmt: skip
        said.append(_("{pool}: {said}").format(pool=run.pool, said=told) if several else told)
    return said


def tested(plan: Plan) -> str:
    """Return what the plan makes of hours it has not seen."""
    test = plan.out_of_sample
    if test is None:
        return _("The history is too short, or the limits too tight, to test the plan on a part it has not seen.")  # fmt: skip
    said = _("Made from the first half of the history, such a plan saves {before:.0%} there and {after:.0%} in the second half").format(
        before=test.in_sample_saving, after=test.saving
    )  # fmt: skip
    if test.hindsight_share is None:
        return _("{said}; nobody could have saved anything there.").format(said=said)
    said = _("{said}; who had known the second half would have saved {best:.0%}: {share:.0%} of that is hindsight.").format(
        said=said, best=test.hindsight_saving, share=max(0.0, test.hindsight_share)
    )  # fmt: skip
    if test.broken:
        said = _(" ").join((said, _("In the second half it breaks the limit {name}.").format(name=", ".join(test.broken))))  # fmt: skip
    return said


def _under_doubt(plan: Plan, doubt: Doubt) -> str:
    growth, rents = doubt.growth_per_year, doubt.rent_change_per_year
    where = _("Where demand changes by {g0:+.0%} to {g1:+.0%} a year and rents by {r0:+.0%} to {r1:+.0%}").format(
        g0=growth.low, g1=growth.high, r0=rents.low, r1=rents.high
    )  # fmt: skip
    low, high = format_usd(doubt.usd[0]), format_usd(doubt.usd[1])
    if not np.isfinite(doubt.plan_regret_usd):
        cost = _("this plan breaks a limit in some state")
    else:
        cost = _("this plan costs {low} to {high}").format(low=low, high=high)
        if doubt.same:
            return _("{where}, {cost}; no other is expected to be regretted less.").format(
                where=where, cost=cost
            )
    parts = _parts(plan, doubt.decisions) or [_("own and reserve nothing")]
    regret = _("{usd} above the best of each state in the mean").format(
        usd=format_usd(doubt.expected_regret_usd)
    )
    said = _("{where}, {cost}. Least regretted ({regret}) is: {what}, rent the rest.").format(
        where=where, cost=cost, regret=regret, what=_(", ").join(parts)
    )
    if np.isfinite(doubt.plan_regret_usd):
        said = _(" ").join((said, _("The plan above is {usd} above.").format(usd=format_usd(doubt.plan_regret_usd))))  # fmt: skip
    return said


def action_in_words(what: str) -> str:
    """Return what is done with a machine or a contract."""
    return {"buy": _("buy"), "sell": _("sell"), "sign": _("sign")}[what]


def when(month: int) -> str:
    """Return a month of the plan for people; 0 is at once."""
    return _("at once") if month == 0 else _("month {month}").format(month=month)


def of_pool(plan: Plan, option: Named) -> str:
    """Return an option's name, with its pool where there are several."""
    if len(plan.history.pools) == 1:
        return option.product
    return _("{pool}: {name}").format(pool=option.supply.pool.partition(" ")[2], name=option.product)


def machines_of(counts: Mapping[str, Whole], option: Named) -> str:
    """Return the GPUs of an option there are at most at once; "-" for what has no number."""
    there = counts.get(option.supply.name)
    return "-" if there is None else f"{int(there.max()) * option.supply.gpus}"
