"""Every message is translated, keeps its fields, speaks the glossary, and can be found by the extractor."""

from __future__ import annotations

import ast
import csv
import re
import string
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from babel.messages.catalog import Catalog, Message
from pydantic import BaseModel

from rackrent import i18n
from rackrent.catalog.query import OfferQuery
from rackrent.catalog.schema import GPUS, OFFERS, PROVENANCE
from rackrent.exchange.rules.fields import FIELDS
from rackrent.exchange.search import OfferSearch
from rackrent.workload.model import Workload
from tools.messages import KEYWORDS, SOURCE, compile_catalogs, descriptions, extract, read, translated, update

ROOT = Path(__file__).parent.parent
ZH = ROOT / "src" / "rackrent" / "locale" / "zh_CN" / "LC_MESSAGES" / "rackrent.po"
GLOSSARY = Path(__file__).parent / "data" / "glossary_zh.csv"


@cache
def chinese() -> Catalog:
    return read(ZH)


def forms(text: str | tuple[str, ...] | list[str] | None) -> list[str]:
    """The singular and plural of a message, or its one form."""
    return [text] if isinstance(text, str) else list(text or ())


def pairs() -> list[tuple[str, str]]:
    """Each English message with each form of its Chinese translation, for what is translated."""
    return [
        (forms(message.id)[-1], form)
        for message in chinese()
        if message.id and translated(message)
        for form in forms(message.string)
    ]


def fields(text: str) -> set[tuple[str, str]]:
    """The named fields of a format string with how each is formatted."""
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name is not None}


def untranslated(template: Catalog, catalog: Catalog) -> list[str]:
    missing = []
    for message in template:
        known = catalog.get(message.id, message.context) if message.id else Message("")
        if message.id and (known is None or not translated(known)):
            missing.append(forms(message.id)[0])
    return missing


def test_every_message_is_translated() -> None:
    missing = untranslated(extract(), chinese())
    assert not missing, f"{len(missing)} messages lack Chinese (run `make messages`): {missing[:10]}"


def test_no_translation_outlives_its_message() -> None:
    template = extract()
    assert [m.id for m in chinese() if m.id and template.get(m.id, m.context) is None] == []


def test_translations_keep_their_fields() -> None:
    assert [(english, zh) for english, zh in pairs() if fields(english) != fields(zh)] == []


# --- glossary ---------------------------------------------------------------------------------------------


@cache
def glossary() -> dict[str, tuple[str, ...]]:
    """English term to the Chinese ones of which a translation needs one."""
    with GLOSSARY.open(newline="", encoding="utf-8") as file:
        return {
            row["english"].casefold(): tuple(row["simplified"].split("|")) for row in csv.DictReader(file)
        }


@cache
def _terms() -> re.Pattern[str]:
    """All terms, longest first, so that "exchange rate" is not read as "exchange"; a plural counts."""
    longest_first = sorted(glossary(), key=len, reverse=True)
    words = "|".join(
        re.escape(term).replace("\\ ", r"[ -]").replace("\\-", r"[ -]") for term in longest_first
    )
    return re.compile(rf"(?<![\w{{`_-])({words})(?:e?s)?(?![\w}}`_-])", re.IGNORECASE)


def glossary_breaches(english: str, zh: str) -> list[tuple[str, tuple[str, ...]]]:
    """The terms in `english` of which `zh` has no Chinese form. Names in backquotes or {fields} are not terms."""
    prose = re.sub(r"`[^`]*`|\{[^}]*\}", " ", english)
    by_letters = {re.sub(r"[ -]", " ", term): accepted for term, accepted in glossary().items()}
    found = {re.sub(r"[ -]", " ", hit.casefold()) for hit in _terms().findall(prose)}
    return sorted((term, by_letters[term]) for term in found if not any(c in zh for c in by_letters[term]))


def test_translations_speak_the_glossary() -> None:
    breaches = [(english, zh, b) for english, zh in pairs() if (b := glossary_breaches(english, zh))]
    assert not breaches, breaches[:10]


@pytest.mark.parametrize(
    ("english", "zh", "broken"),
    [
        ("The exchange rate of {month} is used.", "使用 {month} 的汇率。", []),
        ("The exchange rate of {month} is used.", "使用 {month} 的算力交易平台。", ["exchange rate"]),
        ("on-demand price", "按量付费价格", []),
        ("break-even after {n} months", "{n} 个月后盈亏平衡", []),
        ("Servers differ.", "机器不同。", ["server"]),
        ("`rent` and {cloud} are names", "都是名称", []),
        ("spotless", "洁净", []),
    ],
)
def test_the_glossary_check_reads_terms_as_people_do(english: str, zh: str, broken: list[str]) -> None:
    assert [term for term, _ in glossary_breaches(english, zh)] == broken


# --- source -----------------------------------------------------------------------------------------------


def unextractable(source: str) -> list[int]:
    """Lines where a message is put together before gettext sees it: no catalog can hold such a message."""
    built = (ast.JoinedStr, ast.BinOp)
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS:
            messages = node.args[: 2 if node.func.id == "ngettext" else 1]
            formatted = [
                m
                for m in messages
                if isinstance(m, ast.Call) and isinstance(m.func, ast.Attribute) and m.func.attr == "format"
            ]
            if formatted or any(isinstance(m, built) for m in messages):
                lines.append(node.lineno)
    return lines


def test_no_message_is_put_together_before_it_is_translated() -> None:
    files = SOURCE.rglob("*.py")
    assert [f"{p.name}:{n}" for p in files for n in unextractable(p.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('_(f"{n} hours")', [1]),
        ('_("a" + name)', [1]),
        ('_("%s" % name)', [1]),
        ('_("{n} hours".format(n=n))', [1]),
        ('ngettext("one", f"{n}", n)', [1]),
        ('_("{n} hours").format(n=n)', []),
        ('_("a long " "sentence")', []),
        ("_(LABELS[key])", []),
    ],
)
def test_the_source_check_knows_built_messages(source: str, lines: list[int]) -> None:
    assert unextractable(source) == lines


def models(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A model and those in its fields, at any depth."""
    found, open_ = set(), [model]
    while open_:
        one = open_.pop()
        if one not in found:
            found.add(one)
            open_ += [m for field in one.model_fields.values() for m in _models_in(field.annotation)]
    return found


def _models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for inner in get_args(annotation) for m in _models_in(inner)]


def test_what_describes_fields_and_columns_is_a_message() -> None:
    template = extract()
    described = [
        (f"{model.__name__}.{name}", field.description)
        for model in {*models(Workload), *models(OfferQuery), OfferSearch}
        for name, field in model.model_fields.items()
    ]
    described += [
        (f"{table.name}.{c.name}", c.meaning)
        for table in (GPUS, OFFERS)
        for c in table.columns
        if c not in PROVENANCE
    ]
    described += [(field.name, field.meaning) for field in FIELDS.values()]
    assert len(described) > 150
    assert [what for what, text in described if template.get(text) is None] == []


def test_descriptions_are_read_where_they_are_shown() -> None:
    source = """
class Query(BaseModel):
    gpu: Annotated[str, Field(pattern="x")] = Field(None, gt=0, description="GPU " "names")
OFFERS = _table("offers", "one way", _c("amount", pl.Float64, "price"), _c("term", pl.String, "rental term", required=True))
PUE = _table("pue", "one place", _c("pue", pl.Float64, "never shown"))
"""
    assert list(descriptions(source)) == ["price", "rental term", "GPU names"]


# --- tools ------------------------------------------------------------------------------------------------


def test_update_keeps_translations_and_compile_makes_them_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, locale = tmp_path / "source", tmp_path / "locale"
    source.mkdir()
    (source / "a.py").write_text('_("unknown")\nngettext("{n} GPU", "{n} GPUs", 2)\n', encoding="utf-8")
    assert update(["zh_CN"], locale, source) == {"zh_CN": 2}

    po = locale / "zh_CN" / "LC_MESSAGES" / "rackrent.po"
    text = po.read_text(encoding="utf-8")
    po.write_text(
        text.replace('msgid "unknown"\nmsgstr ""', 'msgid "unknown"\nmsgstr "未知"'), encoding="utf-8"
    )
    (source / "b.py").write_text('N_("source")\n', encoding="utf-8")
    assert update([], locale, source) == {"zh_CN": 2}
    again = po.read_bytes()
    update([], locale, source)
    assert po.read_bytes() == again, "a file changes only when its messages do"

    assert compile_catalogs(locale) == [po.with_suffix(".mo")]
    monkeypatch.setattr(i18n, "LOCALE_DIR", locale)
    i18n._translations.cache_clear()
    try:
        i18n.set_language("zh-Hans")
        assert i18n.gettext("unknown") == "未知"
        assert i18n.gettext("source") == "source", "a message without translation is shown in English"
    finally:
        i18n.set_language("en")
        i18n._translations.cache_clear()
