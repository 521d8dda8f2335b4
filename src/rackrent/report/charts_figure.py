"""A chart as a value: what it shows in words, its key, and its Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rackrent.comparison.option import Option
from rackrent.comparison.result import Comparison
from rackrent.money import converted, currency
from rackrent.report.charts_theme import DASHES, OPTION_COLOURS, STILL_WIDTH, config
from rackrent.report.labels import title

if TYPE_CHECKING:
    import altair as alt

LETTERS = "ABCDEF"
ROW = 44
"""Height of a bar with its name above it, in pixels."""
FAR = 5.0
"""An option that costs this many times the cheapest is not drawn to scale beside it."""


@dataclass(frozen=True)
class Key:
    """One entry of a chart's key: the value in its data, what that is called, and its colour."""

    value: str
    label: str
    colour: str


@dataclass(frozen=True)
class Figure:
    """A chart. `alt` says what it shows to whoever cannot see it, `caption` what can be read off it.

    `spec` is Vega-Lite without a legend (the page sets `key` beside the drawing) and without a width.
    """

    name: str
    title: str
    caption: str
    alt: str
    spec: dict[str, Any] = field(repr=False)
    key: tuple[Key, ...] = ()


@dataclass(frozen=True)
class Shown:
    """An option of the report with the letter, colour and dash that stand for it everywhere in it."""

    option: Option
    letter: str
    colour: str
    dash: list[int]

    @property
    def label(self) -> str:
        """The letter and the short name."""
        return f"{self.letter}  {title(self.option)}"

    @property
    def key(self) -> Key:
        """Its entry in the key of a chart."""
        return Key(self.letter, self.label, self.colour)


def shown_options(comparison: Comparison) -> tuple[Shown, ...]:
    """Return the headline options and the best for the funding, cheapest first, each with its letter."""
    chosen = {o.id: o for o in comparison.headline}
    if comparison.recommended_on_budget is not None:
        chosen.setdefault(comparison.recommended_on_budget.id, comparison.recommended_on_budget)
    ranked = sorted(chosen.values(), key=lambda o: (o.npv_usd, o.id))[: len(LETTERS)]
    return tuple(Shown(o, LETTERS[i], OPTION_COLOURS[i], DASHES[i]) for i, o in enumerate(ranked))


def to_scale(shown: Sequence[Shown]) -> tuple[list[Shown], list[Shown]]:
    """Return those that one scale can show beside the cheapest, and those that cost too much for it."""
    limit = FAR * max(min((s.option.npv_usd for s in shown), default=0.0), 0.0)
    near = [s for s in shown if s.option.npv_usd <= limit] if limit else list(shown)
    return near, [s for s in shown if s not in near]


def chart(rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Return an empty chart of `rows`, which go into its specification as they are."""
    import altair as alt

    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]


def letter_colour(shown: Sequence[Shown]) -> alt.Color:
    """Return the encoding of the field `letter` by the colours of the options. The page has the key."""
    import altair as alt

    scale = alt.Scale(domain=[s.letter for s in shown], range=[s.colour for s in shown])
    return alt.Color("letter:N", scale=scale, legend=None)


def names_above(base: Any, field: str) -> Any:
    """Return the layer that writes the name of each bar above it, from the left edge: narrow pages have no margin."""
    import altair as alt

    words = base.mark_text(align="left", baseline="bottom", dy=-9, dx=2)
    # The style sheet of the page knows the layer by its name: what lies behind the words does not strike them out.
    return words.encode(x=alt.value(0), text=f"{field}:N").properties(name="names")


def amount(usd: float) -> float:
    """Return dollars as a chart draws them: in the currency shown, to the cent."""
    return round(converted(usd), 2)


def money_format() -> str:
    """Return how amounts on axes and in tooltips are written."""
    return "$,.0f" if currency() is None else ",.0f"


def money_title(text: str) -> str:
    """Return the title of an axis of money: with its currency, unless that is the dollar."""
    shown = currency()
    return text if shown is None else f"{text}, {shown.code}"


def spec_of(chart: alt.TopLevelMixin, height: int | None = None) -> dict[str, Any]:
    """Return the chart as plain JSON values in the look of the house."""
    # Altair's own check against the schema takes longer than drawing; the tests draw every chart.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("$schema", None)
    spec["config"] = config()
    if height is not None:
        spec["height"] = height
    return spec


def at_width(spec: dict[str, Any], width: int | str = STILL_WIDTH) -> dict[str, Any]:
    """Return the specification drawn `width` pixels wide, "container" for as wide as the page gives."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        **spec,
        "width": width,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
