"""The plan: from hours of use and a catalog to advice that adds up."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from rackrent import plan
from rackrent.building.ready import ready_builds
from rackrent.catalog.catalog import load
from rackrent.catalog.hardware import gpu, systems
from rackrent.costing.own import Hardware, own_streams
from rackrent.costing.setting import Setting
from rackrent.costing.use import Use
from rackrent.errors import BadInput, NothingFeasible
from rackrent.planning.history import history_of
from rackrent.planning.market import supplies_of
from rackrent.planning.supply import HOURS, Owned
from rackrent.report.plan import verdict
from rackrent.workload.read import workload_from

FIRST = datetime(2026, 6, 1, tzinfo=UTC)
CATALOG = load(as_of=date(2026, 11, 30))


@dataclass(frozen=True)
class Usage:
    hourly: pl.DataFrame
    jobs: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema={"pool": pl.String, "gpu": pl.String, "gpus": pl.Float64})
    )
    warnings: tuple[str, ...] = ()


def hours(gpus, pool="lab", gpu="RTX 3090", start=0):
    when = [FIRST + timedelta(hours=start + h) for h in range(len(gpus))]
    return pl.DataFrame(
        {"hour_utc": when, "gpus_in_use": [float(g) for g in gpus]},
        schema_overrides={"hour_utc": pl.Datetime("us", "UTC")},
    ).with_columns(pool=pl.lit(pool, dtype=pl.String), gpu=pl.lit(gpu, dtype=pl.String))


def day_and_night(weeks=4, day=8, night=3):
    return np.tile([night] * 12 + [day] * 12, 7 * weeks)


def lab(**limits):
    return plan(Usage(hours(day_and_night())), CATALOG, **{"months": 24, **limits})


def test_it_is_cheaper_than_renting_and_serves_all_of_the_work():
    found = lab()
    assert found.present_value_usd < found.all_rented_usd
    assert sum(found.served_share(o) for o in found.options) == pytest.approx(1)
    work = sum(w.sum() for w in found.mix.outcome.served.values())
    assert work == pytest.approx(5.5 * 24 * HOURS, rel=2e-3), "weeks do not divide months"
    assert found.mix.gap <= 1e-4


def test_the_verdict_says_what_to_do_and_what_was_hindsight():
    said = verdict(lab())
    assert said.startswith("Own ")
    assert "against" in said and "up front" in said and "hindsight" in said


def test_where_nothing_pays_it_says_so():
    seldom = np.zeros(672)
    seldom[5] = 1.0
    found = plan(Usage(hours(seldom).with_columns(effective_usd=0.5)), CATALOG, months=12)
    assert verdict(found).startswith(
        "Rent everything by the hour: nothing you could own or reserve is cheaper"
    )
    assert found.present_value_usd == pytest.approx(found.all_rented_usd)
    assert found.history.paid_usd == pytest.approx(336)
    assert any("you paid $336.00 for these GPUs, $336.00 a GPU-hour" in note for note in found.notes)


def test_a_limit_is_kept_and_never_lowers_the_cost():
    free = lab()
    tight = lab(machines=0)
    assert not any(tight.machines(o) for o in tight.options if o.term == "own")
    assert tight.present_value_usd >= free.present_value_usd
    assert lab(upfront_usd=5_000).mix.outcome.capital.sum() <= 5_000


def test_no_machine_is_too_small_for_the_jobs():
    jobs = pl.DataFrame({"pool": ["lab", "lab"], "gpu": [None, "RTX 3090"], "gpus": [1.0, 4.0]})
    found = plan(Usage(hours(day_and_night()), jobs), CATALOG, months=12)
    assert found.history.pools[0].gang == 4
    assert min(o.supply.gpus for o in found.options) >= 4


def test_jobs_larger_than_any_machine_are_said_to_be_so():
    with pytest.raises(NothingFeasible, match="jobs of 512 x RTX 3090 at once"):
        lab(gang=512)


def test_growth_costs_more():
    assert lab(growth_per_year=0.5).present_value_usd > lab().present_value_usd


def test_two_pools_are_planned_together():
    both = pl.concat([hours(day_and_night()), hours(day_and_night(), pool="other", gpu="A100 SXM 80GB")])
    found = plan(Usage(both), CATALOG, months=12)
    assert [p.name for p in found.history.pools] == ["lab", "other"]
    alone = plan(Usage(hours(day_and_night())), CATALOG, months=12)
    assert found.present_value_usd > alone.present_value_usd


@pytest.mark.parametrize("busy_share", [0.0, 0.6])
def test_a_machine_to_own_costs_what_its_streams_cost(busy_share):
    """Capital, upkeep, electricity and resale of one machine add up to the cash flows that compare shows."""
    months = 24
    work = workload_from(
        {"demand": {"gpu_hours_per_month": 1}, "horizon_months": months, "location": {"site": "server_room"}}
    )
    setting = Setting(work, CATALOG)
    owned = [o for o in supplies_of(setting, "lab", "RTX 3090", 1) if isinstance(o.supply, Owned)]
    assert len(owned) >= 3
    for option in owned:
        machine = option.supply
        known = [*systems(CATALOG), *(r.system for r in ready_builds(CATALOG))]
        system = next(s for s in known if option.id == f"{s.kind}/{s.id}")
        hardware = Hardware(
            gpu(CATALOG, system.gpu), system.gpu_count, system.price, system.gpu_price and system.gpu_price.value,
            rated_kw=system.power, assembled_by_you=system.kind == "own_build",
        )  # fmt: skip
        hours = busy_share * HOURS * months
        use = Use(4, np.full(months, 4 * busy_share * HOURS), float(system.gpu_count), 24.0, 0.0, None)
        streams = own_streams(hardware, use, setting, site="server_room")
        cost = float(machine.price_usd) + machine.usd_per_month * months - float(machine.resale_usd[-1])
        cost += hours * machine.gpus * machine.usd_per_gpu_hour
        assert 4 * cost == pytest.approx(sum(s.usd.sum() for s in streams))


def test_it_goes_to_json_whole():
    found = lab().to_dict()
    assert found["window"] == {"first_hour": "2026-06-01T00:00:00+00:00", "hours": 672}
    assert sum(found["cash_usd_by_month"]) > 0
    assert len(found["cash_usd_by_month"]) == 25
    owned = [o for o in found["options"] if o["term"] == "own" and o["machines_most"]]
    assert all(sum(o["by_month"]["bought"]) >= o["machines_most"] for o in owned)
    assert any("less than half a year" in note for note in found["notes"])


def test_hours_without_a_row_had_no_use():
    gap = Usage(pl.concat([hours([2, 2]), hours([4], start=4)]))
    assert history_of(gap).pools[0].gpus.tolist() == [2, 2, 0, 0, 4]


def test_weeks_are_repeated_whole():
    history = history_of(Usage(hours(range(170))))
    again = history.repeated(history.pools[0], 1)
    assert again[:168].tolist() == again[168:336].tolist() == list(range(168))


@pytest.mark.parametrize(
    ("usage", "limits", "said"),
    [
        (Usage(hours([])), {}, "no hour of use"),
        (Usage(hours([0, 0])), {}, "No GPU was in use"),
        (Usage(hours([1], gpu=None)), {}, "say it with --gpu"),
        (Usage(hours([1], gpu=None)), {"gpu": "RTX 3091"}, "RTX 3091"),
        (Usage(hours([1]).with_columns(gpus_in_use=None)), {}, "In 1 hours the GPUs in use are unknown"),
        (Usage(hours([1])), {"months": 0}, "1 to 120 months"),
        (Usage(hours([1])), {"kw": -1.0}, "limit kw must be 0 or more"),
    ],
)
def test_bad_input_is_one_sentence(usage, limits, said):
    with pytest.raises(BadInput, match=said):
        plan(usage, CATALOG, **limits)
