"""Ask the main question: a workload in whatever form it comes, a catalog, a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rackrent.catalog.catalog import Catalog, load
from rackrent.catalog.currency import to_usd
from rackrent.comparison.compare import compare_workload
from rackrent.comparison.result import Comparison
from rackrent.money import Currency
from rackrent.workload.model import Workload
from rackrent.workload.read import read_workload, workload_from

Question = Workload | Path | str | Mapping[str, Any]
"""A workload, the path of its file, or a mapping of the same shape."""


def compare(
    workload: Question,
    catalog: Catalog | None = None,
    *,
    as_of: date | None = None,
    beside: Path | None = None,
) -> Comparison:
    """Compare every way of getting the compute that `workload` asks for.

    `workload` is a `Workload`, the path of its YAML file, or a mapping of the same shape. `catalog` is the shipped
    one unless another is given. The day whose prices are used is `as_of`, else the workload's, else that of the
    given catalog, else today (UTC). A usage file (`demand.usage`) is looked for from the folder of the workload's
    file, from `beside` where there is none.

    Raises BadInput where the workload says something impossible or names a GPU nobody knows, CatalogError where
    the catalog cannot be read.

    >>> demand = {"utilisation": 0.9, "reference_gpu": "GTX 1080 Ti"}
    >>> compare({"demand": demand, "as_of": "2018-09-15"}).recommended.kind
    'own_build'
    """
    question = workload_of(workload)
    known = catalog_of(question, catalog, as_of)
    if question.demand.usage is None:
        return compare_workload(question, known)
    from rackrent.app.usage import with_usage

    if beside is None and isinstance(workload, Path | str):
        beside = Path(workload).parent
    question, said = with_usage(question, known, beside)
    result = compare_workload(question, known)
    return replace(result, warnings=(*said, *result.warnings))


def workload_of(question: Question) -> Workload:
    """Return the workload that `question` is, names or spells out. Raises BadInput."""
    if isinstance(question, Path | str):
        return read_workload(Path(question))
    return workload_from(question)


def catalog_of(question: Workload, catalog: Catalog | None, as_of: date | None) -> Catalog:
    """Return the catalog as it was on the day that the question is about."""
    day = as_of or question.as_of
    if catalog is None:
        return load(as_of=day or datetime.now(UTC).date())
    return catalog if day is None else catalog.on(day)


def currency_of(catalog: Catalog, code: str | None) -> Currency | None:
    """Return the currency to show amounts in, at the rate of the catalog's day; None for US dollars.

    Raises BadInput for a currency without rates.
    """
    if code is None or code.strip().upper() == "USD":
        return None
    rate = to_usd(catalog, 1.0, code, catalog.as_of)
    assert rate.observed_on is not None
    return Currency(
        code.strip().upper(), rate.known, rate.observed_on, catalog.cite(rate.source), note=rate.note
    )
