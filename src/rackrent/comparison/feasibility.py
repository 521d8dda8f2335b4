"""Why an option is out: what the work needs, what the person requires, what the money may pay."""

from __future__ import annotations

import numpy as np

from rackrent.comparison.candidate import Candidate
from rackrent.comparison.delivered import memory_reasons
from rackrent.comparison.option import Option
from rackrent.costing.rent import INTERRUPTED_TERMS
from rackrent.costing.setting import Setting
from rackrent.costing.use import Shape, Use, shape_of
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.units import DAYS_PER_MONTH, HOURS_PER_DAY, as_fraction
from rackrent.workload.model import Workload

AGREEMENTS = frozenset({"hipaa", "baa"})
"""Certificates that are agreements: offered, covering this service, and signed by you."""


def machine_reasons(candidate: Candidate, w: Workload) -> list[str]:
    """Return what the work needs of a machine and this one is not known to have. Unknown is not fulfilled."""
    reasons = []
    if w.gpu_memory_gb and (candidate.memory_gb is None or candidate.memory_gb < w.gpu_memory_gb):
        have = _("unknown") if candidate.memory_gb is None else f"{candidate.memory_gb:g} GB"
        reasons.append(_("GPU memory {have}, {need:g} GB needed").format(have=have, need=w.gpu_memory_gb))
    reasons += memory_reasons(candidate, w)
    if candidate.gpus and shape_for(candidate, w) is None:
        reasons.append(_too_few(candidate.gpus, w.gpus))
    return reasons


def _too_few(have: float, need: int) -> str:
    if have < 1:
        text = _("{have} of a GPU in a machine, {need} needed at once")
    else:
        text = ngettext(
            "{have} GPU in a machine, {need} needed at once",
            "{have} GPUs in a machine, {need} needed at once",
            have,
        )
    return text.format(have=as_fraction(have), need=need)


def shape_for(candidate: Candidate, w: Workload) -> Shape | None:
    """Return how the runs of `w` sit on the candidate's machines; None if they cannot."""
    return shape_of(w.gpus, candidate.gpus, w.jobs_at_once, multi_node=w.multi_node)


def seller_reasons(candidate: Candidate, w: Workload) -> list[str]:
    """Return what the person requires of place, term and provider that is not known to be fulfilled."""
    need, reasons = w.requirements, []
    if candidate.term in INTERRUPTED_TERMS and not w.interruptible:
        reasons.append(_("may be interrupted, and the runs are not interruptible"))
    if need.residency and candidate.country not in need.residency:
        where = candidate.country or _("unknown")
        reasons.append(
            _("place {where}, data must stay in {need}").format(where=where, need=", ".join(need.residency))
        )
    if candidate.rental is None or candidate.kind == "campus":
        return reasons
    return reasons + _provider_reasons(candidate, w)


def _provider_reasons(candidate: Candidate, w: Workload) -> list[str]:
    need, seller, reasons = w.requirements, candidate.provider_facts, []
    for wanted in need.certificates:
        if wanted.casefold() in AGREEMENTS:
            reasons += _agreement_reasons(candidate, w)
        elif seller is None or not any(wanted.casefold() in have.casefold() for have in seller.certificates):
            reasons.append(_("no evidence of {certificate}").format(certificate=wanted))
    if need.no_third_party_hosts and (seller is None or seller.hosts not in ("own", "leased")):
        hosts = seller.hosts if seller is not None and seller.hosts else _("unknown")
        reasons.append(
            _("who owns the machines: {hosts}; third-party hosts are excluded").format(hosts=hosts)
        )
    if need.dedicated_hardware and candidate.kind != "bare_metal":
        isolation = seller.isolation if seller is not None and seller.isolation else _("unknown")
        if isolation != "bare_metal":
            reasons.append(
                _("dedicated hardware needed, isolation here: {isolation}").format(isolation=isolation)
            )
    return reasons


def _agreement_reasons(candidate: Candidate, w: Workload) -> list[str]:
    """A HIPAA agreement counts when it is offered, covers this GPU service, and is signed by you."""
    seller, reasons = candidate.provider_facts, []
    if seller is None or seller.baa != "offered":
        reasons.append(_("HIPAA agreement: no evidence that one is offered"))
    elif seller.baa_covers_gpu != "yes":
        reasons.append(_("HIPAA agreement: no evidence that it covers the GPU service"))
    elif candidate.provider.casefold() not in {p.casefold() for p in w.requirements.signed_agreements}:
        reasons.append(_("HIPAA agreement: offered, but not signed by you"))
    return reasons


def time_reasons(candidate: Candidate, use: Use, w: Workload) -> list[str]:
    """Return why the work would not be done in time."""
    reasons = []
    longest = w.longest_run_days * HOURS_PER_DAY
    if use.run_hours is not None and use.run_hours > longest:
        reasons.append(
            _("one run takes {hours:,.0f} h, {limit:,.0f} h allowed").format(
                hours=use.run_hours, limit=longest
            )
        )
    limit = candidate.wall_limit_hours
    if limit is not None and use.run_hours is not None and use.run_hours > limit and not w.interruptible:
        reasons.append(
            _("one run takes {hours:,.0f} h, the cluster allows {limit:,.0f} h").format(
                hours=use.run_hours, limit=limit
            )
        )
    finish_days = use.finish_month * DAYS_PER_MONTH
    if w.deadline_days is not None and finish_days > w.deadline_days:
        reasons.append(
            _("done after {days:,.0f} days, deadline {deadline:,.0f}").format(
                days=finish_days, deadline=w.deadline_days
            )
        )
    within = w.requirements.first_gpu_within_days
    start_days = use.start_month * DAYS_PER_MONTH
    if within is not None and start_days > within:
        reasons.append(
            _("first GPU after {days:,.0f} days, {within:,.0f} allowed").format(
                days=start_days, within=within
            )
        )
    return reasons


def budget_reasons(option: Option, setting: Setting) -> tuple[str, ...]:
    """Return why the funding cannot pay the option, whatever it costs for everyone."""
    funding = setting.workload.funding
    if funding is None:
        return ()
    reasons, paid = [], option.monthly_on_budget_usd
    if funding.may_buy == "capital" and not option.owned:
        reasons.append(_("the money may buy equipment only"))
    if funding.may_buy == "services" and any(
        s.category == "hardware" and s.payer == "funding" for s in option.streams
    ):
        reasons.append(_("the money may buy services only"))
    total = float(paid.sum())
    if funding.budget_usd is not None and total > funding.budget_usd:
        reasons.append(
            _("{total} of a budget of {budget}").format(
                total=format_usd(total), budget=format_usd(funding.budget_usd)
            )
        )
    if funding.upfront_max_usd is not None and paid[0] > funding.upfront_max_usd:
        reasons.append(
            _("{now} at the start, {most} allowed").format(
                now=format_usd(float(paid[0])), most=format_usd(funding.upfront_max_usd)
            )
        )
    if funding.spend_by is not None:
        last = (funding.spend_by - setting.catalog.as_of).days / DAYS_PER_MONTH
        late = float(np.maximum(paid, 0.0)[np.arange(len(paid)) > last].sum())
        if late > 0:
            reasons.append(
                _("{late} would be paid after {day}").format(
                    late=format_usd(late), day=funding.spend_by.isoformat()
                )
            )
    return tuple(reasons)
