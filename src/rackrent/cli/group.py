"""The commands, each loaded when it is called: `rackrent --help` needs only their first sentences."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from rackrent.errors import BadInput, nearest
from rackrent.i18n import N_
from rackrent.i18n import gettext as _

COMMANDS = {
    "compare": N_("Own it or rent it? The same work, every way, side by side."),
    "explain": N_("Say what an option or one line of it rests on."),
    "reproduce": N_("Compute a published cost example again."),
    "prices": N_("Search the prices; show one GPU or offer."),
}
"""Command to its first sentence; `rackrent.cli.<command>` holds it as `app`."""

HELP_WORDS = (
    N_("Usage: "), N_("Arguments"), N_("Options"), N_("Commands"), N_("Show this message and exit."),
)  # fmt: skip
"""What Typer writes of its own accord in a help, in English."""


class HelpFormatter(typer.Context.formatter_class):  # type: ignore[misc,valid-type]
    """Writes the help of a command in the language in use."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line of usage."""
        super().write_usage(prog, args, prefix or _("Usage: "))

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        super().write_heading(_(heading))

    def write_dl(self, rows: Any, *args: Any, **options: Any) -> None:
        """Write flags with what is said of each; our own sentences are translated already and stay."""
        super().write_dl([(flag, said and _(said)) for flag, said in rows], *args, **options)


class Context(typer.Context):
    """The call of a command whose help speaks the language in use."""

    formatter_class = HelpFormatter


def spoken(command: Any) -> Any:
    """Let a command, and those in it, speak the language in use."""
    command.context_class = Context
    for inner in getattr(command, "commands", {}).values():
        spoken(inner)
    return command


UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Click's class for what was typed wrongly. Typer carries Click inside and exports only this subclass of it."""


class Commands(TyperGroup):
    """The group `rackrent`."""

    listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, the main one first."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; while the help is listed only its name and first sentence."""
        if cmd_name not in COMMANDS:
            return None
        if self.listing:
            return TyperCommand(cmd_name, help=_(COMMANDS[cmd_name]), callback=None, rich_markup_mode=None)
        command = spoken(get_command(import_module(f"rackrent.cli.{cmd_name}").app))
        command.name = cmd_name
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the group."""
        self.listing = True
        super().format_help(ctx, formatter)
        self.listing = False

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; name the nearest one where there is none."""
        if args and args[0] not in COMMANDS:
            known = list(COMMANDS)
            close = ", ".join(nearest(args[0], known) or known)
            raise BadInput(
                _("there is no command {name}; did you mean {known}?").format(name=repr(args[0]), known=close)
            )
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _show_version(asked: bool) -> None:
    if asked:
        from rackrent import __version__

        print(f"rackrent {__version__}")
        raise typer.Exit


@app.callback(help=_("Own deep-learning compute, rent it, or lend it out? Arithmetic that anyone can check."))
def top(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help=_("Show the version and exit."), callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take what stands before the command."""


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code. Raises RackrentError, in one sentence also for a wrong flag."""
    # Not `Typer.__call__`: it would print errors in its own way, and take a broken pipe for a failure.
    command = spoken(get_command(app))
    try:
        with command.make_context("rackrent", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message().rstrip(), file=sys.stderr)  # type: ignore[attr-defined]
            return 2
        raise BadInput(_usage(error)) from None
    return 0


def _usage(error: Any) -> str:
    """Return what was typed wrongly, and where to read what can be typed."""
    option = getattr(error, "option_name", None)
    close = list(getattr(error, "possibilities", None) or ())
    kind = type(error).__name__
    if kind == "NoSuchOption" and close:
        said = _("there is no option {option}; did you mean {close}?").format(option=option, close=close[0])
    elif kind == "NoSuchOption":
        said = _("there is no option {option}").format(option=option)
    elif kind == "BadOptionUsage":
        said = _("{option} needs a value").format(option=option)
    elif kind == "MissingParameter":
        said = _("{name} is missing").format(name=error.param.metavar or error.param.name)
    else:
        said = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "rackrent"
    return _("{said} (see {command} --help)").format(said=said, command=command)
