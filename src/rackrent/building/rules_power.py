"""Rules about power: watts, leads, transient peaks, the circuit in the wall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

from rackrent.building.finding import Finding, Site
from rackrent.building.machine import HEADROOM, Machine
from rackrent.catalog.components import Component
from rackrent.i18n import gettext as _

EIGHT_PIN_W = 150.0
LOW_LINE_W = 1500.0
"""Power supplies from here on need 200-240 V or 20 A for full output in countries of 120 V (makers' sheets)."""
LOW_LINE = re.compile(r"1\d\d V")
"""Names of circuits of such countries."""
QUIET_PEAKS = ("Maxwell", "Pascal", "Volta", "Turing", "Kepler")
"""NVIDIA's architectures before Ampere."""


def watts(machine: Machine, site: Site) -> Iterator[Finding]:
    """The supply has 1.25 times what cards and processor are rated at, 40 W for the board, 3 W a module, 8 W a drive and 20 W for fans and pump (building cases)."""
    psu = machine.supply
    if psu is None:
        return
    if psu.psu_w is None or machine.load_w is None:
        unknown = psu.name if psu.psu_w is None else next(n for n, w in machine.watts if w is None)
        yield Finding("watts", "unknown", _("watts of {part} unknown").format(part=unknown), (unknown,))
        return
    total = " + ".join(f"{w:g}" for _name, w in machine.watts)
    text = _("{headroom:g} x ({total}) = {wanted:,.0f} W; {psu} has {has:,.0f} W").format(
        headroom=HEADROOM, total=total, wanted=HEADROOM * machine.load_w, psu=psu.name, has=psu.psu_w
    )
    numbers = {"load_w": machine.load_w, "wanted_w": HEADROOM * machine.load_w, "psu_w": psu.psu_w}
    # A tolerance: 1.25 x 1,260 is 1,575 and nothing more.
    fits = HEADROOM * machine.load_w <= psu.psu_w + 1e-6
    yield Finding("watts", "fits" if fits else "does_not_fit", text, (psu.name,), numbers)


def leads_of(card: Component) -> tuple[int, int] | None:
    """Return how many 8-pin (6+2) and 16-pin leads a card takes; None where unknown. An EPS input takes two 8-pin by its adapter."""
    if card.connectors is None:
        return None if card.tdp_w is None or card.tdp_w > 75 else (0, 0)
    found = re.findall(r"(\d)x(16|8|6|eps)", card.connectors)
    eight = sum(int(n) * (2 if kind == "eps" else 1) for n, kind in found if kind != "16")
    return eight, sum(int(n) for n, kind in found if kind == "16")


def leads(machine: Machine, site: Site) -> Iterator[Finding]:
    """Each card gets the leads it takes; a 12V-2x6 card without such a lead takes an adapter of one 8-pin lead per 150 W (PCI-SIG CEM; makers' adapters)."""
    psu, cards = machine.supply, machine.cards
    if psu is None or not cards:
        return
    wanted = [leads_of(c) for c in cards]
    unknown = [c.name for c, w in zip(cards, wanted, strict=True) if w is None]
    if unknown:
        yield Finding("leads", "unknown", _("power connectors of {card} unknown").format(card=unknown[0]), tuple(unknown))  # fmt: skip
        return
    known = [(c, w) for c, w in zip(cards, wanted, strict=True) if w is not None]
    eight, sixteen = sum(w[0] for _c, w in known), sum(w[1] for _c, w in known)
    native = psu.leads_16pin
    names = (psu.name, *dict.fromkeys(c.name for c in cards))
    if sixteen and native is None:
        yield Finding("leads", "unknown", _("12V-2x6 leads of {psu} unknown").format(psu=psu.name), names)
        return
    adapted = max(0, sixteen - int(native or 0))
    # The weakest cards take the adapters.
    draws = sorted((c.tdp_w or 0.0) / max(1, w[1]) for c, w in known for _lead in range(w[1]))
    by_adapter = sum(ceil(w / EIGHT_PIN_W) for w in draws[:adapted])
    needed = eight + by_adapter
    if needed and psu.leads_8pin is None:
        yield Finding("leads", "unknown", _("8-pin leads of {psu} unknown").format(psu=psu.name), names)
        return
    have = int(psu.leads_8pin or 0)
    numbers = {"leads_8pin": have, "needed_8pin": needed, "leads_16pin": native, "needed_16pin": sixteen}
    if adapted:
        text = _("{n} of the cards take 12V-2x6 leads that {psu} lacks: adapters, {by} 8-pin leads; {needed} needed in all, it has {have}")  # fmt: skip
        text = text.format(n=adapted, psu=psu.name, by=by_adapter, needed=needed, have=have)
        yield Finding("leads", "note" if needed <= have else "does_not_fit", text, names, numbers)
        return
    text = _("{a} 8-pin and {b} 12V-2x6 leads needed; {psu} has {have} and {native}")
    text = text.format(a=eight, b=sixteen, psu=psu.name, have=f"{psu.leads_8pin:g}" if psu.leads_8pin is not None else "?", native=f"{native:g}" if native is not None else "?")  # fmt: skip
    yield Finding("leads", "fits" if needed <= have else "does_not_fit", text, names, numbers)


def transients(machine: Machine, site: Site) -> Iterator[Finding]:
    """Cards since Ampere draw peaks of up to twice their rating for 100 microseconds, which supplies since ATX 3.0 must bear (Intel, ATX 3.0 design guide, 2022)."""
    psu = machine.supply
    spiky = tuple(
        dict.fromkeys(
            c.name for c in machine.cards if c.architecture and not c.architecture.startswith(QUIET_PEAKS)
        )
    )
    if psu is None or psu.atx3:
        return
    for name in dict.fromkeys(c.name for c in machine.cards if c.architecture is None):
        text = _("peaks: of which generation {card} is, is unknown").format(card=name)
        yield Finding("transients", "unknown", text, (psu.name, name))
    if not spiky:
        return
    if psu.atx3 is None:
        text = _("peaks: whether {psu} follows ATX 3.0 is unknown").format(psu=psu.name)
        yield Finding("transients", "unknown", text, (psu.name, *spiky))
        return
    text = _(
        "peaks: {cards} can draw twice their rating for an instant; {psu} is older than ATX 3.0: leave it headroom"
    )
    yield Finding("transients", "note", text.format(cards=", ".join(spiky), psu=psu.name), (psu.name, *spiky))


def circuit(machine: Machine, site: Site) -> Iterator[Finding]:
    """A household circuit carries 80 % of its rating for days on end: 15 A x 120 V is 1,440 W, 16 A x 230 V is 2,944 W (NEC 210.20; building cases)."""
    if site.circuit_w is None:
        if site.circuit:
            text = _("what a household circuit carries in {country} is unknown").format(country=site.circuit)
            yield Finding("circuit", "unknown", text)
        return
    if machine.wall_w is None or machine.supply is None:
        return
    text = _("{wall:,.0f} W at the wall; the circuit ({name}) carries {has:,.0f} W").format(
        wall=machine.wall_w, name=site.circuit, has=site.circuit_w
    )
    numbers = {"wall_w": machine.wall_w, "circuit_w": site.circuit_w}
    if machine.wall_w > site.circuit_w:
        yield Finding("circuit", "note", _("{text}: needs a dedicated circuit or two PSUs").format(text=text), (), numbers)  # fmt: skip
    else:
        yield Finding("circuit", "fits", text, (), numbers)
    psu = machine.one("power_supply")
    if psu is not None and psu.psu_w is not None and psu.psu_w >= LOW_LINE_W and LOW_LINE.match(site.circuit):
        yield Finding("circuit", "note", _("{psu}: full output needs 200-240 V or 20 A").format(psu=psu.name), (psu.name,))  # fmt: skip
