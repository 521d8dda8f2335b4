"""A way to get machines of one type, not yet costed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, gpu, gpu_meant
from rackrent.catalog.providers import Provider
from rackrent.costing.own import Hardware
from rackrent.costing.rent import Rental

LeadTime = Literal["lead_time_parts", "lead_time_server"]
"""The assumption that says how long delivery takes."""


@dataclass(frozen=True)
class Candidate:
    """A way to get machines of one type, not yet costed.

    Exactly one of `hardware` and `rental` is set. `lead` is the wait for the first GPU (weeks, as an assumption
    key) for what must be bought. `cores` and `network_gbps` are the whole machine's (None: unknown). `against` are reasons that hold whatever the workload.
    """

    id: str
    kind: str
    provider: str
    name: str
    region: str
    term: str
    gpu: Gpu
    gpus: float
    memory_gb: float | None
    price: Fact | None
    country: str | None = None
    hardware: Hardware | None = None
    rental: Rental | None = None
    colocation: Fact | None = None
    provider_facts: Provider | None = None
    lead: LeadTime | None = None
    wait_hours: float = 0.0
    wall_limit_hours: float | None = None
    gpu_hours_cap: float | None = None
    machines_have: int | None = None
    have: int | None = None
    cores: float | None = None
    network_gbps: float | None = None
    against: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def has_neighbours(self) -> bool:
        """Whether others may work on the same machine: what is rented, but for bare metal and a campus."""
        return self.rental is not None and self.kind not in ("bare_metal", "campus")


VCPUS_PER_CORE = 2.0
"""A virtual CPU of a cloud is a hardware thread: half a core."""


def cores_of(vcpus: float | None) -> float | None:
    """Return the processor cores behind virtual CPUs; None where they are unknown."""
    return None if vcpus is None else vcpus / VCPUS_PER_CORE


def slug(text: str) -> str:
    """Return `text` as a part of an option id: lower case, no spaces or slashes."""
    return "-".join(text.lower().replace("/", " ").split())


def gpu_named(catalog: Catalog, name: str) -> Gpu:
    """Return the GPU a person named; BadInput with the nearest name if it is unknown."""
    found = gpu(catalog, gpu_meant(catalog, name))
    assert found is not None
    return found


def given(field_name: str, value: float | None, unit: str) -> Fact | None:
    """Return a figure of the workload as a fact; None where it was not given."""
    return None if value is None else Fact.from_workload(field_name, value, unit)


def given_watts(field_name: str, watts: float | None) -> Fact | None:
    """Return watts of the workload as a fact in kW; None where they were not given."""
    return None if watts is None else Fact.from_workload(field_name, watts / 1_000.0, "kw")
