"""Assumptions: secondary figures nobody publishes. Each is a judgement and says on what it rests."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tools.catalog.common import Row, Sources, number, read_facts

JUDGED_ON = date(2026, 11, 30)

MORE = (  # key, low, likely, high, unit, applies to, basis
    ("startup_minutes", 2, 5, 20, "minutes per start", "rented machine", "judgement: boot, image pull, data mount"),
    ("sessions_per_month", 5, 20, 60, "starts per month", "rented machine", "judgement: a person starts a machine on working days"),
    ("resale_selling_cost", 0.10, 0.125, 0.15, "share of the price fetched", "own", "fees of auction sites and shipping: 10-15 %"),
    ("resale_rest_share", 0, 0.2, 0.4, "share of price after 3 years", "all of a machine but its GPUs", "judgement: no published curve"),
    ("shipping_share", 0, 0.01, 0.03, "share of hardware price", "own", "judgement: delivery of parts or a server"),
    ("exit_hours", 2, 8, 40, "hours once", "rented", "judgement: moving data, images and scripts to another provider"),
    ("performance_variance_cloud", 0, 0.05, 0.15, "share of speed lost", "shared cloud machine", "judgement: virtualisation and noisy neighbours"),
    ("remote_hands", 0, 75, 300, "usd per month and machine", "colocation", "judgement: half an hour at 100-250 dollars; often the first minutes are free"),
    ("multi_gpu_efficiency", 0.64, 0.85, 0.97, "share of linear speed", "one run on several GPUs", "RTX 2080 Ti cards over PCIe in 2019: 0.90 on two, 0.83 on four, 0.64 on eight; NVLink does better"),
    ("multi_gpu_efficiency_direct", 0.87, 0.96, 0.99, "share of linear speed", "one run on several GPUs that reach each other directly", "medians of 0.94 to 0.99 on two to eight workstation and data-centre cards in the Lambda benchmarks, over NVLink and PCIe alike; consumer cards must go through the host"),
    ("multi_node_efficiency", 0.71, 0.84, 0.93, "share of the speed in one machine", "one run over several machines", "16 GPUs in two machines against twice one machine of 8, MLPerf training 5.0 and 5.1: median 0.84, nine of ten from 0.71 to 0.93; more machines lose more"),
    ("idle_share_of_tdp", 0.04, 0.1, 0.15, "share", "one GPU", "measured idle of consumer cards is 4-8 % of rated power, of data-centre cards 10-13 %"),
    ("embodied_co2_desktop", 150, 300, 600, "kg", "one desktop without its cards", "judgement from manufacturers' footprints of workstations"),
    ("demand_spread", 0.7, 1, 1.4, "times the demand you state", "all", "judgement: plans of use miss both ways"),
    ("electricity_spread", 0.85, 1, 1.3, "times today's tariff", "own", "judgement: European tariffs moved by this and more between 2021 and 2024"),
    ("hardware_price_spread", 0.9, 1, 1.2, "times the price known", "bought", "judgement: street prices around a list or an old price"),
    ("hardware_life_years", 3, 5, 7, "years", "rented machine", "judgement: a server's making is spread over the years it works"),
    ("idle_share_of_rating", 0.15, 0.25, 0.4, "share", "whole server", "judgement: fans, processors and idle GPUs of a machine of which only the rating is known"),
)  # fmt: skip


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `assumptions`."""
    source = sources.cite("judgement", "our own judgement", "ours")
    given = [
        (
            f["key"],
            number(f["low"]),
            number(f["likely"]),
            number(f["high"]),
            f["unit"],
            f["applies_to"],
            (f["basis"] or "").replace("the brief", "a published account"),
        )
        for f in read_facts(facts / "assumptions.csv")
    ]
    names = ("key", "low", "likely", "high", "unit", "applies_to", "basis")
    return {
        "assumptions": [
            {
                **dict(zip(names, values, strict=True)), "source": source, "observed_on": JUDGED_ON,
                "confidence": "low", "valid_from": date(2000, 1, 1),
            }
            for values in (*given, *MORE)
        ]
    }  # fmt: skip
