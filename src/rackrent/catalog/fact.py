"""A figure together with where it came from: what every line of a result can point to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

FactKind = Literal["catalog", "assumption", "workload"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure and its provenance.

    `value` is None where the figure is unknown; unknown is never zero. `low` and `high` are given where the
    figure is an interval. `table` and `key` name the row: ("offers", "aws/p3.2xlarge/us-east-1/on_demand"),
    ("assumptions", "hourly_rate"), ("workload", "demand.gpu_hours_per_month").
    """

    kind: FactKind
    table: str
    key: str
    value: float | None
    unit: str
    source: str
    observed_on: date | None = None
    confidence: str = "medium"
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def known(self) -> float:
        """The value of a figure that must be known here; raises ValueError where it is unknown."""
        if self.value is None:
            raise ValueError(f"{self.table}/{self.key} is unknown")
        return self.value

    @classmethod
    def from_workload(cls, field: str, value: float | None, unit: str, note: str = "") -> Fact:
        """A figure the person gave in their workload; `field` is the dotted path they wrote it under."""
        return cls("workload", "workload", field, value, unit, "your workload", None, "high", note=note)
