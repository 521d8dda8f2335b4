"""What machines of Google Cloud with GPUs are made of: it sells cores, memory, GPUs and local disks, not machines.

Cores, memory, GPUs and bundled disks: https://cloud.google.com/compute/docs/gpus and
https://cloud.google.com/compute/docs/accelerator-optimized-machines (pages of 2026-05-13). How SKUs name them: the
SKUs in the shipped catalog, gpuhunt (commit 35841515) and SkyPilot (sky/catalog/data_fetchers/fetch_gcp.py, commit
21fd5541). Checked against prices that the console showed: a3-highgpu-8g and a3-edgegpu-8g at $88.49 an hour in
us-central1 are $87.83 and 6,000 GB of local disk; a3-ultragpu-8g holds 12,000 GB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rackrent.catalog.prices import assembled_price

SSD_GB = 375.0
"""One local SSD, GB."""
GB_PER_N1_HIGHMEM_VCPU = 6.5


class Shape(NamedTuple):
    """What a machine type is made of; `ssds` local disks are forced on it.

    `part` is the name of one of its GPUs among parts. Without a `family` the price of a GPU is that of its share of the
    whole machine. What is not sold `on_demand` can be had as spot, under a commitment, or by reservation.
    """

    family: str
    vcpus: float
    ram_gb: float
    gpu: str
    part: str
    gpus: float
    ssds: int = 0
    on_demand: bool = True


def _shapes() -> dict[str, Shape]:
    a100, a100_80, h100 = "A100 SXM 40GB", "A100 SXM 80GB", "H100 SXM 80GB"
    out = {"a2-megagpu-16g": Shape("A2", 96, 1_360, a100, "A100", 16)}
    for n in (1, 2, 4, 8):
        out[f"a2-highgpu-{n}g"] = Shape("A2", 12 * n, 85 * n, a100, "A100", n)
        out[f"a2-ultragpu-{n}g"] = Shape("A2", 12 * n, 170 * n, a100_80, "A100 80GB", n, n)
        out[f"a3-highgpu-{n}g"] = Shape("A3", 26 * n, 234 * n, h100, "H100 80GB", n, 2 * n, on_demand=n == 8)
    out["a3-edgegpu-8g"] = Shape("A3", 208, 1_872, h100, "H100 80GB", 8, 16)
    out["a3-megagpu-8g"] = Shape("A3Plus", 208, 1_872, h100, "H100 80GB Mega", 8, 16)
    ultra = Shape("A3Ultra", 224, 2_952, "H200 SXM 141GB", "H200 141GB", 8, 32, on_demand=False)
    out["a3-ultragpu-8g"] = ultra
    out["a4-highgpu-8g"] = Shape("", 224, 3_968, "B200", "B200", 8, on_demand=False)
    for vcpus, gpus in ((4, 1), (8, 1), (12, 1), (16, 1), (24, 2), (32, 1), (48, 4), (96, 8)):
        out[f"g2-standard-{vcpus}"] = Shape("G2", vcpus, 4 * vcpus, "L4", "L4", gpus)
    for n in (1, 2, 4, 8):
        server = "RTX PRO 6000 Blackwell Server"
        out[f"g4-standard-{48 * n}"] = Shape("G4", 48 * n, 180 * n, server, "RTX 6000 96GB", n)
    # GPUs that are attached to a general machine: one common pairing of each number (within the limits of its kind).
    for gpu, part, most, vcpus_each in (
        ("T4", "T4", 4, 8), ("P4", "P4", 4, 4), ("P100 16GB", "P100", 4, 8), ("V100 16GB", "V100", 8, 8)
    ):  # fmt: skip
        for n in (n for n in (1, 2, 4, 8) if n <= most):
            vcpus = vcpus_each * n
            out[f"n1-highmem-{vcpus} + {n}x {gpu}"] = Shape(
                "N1", vcpus, GB_PER_N1_HIGHMEM_VCPU * vcpus, gpu, part, n
            )
    return out


SHAPES = _shapes()
Parts = Mapping[tuple[str, str, str], float]
"""(region, term, part) to USD: an hour of a core, a GB, a GPU; an hour of one GB of local disk."""


def parts_needed(shape: Shape) -> dict[str, float]:
    """Return how much of each part a machine is made of: cores, GB, GPUs, GB of local disk."""
    host = {f"{shape.family} Core": shape.vcpus, f"{shape.family} Ram": shape.ram_gb} if shape.family else {}
    return host | {shape.part: shape.gpus} | ({"SSD": SSD_GB * shape.ssds} if shape.ssds else {})


def machine_price(shape: Shape, region: str, term: str, parts: Parts) -> float | None:
    """Return USD an hour of a machine: its cores, its memory, its GPUs and the disks the type forces on it.

    Unknown where the price of one part is.

    >>> parts = {("r", "on_demand", "X Core"): 1.0, ("r", "on_demand", "X Ram"): 0.5, ("r", "on_demand", "G"): 40.0}
    >>> machine_price(Shape("X", 6, 8, "L4", "G", 2), "r", "on_demand", parts)
    90.0
    """
    each = {name: parts.get((region, term, name)) for name in parts_needed(shape)}
    total = assembled_price(
        *(None if (usd := each[n]) is None else usd * k for n, k in parts_needed(shape).items())
    )
    return None if total is None else round(total, 6)
