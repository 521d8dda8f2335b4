"""The figures of docs/speed.md: kept by the code, and good enough to be printed."""

import re
from datetime import date

import pytest

from rackrent.catalog.catalog import load
from rackrent.speed.measured import measured
from rackrent.speed.pipeline import Input, delivered_ratio, loader_rate_for
from tools.speed_calibration import BASELINES, Calibration, baseline, score
from tools.speed_report import (
    AS_OF,
    CHEN_RESNET,
    CHEN_SEGMENTATION,
    DOC,
    MARKER,
    chen_held_out,
    chen_machines,
    report,
)

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@pytest.fixture(scope="module")
def calibration():
    return Calibration(load(as_of=AS_OF))


@pytest.fixture(scope="module")
def left_out(calibration):
    return calibration.gpus()


@pytest.mark.parametrize("once", [False, True], ids=["each ratio", "each GPU"])
def test_the_interval_holds_75_to_85_per_cent_of_gpus_left_out(left_out, once):
    assert 0.75 <= score(left_out, each_group_once=once).coverage <= 0.85


@pytest.mark.parametrize("once", [False, True], ids=["each ratio", "each GPU"])
@pytest.mark.parametrize("which", range(len(BASELINES)), ids=BASELINES)
def test_no_datasheet_ratio_is_narrower_at_the_same_coverage_or_nearer(left_out, which, once):
    ours = score(left_out, each_group_once=once)
    theirs = baseline(left_out, which, ours.coverage, each_group_once=once)
    assert theirs.coverage == pytest.approx(ours.coverage, abs=0.01)
    assert ours.width < theirs.width
    assert ours.error < theirs.error


def test_the_interval_also_holds_for_networks_left_out(calibration):
    assert 0.75 <= score(calibration.networks(), each_group_once=True).coverage <= 0.85


@pytest.mark.brief("A6")
def test_chens_v100_is_foretold_without_his_rows(calibration):
    ratio, low, high = chen_held_out(calibration)
    assert low < CHEN_RESNET < high
    assert ratio == pytest.approx(CHEN_RESNET, rel=0.2)
    rows = [m for m in calibration.rows if m.benchmark.suite == "chen-2019"]
    assert len(rows) == 2, "his GPU-bound row of each card; the loader-bound one is no evidence on a GPU"


@pytest.mark.brief("A6")
def test_chens_slow_v100_is_his_loaders_doing(calibration):
    ratio, _low, _high = chen_held_out(calibration)
    cloud, home = chen_machines()
    assert (cloud.cores, home.cores) == (4, 12)
    rate = loader_rate_for(CHEN_SEGMENTATION, ratio, 100, cloud, home)
    need = Input(samples_per_second_per_core=rate)
    assert delivered_ratio(ratio, 100, need, cloud, home) == pytest.approx(CHEN_SEGMENTATION)
    assert f"**{rate:.1f} %**" in DOC.read_text(encoding="utf-8")


def test_the_page_shows_the_figures_of_today():
    """Text alike, numbers within rounding: linear algebra differs in the last digit between machines."""
    written = DOC.read_text(encoding="utf-8").partition(MARKER)[2].strip()
    made = report(load(as_of=AS_OF)).strip()
    assert NUMBER.sub("#", written) == NUMBER.sub("#", made), "run: python -m tools.speed_report"
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (written, made)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.011), "run: python -m tools.speed_report"


def test_speeds_of_another_day_rest_on_the_same_benchmarks():
    then, now = (measured(load(as_of=day)) for day in (date(2018, 9, 15), AS_OF))
    assert set(then) == set(now)
