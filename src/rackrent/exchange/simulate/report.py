"""What came of a run, for people and as values."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, quantiles
from typing import Any

from rackrent.exchange.model import DAY_MS
from rackrent.exchange.simulate.run import Outcome
from rackrent.exchange.simulate.scenario import KINDS, START_MS
from rackrent.i18n import gettext as _

USD = 1_000_000


def values(outcome: Outcome) -> dict[str, Any]:
    """Return a run as JSON values. Money is USD; `occupancy` is the share of all GPU time that was paid for, by GPU."""
    world, scenario = outcome.world, outcome.world.scenario
    tally = world.tally
    ends_ms = min(world.now_ms, scenario.end_ms)
    span_ms = max(1, ends_ms - START_MS)
    earned = sorted(amount / USD for amount in tally.earned.values())
    return {
        "hosts": len(world.hosts), "gpus": sum(tally.gpus.values()), "days": round(span_ms / DAY_MS, 3),
        "seed": scenario.seed, "faults": sorted(scenario.faults), "events": world.events, "digest": world.digest,
        "leases": dict(sorted(tally.leases.items())), "unserved": tally.unserved,
        "occupancy": {g: round(tally.sold_ms[g] / (n * span_ms), 4) for g, n in _in_order(tally.gpus)},
        "prices": {
            g: {term: _prices(tally.rates.get((g, term), [])) for term in ("posted", "bid")}
            for g, _n in _in_order(tally.gpus)
        },
        "earnings_per_lender": None if not earned else {
            "least": round(earned[0], 2), "median": round(earned[len(earned) // 2], 2), "most": round(earned[-1], 2),
            "all": round(sum(earned), 2),
        },
        "interrupted": dict(sorted(tally.interrupted.items())), "failed": dict(sorted(tally.failed.items())),
        "ended": dict(sorted(tally.ended.items())), "incidents": dict(sorted(tally.incidents.items())),
        "refused": {f"{what}: {why}": n for (what, why), n in sorted(tally.refused.items())},
        "uncollected": tally.uncollected / USD,
        "violation": None if outcome.violation is None else str(outcome.violation),
    }  # fmt: skip


def text(outcome: Outcome) -> list[str]:
    """Return the lines of the report, without its verdict."""
    found = values(outcome)
    lines = [
        _(
            "{hosts:,} hosts with {gpus:,} GPUs, {days:g} days, seed {seed}: {events:,} events, history {digest}"
        ).format(**{key: found[key] for key in ("hosts", "gpus", "days", "seed", "events", "digest")}),
        _("leases: {counts}; {unserved:,} requests for GPUs found no offer").format(
            counts=_counts(found["leases"]), unserved=found["unserved"]
        ),
    ]
    lines.append(
        _("GPU: share of the time paid for; posted prices and bids, USD an hour: median (quartiles)")
    )
    for gpu, share in found["occupancy"].items():
        prices = found["prices"][gpu]
        lines.append(
            _("{gpu}: {share:.0%}; posted {posted}; bids {bids}").format(
                gpu=gpu, share=share, posted=_range(prices["posted"]), bids=_range(prices["bid"])
            )
        )
    if (earned := found["earnings_per_lender"]) is not None:
        lines.append(
            _(
                "a lender earned ${least:,.2f} at least, ${median:,.2f} in the middle, ${most:,.2f} at most"
            ).format(least=earned["least"], median=earned["median"], most=earned["most"])
        )
    found["refused"] = {
        f"{what} ({why})": n for (what, why), n in sorted(outcome.world.tally.refused.items())
    }
    for name, title in (
        ("interrupted", _("interrupted: {counts}")), ("failed", _("failed: {counts}")), ("ended", _("ended: {counts}")),
        ("incidents", _("incidents: {counts}")), ("refused", _("refused: {counts}")),
    ):  # fmt: skip
        lines.append(title.format(counts=_counts(found[name])))
    return lines


def verdict(outcome: Outcome) -> str:
    """Return the sentence that a run ends with."""
    world = outcome.world
    if outcome.violation is None:
        return _("Seed {seed}: {events:,} events, no rule was broken.").format(
            seed=world.scenario.seed, events=world.events
        )
    return _("Seed {seed}: a rule was broken after {events:,} events: {violation}").format(
        seed=world.scenario.seed, events=world.events, violation=outcome.violation
    )


def _in_order(gpus: Counter[str]) -> list[tuple[str, int]]:
    return [(gpu, gpus[gpu]) for gpu in KINDS if gpus[gpu]]


def _prices(rates: list[int]) -> dict[str, float] | None:
    if len(rates) < 2:
        return None
    low, middle, high = (cut / USD for cut in quantiles(rates, n=4))
    return {"quarter": round(low, 4), "median": round(middle, 4), "three_quarters": round(high, 4), "mean": round(fmean(rates) / USD, 4)}  # fmt: skip


def _range(prices: dict[str, float] | None) -> str:
    if prices is None:
        return _("too few leases")
    return "{median:.2f} ({quarter:.2f}-{three_quarters:.2f})".format(**prices)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items()) or _("none")
