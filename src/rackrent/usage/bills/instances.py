"""Which GPUs an instance type has: from the catalog's offers, of any day."""

from __future__ import annotations

import polars as pl

from rackrent.catalog.catalog import Catalog


def gpus_by_type(catalog: Catalog) -> dict[str, tuple[str, float]]:
    """Return instance type, folded, to (canonical GPU, how many). `NC24` and `Standard_NC24_Promo` are one type."""
    return catalog.once("gpus by instance type", lambda: _index(catalog))


def folded(instance_type: str) -> str:
    """Return the name that the types of a price list and of a bill share.

    >>> folded("ml.p3.8xlarge"), folded("Standard_NC24s_v3"), folded("NC24s v3")
    ('p3.8xlarge', 'nc24s_v3', 'nc24s_v3')
    """
    name = instance_type.strip().casefold().replace(" ", "_")
    return name.removeprefix("ml.").removeprefix("standard_").removesuffix("_promo")


def _index(catalog: Catalog) -> dict[str, tuple[str, float]]:
    rows = catalog.all_rows("offers").filter(
        pl.col("instance_type").is_not_null()
        & pl.col("gpu").is_not_null()
        & pl.col("gpu_count").is_not_null()
    )
    return {
        folded(name): (gpu, float(count))
        for name, gpu, count in rows.select("instance_type", "gpu", "gpu_count")
        .unique()
        .sort("instance_type", "gpu")
        .iter_rows()
    }
