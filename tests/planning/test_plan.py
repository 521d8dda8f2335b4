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
from rackrent.planning.market import speeds_for, supplies_of
from rackrent.planning.policies import run_policies
from rackrent.planning.supply import HOURS, Committed, Owned, Rented
from rackrent.report.plan_words import verdict
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
    assert found.present_value_usd < found.rented_usd
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
    assert found.present_value_usd == pytest.approx(found.rented_usd)
    assert found.history.paid_usd == pytest.approx(336)
    assert any("you paid $336.00 for these GPUs, $336.00 a GPU-hour" in note for note in found.notes)


def test_a_limit_is_kept_and_never_lowers_the_cost():
    free = lab()
    tight = lab(machines=0)
    assert not any(tight.machines(o) for o in tight.options if o.term == "own")
    assert tight.present_value_usd >= free.present_value_usd
    assert lab(upfront_usd=5_000).mix.outcome.capital.sum() <= 5_000


def test_with_little_to_pay_up_front_terms_without_it_are_looked_at():
    """The cheapest term is paid in advance; that must not hide the one that is paid by the month."""
    catalog, used = load(as_of=date(2018, 9, 15)), Usage(hours(day_and_night(), gpu="K80 (one die)"))
    free, tight = (
        plan(used, catalog, months=36, doubts=False, **most)
        for most in ({"machines": 0}, {"machines": 0, "upfront_usd": 0})
    )
    signed = [o for o in tight.options if tight.machines(o)]
    assert free.upfront_usd > 0 and tight.upfront_usd == 0
    assert signed and all(o.id.endswith("no_upfront") for o in signed)
    assert free.present_value_usd < tight.present_value_usd < 0.95 * tight.rented_usd


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
    speeds = speeds_for(setting, "RTX 3090")
    owned = [o for o in supplies_of(setting, "lab", 1, speeds) if isinstance(o.supply, Owned)]
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


def test_the_largest_job_is_said_to_be_unknown():
    assert any("say it with --gang" in note for note in lab(doubts=False).notes)
    assert not any("say it with --gang" in note for note in lab(doubts=False, gang=2).notes)


def test_spot_serves_what_may_be_interrupted_and_no_more():
    without, some = lab(doubts=False, machines=0), lab(doubts=False, machines=0, interruptible=0.3)
    spot = [o for o in some.options if o.term in ("spot", "interruptible")]
    assert len(spot) == 1 and not [o for o in without.options if o.term in ("spot", "interruptible")]
    assert 0 < some.served_share(spot[0]) <= 0.3 + 1e-9
    assert some.present_value_usd < without.present_value_usd
    assert any("Nothing may be interrupted" in note for note in without.notes)
    assert any("Spot serves at most 30% of each hour's work" in note for note in some.notes)
    assert some.rented_usd == pytest.approx(without.rented_usd), "who rents now does it on demand"
    assert "of the work on spot" in verdict(some)


def test_longer_checkpoints_make_spot_dearer():
    def price(minutes):
        found = lab(doubts=False, machines=0, interruptible=0.3, checkpoint_minutes=minutes)
        return next(o.supply.usd_per_gpu_hour for o in found.options if o.term in ("spot", "interruptible"))

    assert price(60.0) > price(5.0)


HAVE = {"gpu": "RTX 3090", "gpus": 4, "machines": 2, "power_kw": 1.6, "idle_watts": 150, "resale_usd": 2_000}


def test_machines_there_are_cost_their_upkeep_and_may_be_sold():
    found = lab(doubts=False, have=[HAVE])
    mine = next(o for o in found.options if o.had)
    assert mine.id == "own_existing/0" and mine.supply.now == 2
    assert found.mix.outcome.capital.sum() < lab(doubts=False).mix.outcome.capital.sum(), "two are there"
    assert sum(found.to_dict()["options"][0]["by_month"]["bought"]) == 0, "more of them cannot be bought"
    assert "keep your 2 machines (own machine)" in verdict(found).casefold()
    assert any("is spent and does not count" in note for note in found.notes)
    kept = found.mix.outcome.machines[mine.supply.name]
    assert kept.tolist() == [2] * 24


def test_machines_that_are_not_worth_keeping_are_sold_now():
    dear = {**HAVE, "resale_usd": 50_000}
    found = lab(doubts=False, have=[dear])
    mine = next(o for o in found.options if o.had)
    assert found.mix.decisions.sold[mine.supply.name][0] == 2
    assert (0, "sell", mine, 2) in found.actions()
    assert verdict(found).startswith("Sell your 2 machines (own machine)")
    assert found.mix.outcome.income[0] == pytest.approx(-2 * (50_000 * 0.875 - 100))


def test_a_machine_that_can_do_none_of_the_work_is_left_out_and_said_so():
    found = lab(doubts=False, gang=2, have=[{**HAVE, "gpus": 1, "power_kw": 0.5, "name": "little one"}])
    assert not [o for o in found.options if o.had]
    assert any(note.startswith("little one can do none of this work") for note in found.notes)


def test_a_bill_is_what_is_done_now():
    cheap = plan(
        Usage(hours(day_and_night()).with_columns(effective_usd=0.05)), CATALOG, months=12, doubts=False
    )
    assert cheap.now_is_billed and cheap.to_dict()["now_is"] == "billed"
    assert cheap.now_usd == pytest.approx(0.05 * 8_760, rel=0.03)
    assert "at what you pay, stay with what you do" in verdict(cheap)
    dear = plan(
        Usage(hours(day_and_night()).with_columns(effective_usd=9.0)), CATALOG, months=12, doubts=False
    )
    assert "for what you do now, at the price per GPU-hour of your bill" in verdict(dear)
    assert dear.saving_now > dear.saving
    assert dear.saved_in_window_usd == pytest.approx((dear.now_usd - dear.present_value_usd) * 672 / 8_760)


def test_the_machines_there_are_cost_their_upkeep_besides_the_bill():
    paid = Usage(hours(day_and_night()).with_columns(effective_usd=0.05))
    asked = {"months": 12, "doubts": False}
    alone = plan(paid, CATALOG, **asked)
    both = plan(paid, CATALOG, have=[{**HAVE, "resale_usd": 0}], **asked)
    mine = both.mix.question.owned[0]
    assert mine.now == 2 and mine.usd_per_month > 0
    yearly = 1 + both.mix.question.annual_rate
    months = sum(yearly ** (-month / 12) for month in range(1, 13))
    # Sold after a year they bring nothing, and to sell them costs what it costs.
    sold = -2 * both.mix.question.monthly(mine.resale_usd, extra=1)[-1] / yearly
    assert both.now_usd - alone.now_usd == pytest.approx(2 * mine.usd_per_month * months + sold)


def test_hindsight_is_what_knowing_the_second_half_would_have_saved_more():
    def tested(first, second):
        halves = [*([first] * 336), *([second] * 336)]
        return plan(Usage(hours(halves)), CATALOG, months=24, doubts=False).out_of_sample

    same = tested(4, 4)
    assert same.saving == pytest.approx(same.hindsight_saving) and same.hindsight_share == pytest.approx(0)
    grown = tested(2, 8)
    assert 0 < grown.saving < grown.hindsight_saving
    assert grown.hindsight_share == pytest.approx(
        (grown.hindsight_saving - grown.saving) / grown.hindsight_saving
    )
    assert grown.in_sample_saving == pytest.approx(tested(2, 2).saving), "made from what was known"


def test_more_machines_than_a_few_racks_are_said_to_be_work():
    many = plan(Usage(hours([300] * 672)), CATALOG, months=24, doubts=False)
    machines = sum(count for _month, what, _option, count in many.actions() if what == "buy")
    assert machines > 20
    assert many.notes[0].startswith(f"{machines} machines are to be ") and "--machines" in many.notes[0]
    assert not any("--machines" in note for note in lab(doubts=False).notes)


def test_rules_without_foresight_keep_their_promise():
    yearly = Committed(name="1y", pool="a", gpus=2, term_months=12, usd_per_month=2 * 0.6 * HOURS)
    rented = Rented(name="od", pool="a", gpus=1, usd_per_gpu_hour=1.0)
    run = run_policies("a", "1y", np.resize(day_and_night(), 24 * HOURS), yearly, rented)
    assert run.on_demand_usd == pytest.approx(5.5 * 24 * HOURS, rel=2e-3)
    assert (run.deterministic_bound, run.randomised_bound) == (2.0, pytest.approx(1.581977, abs=1e-6))
    assert run.hindsight_usd < run.deterministic_usd <= run.hindsight_usd * run.deterministic_bound
    assert run.randomised_usd <= run.hindsight_usd * run.randomised_bound
    # Three GPUs are always in use: who knows it reserves them at 0.6, and rents five more half of the time.
    assert run.hindsight_usd == pytest.approx((3 * 0.6 + 5 * 0.5) * 24 * HOURS, rel=2e-3)


def test_a_reservation_that_never_pays_has_no_rule():
    dear = Committed(name="1y", pool="a", gpus=2, term_months=12, usd_per_month=2 * 1.1 * HOURS)
    rented = Rented(name="od", pool="a", gpus=1, usd_per_gpu_hour=1.0)
    assert run_policies("a", "1y", np.ones(12 * HOURS), dear, rented) is None


def test_doubt_names_a_plan_that_is_regretted_no_more():
    found = lab()
    assert 0 <= found.doubt.expected_regret_usd <= found.doubt.plan_regret_usd
    assert found.doubt.usd[0] <= found.present_value_usd * 1.5 and found.doubt.usd[0] < found.doubt.usd[1]
    assert found.doubt.growth_per_year.likely == 0
    assert lab(doubts=False).doubt is None and lab(doubts=False).policies == ()


def test_the_queue_before_and_after():
    when = [FIRST + timedelta(hours=8 * n) for n in range(80)]
    sent = pl.DataFrame(
        {
            "job": [str(n) for n in range(80)], "pool": "lab", "gpu": "RTX 3090", "gpus": 4.0, "eligible": when,
            "started": [w + timedelta(hours=31) for w in when], "ended": [w + timedelta(hours=39) for w in when],
        },
        schema_overrides={name: pl.Datetime("us", "UTC") for name in ("eligible", "started", "ended")},
    )  # fmt: skip
    found = plan(Usage(hours([4] * 671), sent), CATALOG, months=24, doubts=False)
    assert found.queues.overall.now.median_hours == 31
    assert found.queues.overall.planned.p90_hours <= found.queues.startup_hours
    assert any("demand is censored" in note for note in found.notes)
    told = found.to_dict()["queue"]
    assert told["overall"]["now"] == {"median_hours": 31.0, "p90_hours": 31.0}
    assert told["by_gang"][0]["gpus"] == 4


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
        (Usage(hours([1])), {"gpu": "RTX 3091"}, "did you mean 'RTX 3090'"),
        (Usage(hours([1])), {"interruptible": 30}, "must be from 0 to 1, not 30"),
        (Usage(hours([1])), {"interruptible": 0.3, "checkpoint_minutes": 0}, "checkpoint_minutes"),
        (Usage(hours([1])), {"gang": 0}, "1 to 4096 GPUs, not 0"),
        (Usage(hours([1])), {"have": [{"gpu": "RTX 3091"}]}, "RTX 3091"),
        (Usage(hours([1])), {"have": []}, "lists no machines"),
        (Usage(hours([1])), {"have": [{"gpu": "RTX 3090", "gpuz": 2}]}, "gpuz"),
        (Usage(hours([1])), {"task": "genric"}, "did you mean 'generic'"),
        (Usage(hours([1])), {"site": "garage"}, "site"),
    ],
)
def test_bad_input_is_one_sentence(usage, limits, said):
    with pytest.raises(BadInput, match=said):
        plan(usage, CATALOG, **limits)
