"""Shaved Ice: the paper's panels come out."""

import pytest

from rackrent.app.reproduce import reproduce
from rackrent.planning.published import SHAVED_ICE_PANELS, shaved_ice


@pytest.mark.case("shaved-ice")
def test_the_panels_come_out():
    rows = shaved_ice().rows
    panels = rows[: len(SHAVED_ICE_PANELS)]
    assert panels[0].what == "commit to 53.477"
    assert [row.published for row in panels] == list(SHAVED_ICE_PANELS)
    known = [(row.computed, row.published) for row in panels if row.published is not None]
    assert all(computed == pytest.approx(printed, abs=0.5) for computed, printed in known)
    assert [round(row.computed) for row in panels[6:8]] == [30_259, 31_643]


@pytest.mark.case("shaved-ice")
def test_the_best_of_the_grid_and_the_exact_optimum():
    found = {row.what: row.computed for row in shaved_ice().rows}
    assert found["best of a grid of 100: level"] == pytest.approx(77.44353, abs=5e-6)
    assert found["best of a grid of 100: cost"] == pytest.approx(29_326.443, abs=5e-4)
    assert found["exact optimum: level"] == pytest.approx(77.45373, abs=5e-6)
    assert found["exact optimum: cost"] == pytest.approx(29_326.433, abs=5e-4)


def test_it_is_an_example_of_the_command():
    assert reproduce("shaved-ice").to_dict()["full_model"] is None
