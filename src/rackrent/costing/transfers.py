"""What is laid over every option alike: tax, indirect cost, credits, and the value of waiting.

Indirect cost is a transfer: what the funding pays, the institution receives. It appears twice, so that
"for everyone" it is nil and on the budget it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np

from rackrent.catalog.fact import Fact
from rackrent.costing.setting import Setting
from rackrent.costing.streams import CostStream, Payer, at_start
from rackrent.i18n import gettext as _
from rackrent.units import DAYS_PER_MONTH
from rackrent.workload.model import Funding

EQUIPMENT = frozenset({"hardware", "shipping"})
SERVICES = frozenset(
    {
        "rent",
        "commitment",
        "idle",
        "startup",
        "rounding",
        "rework",
        "storage",
        "egress",
        "exit",
        "colocation",
        "repairs",
        "connectivity",
        "credit",
    }
)


def tax_streams(streams: Iterable[CostStream], setting: Setting) -> list[CostStream]:
    """Return the tax on every stream that excludes it, one stream for each payer and kind of use."""
    rate = setting.tax
    if not rate.value:
        return []
    groups: dict[tuple[Payer, bool], list[CostStream]] = {}
    for stream in streams:
        if stream.tax_basis == "excl":
            groups.setdefault((stream.payer, stream.per_use), []).append(stream)
    taxes = []
    for (payer, per_use), members in groups.items():
        base = np.sum([m.usd for m in members], axis=0)
        text = _("{rate:.1%} of ${base:,.2f}").format(rate=rate.value, base=base.sum())
        facts = (rate, *_facts_of(members))
        taxes.append(CostStream("tax", base * rate.value, text, facts, payer, "tax", per_use=per_use))
    return taxes


def _facts_of(streams: Iterable[CostStream]) -> tuple[Fact, ...]:
    """The facts of several streams, each once, in order."""
    return tuple(dict.fromkeys(f for s in streams for f in s.facts))


def indirect_streams(
    streams: Sequence[CostStream], machine_price_usd: float | None, funding: Funding | None
) -> list[CostStream]:
    """Return the indirect cost that the funding pays and the institution receives.

    Equipment below the threshold counts as supplies and bears the services rate (2 CFR 200: supplies are in the
    base, equipment is not). Tax bears none.
    """
    if funding is None:
        return []
    small = (
        funding.equipment_threshold_usd is not None
        and machine_price_usd is not None
        and machine_price_usd < funding.equipment_threshold_usd
    )
    on_services = ("indirect_rate_services", funding.indirect_rate_services)
    on_equipment = on_services if small else ("indirect_rate_equipment", funding.indirect_rate_equipment)
    out = []
    for categories, (field, rate) in ((EQUIPMENT, on_equipment), (SERVICES, on_services)):
        if rate == 0:
            continue
        fact = Fact.from_workload(f"funding.{field}", rate, "share")
        for per_use in (False, True):
            members = [
                s
                for s in streams
                if s.payer == "funding" and s.per_use == per_use and s.category in categories and _billed(s)
            ]
            if not members:
                continue
            base = np.sum([m.usd for m in members], axis=0)
            text = _("{rate:.1%} of ${base:,.2f}, kept by the institution").format(rate=rate, base=base.sum())
            out.append(CostStream("indirect", base * rate, text, (fact,), payer="funding", per_use=per_use))
            out.append(
                CostStream("indirect", -base * rate, text, (fact,), payer="institution", per_use=per_use)
            )
    return out


def _billed(stream: CostStream) -> bool:
    """Whether somebody bills it: people's own time (to leave a provider, say) bears no indirect cost here."""
    return stream.tax_basis != "none" or stream.category == "credit"


def credit_streams(streams: Sequence[CostStream], provider: str, setting: Setting) -> list[CostStream]:
    """Return the credits of `provider` set against what is billed there, month by month until they expire."""
    billed = {"rent", "commitment", "idle", "startup", "rounding", "rework", "storage", "egress"}
    members = [s for s in streams if s.category in billed]
    bill = np.sum([s.usd for s in members], axis=0)
    out = []
    soonest_first = sorted(enumerate(setting.workload.credits), key=lambda c: c[1].expires or date.max)
    for index, credit in soonest_first:
        if credit.provider.casefold() != provider.casefold() or credit.usd == 0:
            continue
        usable = np.ones_like(bill)
        if credit.expires is not None:
            months = (credit.expires - setting.catalog.as_of).days / DAYS_PER_MONTH
            usable = (np.arange(len(bill)) <= months).astype(float)
        left = np.minimum(np.cumsum(np.maximum(bill, 0.0) * usable), credit.usd)
        used = np.diff(left, prepend=0.0)
        bill = bill - used
        fact = Fact.from_workload(f"credits[{index}].usd", credit.usd, "usd")
        text = _("${used:,.2f} of ${all:,.2f} used before they expire").format(
            used=used.sum(), all=credit.usd
        )
        out.append(CostStream("credit", -used, text, (fact, *_facts_of(members)), tax_basis="none"))
    return out


def waiting_stream(days: float, setting: Setting) -> list[CostStream]:
    """Return the value of waiting `days` for the first results, at the person's own value of a day."""
    value = setting.workload.waiting_usd_per_day
    if value == 0 or days <= 0:
        return []
    fact = Fact.from_workload("waiting_usd_per_day", value, "usd_per_day")
    text = _("{days:.1f} days x ${value:,.2f}").format(days=days, value=value)
    return [CostStream("waiting", at_start(days * value, setting.horizon), text, (fact,))]
