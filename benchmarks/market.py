"""A synthetic catalog of many offers, for timing: real tables, made-up machines and prices."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

from rackrent.catalog.catalog import Catalog, load

AS_OF = date(2026, 11, 30)
PROVIDERS = ("AWS", "Azure", "GCP", "OCI", "RunPod", "Lambda", "Crusoe", "Hyperstack", "Vultr", "CoreWeave")
REGIONS = ("us-east-1", "eu-west-1", "ap-south-1", "us-west-2")
COUNTRIES = ("USA", "IRL", "IND", "USA")


def synthetic_catalog(offers: int, seed: int = 1) -> Catalog:
    """Return the shipped catalog with `offers` made-up offers in place of its own; the same seed, the same rows."""
    catalog = load(as_of=AS_OF)
    known = catalog.all_rows("gpus").drop_nulls(["memory_gb", "fp16_tensor_tflops", "tdp_w"])
    draw = np.random.default_rng(seed)
    at = draw.integers(0, known.height, offers)
    region = draw.integers(0, len(REGIONS), offers)
    count = draw.choice([1.0, 2.0, 4.0, 8.0], offers)
    term = draw.choice(
        np.array(["on_demand", "reserved_1y", "reserved_3y", "spot"]), offers, p=[0.5, 0.2, 0.15, 0.15]
    )
    discount = np.select(
        [term == "reserved_1y", term == "reserved_3y", term == "spot"], [0.65, 0.45, 0.5], 1.0
    )
    each = known["fp16_tensor_tflops"].to_numpy()[at] / 150 * draw.lognormal(0, 0.15, offers) * discount
    months = np.select([term == "reserved_1y", term == "reserved_3y"], [12.0, 36.0], 0.0)
    rows = pl.DataFrame(
        {
            "provider": np.array(PROVIDERS)[draw.integers(0, len(PROVIDERS), offers)],
            "kind": ["cloud"] * offers,
            "instance_type": [f"type-{i}" for i in range(offers)],
            "region": np.array(REGIONS)[region],
            "country": np.array(COUNTRIES)[region],
            "gpu": known["gpu"].to_numpy()[at],
            "gpu_count": count,
            "gpu_memory_gb": known["memory_gb"].to_numpy()[at],
            "vcpus": 12 * count,
            "ram_gb": 120 * count,
            "term": term,
            "amount": each * count,
            "currency": ["USD"] * offers,
            "per": ["machine_hour"] * offers,
            "minimum_months": months,
            "price_kind": ["list"] * offers,
            "condition": ["new"] * offers,
            "storage_usd_gb_month": [0.1] * offers,
            "source": ["synthetic"] * offers,
            "observed_on": [date(2026, 7, 1)] * offers,
            "confidence": ["high"] * offers,
            "valid_from": [date(2026, 7, 1)] * offers,
        }
    )
    empty = catalog.all_rows("offers").clear()
    return Catalog(
        AS_OF, Path(catalog.directory), _tables={"offers": pl.concat([empty, rows], how="diagonal_relaxed")}
    )
