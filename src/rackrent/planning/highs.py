"""Linear and integer programs in named blocks of columns and rows, handed to HiGHS."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import NothingFeasible, RackrentError
from rackrent.i18n import gettext as _

Terms = Iterable[tuple[int, float]]
"""Column and coefficient."""


@dataclass
class Columns:
    """Variables: cost of each, lower and upper bound, and whether it is whole."""

    cost: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)

    def add(
        self, cost: ArrayLike, *, lower: ArrayLike = 0.0, upper: ArrayLike = np.inf, whole: bool = False
    ) -> NDArray[np.int64]:
        """Add a block with one variable for each cost; return their numbers, of the shape of `cost`."""
        costs = np.asarray(cost, dtype=np.float64)
        first = len(self.cost)
        self.cost += costs.ravel().tolist()
        self.lower += np.broadcast_to(lower, costs.shape).astype(float).ravel().tolist()
        self.upper += np.broadcast_to(upper, costs.shape).astype(float).ravel().tolist()
        self.whole += [whole] * costs.size
        return np.arange(first, first + costs.size).reshape(costs.shape)


@dataclass
class Rows:
    """Constraints `lower <= sum(coefficient x) <= upper`."""

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    index: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def add(self, terms: Terms, lower: float, upper: float) -> None:
        """Add a constraint. A column may appear in it once."""
        self.starts.append(len(self.index))
        for column, value in terms:
            self.index.append(int(column))
            self.value.append(float(value))
        self.lower.append(lower)
        self.upper.append(upper)


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of each column, the objective, and the bound that no solution is below."""

    values: NDArray[np.float64]
    objective: float
    bound: float


class Model:
    """A program that HiGHS holds, to which rows can be added between solutions."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        from highspy import HighsLp, MatrixFormat

        lp = HighsLp()
        lp.num_col_, lp.num_row_ = len(columns.cost), len(rows.lower)
        lp.col_cost_ = np.array(columns.cost)
        lp.col_lower_, lp.col_upper_ = np.array(columns.lower), np.array(columns.upper)
        lp.row_lower_, lp.row_upper_ = np.array(rows.lower), np.array(rows.upper)
        lp.a_matrix_.format_ = MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.array([*rows.starts, len(rows.index)], dtype=np.int32)
        lp.a_matrix_.index_ = np.array(rows.index, dtype=np.int32)
        lp.a_matrix_.value_ = np.array(rows.value)
        # HiGHS has no answer for a program without columns: it holds if each empty sum is allowed.
        self.empty = not columns.cost
        self.holds = all(low <= 0.0 <= high for low, high in zip(rows.lower, rows.upper, strict=True))
        self.whole = np.flatnonzero(columns.whole).astype(np.int32)
        self.highs: Any = _silent_highs()
        # One thread and a fixed seed: the same question gives the same plan.
        self.highs.setOptionValue("threads", 1)
        self.highs.setOptionValue("random_seed", 0)
        self.highs.passModel(lp)

    def add_rows(self, rows: Rows) -> None:
        """Add constraints over the columns there are."""
        if rows.lower:
            self.highs.addRows(
                len(rows.lower), np.array(rows.lower), np.array(rows.upper), len(rows.index),
                np.array(rows.starts, dtype=np.int32), np.array(rows.index, dtype=np.int32), np.array(rows.value),
            )  # fmt: skip

    def require_whole(self, *, gap: float) -> None:
        """Make the whole columns whole from now on, solved to the relative `gap`."""
        from highspy import HighsVarType

        self.highs.setOptionValue("mip_rel_gap", gap)
        kinds = np.full(self.whole.size, HighsVarType.kInteger)
        self.highs.changeColsIntegrality(self.whole.size, self.whole, kinds)

    def suggest(self, values: NDArray[np.float64]) -> None:
        """Offer a solution to start from."""
        self.highs.setSolution(values.size, np.arange(values.size, dtype=np.int32), values)

    def solve(self) -> Solution:
        """Return the best solution. Raises NothingFeasible where no plan meets every limit."""
        from highspy import HighsModelStatus

        if self.empty:
            if not self.holds:
                raise NothingFeasible(_("No plan serves the demand within these limits."))
            return Solution(np.zeros(0), 0.0, 0.0)
        self.highs.run()
        status = self.highs.getModelStatus()
        if status in {HighsModelStatus.kInfeasible, HighsModelStatus.kUnboundedOrInfeasible}:
            raise NothingFeasible(_("No plan serves the demand within these limits."))
        if status != HighsModelStatus.kOptimal:
            raise RackrentError(
                _("The solver stopped without a plan: {status}.").format(
                    status=self.highs.modelStatusToString(status)
                )
            )
        info = self.highs.getInfo()
        objective = float(info.objective_function_value)
        integral = bool(self.whole.size) and np.isfinite(info.mip_dual_bound)
        bound = float(info.mip_dual_bound) if integral else objective
        return Solution(np.array(self.highs.getSolution().col_value), objective, min(bound, objective))


def _silent_highs() -> Any:
    """Return a solver that writes nothing, not even the banner that its constructor would leave on standard output."""
    from highspy import Highs

    class Silent(Highs):
        def enableCallbacks(self) -> None:  # noqa: N802 - overrides
            self.silent()
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    return Silent()  # type: ignore[no-untyped-call]


def minimise(columns: Columns, rows: Rows, *, gap: float = 0.0) -> Solution:
    """Return the solution of least cost, with its whole columns whole. Raises NothingFeasible."""
    model = Model(columns, rows)
    if model.whole.size:
        model.require_whole(gap=gap)
    return model.solve()
