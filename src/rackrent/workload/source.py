"""YAML text to a tree of plain values, and the line on which each was written.

Values stay text, as the person wrote them: the model turns them into numbers, dates and yes or no. So YAML's own
guesses (NO is false, 1:30 is ninety, 010 is eight) never reach it. Only an empty value and `null` become None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from numbers import Real

import yaml
from pydantic import BaseModel

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

Tree = str | list["Tree"] | dict[str, "Tree"] | None
Path = tuple[str | int, ...]

VALUES_MAX = 10_000
"""Most values in one workload, counted after aliases are followed: a few lines of aliases can mean billions."""
DEPTH_MAX = 20
"""Deepest nesting; the schema itself has four levels."""

NULLS = ("", "~", "null", "Null", "NULL")
TAG_PREFIX = "tag:yaml.org,2002:"


@dataclass
class Source:
    """What a person wrote: `tree` of values, `lines` from field path to line number (1 is the first)."""

    where: str
    tree: Tree = None
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int | None:
        """Return the line of `path`, or of the nearest thing around it that has one."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None

    def refuse(self, sentence: str, path: Path = ()) -> BadInput:
        """Return the error that says `sentence` of the thing at `path`."""
        return refusal(self.where, sentence, self.line(path))


def refusal(where: str, sentence: str, line: int | None = None) -> BadInput:
    """Return a BadInput that names the place first, on one line."""
    place = where if where.isprintable() else repr(where)
    if line is None:
        return BadInput(f"{place}: {sentence}")
    return BadInput(_("{place}, line {line}: {sentence}").format(place=place, line=line, sentence=sentence))


def shown(value: object) -> str:
    """Return `value` as a message may show it: quoted if it is text, on one line, not longer than 60 characters.

    >>> shown("850"), shown("many"), shown(["a"])
    ('850', "'many'", "['a']")
    """
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            pass
        else:
            if value.isascii() and len(value) <= 30:
                return value.strip()
        text = repr(value)
    elif isinstance(value, list | dict) and len(value) > 5:
        return _("a list") if isinstance(value, list) else _("a mapping")
    else:
        text = repr(value)
    return text if len(text) <= 60 else f"{text[:56]}...{text[-1]}"


class _TooMuch(Exception):
    def __init__(self, line: int, *, deep: bool) -> None:
        super().__init__()
        self.line, self.deep = line, deep

    def refusal(self, where: str) -> BadInput:
        if self.deep:
            sentence = _("this is nested more than {n} levels deep; a workload needs four").format(
                n=DEPTH_MAX
            )
        else:
            sentence = _(
                "this makes more than {n:,} values, aliases followed; a workload has a few dozen"
            ).format(n=VALUES_MAX)
        return refusal(where, sentence, self.line)


class _Composer(yaml.SafeLoader):
    """Builds nodes only, and stops early where there are too many."""

    values = 0
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.values += 1
        self.depth += 1
        if self.values > 2 * VALUES_MAX or self.depth > DEPTH_MAX:
            raise _TooMuch(self.line + 1, deep=self.depth > DEPTH_MAX)
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def from_yaml(text: str, where: str) -> Source:
    """Read YAML. Raises BadInput, with the line, where it is not one YAML document of plain values."""
    composer = None
    try:
        composer = _Composer(text)
        root = composer.get_single_node()
        source = Source(where)
        if root is not None:
            source.tree = _Walk(source).value(root, ())
        return source
    except _TooMuch as error:
        raise error.refusal(where) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        sentence = _("the character U+{code:04X} is not allowed in YAML text").format(
            code=ord(text[error.position])
        )
        raise refusal(where, sentence, line) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refusal(where, _broken(error), mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, ValueError, OverflowError):  # PyYAML lets chr() of a bad escape through
        raise refusal(where, _("this is not valid YAML"), composer.line + 1 if composer else None) from None
    finally:
        if composer is not None:
            composer.dispose()


def _broken(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if "\\t" in problem:
        return _("a tab begins this line; indent with spaces")
    if "mapping values are not allowed" in problem:
        return _("a colon is not expected here; check the indentation, and quote a text that holds ': '")
    if "expected ':'" in problem:
        return _("a field needs a colon and a space after its name, such as 'gpus: 4'")
    if "single document" in (error.context or ""):
        return _("a second YAML document begins here; a workload is one")
    if "undefined alias" in problem:
        return _("this alias (*name) has no anchor (&name) before it")
    if "end of stream" in problem or "<stream end>" in problem:
        return _("the file ends inside a quoted text or a bracket that was opened and not closed")
    if "block end" in problem:
        return _("this line is not indented like the lines around it")
    return _("this is not valid YAML")


class _Walk:
    """Turns nodes into values and remembers their lines."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values = 0

    def value(self, node: yaml.Node, path: Path) -> Tree:
        line = node.start_mark.line + 1
        self.source.lines.setdefault(path, line)
        self.values += 1
        if self.values > VALUES_MAX or len(path) > DEPTH_MAX:
            raise _TooMuch(line, deep=len(path) > DEPTH_MAX)
        kind = node.tag.removeprefix(TAG_PREFIX)
        if isinstance(node, yaml.ScalarNode) and kind in ("str", "int", "float", "bool", "null", "timestamp"):
            return None if not node.style and node.value in NULLS else str(node.value)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return self._mapping(node, path)
        raise refusal(self.source.where, _("{tag} is not a plain value").format(tag=shown(node.tag)), line)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> Tree:
        out: dict[str, Tree] = {}
        for key_node, value_node in node.value:
            line, key = key_node.start_mark.line + 1, key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or not key or not key.isprintable():
                raise refusal(self.source.where, _("the name of a field must be plain text"), line)
            if key == "<<":
                raise refusal(
                    self.source.where, _("merging with '<<' is not supported; write the fields out"), line
                )
            if key in out:
                first = self.source.lines[*path, key]
                sentence = _("{name} is given twice (first on line {first})").format(
                    name=shown(key), first=first
                )
                raise refusal(self.source.where, sentence, line)
            self.source.lines[*path, key] = line
            out[key] = self.value(value_node, (*path, key))
        return out


def from_python(value: object, where: str) -> Source:
    """Take a mapping as Python callers have it, turned to the same text that a file would hold."""
    return Source(where, _as_written(value, where, ()))


def _as_written(value: object, where: str, path: Path) -> Tree:
    if len(path) > DEPTH_MAX:
        raise _TooMuch(0, deep=True).refusal(where)
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_unset=True)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Real) and not isinstance(value, int):
        value = float(value)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        out: dict[str, Tree] = {}
        for key, item in value.items():
            if not isinstance(key, str) or not key or not key.isprintable():
                raise refusal(
                    where, _("the name of a field must be plain text, not {key}").format(key=shown(key))
                )
            out[key] = _as_written(item, where, (*path, key))
        return out
    if isinstance(value, list | tuple):
        return [_as_written(item, where, (*path, i)) for i, item in enumerate(value)]
    raise refusal(where, _("{value} is not a plain value").format(value=shown(value)))


def _number(value: float) -> str:
    try:
        return repr(value)
    except ValueError:  # an int of thousands of digits
        return "inf"
