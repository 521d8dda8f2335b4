"""Why a verdict changed: the price, speed or assumption that changed most."""

from __future__ import annotations

from datetime import date

import pytest

from rackrent.app.watch import Figures, Remembered, Watched


def seen(best: str, day: int = 1, **changes: float) -> Remembered:
    """A verdict between an own machine ("own") and a rented one ("rent")."""
    got = {
        "own_npv": 5_000.0,
        "own_price": 2_000.0,
        "rent_npv": 6_000.0,
        "rent_price": 3.0,
        "rent_speed": 2.0,
        "waste": 0.15,
    } | changes
    return Remembered(
        question="mine",
        as_of=date(2026, 10, day),
        recommended=best,
        rival=None,
        gpu_hours_per_month=146,
        horizon_months=36,
        options={
            "own": Figures(kind="own_build", name="the desktop", npv_usd=got["own_npv"], price_usd=got["own_price"], speed=1.0),
            "rent": Figures(kind="cloud", name="the cloud", npv_usd=got["rent_npv"], price_usd=got["rent_price"], speed=got["rent_speed"]),
        },
        assumptions={"idle_waste": got["waste"]},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "most"),
    [
        ({"rent_price": 1.5, "rent_npv": 3_000.0, "own_price": 2_100.0}, "price of the cloud, $3.00 to $1.50"),
        ({"rent_speed": 4.0, "rent_npv": 3_000.0}, "speed of the cloud, 2 to 4 times the reference"),
        ({"waste": 0.05, "rent_price": 2.9, "rent_npv": 3_000.0}, "share of rented hours that stand idle, 0.15 to 0.05"),
        ({"rent_npv": 3_000.0}, "nothing that was remembered"),
    ],
)  # fmt: skip
def test_what_changed_most_is_the_reason(changes: dict[str, float], most: str) -> None:
    watched = Watched(seen("own"), seen("rent", 2, **changes))
    assert watched.changed
    assert watched.sentence() == (
        f"Verdict changed since 2026-10-01: from the desktop to the cloud. Changed most: {most}. "
        "the desktop: $5,000 then, $5,000 now; the cloud: $6,000 then, $3,000 now."
    )


def test_an_option_that_is_gone_or_new_is_the_reason() -> None:
    before, now = seen("own"), seen("rent", 2, rent_npv=3_000.0)
    gone = now.model_copy(update={"options": {"rent": now.options["rent"]}})
    assert "Changed most: the desktop can no longer do the work." in Watched(before, gone).sentence()
    assert "the desktop: $5,000 then, not among the best now" in Watched(before, gone).sentence()
    new = before.model_copy(update={"options": {"own": before.options["own"]}})
    assert "Changed most: the cloud was not among the best." in Watched(new, now).sentence()


def test_the_same_recommendation_is_no_change_whatever_its_figures() -> None:
    watched = Watched(seen("own"), seen("own", 2, own_npv=5_500.0))
    assert not watched.changed
    assert watched.sentence() == "Verdict unchanged since 2026-10-01: the desktop at $5,500."
    assert watched.to_dict()["why"] is None
