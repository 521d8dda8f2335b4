"""The decision: options side by side for the same work."""

from rackrent.comparison.compare import compare_workload
from rackrent.comparison.option import CashFlow, Option
from rackrent.comparison.result import Comparison

__all__ = ["CashFlow", "Comparison", "Option", "compare_workload"]
