"""The result of a comparison: ranked options, a verdict, and everything they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rackrent.catalog.fact import Fact
from rackrent.comparison.breakeven import Sides, break_even_months, break_even_utilisation
from rackrent.comparison.lending import Lent, lend
from rackrent.comparison.option import Option
from rackrent.comparison.ranking import Ranking
from rackrent.comparison.scorecard import scorecard
from rackrent.comparison.tornado import Tornado, tornado
from rackrent.comparison.uncertainty import Uncertainty, uncertainty
from rackrent.comparison.verdict import Verdict
from rackrent.costing.finance import npv
from rackrent.costing.setting import Setting
from rackrent.units import HOURS_PER_MONTH

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Comparison:
    """Options side by side for the same work.

    `options` are ranked by present value whoever pays; those that are out stand last. `headline` is the best of
    each kind. `recommended` is None where nothing is feasible.
    """

    setting: Setting
    options: Ranking
    headline: tuple[Option, ...]
    recommended: Option | None
    recommended_on_budget: Option | None
    verdict: Verdict
    warnings: tuple[str, ...]

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """How the feasible options fare in many states of the world; worked out when first asked for."""
        return uncertainty(self.options)

    @cached_property
    def _sides(self) -> Sides:
        return Sides(self.options)

    @cached_property
    def tornado(self) -> Tornado | None:
        """Which inputs the answer hangs on; None where no rival of the other side exists."""
        best = self.recommended
        rival = self.rival_of(best) if best is not None else None
        return None if best is None or rival is None else tornado(self.options, best, rival)

    @property
    def feasible(self) -> tuple[Option, ...]:
        """The options that can do the work, best first."""
        return tuple(self.options[: self.options.feasible_count])

    def option(self, id: str) -> Option | None:
        """Return the option with this id; None if there is none."""
        return self.options.find(id)

    def rival_of(self, option: Option) -> Option | None:
        """Return the best feasible option of the other side (owned or rented); None if there is none."""
        return self.options.first(owned=not option.owned)

    def lent(self, option: Option) -> Lent | None:
        """Return what lending out an option's idle hours would bring; None where it is rented or out."""
        return lend(option, self.setting)

    @property
    def lender(self) -> Option | None:
        """The option that a line on lending speaks of: the recommended one, else the best to own; None if none."""
        return self.options.first(owned=True)

    def assumptions(self) -> list[Fact]:
        """Return every assumption that a cost rests on, the weightiest in the recommended option first."""
        weight = self.weights()
        return sorted(self.setting.used.values(), key=lambda f: -weight.get(f.key, 0.0))

    def weights(self) -> dict[str, float]:
        """Return, for each assumption, the present value in the recommended and its rival that rests on it, USD."""
        total: dict[str, float] = {}
        best = self.recommended
        if best is None:
            return total
        for option in filter(None, (best, self.rival_of(best))):
            for stream in option.streams:
                if stream.category in ("tax", "indirect"):
                    continue
                for fact in stream.facts:
                    key = fact.key.removeprefix("assumptions.")
                    if key in self.setting.used:
                        total[key] = total.get(key, 0.0) + abs(float(npv(stream.usd, option.discount_rate)))
        return total

    def to_dict(self, *, everything: bool = False) -> dict[str, Any]:
        """Return the comparison as the contract of `compare --json` names it.

        `options` holds the headline, the best for the funding, and every option that is out, with its reasons;
        the other feasible ones are counted in `omitted`, and held too where `everything` is asked for.
        """
        best = {o.id for o in (*self.headline, self.recommended_on_budget) if o is not None}
        shown = [o for o in self.options if everything or not o.feasible or o.id in best]
        return {
            "workload": self.setting.workload.name,
            "as_of": self.setting.catalog.as_of.isoformat(),
            "horizon_months": self.setting.horizon,
            "hours_per_month": HOURS_PER_MONTH,
            "currency": "USD",
            "options": [self._option(o) for o in shown],
            "omitted": len(self.options) - len(shown),
            "headline": [o.id for o in self.headline],
            "recommended": self.recommended.id if self.recommended else None,
            "recommended_on_budget": self.recommended_on_budget.id if self.recommended_on_budget else None,
            "verdict": self.verdict.text,
            "turns_on": list(self.verdict.turns_on),
            "tornado": self.tornado.to_list() if self.tornado else [],
            "rival_wins_if": list(self.tornado.turns) if self.tornado else [],
            "assumptions": [fact_dict(f) for f in self.assumptions()],
            "warnings": list(self.warnings),
        }

    def _option(self, o: Option) -> dict[str, Any]:
        out: dict[str, Any] = {
            "id": o.id,
            "kind": o.kind,
            "provider": o.provider,
            "name": o.name,
            "region": o.region,
            "term": o.term,
            "gpu": o.gpu,
            "gpu_count": o.gpu_count,
            "machines": o.use.machines if o.use else None,
            "feasible": o.feasible,
            "reasons": list(o.reasons),
        }
        if not o.feasible:
            return out | dict.fromkeys(COSTED_FIELDS)
        assert o.use is not None and o.speed is not None
        return out | {
            "reasons_on_budget": list(o.reasons_on_budget),
            "warnings": list(o.warnings),
            "price": fact_dict(o.price) if o.price else None,
            "speed": {
                "ratio": o.speed.ratio,
                "low": o.speed.low,
                "high": o.speed.high,
                "basis": o.speed.basis,
            },
            "total_usd": o.total_usd,
            "totals_by_payer": o.totals_by_payer,
            "npv_usd": o.npv_usd,
            "npv_on_budget_usd": o.npv_on_budget_usd,
            "upfront_usd": o.upfront_usd,
            "usd_per_gpu_hour": o.usd_per_gpu_hour,
            "usd_per_unit_work": o.usd_per_unit_work,
            "monthly_usd": [float(x) for x in o.monthly_usd],
            "break_even_months": break_even_months(o, list(self.headline)),
            "break_even_utilisation": break_even_utilisation(o, self._sides),
            "utilisation": o.use.utilisation,
            "lending": self._lending(o),
            "finish_month": o.use.finish_month,
            "energy_kwh": o.energy_kwh,
            "co2_kg": o.co2_kg,
            "co2_use_kg": o.co2_use_kg,
            "co2_embodied_kg": o.co2_embodied_kg,
            "noise_dba": o.noise_dba,
            "scorecard": scorecard(o, self.setting),
            **self._chances(o),
            "cash_flows": [flow.to_dict() for flow in o.cash_flows],
        }

    def _lending(self, option: Option) -> dict[str, Any]:
        lent = self.lent(option)
        return {} if lent is None else lent.to_dict() | {"facts": [fact_dict(f) for f in lent.facts]}

    def _chances(self, option: Option) -> dict[str, float | None]:
        """How an option fares in many states of the world; quantiles only for the cheapest ones."""
        u, place = self.uncertainty, self.options.place(option.id)
        low, high = (None, None) if place >= len(u.quantiles_usd) else u.quantiles_usd[place][[0, 2]].tolist()
        return {
            "p10_usd": low,
            "p90_usd": high,
            "mean_usd": float(u.mean_usd[place]),
            "probability_best": float(u.probability_best[place]),
            "regret_usd": float(u.regret_usd[place]),
        }

    def to_polars(self) -> pl.DataFrame:
        """Return one row an option: the scalar fields of `to_dict`."""
        import polars as pl

        rows = [
            {k: v for k, v in self._option(o).items() if not isinstance(v, dict | list)} for o in self.options
        ]
        return pl.DataFrame(rows, infer_schema_length=None)


COSTED_FIELDS = (
    "total_usd", "totals_by_payer", "npv_usd", "upfront_usd", "usd_per_gpu_hour", "usd_per_unit_work", "monthly_usd",
    "break_even_months", "break_even_utilisation", "lending", "finish_month", "energy_kwh", "co2_kg", "p10_usd", "p90_usd",
    "probability_best", "regret_usd", "scorecard", "cash_flows",
)  # fmt: skip
"""Fields of the contract that are null where an option is out; `explain` says what is known of it."""


def fact_dict(fact: Fact) -> dict[str, Any]:
    """Return a fact as JSON values."""
    return {
        "kind": fact.kind,
        "table": fact.table,
        "key": fact.key,
        "value": fact.value,
        "low": fact.low,
        "high": fact.high,
        "unit": fact.unit,
        "source": fact.source,
        "observed_on": fact.observed_on.isoformat() if fact.observed_on else None,
        "confidence": fact.confidence,
        "note": fact.note,
    }
