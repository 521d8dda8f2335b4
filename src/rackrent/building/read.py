"""Read a list of parts: YAML, CSV, or the text that PCPartPicker and forums use."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import yaml

from rackrent.building.machine import Item, Machine
from rackrent.building.match import Match, match
from rackrent.catalog.components import Component
from rackrent.catalog.fact import Fact
from rackrent.catalog.schema import PART_TYPES
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

KINDS = {
    "video card": "gpu", "graphics card": "gpu", "card": "gpu", "gpu": "gpu", "processor": "cpu", "cpu": "cpu",
    "cpu cooler": "cpu_cooler", "cooler": "cpu_cooler", "motherboard": "motherboard", "mainboard": "motherboard",
    "board": "motherboard", "memory": "memory", "ram": "memory", "storage": "storage", "ssd": "storage", "disk": "storage",
    "power supply": "power_supply", "psu": "power_supply", "case": "case", "case fan": "fan", "fan": "fan", "fans": "fan",
}  # fmt: skip
"""What people call the kinds of parts."""
FIELDS = ("type", "part_type", "kind", "part", "name", "quantity", "qty", "price", "price_usd", "currency")
"""What a part of a list may say, under the names people give it."""
MOST = 64
"""Most of one part, and most lines of a list."""
_LINE = re.compile(r"^\s*(?:[-*]\s+)?\**(?P<kind>[A-Za-z][A-Za-z /]*?)\**\s*:\**\s*(?P<rest>.+)$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_PRICE = re.compile(
    r"\(\s*\**(?:-\s*)?\$\s*(?P<usd>[\d,]+(?:\.\d+)?)\**[^)]*\)|\s[-|@]\s*\$\s*(?P<end>[\d,]+(?:\.\d+)?)\s*$"
)
_COUNT = re.compile(r"^(?P<n>\d{1,2})\s*[x×]\s+|\s+[x×]\s*(?P<end>\d{1,2})$|\s*\((?P<way>\d)-Way[^)]*\)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a list as it was typed; `usd` is the price of one where the list gives it."""

    name: str
    kind: str | None = None
    quantity: int = 1
    usd: float | None = None


def read_parts(text: str) -> list[Entry]:
    """Read a list of parts in whichever format it is. Raises BadInput where it is none."""
    if "\0" in text:
        raise BadInput(_("the list of parts is not text"))
    entries = _yaml(text)
    if entries is None:
        entries = _csv(text)
    if entries is None:
        entries = list(_lines(text))
    if not entries:
        raise BadInput(_("the list names no part; write a line for each, such as 'GPU: RTX 4090'"))
    if len(entries) > MOST:
        raise BadInput(_("the list has {n} lines; at most {most} are read").format(n=len(entries), most=MOST))
    return entries


def machine_of(entries: list[Entry], parts: tuple[Component, ...]) -> tuple[Machine, list[Match]]:
    """Return the machine that the entries mean and what each was taken for. Equal parts are counted together."""
    found = [match(e.name, parts, e.kind) for e in entries]
    items: dict[str, Item] = {}
    for entry, one in zip(entries, found, strict=True):
        part = one.part
        if entry.usd is not None:
            price = Fact("workload", "parts list", part.name, entry.usd, "USD", _("your list"), None, "high")
            part = replace(part, price=price)
        before = items.get(part.name)
        items[part.name] = Item(part, entry.quantity + (before.quantity if before else 0))
    return Machine(tuple(items.values())), found


def _kind(text: str | None) -> str | None:
    if text is None or not str(text).strip():
        return None
    word = " ".join(str(text).casefold().replace("_", " ").split())
    if word in KINDS:
        return KINDS[word]
    if word.replace(" ", "_") in PART_TYPES:
        return word.replace(" ", "_")
    close = nearest(word, list(KINDS)) or sorted(set(KINDS.values()))
    raise BadInput(_("{word} is no kind of part; did you mean {close}?").format(word=repr(word)[:40], close=", ".join(close)))  # fmt: skip


def _number(value: Any, what: str, low: float, high: float) -> float:
    try:
        number = float(str(value).replace(",", "").replace("$", "").strip())
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise BadInput(
            _("{what} is {value}; it must be a number from {low:g} to {high:g}").format(
                what=what, value=repr(value)[:40], low=low, high=high
            )
        )
    return number


def _entry(kind: Any, name: Any, quantity: Any, usd: Any) -> Entry:
    if name is None or not str(name).strip():
        raise BadInput(_("a part of the list has no name"))
    if isinstance(name, (list, dict, set)):
        raise BadInput(_("the name of a part must be text, not {value}").format(value=repr(name)[:40]))
    count = 1.0 if quantity in (None, "") else _number(quantity, _("quantity"), 1, MOST)
    if count != int(count):
        raise BadInput(_("quantity is {value}; it must be a whole number").format(value=quantity))
    price = None if usd in (None, "") else _number(usd, _("price"), 0.01, 10_000_000)
    printable = "".join(c if c.isprintable() else " " for c in str(name))  # it is shown in a terminal
    return Entry(" ".join(printable.split())[:300], _kind(kind), int(count), price)


def _yaml(text: str) -> list[Entry] | None:
    """Read YAML: a list of mappings, or a mapping of kind to name, names or mappings. None where it is not that."""
    try:
        tree = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if isinstance(tree, Mapping) and set(tree) == {"parts"}:
        tree = tree["parts"]
    if isinstance(tree, Mapping):
        pairs = [(k, v) for k, vs in tree.items() for v in (vs if isinstance(vs, list) else [vs])]
        if not all(isinstance(v, Mapping) for _k, v in pairs):
            return None  # lines of "kind: name" are read as such: they may hold counts and prices
        return [_mapped({"type": k, **v}) for k, v in pairs]
    if isinstance(tree, list) and tree and all(isinstance(v, Mapping) for v in tree):
        fields = {str(k).casefold() for v in tree for k in v}
        return [_mapped(v) for v in tree] if "name" in fields else None
    return None


def _mapped(value: Mapping[Any, Any]) -> Entry:
    row = {str(k).casefold(): v for k, v in value.items()}
    for key in row:
        if key not in FIELDS:
            close = ", ".join(nearest(key, FIELDS) or FIELDS)
            raise BadInput(_("{key} is no field of a part; did you mean {close}?").format(key=repr(key)[:40], close=close))  # fmt: skip
    if row.get("currency") not in (None, "", "USD"):
        raise BadInput(
            _("prices of a list of parts are in USD, not {currency}").format(currency=row["currency"])
        )
    kind = row.get("type") or row.get("part_type") or row.get("kind") or row.get("part")
    return _entry(
        kind, row.get("name"), row.get("quantity", row.get("qty")), row.get("price", row.get("price_usd"))
    )


def _csv(text: str) -> list[Entry] | None:
    head = next(iter(text.splitlines()), "").casefold().split(",")
    if "name" not in [h.strip() for h in head]:
        return None
    rows = csv.DictReader(io.StringIO(text))
    rows.fieldnames = [h.strip().casefold() for h in rows.fieldnames or ()]
    return [
        _mapped({k: v for k, v in row.items() if k in FIELDS})
        for row in rows
        if (row.get("name") or "").strip()
    ]


def _lines(text: str) -> Iterator[Entry]:
    for raw in text.splitlines():
        line = _LINK.sub(r"\1", raw).strip()
        first, *cells = [cell.strip("* ") for cell in line.strip("|").split("|")]
        if cells and (first.casefold() == "type" or not first.strip(":-")):
            continue  # the head of a table
        if cells and ":" not in first:  # a row of one: | CPU | Ryzen 5 5600 | $125.00 @ somewhere |
            line = f"{first}: {cells[0]}" + "".join(f" ({cell})" for cell in cells[1:] if "$" in cell)
        found = _LINE.match(line)
        kind, rest = (found["kind"], found["rest"]) if found else (None, line)
        if kind is not None and kind.casefold().strip() in ("total", "generated by pcpartpicker", "parts"):
            continue
        if found is None and not re.match(r"^\s*(?:[-*]\s+|\d+\s*[x×]\s)", raw):
            continue  # a heading, a link, a line of dashes
        rest = re.sub(r"\*\*", "", rest).lstrip("-* ").strip()
        price, usd = _PRICE.search(rest), None
        if price:
            usd = price["usd"] or price["end"]
            rest = (rest[: price.start()] + rest[price.end() :]).strip()
        count = _COUNT.search(rest)
        quantity = None
        if count:
            quantity = count["n"] or count["end"] or count["way"]
            rest = (rest[: count.start()] + rest[count.end() :]).strip()
        yield _entry(kind, rest, quantity, usd)
