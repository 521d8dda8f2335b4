"""What people type. `run` is the console script `rackrent`."""

from __future__ import annotations

import os
import sys

from rackrent.errors import BadInput, RackrentError
from rackrent.i18n import LOCALE_DIR, set_language
from rackrent.i18n import gettext as _

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT."""


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 the answer is no, 2 bad input. Nobody is shown a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    if sys.stdout is None:
        # Closed by whoever called (`>&-`).
        sys.exit(BadInput.exit_code)
    try:
        code = _code(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has gone (`| head`). Python flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        print(
            _("rackrent: the output cannot be written ({reason})").format(reason=error.strerror),
            file=sys.stderr,
        )
        os._exit(BadInput.exit_code)
    sys.exit(code)


def _code(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        _choose_language(arguments)
        from rackrent.cli.group import main

        return main(arguments)
    except RackrentError as error:
        print(_("rackrent: {sentence}").format(sentence=error), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        # What was to be read is read by now, and says so itself: it is the screen that takes nothing more.
        print(
            _("rackrent: the output cannot be written ({reason})").format(reason=error.strerror),
            file=sys.stderr,
        )
        os._exit(BadInput.exit_code)


def _choose_language(arguments: list[str]) -> None:
    """Set the language before any text is made: --lang, RACKRENT_LANG, then the locale of the environment."""
    asked = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--lang":
            asked = "".join(arguments[position + 1 : position + 2])
        elif argument.startswith("--lang="):
            asked = argument.removeprefix("--lang=")
    names = ("RACKRENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    tag = asked or next((value for name in names if (value := os.environ.get(name))), "en")
    set_language("en" if tag.partition(".")[0] in ("C", "POSIX") else tag)
    known = ["en", *sorted(p.name for p in LOCALE_DIR.iterdir() if p.is_dir())]
    if asked is not None and not any(asked.lower()[:2] == name[:2] for name in known):
        raise BadInput(
            _("--lang is {asked}; it must be one of {known}").format(
                asked=repr(asked)[:20], known=", ".join(known)
            )
        )
