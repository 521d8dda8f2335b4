"""The mix over time: as good as the hourly program, and what must hold of any plan."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import hourly_optimum, monthly_optimum

from rackrent.errors import BadInput, NothingFeasible
from rackrent.planning.evaluate import evaluate, nothing
from rackrent.planning.load_duration import load_duration
from rackrent.planning.merit import Layer, served_by_layer
from rackrent.planning.mix import best_mix
from rackrent.planning.supply import HOURS, Committed, Limits, Owned, Pool, Question, Rented

LIMITS = ("upfront_usd", "monthly_usd", "kw", "rack_units")


def random_question(seed, *, months=2, pools=2, limits=None):
    """Return a small question with every kind of supply, prices that move, speeds and gangs."""
    draw = np.random.default_rng(seed)
    names = [f"pool-{i}" for i in range(pools)]
    demand, owned, committed, rented = [], [], [], []
    for i, name in enumerate(names):
        base = draw.integers(2, 12)
        hours = np.arange(months * HOURS)
        load = base * (1 + 0.5 * np.sin(hours * 2 * np.pi / 24)) * (1 + 0.1 * i * hours / hours.size)
        load = np.rint(load + draw.normal(0, 2, hours.size)).clip(0)
        gang = int(draw.choice([1, 2]))
        demand.append(Pool(name, load, gang))
        price = draw.uniform(2_000, 5_000) * 0.98 ** np.arange(months)
        owned += [
            Owned(
                name=f"own-{j}-{name}", pool=name, gpus=int(draw.choice([2, 4])), work_per_gpu=float(draw.choice([1, 1.5])),
                price_usd=price * (j + 1), resale_usd=price[-1] * 0.6 * 0.97 ** np.arange(months + 1) * (j + 1),
                usd_per_month=draw.uniform(20, 100), usd_per_gpu_hour=draw.uniform(0.02, 0.1), kw=1.0 + j,
                rack_units=4.0, lead_months=int(j), now=int(draw.integers(0, 2)) if j else 0,
                most=int(draw.integers(1, 3)),
            )
            for j in range(2)
        ]  # fmt: skip
        committed += [
            Committed(name=f"one-{name}", pool=name, gpus=2, term_months=2, usd_per_month=draw.uniform(500, 900), most=2),
            Committed(name=f"three-{name}", pool=name, gpus=2, term_months=3, work_per_gpu=1.1, upfront_usd=draw.uniform(400, 1_500),
                      usd_per_month=draw.uniform(200, 400), most=3),
        ]  # fmt: skip
        rented += [
            Rented(name=f"spot-{name}", pool=name, gpus=2, usd_per_gpu_hour=draw.uniform(0.3, 0.6, months), gpus_most=2),
            Rented(name=f"share-{name}", pool=name, gpus=2, usd_per_gpu_hour=draw.uniform(0.5, 1.1, months), work_per_gpu=1.3,
                   share_most=float(draw.uniform(0.1, 0.6))),
            Rented(name=f"od-{name}", pool=name, gpus=8, usd_per_gpu_hour=draw.uniform(1.0, 1.6), work_per_gpu=1.2),
        ]  # fmt: skip
    return Question(tuple(demand), tuple(owned), tuple(committed), tuple(rented), limits or Limits())


def binding(question, name, tightness=0.6):
    """Return the question with one limit at a share of what its free optimum uses."""
    free = best_mix(question).outcome
    machines = [(m, free.machines[m.name]) for m in question.owned]
    used = {
        "upfront_usd": free.capital.sum(),
        # Of running costs not everything can be saved: between the free optimum and its highest month.
        "monthly_usd": free.running.max() * 1.25 * tightness / 0.6 * 0.8,
        "kw": max(sum(m.kw * there for m, there in machines)) * tightness,
        "rack_units": max(sum(m.rack_units * there for m, there in machines)) * tightness,
    }
    value = used[name] * tightness if name == "upfront_usd" else used[name]
    return replace(question, limits=Limits(**{name: float(value)}))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_as_good_as_the_hourly_program(seed):
    question = random_question(seed)
    mix = best_mix(question, gap=2e-5)
    assert mix.gap <= 2e-5
    assert mix.outcome.present_value_usd == pytest.approx(hourly_optimum(question), rel=1e-4)
    assert mix.outcome.present_value_usd == pytest.approx(monthly_optimum(question), rel=1e-4)


@pytest.mark.parametrize("limit", LIMITS)
def test_it_is_as_good_with_a_limit_that_binds(limit):
    free = random_question(2, pools=1)
    question = binding(free, limit)
    mix = best_mix(question, gap=2e-5)
    assert mix.outcome.present_value_usd == pytest.approx(hourly_optimum(question), rel=1e-4)
    if limit != "monthly_usd":
        assert mix.outcome.present_value_usd > best_mix(free).outcome.present_value_usd * (1 - 1e-4)


@pytest.mark.parametrize("seed", [4, 5])
def test_it_is_as_good_with_every_limit_at_once(seed):
    """Each is set below what the plan within those before it uses (what is paid a month, at it)."""
    free = question = random_question(seed, pools=1)
    for name, share in (("upfront_usd", 0.6), ("kw", 0.7), ("rack_units", 0.7), ("monthly_usd", 1.0)):
        used = best_mix(question).outcome
        machines = [(m, used.machines[m.name]) for m in question.owned]
        most = {
            "upfront_usd": used.capital.sum(),
            "monthly_usd": used.running.max(),
            "kw": max(sum(m.kw * there for m, there in machines)),
            "rack_units": max(sum(m.rack_units * there for m, there in machines)),
        }[name]
        question = replace(question, limits=replace(question.limits, **{name: float(most) * share}))
    mix = best_mix(question, gap=2e-5)
    assert mix.outcome.broken == ()
    assert mix.outcome.present_value_usd == pytest.approx(hourly_optimum(question), rel=1e-4)
    assert mix.outcome.present_value_usd > best_mix(free).outcome.present_value_usd


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=12),
    st.lists(
        st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.4]), st.floats(0, 6), st.sampled_from([0, 0.25, 0.5])),
        max_size=4,
    ),
)
def test_the_curve_dispatches_as_the_hours_would(demand, ways):
    """Shares and capacities from the load-duration curve alone, against every hour served for itself."""
    layers, unlimited = [], Rented(name="od", pool="a", gpus=1, usd_per_gpu_hour=1.0)
    for n, (usd, capacity, share) in enumerate(ways):
        way = Rented(name=f"{n}", pool="a", gpus=1, usd_per_gpu_hour=usd)
        layers.append(Layer(way, usd, 0.0 if share else capacity, share))
    layers = [*sorted(layers, key=lambda layer: layer.usd_per_work_hour), Layer(unlimited, 1.0, np.inf)]
    by_hour = np.zeros(len(layers))
    for need in demand:
        left = float(need)
        for place, layer in enumerate(layers):
            done = min(left, layer.share * need + layer.capacity)
            by_hour[place] += done
            left -= done
    served, undone = served_by_layer(layers, {}, load_duration(demand))
    assert served == pytest.approx(by_hour, abs=1e-9)
    assert undone == 0


def test_spot_is_a_share_of_each_hour():
    """Not a number of GPUs: at night it may serve less than by day."""
    hours = np.tile([2.0, 10.0], HOURS // 2)
    spot = Rented(name="spot", pool="a", gpus=1, usd_per_gpu_hour=0.3, share_most=0.5)
    rented = Rented(name="od", pool="a", gpus=1, usd_per_gpu_hour=1.0)
    mix = best_mix(Question((Pool("a", hours),), rented=(spot, rented)))
    assert mix.outcome.served["spot"].tolist() == [pytest.approx((1 + 5) * HOURS / 2)]
    with pytest.raises(BadInput, match="a share of the demand from 0 to 1, or a number of GPUs"):
        Question((Pool("a", hours),), rented=(replace(spot, gpus_most=3.0),))


def test_every_kind_of_supply_is_in_use_somewhere():
    """The instances above exercise what they claim to."""
    used = set()
    for seed in range(8):
        outcome = best_mix(random_question(seed)).outcome
        used |= {name.split("-")[0] for name, work in outcome.served.items() if work.sum() > 0}
    assert used == {"own", "one", "three", "spot", "share", "od"}


@pytest.mark.parametrize("seed", range(3))
def test_every_hour_is_served_and_paid(seed):
    mix = best_mix(random_question(seed))
    for pool in mix.question.pools:
        work = sum(
            mix.outcome.served[s.name]
            for s in (*mix.question.owned, *mix.question.committed, *mix.question.rented)
            if s.pool == pool.name
        )
        assert work == pytest.approx(pool.demand.reshape(-1, HOURS).sum(axis=1))
    assert mix.outcome.unserved == pytest.approx(0)
    outcome, discount = mix.outcome, mix.question.discount
    assert outcome.cash @ discount == pytest.approx(outcome.present_value_usd)
    assert mix.bound_usd <= outcome.present_value_usd + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_more_demand_never_costs_less(seed):
    question = random_question(seed, months=2, pools=1)
    pool = question.pools[0]
    more = replace(
        question, pools=(replace(pool, demand=pool.demand + (np.arange(pool.demand.size) % 5 == 0)),)
    )
    assert cost(more) >= cost(question) - slack(question)


@pytest.mark.parametrize("seed", range(3))
def test_an_option_more_never_costs_more(seed):
    question = random_question(seed, months=2, pools=1)
    for fewer in (
        replace(question, owned=()),
        replace(question, committed=()),
        replace(question, rented=question.rented[1:]),
        replace(question, rented=tuple(r for r in question.rented if r.share_most is None)),
    ):
        assert cost(question) <= cost(fewer) + slack(fewer)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_never_lowers_the_cost_and_is_kept(limit):
    question = random_question(3, months=2)
    tight = binding(question, limit, 0.7)
    mix = best_mix(tight)
    assert mix.outcome.broken == ()
    assert mix.outcome.present_value_usd >= cost(question) - slack(question)


def cost(question):
    return best_mix(question).outcome.present_value_usd


def slack(question):
    """The gap of two plans: a sale may make the present value negative."""
    return 2e-4 * abs(cost(question))


def one_pool(**supplies):
    return Question((Pool("a", np.full(2 * HOURS, 4.0), gang=4),), **supplies)


def test_a_machine_too_small_for_a_job_is_refused():
    small = Owned(name="small", pool="a", gpus=2, price_usd=1.0)
    with pytest.raises(BadInput, match="small has 2 GPUs; its pool has jobs that need 4"):
        one_pool(owned=(small,))


def test_what_comes_late_serves_late():
    machine = Owned(name="own", pool="a", gpus=4, price_usd=100.0, resale_usd=100.0, lead_months=1)
    rented = Rented(name="od", pool="a", gpus=4, usd_per_gpu_hour=1.0)
    mix = best_mix(one_pool(owned=(machine,), rented=(rented,)))
    assert mix.outcome.machines["own"].tolist() == [0, 1]
    assert mix.outcome.served["od"].tolist() == [4 * HOURS, 0]


def test_a_term_past_the_end_is_owed_whole():
    term = Committed(name="year", pool="a", gpus=4, term_months=12, usd_per_month=10.0)
    question = one_pool(committed=(term,))
    assert best_mix(question).outcome.cash == pytest.approx([0, 10, 10 + 100])


def test_what_is_owned_already_may_be_sold_now():
    have = Owned(name="own", pool="a", gpus=4, price_usd=9_000.0, resale_usd=[5_000, 2_000, 0], now=1)
    rented = Rented(name="od", pool="a", gpus=4, usd_per_gpu_hour=0.1)
    mix = best_mix(one_pool(owned=(have,), rented=(rented,)))
    assert mix.decisions.sold["own"].tolist() == [1, 0]
    assert mix.outcome.income[0] == -5_000


def test_without_enough_machines_there_is_no_plan():
    little = Rented(name="spot", pool="a", gpus=4, usd_per_gpu_hour=0.1, gpus_most=3)
    with pytest.raises(NothingFeasible, match="within these limits"):
        best_mix(one_pool(rented=(little,)))
    assert evaluate(one_pool(rented=(little,)), nothing(one_pool(rented=(little,)))).broken == ("demand",)


def test_money_for_nothing_is_refused():
    machine = Owned(name="own", pool="a", gpus=4, price_usd=[100.0, 90.0], resale_usd=[0.0, 95.0, 95.0])
    with pytest.raises(BadInput, match="sell for more than it cost in month 1"):
        one_pool(owned=(machine,))


@pytest.mark.parametrize(
    ("pools", "said"),
    [
        ((), "at least one pool"),
        ((Pool("a", np.ones(700)),), "whole months of 730"),
        ((Pool("a", np.ones(HOURS)), Pool("b", np.ones(2 * HOURS))), "same number of hours"),
        ((Pool("a", np.ones(HOURS)), Pool("a", np.ones(HOURS))), "same name"),
    ],
)
def test_a_question_that_makes_no_sense_is_one_sentence(pools, said):
    with pytest.raises(BadInput, match=said):
        Question(pools)


def test_the_solver_writes_nothing(capfd):
    best_mix(one_pool(rented=(Rented(name="od", pool="a", gpus=4, usd_per_gpu_hour=0.1),)))
    assert capfd.readouterr() == ("", "")
