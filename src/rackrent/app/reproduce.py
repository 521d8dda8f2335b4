"""Reproduce a published cost example, and ask its question of the full model where we have the prices of its day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rackrent.app.compare import compare
from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.costing.published import CHEN_USD_PER_KWH, CHEN_UTILISATIONS, Reproduction
from rackrent.costing.published import REPRODUCTIONS as COSTS
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.planning.published import REPRODUCTIONS as PLANS
from rackrent.report.reproduction import FullModel, Reproduced, SameQuestion

CHEN_BUILD = "own_build/jeff-chen/chen-2018-1x-gtx-1080-ti/home/own"
CHEN_CLOUD = {
    "on_demand": "cloud/aws/p3.2xlarge/us-east-1/on_demand",
    "reserved_1y": "cloud/aws/p3.2xlarge/us-east-1/reserved_1y/partial_upfront",
    "reserved_3y": "cloud/aws/p3.2xlarge/us-east-1/reserved_3y/partial_upfront",
}
"""What the article sets side by side, by option id."""
CHEN_QUESTION: Mapping[str, Any] = {
    "name": "chen-2018",
    "as_of": "2018-09-15",
    "task": "cnn_training",
    "precision": "fp32",
    "own": {"usd_per_kwh": CHEN_USD_PER_KWH},
    "consider": {"kinds": ["own_build", "cloud"], "providers": ["AWS"], "gpus": ["GTX 1080 Ti", "V100 SXM2 16GB"]},
}  # fmt: skip
"""His question as a workload, but for the use: everything he does not say has our defaults."""

REPRODUCTIONS = {**COSTS, **PLANS}


def reproduce(name: str) -> Reproduced:
    """Return the published example `name`, computed again. Raises BadInput where there is no such example."""
    if name not in REPRODUCTIONS:
        known = ", ".join(nearest(name, list(REPRODUCTIONS)) or REPRODUCTIONS)
        raise BadInput(
            _("there is no example {name}; did you mean {known}?").format(name=repr(name), known=known)
        )
    own: Reproduction = REPRODUCTIONS[name]()
    return Reproduced(own, chen_in_full() if name == "chen-2018" else None)


def chen_in_full() -> FullModel:
    """Ask Jeff Chen's question of the full model, with the prices of its day, at each of his uses."""
    found = [(share, compare(_chen(share))) for share in CHEN_UTILISATIONS]
    uses = tuple(_same_question(share, result) for share, result in found)
    speed = _option(found[0][1], CHEN_CLOUD["on_demand"]).speed
    assert speed is not None and speed.ratio is not None
    return FullModel(found[0][1].setting.catalog.as_of, speed.ratio, uses)


def _chen(share: float) -> Mapping[str, Any]:
    return {**CHEN_QUESTION, "demand": {"utilisation": share, "reference_gpu": "GTX 1080 Ti"}}


def _same_question(share: float, result: Comparison) -> SameQuestion:
    assert result.recommended is not None
    cloud = {term: _option(result, id) for term, id in CHEN_CLOUD.items()}
    return SameQuestion(share, result.recommended.id, _option(result, CHEN_BUILD), cloud)


def _option(result: Comparison, id: str) -> Option:
    found = result.option(id)
    assert found is not None, f"the catalog of {result.setting.catalog.as_of} lacks {id}"
    return found
