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

HOSTS_MOST = 100_000
DAYS_LEAST, DAYS_MOST = 0.01, 3_660
JOB_HOURS_LEAST, JOB_HOURS_MOST = 0.1, 87_600
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise BadInput(message)


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments say; return 0, 1 where a rule was broken, 2 for bad arguments, 130 after Ctrl-C."""
    try:
        return _run(*_read(arguments))
    except BadInput as mistake:
        _say(str(mistake))
        return mistake.exit_code
    except KeyboardInterrupt:
        _say("")
        return INTERRUPTED


def _run(scenario: Scenario, as_json: bool) -> int:
    started = time.perf_counter()

    def progress(world: World) -> None:
        day = (world.now_ms - START_MS) / DAY_MS
        speed = world.events / max(1e-9, time.perf_counter() - started)
        _say(
            _("day {day:.2f}: {events:,} events, {speed:,.0f} a second").format(
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
        prog="python -m rackrent.exchange.simulate",
        description=_(
            "Simulate a market on which GPUs are lent and rented, with everything that goes wrong, and check that its rules hold."
        ),
        epilog=_("Exit code: 0 if all rules held, 1 if one was broken, 2 for bad arguments."),
    )
    for flag, kind, usual, shown, meaning in (
        ("--hosts", int, 200, "N", _("machines that are lent, each with 1 to 8 GPUs (default: {usual})")),
        ("--days", float, 3.0, "N", _("simulated days of demand and faults (default: {usual:g})")),
        ("--seed", int, 1, "N", _("the same seed gives the same market (default: {usual})")),
        ("--job-hours", float, 8.0, "N", _("mean length of a job in hours (default: {usual:g})")),
        ("--faults", str, "all", "WORDS", _("what goes wrong: all, none, or some of {words}, with commas between them (default: {usual})")),
        ("--trace", str, None, "FILE", _("CSV file with the columns hour (0, 1, 2, ...) and gpus: how many GPUs are wanted in each hour, instead of demand that is made up")),
    ):  # fmt: skip
        explained = meaning.format(usual=usual, words=", ".join(Fault))
        parser.add_argument(flag, type=kind, default=usual, metavar=shown, help=explained)
    parser.add_argument("--json", action="store_true", help=_("print the report as JSON"))
    given = parser.parse_args(arguments)
    for flag, value, least, most in (
        ("--hosts", given.hosts, 1, HOSTS_MOST),
        ("--days", given.days, DAYS_LEAST, DAYS_MOST),
        ("--job-hours", given.job_hours, JOB_HOURS_LEAST, JOB_HOURS_MOST),
    ):
        if not least <= value <= most:
            raise BadInput(
                _("{flag} is {value}; it must be from {least} to {most}.").format(
                    flag=flag, value=value, least=least, most=most
                )
            )
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
        if word in ("all", "none"):
            raise BadInput(_("--faults: {word} stands alone, without other words.").format(word=word))
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
        why = error.strerror if isinstance(error, OSError) else _("it is not UTF-8 text")
        raise BadInput(_("{path} cannot be read: {why}.").format(path=path, why=why)) from None
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
