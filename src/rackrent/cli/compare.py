"""`rackrent compare`: the main question."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rackrent.cli.flags import flags_from, given, with_flags
from rackrent.cli.options import (
    AsJson,
    AsOf,
    CatalogFolder,
    Lang,
    Offline,
    catalog_in,
    day_of,
    print_json,
    progress,
)
from rackrent.errors import BadInput, NothingFeasible
from rackrent.i18n import gettext as _
from rackrent.workload.model import Workload
from rackrent.workload.read import read_workload, workload_from

if TYPE_CHECKING:
    from rackrent.comparison.result import Comparison
    from rackrent.money import Currency

FLAGS = flags_from(
    Workload,
    {
        "gpu_hours": "demand.gpu_hours_per_month",
        "gpu_hours_total": "demand.gpu_hours_total",
        "utilisation": "demand.utilisation",
        "jobs_per_month": "demand.jobs_per_month",
        "hours_per_job": "demand.hours_per_job",
        "reference_gpu": "demand.reference_gpu",
        "task": "task",
        "precision": "precision",
        "gpus": "gpus",
        "gpu_memory": "gpu_memory_gb",
        "months": "horizon_months",
        "deadline_days": "deadline_days",
        "interruptible": "interruptible",
        "country": "location.country",
        "region": "location.region",
        "site": "location.site",
        "usd_per_kwh": "own.usd_per_kwh",
        "storage_gb": "data.storage_gb",
        "egress_gb": "data.egress_gb_per_month",
        "residency": "requirements.residency",
        "kind": "consider.kinds",
        "gpu": "consider.gpus",
        "provider": "consider.providers",
        "term": "consider.terms",
    },
)  # fmt: skip
"""The fields one most often wants to try another value of; the file has them all."""

WAYS = (
    {"gpu_hours_per_month"},
    {"gpu_hours_total"},
    {"utilisation"},
    {"jobs_per_month", "hours_per_job"},
    {"usage"},
)
"""The ways to say how much work there is, each by its fields: one given by flag takes the place of the file's."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=_("""Own it or rent it? Every way of getting the same work, side by side, in dollars.

The question is a WORKLOAD file (YAML), or flags, or both: a flag goes before the file. Exit code 1 means that no
option can do the work."""))  # fmt: skip
@with_flags(FLAGS)
def compare(
    workload: Annotated[Path | None, typer.Argument(metavar="WORKLOAD.yaml", help=_("The question."), show_default=False)] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help=_("Show every option, and why the others are out."))] = False,
    as_of: AsOf = None,
    catalog: CatalogFolder = None,
    offline: Offline = False,
    as_json: AsJson = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help=_("Write every option to this CSV file as well."))] = None,
    currency: Annotated[str | None, typer.Option(metavar="CODE", help=_("Show amounts in this currency (ISO 4217), at the rate of the day. [default: USD]"))] = None,
    watch: Annotated[bool, typer.Option("--watch", help=_("Say in one line whether the verdict is still the one remembered; exit code 1 where it changed."))] = False,
    state: Annotated[Path | None, typer.Option(metavar="FILE", help=_("Where --watch remembers the verdict. [default: a file in your folder of state]"))] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help=_("Write a report with charts and every source to this HTML file as well."))] = None,
    pdf: Annotated[Path | None, typer.Option(metavar="FILE", help=_("Write the report to this PDF file as well (extra: pdf)."))] = None,
    lang: Lang = None,
    **flags: Any,
) -> None:  # fmt: skip
    """Compare, show, and exit 1 where nothing is feasible, or the watched verdict changed."""
    if state is not None and not watch:
        raise BadInput(_("--state says where --watch remembers the verdict: give --watch as well"))
    if watch and (csv or html or pdf):
        raise BadInput(_("--watch says one line and writes no file: leave it away to write one"))
    day, said = day_of(as_of), given(FLAGS, flags)
    question = question_of(workload, said)
    from rackrent.app.compare import catalog_of, currency_of
    from rackrent.app.compare import compare as ask
    from rackrent.money import shown_in

    opened = catalog_of(question, catalog_in(catalog, day or question.as_of), day)
    shown = currency_of(opened, currency)
    if shown is not None and (html or pdf):
        raise BadInput(_("the report is in US dollars: leave --currency or the report away"))
    with shown_in(shown):
        if watch:
            code = _watch(
                lambda: ask(question, opened, as_of=opened.as_of, beside=workload and workload.parent),
                workload,
                said,
                state,
                as_json=as_json,
            )
            raise typer.Exit(code)
        with progress(_("comparing")):
            result = ask(question, opened, as_of=opened.as_of, beside=workload and workload.parent)
            _write(result, workload, csv, html, pdf)
        if as_json:
            print_json(result.to_dict(everything=everything) | {"fx": fx_dict(shown)}, indent=None)
        else:
            from rackrent.report.terminal import print_comparison

            print_comparison(result, file=workload, everything=everything)
        for report in filter(None, (html, pdf)):
            print(_("The report is in {file}").format(file=report), file=sys.stderr)
        if result.recommended is None:
            from rackrent.report.terminal import why_none

            raise NothingFeasible(why_none(result))


def _write(
    result: Comparison, workload: Path | None, csv: Path | None, html: Path | None, pdf: Path | None
) -> None:
    """Write the files that were asked for."""
    targets = [path.resolve() for path in (csv, html, pdf, workload) if path is not None]
    if len(set(targets)) < len(targets):
        raise BadInput(_("the workload and the files to write must be different files"))
    if csv is not None:
        from rackrent.report.table_file import write_csv

        write_csv(result, csv)
    if html is not None:
        from rackrent.report.html import write_html

        write_html(result, html)
    if pdf is not None:
        from rackrent.report.pdf import write_pdf

        write_pdf(result, pdf)


def _watch(
    ask: Callable[[], Comparison],
    workload: Path | None,
    said: dict[str, Any],
    state: Path | None,
    *,
    as_json: bool,
) -> int:
    """Set the verdict beside the remembered one; return the exit code, which speaks of the change alone."""
    from rackrent.app.state import default_state, question_key, read_state, write_state
    from rackrent.app.watch import watched

    key = question_key(workload, said)
    path = state or default_state(key, workload)
    before = read_state(path, key)
    with progress(_("comparing")):
        found = watched(ask(), key, before)
    if before is None or found.changed:
        write_state(path, found.now, make_folder=state is None)
    if as_json:
        print_json(found.to_dict() | {"state": str(path)})
    elif before is None:
        print(_("{sentence} It is kept in {path}").format(sentence=found.sentence(), path=path))
    else:
        print(found.sentence())
    return int(found.changed)


def fx_dict(shown: Currency | None) -> dict[str, Any] | None:
    """Return the currency of the sentences and its rate as JSON values; the fields named usd stay in dollars."""
    if shown is None:
        return None
    return {
        "currency": shown.code,
        "usd_per_unit": shown.usd_per_unit,
        "month": f"{shown.month:%Y-%m}",
        "source": shown.source,
        "note": shown.note,
    }


def question_of(file: Path | None, said: dict[str, Any]) -> Workload:
    """Return the workload in `file` with what was said by flags put over it. Raises BadInput."""
    if file is not None and not said:
        return read_workload(file)
    ways = set(said.get("demand", {})).intersection(*[set().union(*WAYS)])
    if file is None:
        if not ways:
            raise BadInput(
                _(
                    "say how much work there is: a workload file such as examples/first-machine.yaml, or for example "
                    "--gpu-hours 146 or --utilisation 0.2 (see rackrent compare --help)"
                )
            )
        return workload_from(said, _("the command line"))
    tree = read_workload(file).model_dump(exclude_unset=True)
    for way in WAYS:
        if ways and not ways & way:
            for name in way:
                tree["demand"].pop(name, None)
    return workload_from(_put_over(tree, said), str(file))


def _put_over(tree: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    out = dict(tree)
    for name, value in said.items():
        out[name] = _put_over(out.get(name) or {}, value) if isinstance(value, dict) else value
    return out
