"""The filter language: `price <= 2.5 gpu_name in [RTX_4090, A100_80GB] reliability > 0.98 near=52.5,13.4`.

A filter is up to 32 conditions, all of which must hold: a field, an operator and a value, or a list of values for
`in` and `notin`. Values are bare or quoted. `near` is a country code or degrees north and east; it excludes nothing.
What is unknown of an offer fulfils no condition about it, `!=` and `notin` included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from rackrent.catalog.names import members, typed_gpu
from rackrent.errors import nearest
from rackrent.exchange.problems import Invalid
from rackrent.exchange.rules.fields import FIELDS, Field, Type
from rackrent.exchange.rules.near import Near, Point
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.protocol.words import Rental

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput

LENGTH_MAX, CONDITIONS_MAX, VALUES_MAX = 2000, 32, 64
NEAR = "near"

GRAMMAR = r"""
start: condition*
condition: FIELD OP value ("," value)?
         | FIELD IN "[" value ("," value)* "]"
value: QUOTED | BARE
FIELD: /[A-Za-z_]\w*/
OP: /<=|>=|==|!=|<|>|=/
IN: /(notin|in)\b/
QUOTED: /"[^"]*"|'[^']*'/
BARE: /[^\s,\[\]"'<>=!]+/
%ignore /\s+/
"""
EXPECTED = {
    "FIELD": N_("a field"),
    "OP": N_("an operator such as <= or in"),
    "BARE": N_("a value"),
    "LSQB": N_("a list in brackets"),
    "RSQB": N_("a comma or a closing bracket"),
}
"""What the parser waits for, the first of these that it does."""
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?")
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: `operator` is < <= > >= = != in or notin; only the last two may have more than one value.

    Values are as the field is read: micro-USD, milliseconds, numbers, words; a GPU's is the name that was typed.
    """

    field: str
    operator: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold, and where one wants to be near."""

    conditions: tuple[Condition, ...]
    near: Near | None = None


def parse(
    text: str, *, gpus: Collection[str] = (), places: Mapping[str, tuple[Point, ...]] | None = None
) -> Filter:
    """Return the filter that a person has typed.

    `gpus` are names of GPUs that are offered; those that the catalog's rules of naming know are known anyhow. `places` are
    points of countries, for `near`. Raises Invalid: a field nobody knows, a value of the wrong type, or what cannot be
    read, with the character at which it stands.

    >>> [(c.field, c.operator, c.values) for c in parse("price <= 2.5 geolocation notin [us, RU]").conditions]
    [('price', '<=', (2500000,)), ('geolocation', 'notin', ('US', 'RU')), ('rental', '=', ('on_demand',))]
    """
    if len(text) > LENGTH_MAX:
        raise Invalid(_("A filter has at most {most} characters.").format(most=LENGTH_MAX))
    from lark.exceptions import UnexpectedInput

    try:
        tree = _parser().parse(text)
    except UnexpectedInput as broken:
        raise _unreadable(text, broken) from None
    if len(tree.children) > CONDITIONS_MAX:
        raise Invalid(_("A filter has at most {most} conditions.").format(most=CONDITIONS_MAX))
    conditions: list[Condition] = []
    near = None
    for condition in tree.children:
        name, operator, *values = _tokens(condition)
        if name == NEAR:
            if near is not None or operator not in ("=", "=="):
                raise _at(name, _("near is given once, with ="))
            near = _near(values, places or {})
        else:
            conditions.append(_condition(name, operator, values, gpus))
    if not any(c.field == "rental" for c in conditions):
        conditions.append(Condition("rental", "=", (Rental.ON_DEMAND.value,)))
    return Filter(tuple(conditions), near)


@lru_cache(maxsize=65_536)
def covers(wanted: str, offered: str) -> bool:
    """Return whether a GPU that is offered is what a person means by `wanted`: the same, or of that family.

    >>> covers("A100-80GB", "A100_SXM_80GB"), covers("RTX 4090", "RTX_4090"), covers("A100", "A100_SXM_80GB_MIG_1g.10gb")
    (True, True, False)
    """
    canonical = typed_gpu(wanted)
    same = _folded(wanted) == _folded(offered)
    return same or (canonical is not None and bool(members(canonical, [offered.replace("_", " ")])))


@cache
def _parser() -> Lark:
    try:
        from lark import Lark
    except ImportError:
        raise Invalid(_("Filters need the exchange's parts: pip install 'rackrent[exchange]'.")) from None
    return Lark(GRAMMAR, parser="lalr", lexer="contextual")


def _tokens(condition: Any) -> list[Token]:
    return [t if not hasattr(t, "children") else t.children[0] for t in condition.children]


def _unreadable(text: str, broken: UnexpectedInput) -> Invalid:
    waited = set().union(*(getattr(broken, name, None) or () for name in ("accepts", "expected", "allowed")))
    wanted = next(_(said) for name, said in EXPECTED.items() if name in waited)
    at = broken.pos_in_stream
    if at is None or getattr(getattr(broken, "token", None), "type", "") == "$END":
        return Invalid(_("The filter breaks off: {wanted} is missing at its end.").format(wanted=wanted))
    return Invalid(
        _("The filter cannot be read at character {at}, {found!r}: {wanted} was expected.").format(
            at=at + 1, found=text[at : at + 20], wanted=wanted
        )
    )


def _at(token: Token, sentence: str) -> Invalid:
    return Invalid(
        _("Filter, character {at}: {sentence}.").format(at=(token.start_pos or 0) + 1, sentence=sentence)
    )


def _condition(name: Token, operator: Token, values: list[Token], gpus: Collection[str]) -> Condition:
    field = FIELDS.get(name.casefold())
    if field is None:
        guess = nearest(str(name), [*FIELDS, NEAR], count=3)
        raise _at(
            name,
            _("there is no field {name!r}; like it: {names}").format(
                name=str(name), names=", ".join(guess or FIELDS)
            ),
        )
    op = "=" if operator == "==" else str(operator)
    if op in ("<", "<=", ">", ">=") and not field.type.ordered:
        raise _at(
            operator,
            _("{field} is {type}, which is not more or less than another").format(
                field=field.name, type=field.type.text
            ),
        )
    if len(values) > (VALUES_MAX if op in ("in", "notin") else 1):
        raise _at(name, _("{field} has too many values").format(field=field.name))
    return Condition(field.name, op, tuple(_value(field, token, gpus) for token in values))


def _value(field: Field, token: Token, gpus: Collection[str]) -> Any:
    text = str(token)[1:-1] if token.type == "QUOTED" else str(token)
    value = _READ[field.type](text.strip())
    if value is None:
        raise _at(
            token,
            _("{field} is {type}, not {text!r}").format(field=field.name, type=field.type.text, text=text),
        )
    if field.type is Type.GPU:
        whole = re.split(r"[ _]MIG[ _]", text, flags=re.IGNORECASE)[0]
        if typed_gpu(whole) is None and _folded(text) not in {_folded(gpu) for gpu in gpus}:
            guess = ", ".join(nearest(text, list(gpus), count=3)) or _("nothing that is offered")
            raise _at(token, _("there is no GPU {name!r}; like it: {names}").format(name=text, names=guess))
    return value


def _near(values: list[Token], places: Mapping[str, tuple[Point, ...]]) -> Near:
    texts = [str(v).strip("\"'") for v in values]
    if len(texts) == 1 and "," in texts[0]:
        texts = [part.strip() for part in texts[0].split(",")]
    if len(texts) == 1 and (points := places.get(texts[0].upper())):
        return Near(points, texts[0].upper())
    numbers = [float(number) for text in texts if (number := _number(text)) is not None]
    if len(numbers) == len(texts) == 2:
        latitude, longitude = numbers
        if abs(latitude) <= 90 and abs(longitude) <= 180:
            return Near(((latitude, longitude),))
    raise _at(
        values[0],
        _(
            "near is a country code such as DE, or degrees north and east such as 52.5,13.4, not {text!r}"
        ).format(text=",".join(texts)),
    )


def _number(text: str, scale: int = 1) -> int | float | None:
    if not NUMBER.fullmatch(text):
        return None
    value = Decimal(text) * scale
    return int(value) if value == value.to_integral_value() else float(value)


def _day(text: str) -> int | None:
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()) * 1000
    except ValueError:
        return None


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).casefold()


_READ: Mapping[Type, Callable[[str], Any]] = {
    Type.NUMBER: _number,
    Type.USD: lambda text: _number(text, 1_000_000),
    Type.DAY: _day,
    Type.FLAG: lambda text: FLAGS.get(text.casefold()),
    Type.TEXT: lambda text: text or None,
    Type.GPU: lambda text: text or None,
    Type.COUNTRY: lambda text: text.upper() if re.fullmatch(r"[A-Za-z]{2}", text) else None,
    Type.RENTAL: lambda text: next((r.value for r in Rental if r.value == text.casefold()), None),
}
"""How the text of a value is read; None: it is not one."""
