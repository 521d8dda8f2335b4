"""A plan as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rackrent.planning.machines import Named
from rackrent.planning.queues import Wait
from rackrent.planning.supply import Committed, Owned
from rackrent.planning.tested import Doubt

if TYPE_CHECKING:
    from rackrent.planning.evaluate import Decisions
    from rackrent.planning.plan import Plan


def told(plan: Plan) -> dict[str, Any]:
    """Return what `rackrent plan --json` prints, but for the verdict in words."""
    out, mix, outcome, queues = plan.out_of_sample, plan.mix, plan.mix.outcome, plan.queues
    mean, most = plan.monthly_usd
    return {
        "window": {"first_hour": plan.history.first.isoformat(), "hours": plan.history.hours},
        "pools": [
            {
                "pool": p.name, "gpu": p.gpu, "gang": p.gang, "gpu_hours": float(p.gpus.sum()),
                "mean_gpus": float(p.gpus.mean()), "peak_gpus": float(p.gpus.max()),
            }
            for p in plan.history.pools
        ],
        "months": plan.request.months,
        "interruptible_share": plan.request.interruptible,
        "present_value_usd": plan.present_value_usd,
        "all_rented_usd": plan.rented_usd,
        "saving_share": plan.saving,
        "now_usd": plan.now_usd,
        "now_is": "billed" if plan.now_is_billed else "rented_on_demand",
        "saving_now_share": plan.saving_now,
        "saved_in_window_usd": plan.saved_in_window_usd,
        "gap": mix.gap,
        "paid_in_window_usd": plan.history.paid_usd,
        "upfront_usd": plan.upfront_usd,
        "monthly_usd": {"mean": mean, "most": most},
        "cash_usd_by_month": outcome.cash.tolist(),
        "options": [
            {
                "id": o.id, "pool": o.supply.pool, "term": o.term, "product": o.product, "gpu": o.gpu, "gpus": o.supply.gpus,
                "speed": o.speed, "speed_basis": o.basis, "had": o.had, "machines_most": plan.machines(o),
                "share_of_work": plan.served_share(o), "by_month": _by_month(plan.mix.decisions, o),
            }
            for o in plan.options
        ],
        "actions": [
            {"month": month, "what": what, "option": o.id, "pool": o.supply.pool, "machines": n, "gpus": n * o.supply.gpus}
            for month, what, o, n in plan.actions()
        ],
        "out_of_sample": None if out is None else {
            "in_sample_saving": out.in_sample_saving, "saving": out.saving,
            "hindsight_saving": out.hindsight_saving, "hindsight_share": out.hindsight_share,
            "limits_broken": list(out.broken),
        },
        "queue": None if queues is None else {
            "month": queues.month, "startup_hours": queues.startup_hours,
            "overall": _wait(queues.overall), "by_gang": [_wait(w) for w in queues.by_gang],
        },
        "policies": [asdict(run) for run in plan.policies],
        "under_doubt": None if plan.doubt is None else _doubt(plan, plan.doubt),
        "notes": list(plan.notes),
        "assumptions": [{"key": f.key, "value": f.value, "low": f.low, "high": f.high, "unit": f.unit} for f in plan.assumptions],
    }  # fmt: skip


def _by_month(made: Decisions, option: Named) -> dict[str, list[int]]:
    name = option.supply.name
    if isinstance(option.supply, Owned):
        return {"bought": made.bought[name].tolist(), "sold": made.sold[name].tolist()}
    return {"begun": made.begun[name].tolist()} if isinstance(option.supply, Committed) else {}


def _wait(wait: Wait) -> dict[str, Any]:
    found = asdict(wait)
    return found if wait.gpus else {k: v for k, v in found.items() if k not in ("pool", "gpus")}


def _doubt(plan: Plan, doubt: Doubt) -> dict[str, Any]:
    def finite(usd: float) -> float | None:
        return usd if np.isfinite(usd) else None

    return {
        "growth_per_year": asdict(doubt.growth_per_year),
        "rent_change_per_year": asdict(doubt.rent_change_per_year),
        "least_expected_regret_usd": doubt.expected_regret_usd,
        "plan_expected_regret_usd": finite(doubt.plan_regret_usd),
        "plan_usd_low": finite(doubt.usd[0]),
        "plan_usd_high": finite(doubt.usd[1]),
        "same": doubt.same,
        "options": [
            {"id": o.id, "pool": o.supply.pool, "by_month": _by_month(doubt.decisions, o)}
            for o in plan.options
            if any(sum(counts) for counts in _by_month(doubt.decisions, o).values())
        ],
    }
