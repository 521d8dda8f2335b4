"""What money does not say: scaling, obsolescence, control, security, lock-in — each cell a sourced fact.

Nothing here is weighted or summed: the person does that. A cell is a sentence about this option and where it
comes from, with a link where a rule is quoted; None where nothing is known.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from rackrent.catalog.fact import Fact
from rackrent.catalog.places import policy
from rackrent.comparison.option import Option
from rackrent.costing.rent import COMMITTED_TERMS, INTERRUPTED_TERMS
from rackrent.costing.setting import Setting
from rackrent.i18n import gettext as _
from rackrent.i18n import ngettext
from rackrent.money import format_usd
from rackrent.units import DAYS_PER_YEAR

Cell = dict[str, Any]


def scorecard(option: Option, setting: Setting) -> dict[str, list[Cell]]:
    """Return the evidence on each aspect: a list of cells `{text, source, observed_on, confidence}`."""
    return {
        "scaling": _scaling(option, setting),
        "obsolescence": _obsolescence(option, setting),
        "control": _control(option),
        "security": _security(option, setting),
        "lock_in": _lock_in(option, setting),
    }


def _cell(text: str, fact: Fact | None = None, setting: Setting | None = None) -> Cell:
    if fact is None:
        return {
            "text": text,
            "source": _("follows from the kind of option"),
            "observed_on": None,
            "confidence": "high",
        }
    source = setting.catalog.cite(fact.source) if setting is not None else fact.source
    if fact.table == "providers" and fact.note:
        source = _("from memory, not read") if fact.note == "memory" else fact.note
    day = fact.observed_on.isoformat() if fact.observed_on else None
    return {"text": text, "source": source, "observed_on": day, "confidence": fact.confidence}


def _scaling(option: Option, setting: Setting) -> list[Cell]:
    candidate = option.candidate
    assert candidate is not None
    if candidate.lead is not None:
        weeks = setting.assume(candidate.lead)
        if weeks.low is None or weeks.high is None:  # a person's own figure may be one number
            text = ngettext(
                "another machine takes {weeks:g} week; one too many must be sold",
                "another machine takes {weeks:g} weeks; one too many must be sold",
                ceil(weeks.known),
            )
        else:
            text = _("another machine takes {low:g} to {high:g} weeks; one too many must be sold")
        said = text.format(low=weeks.low, high=weeks.high, weeks=weeks.known)
        return [_cell(said, weeks, setting)]
    if candidate.machines_have is not None:
        return [_cell(_("what you have is all there is"))]
    cells = []
    if option.term in COMMITTED_TERMS:
        cells.append(_cell(_("paid to the end of each term, used or not")))
    else:
        cells.append(_cell(_("more or fewer from hour to hour, where there is capacity")))
    seller = candidate.provider_facts
    if seller is not None and seller.quota:
        cells.append(_cell(seller.quota, seller.fact("quota"), setting))
    return cells


def _obsolescence(option: Option, setting: Setting) -> list[Cell]:
    candidate = option.candidate
    assert candidate is not None
    cells = []
    launched = candidate.gpu.launch_date
    if launched is not None:
        age = (setting.catalog.as_of - launched).days / DAYS_PER_YEAR
        text = _("{gpu} was launched {age:.1f} years ago").format(gpu=option.gpu, age=age)
        cells.append(_cell(text, candidate.gpu.fact("launch_price_usd", "usd"), setting))
    cells.append(
        _cell(_("its loss of value is yours") if option.owned else _("its loss of value is the provider's"))
    )
    return cells


def _control(option: Option) -> list[Cell]:
    if option.owned:
        return [_cell(_("all of it is yours to set up, and yours to keep running"))]
    if option.term in INTERRUPTED_TERMS:
        return [_cell(_("it may be taken away while you work"))]
    return [_cell(_("the provider sets hardware, terms and prices"))]


def _security(option: Option, setting: Setting) -> list[Cell]:
    candidate = option.candidate
    assert candidate is not None
    cells = []
    if option.kind == "colocation" and candidate.gpu.segment == "consumer":
        rule = policy(setting.catalog, "licence", "world", "geforce_datacentre")
        if rule is not None:
            cells.append(_cell(rule.text, rule.fact, setting) | {"link": rule.link})
    if option.owned:
        cells.append(_cell(_("data stays with you; protecting it is your work")))
        return cells
    seller = candidate.provider_facts
    if seller is None:
        cells.append(_cell(_("nothing is known of how this provider separates tenants")))
        return cells
    if seller.isolation:
        cells.append(
            _cell(
                _("tenants are separated by: {what}").format(what=seller.isolation),
                seller.fact("isolation"),
                setting,
            )
        )
    if seller.hosts:
        cells.append(
            _cell(_("machines are owned by: {who}").format(who=seller.hosts), seller.fact("hosts"), setting)
        )
    names = ", ".join(seller.certificates) or _("none with evidence")
    cells.append(_cell(_("certificates: {names}").format(names=names), seller.fact("certificates"), setting))
    return cells


def _lock_in(option: Option, setting: Setting) -> list[Cell]:
    if option.owned:
        return [_cell(_("you can sell it, at a price nobody knows today"))]
    leaving = [s for s in option.streams if s.category == "exit"]
    if not leaving:
        return []
    usd = sum(s.total_usd for s in leaving)
    fact = leaving[-1].facts[-1]
    return [
        _cell(
            _("leaving costs about {usd} in data out and work").format(usd=format_usd(usd, decimals=0)),
            fact,
            setting,
        )
    ]
