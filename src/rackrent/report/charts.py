"""The charts of a comparison by name, as figures of a page, SVG, or PNG. One definition serves all three."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.report.charts_figure import Figure, Key, Shown, at_width, shown_options
from rackrent.report.charts_finish import cost_finish
from rackrent.report.charts_map import winner_map
from rackrent.report.charts_money import categories, cumulative
from rackrent.report.charts_risk import spread, tornado_chart

Draw = Callable[[Comparison, Sequence[Shown]], Figure | None]

CHARTS: dict[str, Draw] = {
    "cost-finish": cost_finish,
    "cumulative": cumulative,
    "categories": categories,
    "map": winner_map,
    "spread": spread,
    "tornado": tornado_chart,
}
"""Every chart by the name that it has in the report and in the names of files."""


def figure(comparison: Comparison, name: str) -> Figure | None:
    """Return the chart `name`; None where this comparison has nothing to show in it. Raises BadInput."""
    if name not in CHARTS:
        raise BadInput(
            _("there is no chart {name}; the charts are {known}").format(
                name=repr(name), known=", ".join(CHARTS)
            )
        )
    return CHARTS[name](comparison, shown_options(comparison))


def chart_svg(comparison: Comparison, name: str) -> str:
    """Return the chart `name` as one SVG document with its key, text in the colour of what stands around it.

    Raises BadInput where there is no such chart, or nothing to show in it.
    """
    return _svg(with_key(_drawn(comparison, name)))


def chart_png(comparison: Comparison, name: str, *, scale: float = 2.0) -> bytes:
    """Return the chart `name` as a PNG with its key, black on white, `scale` pixels to a point. Raises as `chart_svg`."""
    import vl_convert

    spec = at_width(with_key(_drawn(comparison, name)))
    spec["config"] = {**spec["config"], "background": "white"}
    return bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=scale))


def still(figure: Figure) -> str:
    """Return the drawing of a figure for a page: SVG without key, whose ids do not meet those of another."""
    svg = _svg(figure.spec)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{figure.name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{figure.name}-\1)", svg)


def with_key(figure: Figure) -> dict[str, Any]:
    """Return the specification of a figure with its key as a legend, for where no page stands around it."""
    spec = deepcopy(figure.spec)
    names = {key.value: key.label for key in figure.key}
    legend = {"labelExpr": f"({json.dumps(names)})[datum.value]", "values": [key.value for key in figure.key]}
    colours = [
        e["color"] for layer in spec.get("layer", [spec]) if "color" in (e := layer.get("encoding", {}))
    ]
    if colours and figure.key:
        colours[0]["legend"] = legend
    return spec | {"title": {"text": figure.title, "anchor": "start", "color": "currentColor"}}


def _drawn(comparison: Comparison, name: str) -> Figure:
    drawn = figure(comparison, name)
    if drawn is None:
        raise BadInput(_("there is nothing to show in the chart {name}").format(name=repr(name)))
    return drawn


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.dumps(at_width(spec))))


__all__ = ["CHARTS", "Figure", "Key", "chart_png", "chart_svg", "figure", "still", "with_key"]
