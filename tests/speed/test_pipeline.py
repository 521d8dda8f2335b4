"""The pipeline bound: the slowest stage sets the rate, on both machines that are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.speed.pipeline import Feed, Input, delivered, delivered_ratio, loader_rate_for

PC = Feed(gpus=1, cores=12)
CLOUD = Feed(gpus=1, cores=4)
positive = st.floats(0.01, 1e4)


def test_the_slowest_stage_binds():
    need = Input(sample_mb=0.1, samples_per_second_per_core=100)
    assert delivered(500, need, Feed(1, 8, 200)).bound == "gpu"
    assert delivered(500, need, Feed(1, 4, 200)).bound == "cpu"
    assert delivered(500, need, Feed(1, 8, 20)).bound == "disk"
    over = Input(sample_mb=0.1, over_network=True)
    assert delivered(500, over, Feed(1, network_gbps=0.1)).samples_per_second == pytest.approx(125)
    assert delivered(500, over, Feed(1, network_gbps=0.1)).bound == "network"


def test_gpus_of_one_machine_share_its_input():
    need = Input(samples_per_second_per_core=50)
    assert delivered(500, need, Feed(4, cores=16)).samples_per_second == 200


def test_an_unknown_stage_does_not_bind_and_is_named():
    need = Input(sample_mb=0.1, samples_per_second_per_core=10)
    known = delivered(500, need, Feed(1, cores=4))
    assert (known.samples_per_second, known.bound, known.unknown) == (40, "cpu", ("disk",))
    assert delivered(500, need, Feed(1)).unknown == ("cpu", "disk")


@given(positive, positive, positive, positive, positive)
def test_delivered_is_the_minimum_and_never_above_the_gpu(gpu, per_core, cores, mb, disk):
    out = delivered(gpu, Input(mb, per_core), Feed(1, cores, disk))
    assert out.samples_per_second == min(gpu, cores * per_core, disk / mb)


@given(st.floats(1.05, 10), positive, positive)
def test_with_only_the_loaders_rate_changing_the_ratio_never_rises(gpu_ratio, slow, fast):
    slow, fast = sorted((slow, fast))
    at = [
        delivered_ratio(gpu_ratio, 100, Input(samples_per_second_per_core=r), CLOUD, PC) for r in (fast, slow)
    ]
    assert at[1] <= at[0] + 1e-9


@pytest.mark.brief("A6")
def test_a_card_that_is_three_times_faster_falls_behind_on_a_slow_loader():
    rates = [1000, 75, 60, 45, 30, 25, 20, 10, 1]
    falling = [delivered_ratio(3.0, 100, Input(samples_per_second_per_core=r), CLOUD, PC) for r in rates]
    assert falling[0] == 3
    assert falling == sorted(falling, reverse=True)
    assert falling[4] > 1 > falling[6]
    assert falling[-1] == pytest.approx(4 / 12), "both starve: the cores alone decide"


@given(st.floats(1.5, 5), st.floats(0.4, 1.4))
def test_the_rate_that_gives_a_ratio_gives_it(gpu_ratio, ratio):
    rate = loader_rate_for(ratio, gpu_ratio, 100, CLOUD, PC)
    need = Input(samples_per_second_per_core=rate)
    assert delivered_ratio(gpu_ratio, 100, need, CLOUD, PC) == pytest.approx(ratio)


def test_no_rate_gives_more_than_the_gpus_or_less_than_the_cores():
    assert loader_rate_for(3.5, 3.0, 100, CLOUD, PC) is None
    assert loader_rate_for(0.3, 3.0, 100, CLOUD, PC) is None
    assert loader_rate_for(0.86, 3.0, 100, Feed(1), PC) is None
