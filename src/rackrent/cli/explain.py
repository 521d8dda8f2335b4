"""`rackrent explain`: what an option or one of its lines rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from rackrent.cli.options import AsJson, AsOf, CatalogFolder, Lang, catalog_in, day_of, print_json, progress
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=_("""Say what an option rests on, or one line of it: figures, sources, formula.

OPTION is an id as `rackrent compare --all` shows it, or a part of only one id. LINE is the number of a payment, or the word lending."""))  # fmt: skip
def explain(
    workload: Annotated[Path, typer.Argument(metavar="WORKLOAD.yaml", help=_("The question."))],
    option: Annotated[str, typer.Argument(metavar="OPTION", help=_("The option."))],
    line: Annotated[str | None, typer.Argument(metavar="LINE", help=_("The number of a payment, or lending: what lending it out would bring."), show_default=False)] = None,
    *,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:  # fmt: skip
    """Explain and show."""
    day, number = day_of(as_of), _number(line)
    with progress(_("comparing")):
        from rackrent.app.compare import compare, workload_of
        from rackrent.app.explain import explain as tell
        from rackrent.report.explanation import print_explanation

        question = workload_of(workload)
        result = compare(
            question, catalog_in(catalog, day or question.as_of), as_of=day, beside=workload.parent
        )
    told = tell(result, option, number)
    if as_json:
        print_json(told.to_dict())
    else:
        print_explanation(told)


def _number(text: str | None) -> int | Literal["lending"] | None:
    if text is None:
        return None
    if text == "lending":
        return "lending"
    if not text.isdecimal():
        raise BadInput(
            _("LINE is {text}; it must be the number of a payment, such as 0, or lending").format(
                text=repr(text)[:40]
            )
        )
    return int(text)
