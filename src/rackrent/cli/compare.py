"""`rackrent compare`: the main question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
    lang: Lang = None,
    **flags: Any,
) -> None:  # fmt: skip
    """Compare, show, and exit 1 where nothing is feasible."""
    day = day_of(as_of)
    question = question_of(workload, given(FLAGS, flags))
    with progress(_("comparing")):
        from rackrent.app.compare import compare as ask
        from rackrent.report.terminal import print_comparison, why_none

        result = ask(
            question,
            catalog_in(catalog, day or question.as_of),
            as_of=day,
            beside=workload and workload.parent,
        )
    if csv is not None:
        from rackrent.report.table_file import write_csv

        write_csv(result, csv)
    if as_json:
        print_json(result.to_dict(everything=everything))
    else:
        print_comparison(result, file=workload, everything=everything)
    if result.recommended is None:
        raise NothingFeasible(why_none(result))


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
