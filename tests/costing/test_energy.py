"""Watts, kilowatt-hours, tariffs, CO2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.costing import TimeOfUse, co2_kg, energy_kwh, energy_usd, wall_watts

watts = st.floats(0, 10_000)
hours = st.floats(0, 8_760)


@pytest.mark.case("P16")
def test_each_band_has_its_price():
    """1 kW rented 6 h + 6 h at $0.10 off-peak and $0.40 peak: $3.00 in all, not 12 h at the low price."""
    tariff = TimeOfUse(peak_usd_per_kwh=0.40, off_peak_usd_per_kwh=0.10, peak_hours_per_day=12)
    six_hours = energy_kwh(1_000, 0, 6, 0)
    assert tariff.cost_usd(six_hours, six_hours) == pytest.approx(3.00)
    assert tariff.average_usd_per_kwh == pytest.approx(0.25)


def test_an_average_price_weighs_the_hours():
    assert TimeOfUse(0.40, 0.10, 6).average_usd_per_kwh == pytest.approx(0.175)


@pytest.mark.case("hennessy-patterson")
def test_published_power_bill():
    kwh = energy_kwh(8e6 * 0.8, 0, 730, 0, pue=1.45)
    assert energy_usd(kwh, 0.07) == pytest.approx(474_208.00)


@given(watts, watts, hours, hours, st.floats(1, 3))
def test_pue_multiplies_energy(busy, idle, busy_hours, idle_hours, pue):
    machine = energy_kwh(busy, idle, busy_hours, idle_hours)
    assert energy_kwh(busy, idle, busy_hours, idle_hours, pue) == pytest.approx(float(machine) * pue)


@given(watts, watts, st.floats(0, 730))
def test_an_idle_machine_pays_idle_watts(busy, idle, idle_hours):
    assert energy_kwh(busy, idle, 0, idle_hours) == pytest.approx(idle * idle_hours / 1_000)


@given(watts, watts, hours)
def test_doubling_hours_never_lowers_energy(busy, idle, busy_hours):
    assert energy_kwh(busy, idle, 2 * busy_hours, 0) >= energy_kwh(busy, idle, busy_hours, 0)


def test_several_machines_at_once():
    assert energy_kwh([400, 800], [100, 200], 100, 10) == pytest.approx([41, 82])


def test_the_wall_sees_the_load_and_the_loss():
    assert wall_watts([250, 180, 30], load_share=0.7, psu_efficiency=0.92) == pytest.approx(350)
    assert wall_watts([[250.0, 180], [350, 180]], load_share=1, psu_efficiency=1) == pytest.approx([430, 530])


def test_co2_of_a_kilowatt_hour():
    assert co2_kg(1_500, 400) == pytest.approx(600)
