"""Offers of earlier years: AWS in 2018, price moves of AWS and Azure since 2023, lowest prices of 2022-2025."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from rackrent.catalog.names import canonical_gpu
from rackrent.catalog.prices import half_upfront
from tools.catalog.citations import cite
from tools.catalog.common import Row, Sources, confidence, day, number, read_facts

AWS_LIST_2017 = date(2017, 11, 12)
AWS_LIST_2018 = date(2018, 8, 7)
YEARS = {"1y": 1, "3y": 3}
NAMES = {"Jarvislabs": "JarvisLabs", "Datacrunch": "Verda (DataCrunch)"}
PAYMENTS = {"no upfront": "no_upfront", "partial upfront": "partial_upfront", "all upfront": "all_upfront"}


def earlier_offers(facts: Path, sources: Sources, current: list[Row]) -> list[Row]:
    """Return rows for days before the current ones. A later row of the same key ends an earlier one.

    `current` rows whose price is known to have held before the day they were read get that earlier start.
    """
    moves = _moves(facts)
    rows = list(_superseded(moves, sources, current))
    first_of = {key: history[0][0] for key, history in moves.items()}
    for row in current:
        if row["term"] == "on_demand":
            first_of.setdefault((row["provider"], row["region"], row["instance_type"]), row["valid_from"])
    rows += _aws_2018(facts, sources, first_of)
    rows += _lowest_of_table(facts, sources)
    return rows


def _moves(facts: Path) -> dict[tuple[str, str, str], list[tuple[date, float, Row]]]:
    """(provider, region, instance type) -> its on-demand list prices in order of day."""
    out: dict[tuple[str, str, str], list[tuple[date, float, Row]]] = defaultdict(list)
    for fact in read_facts(facts / "cloud_price_history.csv"):
        start, price = day(fact["date"]), number(fact["price_usd_h"])
        if fact["kind"] == "on-demand list" and start and price:
            out[fact["provider"], fact["region"], fact["item"]].append((start, price, fact))
    return {key: sorted(history, key=lambda h: h[0]) for key, history in out.items()}


def _superseded(
    moves: dict[tuple[str, str, str], list[tuple[date, float, Row]]], sources: Sources, current: list[Row]
) -> Iterator[Row]:
    for row in current:
        history = moves.get((row["provider"], row["region"], row["instance_type"]), [])
        if row["term"] != "on_demand" or not history:
            continue
        end = row["observed_on"]
        for start, price, fact in reversed(history):
            if price == row["amount"] and end == row["observed_on"]:
                row["valid_from"] = end = start
                continue
            changes = {"amount": price, "source": cite(fact, sources), "observed_on": start}
            yield row | changes | {"valid_from": start, "valid_to": end, "note": None}
            end = start


def _aws_2018(facts: Path, sources: Sources, first_of: dict[tuple[str, str, str], date]) -> Iterator[Row]:
    """AWS on demand and reserved (standard class) as of 2017-11 to 2018-08, with each way of paying."""
    for fact in read_facts(facts / "aws_2018.csv"):
        if fact["gpu"] is None or fact["offering_class"] == "convertible":
            continue
        effective = number(fact["effective_usd_h"])
        assert effective is not None
        years = YEARS.get(fact["term"] or "")
        reserved = years is not None
        amount, upfront, note = _split(fact, effective, years)
        key = ("AWS", fact["region"], fact["instance"])
        yield {
            "provider": "AWS",
            "kind": "cloud",
            "instance_type": fact["instance"],
            "region": fact["region"],
            "country": "USA",
            "gpu": canonical_gpu(fact["gpu"], number(fact["gpu_memory_gb_each"]), fact["instance"]),
            "gpu_count": number(fact["gpu_count"]),
            "gpu_memory_gb": number(fact["gpu_memory_gb_each"]),
            "vcpus": number(fact["vcpus"]),
            "ram_gb": number(fact["ram_gb"]),
            "term": f"reserved_{fact['term']}" if reserved else "on_demand",
            "amount": amount,
            "currency": "USD",
            "per": "machine_hour",
            "upfront": upfront,
            "minimum_months": 12.0 * years if years else 0.0,
            "payment": PAYMENTS[fact["payment"]] if reserved else None,
            "price_kind": "list",
            "condition": "new",
            "storage_usd_gb_month": 0.10,
            "source": cite(fact, sources),
            "observed_on": AWS_LIST_2018 if "2018-08-07" in fact["source"] else AWS_LIST_2017,
            "confidence": confidence(fact["confidence"]),
            "valid_from": AWS_LIST_2017,
            "valid_to": None if reserved else first_of.get(key),
            "note": note,
        }


def _split(fact: Row, effective: float, years: int | None) -> tuple[float, float, str | None]:
    """(running price an hour, paid up front, note) of an effective hourly price."""
    if years is None or fact["payment"] == "no upfront":
        return effective, 0.0, None
    if fact["payment"] == "all upfront":
        return (
            0.0,
            number(fact["usd_upfront"]) or 0.0,
            f"effective {effective:g} USD an hour, all paid up front",
        )
    running, upfront = half_upfront(effective, 12.0 * years)
    note = f"effective {effective:g} USD an hour; the split is not published: half up front is assumed"
    return running, round(upfront, 2), note


def _lowest_of_table(facts: Path, sources: Sources) -> Iterator[Row]:
    """The lowest on-demand price per GPU in one table of offers, as it changed: floors."""
    lowest: dict[tuple[str, date], tuple[float, str, Row]] = {}
    for fact in read_facts(facts / "cloud_price_history.csv"):
        if fact["kind"] != "min on-demand per GPU":
            continue
        provider = re.search(r"min at (.+)$", fact["change"])
        gpu = canonical_gpu(fact["item"])
        start, price = day(fact["date"]), number(fact["price_usd_h"])
        if provider and gpu and start and price and price < lowest.get((gpu, start), (1e9,))[0]:
            lowest[gpu, start] = (price, NAMES.get(provider[1], provider[1]), fact)
    series: dict[str, list[tuple[date, float, str, Row]]] = defaultdict(list)
    for (gpu, start), (price, name, fact) in sorted(lowest.items(), key=lambda item: item[0]):
        series[gpu].append((start, price, name, fact))
    for gpu, seen in series.items():
        yield from _runs(gpu, seen, sources)


def _runs(gpu: str, seen: Iterable[tuple[date, float, str, Row]], sources: Sources) -> Iterator[Row]:
    row: Row | None = None
    for start, price, provider, fact in seen:
        if row is not None and (row["amount"], row["provider"]) == (price, provider):
            row["observed_on"] = start
            continue
        if row is not None:
            yield row | {"valid_to": start}
        row = {
            "provider": provider,
            "kind": "cloud",
            "instance_type": f"1x {gpu}, lowest of a table",
            "region": "unspecified",
            "gpu": gpu,
            "gpu_count": 1.0,
            "term": "on_demand",
            "amount": price,
            "currency": "USD",
            "per": "machine_hour",
            "upfront": 0.0,
            "minimum_months": 0.0,
            "price_kind": "observed_minimum",
            "condition": "new",
            "source": cite(fact, sources),
            "observed_on": start,
            "confidence": confidence(fact["confidence"]),
            "valid_from": start,
            "note": "lowest price per GPU over the offers of one table",
        }
    if row is not None:
        yield row
