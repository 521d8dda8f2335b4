"""Command-line flags made from the fields of a model: one definition for the file, Python and the command line."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import wraps
from typing import Annotated, Any, Union, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rackrent.i18n import gettext as _
from rackrent.workload.complaint import choices


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: its name as a Python identifier (`gpu_hours` is typed --gpu-hours), the field it sets, where."""

    name: str
    path: tuple[str, ...]
    field: FieldInfo

    @property
    def option(self) -> str:
        """What a person types."""
        return "--" + self.name.replace("_", "-")

    @property
    def several(self) -> bool:
        """Whether it may be given several times."""
        return get_origin(_bare(self.field.annotation)) is list

    def help(self) -> str:
        """Return the field's own description, with the words it allows and its default."""
        assert self.field.description
        said = _(self.field.description)
        if words := choices(self.field.annotation):
            said = _("{meaning}: {words}").format(meaning=said, words=", ".join(words))
        if self.several:
            said = _("{meaning} (may be given several times)").format(meaning=said)
        default = self.field.get_default(call_default_factory=False)
        if default in (None, False, [], ()) or self.field.is_required():
            return said
        shown = _("yes") if default is True else default
        return _("{meaning} [default: {default}]").format(meaning=said, default=shown)

    def parameter(self) -> inspect.Parameter:
        """Return the parameter from which Typer makes the flag; None means that it was not given.

        Values stay text, whatever their type: the model reads them and says in one sentence what is wrong.
        """
        kind = _bare(self.field.annotation)
        annotation: Any = str | None
        if kind is bool:
            names, metavar, annotation = f"{self.option}/--no-{self.option[2:]}", None, bool | None
        elif self.several:
            names, metavar, annotation = self.option, _("TEXT"), list[str] | None
        else:
            names, metavar = self.option, _metavar(kind)
        option = typer.Option(names, help=self.help(), metavar=metavar, show_default=False)
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[annotation, option]
        )


def flags_from(model: type[BaseModel], names: Mapping[str, str]) -> dict[str, Flag]:
    """Return a flag for each field of `model` that `names` picks: flag name to dotted path of the field."""
    return {name: Flag(name, tuple(path.split(".")), _field(model, path)) for name, path in names.items()}


def with_flags(flags: Mapping[str, Flag]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command that takes `**flags` show them to Typer as parameters of their own."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        kept = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept]
        parameters += [flag.parameter() for flag in flags.values()]

        @wraps(command)
        def shown(**values: Any) -> None:
            command(**values)

        shown.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        shown.__annotations__ = {p.name: p.annotation for p in parameters}
        return shown

    return decorate


def given(flags: Mapping[str, Flag], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a person gave by flags, in the shape of the model."""
    tree: dict[str, Any] = {}
    for name, flag in flags.items():
        value = values.get(name)
        if value is None or value == []:
            continue
        branch = tree
        for step in flag.path[:-1]:
            branch = branch.setdefault(step, {})
        branch[flag.path[-1]] = value
    return tree


def _field(model: type[BaseModel], path: str) -> FieldInfo:
    *sections, name = path.split(".")
    for section in sections:
        inner = _bare(model.model_fields[section].annotation)
        assert isinstance(inner, type) and issubclass(inner, BaseModel), path
        model = inner
    return model.model_fields[name]


def _bare(annotation: Any) -> Any:
    """Return a type without Annotated and without "or None"."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        some = [a for a in get_args(annotation) if a is not type(None)]
        return _bare(some[0]) if len(some) == 1 else annotation
    return annotation


def _metavar(kind: Any) -> str:
    if kind in (int, float):
        return _("NUMBER")
    return _("DAY") if kind is date else _("TEXT")
