"""Message catalogs: `python -m tools.messages update [LANGUAGE ...]` and `python -m tools.messages compile`.

`update` reads the messages out of the source into each `.po` file (and begins one for each new LANGUAGE),
keeping translations. `compile` turns `.po` into the `.mo` files that are read at run time; those are not kept
in git, the build makes them (`hatch_build.py`, which runs this file with Babel and nothing else at hand).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).parent.parent / "src" / "rackrent"
LOCALE = SOURCE / "locale"
DOMAIN = "rackrent"
KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2)}
"""Functions whose arguments are messages; for `ngettext` the first two."""

TABLES_SHOWN = ("gpus", "offers")
"""Tables of the catalog whose columns `prices show` explains."""

DROPPED = tuple(
    f'"{name}:'
    for name in (
        "Project-Id-Version",
        "Report-Msgid-Bugs-To",
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Last-Translator",
        "Language-Team",
        "Generated-By",
    )
)
"""Header lines that git tells better, or that would change a file whose messages did not."""


def extract(source: Path = SOURCE) -> Catalog:
    """Return every message of the Python files under `source`, with the files it stands in.

    Messages are what the functions in KEYWORDS are given, and what describes the fields of models and the columns of tables:
    those are shown through `gettext` where a flag or a table is.
    """
    template = Catalog(project="rackrent", version="", charset="utf-8", fuzzy=False)
    found = extract_from_dir(source, [("**.py", "python")], keywords=KEYWORDS, comment_tags=("Translators:",))
    for name, _line, message, comments, context in sorted(found, key=lambda hit: (hit[0], hit[1])):
        template.add(message, locations=[(name, 0)], auto_comments=comments, context=context)
    for path in sorted(source.rglob("*.py")):
        for text in descriptions(path.read_text(encoding="utf-8")):
            template.add(text, locations=[(path.relative_to(source).as_posix(), 0)])
    return template


def descriptions(source: str) -> Iterator[str]:
    """Yield the descriptions of Pydantic fields, and of the columns of the tables shown, in the text of a module."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id == "Field":
            found = [k.value for k in node.keywords if k.arg == "description"]
        elif node.func.id == "_table" and ast.literal_eval(node.args[0]) in TABLES_SHOWN:
            found = [column.args[2] for column in node.args[2:] if isinstance(column, ast.Call)]
        else:
            continue
        yield from (ast.literal_eval(text) for text in found)


def read(path: Path) -> Catalog:
    """Read a `.po` file; its folder says the language."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name, domain=DOMAIN)


def catalogs(locale: Path = LOCALE) -> list[Path]:
    """Return the `.po` files under `locale`, one a language."""
    return sorted(locale.glob("*/LC_MESSAGES/*.po"))


def update(new_languages: list[str], locale: Path = LOCALE, source: Path = SOURCE) -> dict[str, int]:
    """Bring every `.po` file up to the source; return how many messages of each language lack a translation.

    A changed message is marked fuzzy beside its old translation; a message gone from the source is dropped.
    """
    template = extract(source)
    for language in new_languages:
        path = locale / language / "LC_MESSAGES" / f"{DOMAIN}.po"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(
                path, Catalog(locale=language, project="rackrent", version="", charset="utf-8", fuzzy=False)
            )
    open_messages = {}
    for path in catalogs(locale):
        catalog = read(path)
        catalog.update(template)
        _write(path, catalog)
        open_messages[path.parent.parent.name] = sum(
            bool(message.id) and not translated(message) for message in catalog
        )
    return open_messages


def compile_catalogs(locale: Path = LOCALE) -> list[Path]:
    """Write the `.mo` file beside each `.po` file and return them. Fuzzy translations stay out."""
    written = []
    for path in catalogs(locale):
        target = path.with_suffix(".mo")
        with target.open("wb") as file:
            write_mo(file, read(path))
        written.append(target)
    return written


def translated(message: Message) -> bool:
    """Tell whether every form of `message` has a translation that a person has looked at."""
    forms = [message.string] if isinstance(message.string, str | None) else message.string
    return not message.fuzzy and all(forms)


def _write(path: Path, catalog: Catalog) -> None:
    catalog.header_comment = f"# Messages of rackrent: {path.parent.parent.name}."
    with path.open("wb") as file:
        write_po(file, catalog, width=110, ignore_obsolete=True, include_lineno=False)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(DROPPED)), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run `update` or `compile`; return the exit status."""
    match arguments:
        case ["update", *languages]:
            for language, count in update(languages).items():
                print(f"{language}: {count} messages without translation")
        case ["compile"]:
            for path in compile_catalogs():
                print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
        case _:
            print("usage: python -m tools.messages update [LANGUAGE ...] | compile", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
