"""A plan as words and tables for a terminal."""

from __future__ import annotations

from typing import TextIO

from rackrent.comparison.verdict import TERM_NAMES
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.planning.market import TERMS, Named
from rackrent.planning.plan import Plan
from rackrent.report.console import page, points, table


def verdict(plan: Plan) -> str:
    """Return the plan in a few sentences: what to do, what it costs, and what it would have saved."""
    parts = [_part(plan, o) for o in plan.options if plan.machines(o)]
    if not parts:
        asked = plan.request
        limited = (asked.upfront_usd, asked.monthly_usd, asked.kw, asked.machines) != (None, None, None, None)
        text = (
            _("Rent everything by the hour: within your limits nothing you could own or reserve is cheaper for this work. "
              "Over {months} months that costs {usd} in present value.")
            if limited
            else _("Rent everything by the hour: nothing you could own or reserve is cheaper for this work. "
                   "Over {months} months that costs {usd} in present value.")
        )  # fmt: skip
        return text.format(months=plan.request.months, usd=format_usd(plan.present_value_usd))
    rest = _("rent the rest by the hour")
    if sum(plan.served_share(o) for o in plan.options if o.term == "on_demand") < 5e-4:
        rest = _("rent nothing by the hour")
    said = _("{what}.").format(what=_(", ").join([*parts, rest]))
    said = said[0].upper() + said[1:]
    cost = _(
        "Over {months} months that costs {usd} in present value against {rented} for renting everything by the hour "
        "({saving:.0%} less), with {upfront} up front."
    ).format(
        months=plan.request.months, usd=format_usd(plan.present_value_usd), rented=format_usd(plan.all_rented_usd),
        saving=plan.saving, upfront=format_usd(float(plan.mix.outcome.capital.sum())),
    )  # fmt: skip
    return _(" ").join(t for t in (said, cost, _tested(plan)) if t)


def _part(plan: Plan, option: Named) -> str:
    n, gpus = plan.machines(option), option.supply.gpus
    if option.term == "own":
        return ngettext(
            "own {n} machine with {gpus} x {gpu}", "own {n} machines with {gpus} x {gpu} each", n
        ).format(n=n, gpus=gpus, gpu=option.gpu)
    years = TERMS[option.term] // 12
    return ngettext(
        "reserve {n} x {gpu} for {years} year", "reserve {n} x {gpu} for {years} years", years
    ).format(n=n * gpus, gpu=option.gpu, years=years)


def _tested(plan: Plan) -> str:
    test = plan.out_of_sample
    if test is None:
        return _(
            "The history is too short, or the limits too tight, to test the plan on a part it has not seen."
        )
    said = _(
        "Made from the first half of the history, such a plan saves {before:.0%} there and {after:.0%} in the second half"
    ).format(before=test.in_sample_saving, after=test.saving)
    if test.hindsight_share is None:
        return _("{said}; nobody could have saved anything there.").format(said=said)
    said = _("{said}; who had known the second half would have saved {best:.0%}: {share:.0%} of that is hindsight.").format(
        said=said, best=test.hindsight_saving, share=test.hindsight_share
    )  # fmt: skip
    if test.broken:
        said += " " + _("In the second half it breaks the limit {name}.").format(name=", ".join(test.broken))
    return said


def print_plan(plan: Plan, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print a plan to `out` (standard output)."""
    with page(out, width) as screen:
        screen.print(verdict(plan), style="bold")
        screen.print()
        demand = table(
            screen, (_("Pool"), "left"), (_("GPU"), "left"), (_("Mean GPUs"), "right"), (_("Peak"), "right"),
            (_("Largest job"), "right"), (_("GPU-hours"), "right"),
        )  # fmt: skip
        for p in plan.history.pools:
            demand.add_row(
                p.name,
                p.gpu,
                f"{p.gpus.mean():,.1f}",
                f"{p.gpus.max():,.1f}",
                f"{p.gang}",
                f"{p.gpus.sum():,.0f}",
            )
        screen.print(demand)
        screen.print()
        how = table(
            screen, (_("Option"), "left"), (_("Term"), "left"), (_("GPUs at most"), "right"), (_("Speed"), "right"),
            (_("Share of work"), "right"),
        )  # fmt: skip
        for o in plan.options:
            share = plan.served_share(o)
            most = f"{plan.machines(o) * o.supply.gpus}" if o.term != "on_demand" else "-"
            how.add_row(o.id, _(TERM_NAMES[o.term]), most, f"{o.speed:.2f}", f"{share:.1%}")
        screen.print(how)
        screen.print()
        screen.print(_("What to mind"))
        points(screen, plan.notes)
