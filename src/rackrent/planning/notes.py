"""What a reader of a plan must know: what it rests on, what is assumed, what it cannot see."""

from __future__ import annotations

from collections.abc import Sequence

from rackrent.catalog.hardware import gpu
from rackrent.costing.rent import INTERRUPTED_TERMS, rework_share
from rackrent.costing.setting import Setting
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.planning.history import History
from rackrent.planning.machines import Named
from rackrent.planning.request import PlanRequest
from rackrent.units import HOURS_PER_DAY

MANY_MACHINES = 20
"""More machines than this fill about two racks: a matter of rooms and people, which a plan does not see."""
SHORT_HISTORY_HOURS = 26 * 168
"""Below half a year a history says nothing of seasons."""


def notes_of(
    setting: Setting, history: History, request: PlanRequest, options: Sequence[Named], bought: Sequence[Named],
    machines: int, unfit: Sequence[str], *, has_doubt: bool,
) -> tuple[str, ...]:  # fmt: skip
    """Return the notes, one sentence each, the weightiest first; of the options `bought` the plan buys `machines`."""
    return (
        *_room(machines),
        *_window(history, request),
        *history.censored,
        *_owning(setting),
        *_yours(setting, options, unfit),
        *_spot(setting, options, request),
        *_licence(setting, bought),
        _("Prices are those of {day} and stay; taxes, storage and data out are left out on both sides.").format(
            day=setting.catalog.as_of.isoformat()
        ),
        _("An hour of another GPU counts for as many as it is faster; how well jobs fill a faster GPU is not known."),
        _("GPUs are counted by the hour, so a machine rented in part for an hour counts in part."),
        *(
            [_("No plan keeps the limits in every state of growth and rents that was looked at, so none is named as the least regretted.")]
            if request.doubts and not has_doubt
            else []
        ),
    )  # fmt: skip


def _room(machines: int) -> list[str]:
    if machines <= MANY_MACHINES:
        return []
    return [
        _("{machines} machines are to be set up, placed, cooled and mended, and every size counts alike: say with --machines how many you can keep, and with --kw how much power there is.").format(machines=machines)
    ]  # fmt: skip


def _window(history: History, request: PlanRequest) -> list[str]:
    days = history.hours / HOURS_PER_DAY
    said = [
        _("It rests on {hours:,} hours ({days:,.0f} days) from {day}, repeated to fill {months} months, with {growth:.0%} growth a year.").format(
            hours=history.hours, days=days, day=history.first.date().isoformat(), months=request.months, growth=request.growth_per_year
        )
    ]  # fmt: skip
    if history.hours < SHORT_HISTORY_HOURS:
        said.append(_("That is less than half a year: it says nothing of seasons, holidays or deadlines."))
    if history.paid_usd is not None:
        total = sum(float(pool.gpus.sum()) for pool in history.pools)
        said.append(
            _("In that time you paid {usd} for these GPUs, {each} a GPU-hour.").format(
                usd=format_usd(history.paid_usd), each=format_usd(history.paid_usd / total)
            )
        )
    if any(not pool.gang_known for pool in history.pools):
        said.append(
            _("The files do not say how many GPUs a job needs at once, so any machine counts as large enough: say it with --gang.")
        )  # fmt: skip
    if history.gpu_named_in_vain:
        said.append(_("Every hour in the files names its GPU, so --gpu changes nothing."))
    return said


def _owning(setting: Setting) -> list[str]:
    where = setting.workload.location
    if setting.tariff(where.site) is not None:
        return []
    return [
        _("What electricity costs in {country} is not known, so no machine to own was looked at; say it as own: usd_per_kwh in the file of --have.").format(
            country=where.country
        )
    ]  # fmt: skip


def _yours(setting: Setting, options: Sequence[Named], unfit: Sequence[str]) -> list[str]:
    said = [
        _("{name} can do none of this work (too few GPUs in it for the largest job, too little memory, or its speed is not known): it is left out.").format(name=name)
        for name in unfit
    ]  # fmt: skip
    for o in options:
        if o.had and float(max(o.supply.resale_usd)) <= 0:  # type: ignore[arg-type,union-attr]
            said.append(
                _("What {name} would sell for is not known (give resale_usd): a sale counts as bringing nothing.").format(name=o.product)
            )  # fmt: skip
    if any(o.had for o in options):
        said.append(
            _("What you paid for the machines you have is spent and does not count; their electricity and care do.")
        )  # fmt: skip
    return said


def _spot(setting: Setting, options: Sequence[Named], request: PlanRequest) -> list[str]:
    if request.interruptible <= 0:
        return [
            _("Nothing may be interrupted, so spot machines are left out; if part of the work survives an interruption, say how much with --interruptible.")
        ]  # fmt: skip
    found = any(o.term in INTERRUPTED_TERMS for o in options)
    if not found:
        return [
            _(
                "No spot price for machines that fit these jobs is fresh and whole enough to plan with; `rackrent prices refresh` brings those of today."
            )
        ]
    return [
        _("Spot serves at most {share:.0%} of each hour's work, as you say; its price holds {rework:.1%} of work done twice (a checkpoint takes {minutes:g} minutes, a machine is taken away in a month with a chance of {chance:.0%}).").format(
            share=request.interruptible, rework=rework_share(setting), minutes=request.checkpoint_minutes,
            chance=setting.assume("spot_interruptions").known,
        )
    ]  # fmt: skip


def _licence(setting: Setting, bought: Sequence[Named]) -> list[str]:
    cards = [gpu(setting.catalog, o.gpu) for o in bought]
    geforce = any(
        card is not None and card.segment == "consumer" and card.vendor == "NVIDIA" for card in cards
    )
    if not geforce or setting.workload.location.site != "server_room":
        return []
    return [_("GeForce driver licence: not for data centres; read it before you place such a card there")]
