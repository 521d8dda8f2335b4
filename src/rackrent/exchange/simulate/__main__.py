"""`python -m rackrent.exchange.simulate`: run a market, report, and say in one sentence whether its rules held."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path

from rackrent.errors import BadInput, nearest
from rackrent.exchange.model import DAY_MS
from rackrent.exchange.simulate import report
from rackrent.exchange.simulate.run import simulate
from rackrent.exchange.simulate.scenario import ALL, START_MS, Fault, Scenario
from rackrent.exchange.simulate.shrink import shrink
from rackrent.exchange.simulate.world import World
from rackrent.i18n import gettext as _

HOSTS_MOST, DAYS_MOST = 100_000, 3_660


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise BadInput(message)


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments say; return 0, 1 where a rule was broken, 2 for arguments that make no sense."""
    try:
        scenario, as_json = _read(arguments)
    except BadInput as mistake:
        print(mistake, file=sys.stderr)
        return 2
    started = time.perf_counter()

    def progress(world: World) -> None:
        day = (world.now_ms - START_MS) / DAY_MS
        speed = world.events / max(1e-9, time.perf_counter() - started)
        _say(
            _("day {day:.2f}: {events} events, {speed:.0f} a second").format(
                day=day, events=world.events, speed=speed
            )
        )

    outcome = simulate(scenario, progress)
    if as_json:
        print(json.dumps(report.values(outcome), indent=2, ensure_ascii=False))
    else:
        print("\n".join(report.text(outcome)))
    if outcome.violation is not None:
        _say(_("A rule was broken: looking for a smaller history."))
        smaller, again = shrink(scenario, outcome, _say)
        out = sys.stderr if as_json else sys.stdout
        print("\n".join([*_described(smaller), *again.world.last(), str(again.violation)]), file=out)
    print(report.verdict(outcome), file=sys.stderr if as_json else sys.stdout)
    return 0 if outcome.violation is None else 1


def _described(scenario: Scenario) -> list[str]:
    """Return what the smallest history needs, to be run again."""
    hosts = scenario.hosts if scenario.only_hosts is None else len(scenario.only_hosts)
    renters = scenario.renters if scenario.only_renters is None else len(scenario.only_renters)
    return [
        _(
            "The smallest history found has {hosts} hosts, {renters} renters and these faults: {faults}."
        ).format(hosts=hosts, renters=renters, faults=", ".join(sorted(scenario.faults)) or _("none")),
        repr(scenario),
        _("Its last events (seconds from the start, what, of whom):"),
    ]


def _read(arguments: list[str] | None) -> tuple[Scenario, bool]:
    parser = _Parser(
        prog="python -m rackrent.exchange.simulate", description=_("Simulate a market for GPUs.")
    )
    parser.add_argument("--hosts", type=int, default=200, help=_("machines"))
    parser.add_argument("--days", type=float, default=3.0, help=_("days of demand and faults"))
    parser.add_argument("--seed", type=int, default=1, help=_("where all random numbers come from"))
    parser.add_argument(
        "--faults",
        default="all",
        help=_("all, none, or words with commas: {words}").format(words=", ".join(Fault)),
    )
    parser.add_argument("--job-hours", type=float, default=8.0, help=_("hours of a job on average"))
    parser.add_argument("--trace", help=_("CSV file with hour and gpus: demand to follow"))
    parser.add_argument("--json", action="store_true", help=_("print values"))
    given = parser.parse_args(arguments)
    if not 1 <= given.hosts <= HOSTS_MOST:
        raise BadInput(
            _("--hosts {hosts}: from 1 to {most} are possible.").format(hosts=given.hosts, most=HOSTS_MOST)
        )
    if not 0 < given.days <= DAYS_MOST:
        raise BadInput(
            _("--days {days:g}: more than 0, and {most} at most.").format(days=given.days, most=DAYS_MOST)
        )
    if not given.job_hours > 0:
        raise BadInput(_("--job-hours {hours:g}: more than 0 is possible.").format(hours=given.job_hours))
    trace = None if given.trace is None else read_trace(Path(given.trace))
    scenario = Scenario(
        hosts=given.hosts, days=given.days, seed=given.seed, faults=read_faults(given.faults), trace=trace,
        job_hours=given.job_hours,
    )  # fmt: skip
    return scenario, given.json


def read_faults(words: str) -> frozenset[Fault]:
    """Return the faults that are named: `all`, `none`, or some. Raises BadInput."""
    if words in ("all", "none"):
        return ALL if words == "all" else frozenset()
    named = [word.strip() for word in words.split(",")]
    for word in named:
        if word not in list(Fault):
            close = nearest(word, [*Fault, "all", "none"])
            meant = _(" Did you mean {word}?").format(word=close[0]) if close else ""
            raise BadInput(_("--faults: there is no fault {word!r}.{meant}").format(word=word, meant=meant))
    return frozenset(Fault(word) for word in named)


def read_trace(path: Path) -> tuple[int, ...]:
    """Return GPUs wanted in each hour from a CSV file with the columns hour (0, 1, 2, ...) and gpus. Raises BadInput."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(_("{path} cannot be read: {why}.").format(path=path, why=error)) from None
    gpus: list[int] = []
    for line, row in enumerate(rows, 2):
        try:
            hour, wanted = int(row["hour"]), int(row["gpus"])
        except (KeyError, TypeError, ValueError):
            raise BadInput(
                _("{path}, line {line}: hour and gpus must be whole numbers.").format(path=path, line=line)
            ) from None
        if hour != len(gpus) or wanted < 0:
            raise BadInput(
                _("{path}, line {line}: hours must be 0, 1, 2, ... without gaps, and gpus 0 or more.").format(
                    path=path, line=line
                )
            )
        gpus.append(wanted)
    if not gpus:
        raise BadInput(_("{path} has no hours: its first line is hour,gpus.").format(path=path))
    return tuple(gpus)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
