"""How charts look: colours that colour-blind people tell apart, text in the colour of the page around it.

Text, axes and grid are drawn in `currentColor`: one drawing is legible on a light page, a dark page and paper. The
colours of the series stand out against both (contrast of at least 3 to 1) and never carry meaning alone: options
also have a letter, and lines a dash pattern of their own.
"""

from __future__ import annotations

from typing import Any

from rackrent.i18n import language

OPTION_COLOURS = ("#0a7bbd", "#d55e00", "#009e73", "#c0609b", "#a88400", "#7f7f8c")
"""Blue, vermilion, green, purple, ochre, grey: the hues of Okabe and Ito, darkened where they were pale on white."""
DASHES = ([1, 0], [8, 3], [2, 2], [10, 3, 2, 3], [5, 2], [1, 3])
TEXT = "currentColor"
FAINT = 0.16
"""Opacity of grid lines."""
STILL_WIDTH = 680
"""Width of a drawing that does not adapt, in pixels."""
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Helvetica, Arial, sans-serif"
FONT_ZH = "system-ui, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, Source Han Sans SC, sans-serif"


def font() -> str:
    """Return the fonts for the language in use, those of the reader's system first."""
    return FONT_ZH if language() == "zh_CN" else FONT


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration that all charts share."""
    label = {"labelColor": TEXT, "titleColor": TEXT, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "font": font(),
        "background": None,
        "view": {"stroke": None},
        "axis": {
            **label,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "gridColor": TEXT,
            "gridOpacity": FAINT,
            "domainColor": TEXT,
            "domainOpacity": 0.5,
            "tickColor": TEXT,
            "tickOpacity": 0.5,
            "labelLimit": 220,
        },
        "legend": {**label, "orient": "bottom", "columns": 3, "labelLimit": 260, "title": None},
        "text": {"color": TEXT, "fontSize": 12},
        "rule": {"color": TEXT},
    }
