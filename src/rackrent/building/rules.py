"""Rules by which parts fit together. Each is a pure function; its docstring says where the rule comes from.

A rule yields findings; nothing where the list holds none of the parts it is about. `RULES` lists them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rackrent.building.finding import Finding, Site, Verdict
from rackrent.building.machine import LABELS, Machine
from rackrent.building.rules_board import airflow, lanes, positions
from rackrent.building.rules_power import circuit, leads, transients, watts
from rackrent.i18n import gettext as _

CORES_PER_GPU = 2
SATA_MBS = 600.0
NVME_MBS = 3400.0
NEEDED = ("cpu", "cpu_cooler", "motherboard", "memory", "storage", "power_supply", "case")
ONE_OF = ("cpu", "cpu_cooler", "motherboard", "case")
HOLDS: dict[str, tuple[str, ...]] = {  # size of a board: what a case says when it takes it
    "EATX": ("EATX",),
    "SSI CEB": ("SSI CEB", "SSI EEB", "EATX"),
    "SSI EEB": ("SSI EEB", "EATX"),
    "XL-ATX": ("XL-ATX",),
}


def complete(machine: Machine, site: Site) -> Iterator[Finding]:
    """A machine needs one of each of these parts, and a GPU (what a machine is)."""
    missing = [kind for kind in NEEDED if machine.one(kind) is None]
    if not machine.cards:
        missing.append("gpu")
    if missing:
        yield Finding(
            "complete",
            "unknown",
            _("not in the list: {kinds}").format(kinds=_(", ").join(_(LABELS[kind]) for kind in missing)),
        )


def once(machine: Machine, site: Site) -> Iterator[Finding]:
    """A machine is built on one board with one processor in one case (what a machine is; no board here has two sockets)."""
    for kind in ONE_OF:
        items = machine.all(kind)
        count = sum(i.quantity for i in items)
        if count > 1:
            names = tuple(i.part.name for i in items)
            text = _("{n} of kind {kind} in the list, where a machine has one: {names}")
            said = text.format(n=count, kind=_(LABELS[kind]), names=", ".join(names))
            yield Finding("once", "does_not_fit", said, names, {"quantity": count})


def socket(machine: Machine, site: Site) -> Iterator[Finding]:
    """A processor fits the socket of the board (mechanics of the socket, vendors' sheets)."""
    cpu, board = machine.one("cpu"), machine.one("motherboard")
    if cpu is None or board is None:
        return
    names = (cpu.name, board.name)
    if not cpu.sockets or not board.sockets:
        yield Finding(
            "socket", "unknown", _("socket unknown: {a}, {b}").format(a=names[0], b=names[1]), names
        )
        return
    fits = bool(set(cpu.sockets) & set(board.sockets))
    text = _("{cpu} ({a}) in {board} ({b})") if fits else _("{cpu} needs socket {a}; {board} has {b}")
    text = text.format(cpu=cpu.name, a="/".join(cpu.sockets), board=board.name, b="/".join(board.sockets))
    yield Finding("socket", "fits" if fits else "does_not_fit", text, names)


def chipset(machine: Machine, site: Site) -> Iterator[Finding]:
    """One socket carries several families: sTR5 boards of WRX90 take only PRO processors (AMD's chipset pages)."""
    cpu, board = machine.one("cpu"), machine.one("motherboard")
    if cpu is None or board is None or not set(cpu.sockets) & set(board.sockets):
        return
    names = (cpu.name, board.name)
    if not cpu.platforms or not board.platforms:
        yield Finding(
            "chipset", "unknown", _("chipset unknown: {a}, {b}").format(a=names[0], b=names[1]), names
        )
    elif not set(cpu.platforms) & set(board.platforms):
        text = _("{cpu} works on {a}; {board} is {b}").format(
            cpu=cpu.name, a="/".join(cpu.platforms), board=board.name, b="/".join(board.platforms)
        )
        yield Finding("chipset", "does_not_fit", text, names)


def cooler(machine: Machine, site: Site) -> Iterator[Finding]:
    """A cooler is made for certain sockets, rated for certain watts (makers' lists), and must fit the case."""
    part, cpu, case = machine.one("cpu_cooler"), machine.one("cpu"), machine.one("case")
    if part is None:
        return
    if cpu is not None:
        names = (part.name, cpu.name)
        if not part.sockets or not cpu.sockets:
            yield Finding(
                "cooler", "unknown", _("sockets of {cooler} unknown").format(cooler=part.name), names
            )
        elif not set(part.sockets) & set(cpu.sockets):
            text = _("{cooler} is not made for {socket} of {cpu}")
            yield Finding(
                "cooler", "does_not_fit", text.format(cooler=part.name, socket="/".join(cpu.sockets), cpu=cpu.name), names
            )  # fmt: skip
        elif part.tdp_w is not None and cpu.tdp_w is not None and part.tdp_w < cpu.tdp_w:
            text = _("{cooler} is rated for {a:g} W; {cpu} takes {b:g} W")
            yield Finding(
                "cooler", "does_not_fit", text.format(cooler=part.name, a=part.tdp_w, cpu=cpu.name, b=cpu.tdp_w), names
            )  # fmt: skip
    if case is not None:
        names = (part.name, case.name)
        liquid = part.radiator_mm is not None
        size = part.radiator_mm if liquid else part.height_mm
        room = case.max_radiator_mm if liquid else case.max_cooler_mm
        what = _("radiator") if liquid else _("cooler height")
        if size is None or room is None:
            text = _("{what} unknown: {cooler} in {case}").format(what=what, cooler=part.name, case=case.name)
            yield Finding("cooler_room", "unknown", text, names)
            return
        text = _("{what} of {cooler}: {a:g} mm; {case} takes {b:g} mm")
        text = text.format(what=what, cooler=part.name, a=size, case=case.name, b=room)
        yield Finding("cooler_room", "fits" if size <= room else "does_not_fit", text, names)


def memory(machine: Machine, site: Site) -> Iterator[Finding]:
    """Memory is of the board's type and kind, fits its slots and limit (board manuals), and at least holds what the GPUs hold.

    Twice the GPUs' memory is a wish (building cases): less gives a note.
    """
    board, kits = machine.one("motherboard"), machine.all("memory")
    for item in kits:
        kit = item.part
        if board is None:
            continue
        names = (kit.name, board.name)
        if kit.memory_type is None or board.memory_type is None:
            yield Finding("memory_type", "unknown", _("memory type unknown: {a}, {b}").format(a=names[0], b=names[1]), names)  # fmt: skip
        elif kit.memory_type != board.memory_type:
            text = _("{kit} is {a}; {board} takes {b}")
            yield Finding("memory_type", "does_not_fit", text.format(kit=kit.name, a=kit.memory_type, board=board.name, b=board.memory_type), names)  # fmt: skip
        elif kit.registered is None or board.registered is None:
            yield Finding("memory_type", "unknown", _("registered or not is unknown: {a}, {b}").format(a=names[0], b=names[1]), names)  # fmt: skip
        elif kit.registered != board.registered:
            kinds = {True: _("registered"), False: _("unbuffered")}
            text = _("{kit} is {a}; {board} takes {b} memory")
            yield Finding("memory_type", "does_not_fit", text.format(kit=kit.name, a=kinds[kit.registered], board=board.name, b=kinds[board.registered]), names)  # fmt: skip
    if board is not None and kits:
        for what, used, room in (
            (_("modules of memory"), machine.modules, board.memory_slots),
            (_("GB of memory"), machine.ram_gb, board.memory_max_gb),
        ):
            if used is None or room is None:
                yield Finding("memory_room", "unknown", _("{what} unknown on {board}").format(what=what, board=board.name), (board.name,))  # fmt: skip
            elif used > room:
                text = _("{used:g} {what}; {board} takes {room:g}")
                yield Finding("memory_room", "does_not_fit", text.format(used=used, what=what, board=board.name, room=room), (board.name,))  # fmt: skip
    ram, cards = machine.ram_gb, machine.gpu_memory_gb
    if not kits or not machine.cards:
        return
    if ram is None or cards is None:
        yield Finding("memory_size", "unknown", _("memory of the GPUs or of the machine unknown"))
        return
    verdict: Verdict = "does_not_fit" if ram < cards else "note" if ram < 2 * cards else "fits"
    text = {
        "does_not_fit": _("{ram:g} GB of memory is under the {gpus:g} GB of the GPUs"),
        "note": _("{ram:g} GB of memory is under twice the {gpus:g} GB of the GPUs"),
        "fits": _("{ram:g} GB of memory for {gpus:g} GB on GPUs"),
    }[verdict].format(ram=ram, gpus=cards)
    yield Finding("memory_size", verdict, text, tuple(i.part.name for i in kits), {"ram_gb": ram, "gpu_memory_gb": cards})  # fmt: skip


def case(machine: Machine, site: Site) -> Iterator[Finding]:
    """A case takes certain sizes of board and cards up to a length (makers' sheets)."""
    box, board = machine.one("case"), machine.one("motherboard")
    if box is None:
        return
    if board is not None:
        names = (board.name, box.name)
        size = board.form_factors[0] if board.form_factors else None
        said = _("{board} ({size}) in {case}").format(board=board.name, size=size or "?", case=box.name)
        if size is None or not box.form_factors:
            yield Finding("case_board", "unknown", _("size unknown: {said}").format(said=said), names)
        elif set(HOLDS.get(size, (size,))) & set(box.form_factors) or (
            size == "SSI CEB" and box.full_tower and "ATX" in box.form_factors
        ):
            yield Finding("case_board", "fits", said, names)
        elif box.full_tower:
            text = _("not in the sheet's list of sizes, but a full tower: {said}").format(said=said)
            yield Finding("case_board", "unknown", text, names)
        else:
            text = _("{case} takes {sizes}, not {board} ({size})")
            yield Finding("case_board", "does_not_fit", text.format(case=box.name, sizes="/".join(box.form_factors), board=board.name, size=size), names)  # fmt: skip
    for item in machine.all("gpu"):
        card = item.part
        names = (card.name, box.name)
        if card.length_mm is None or box.max_gpu_mm is None:
            yield Finding("card_length", "unknown", _("length unknown: {a} in {b}").format(a=names[0], b=names[1]), names)  # fmt: skip
            continue
        text = _("{card} is {a:g} mm long; {case} takes {b:g} mm")
        text = text.format(card=card.name, a=card.length_mm, case=box.name, b=box.max_gpu_mm)
        yield Finding(
            "card_length", "fits" if card.length_mm <= box.max_gpu_mm else "does_not_fit", text, names
        )


def cores(machine: Machine, site: Site) -> Iterator[Finding]:
    """At least two cores feed each GPU (the building cases; data loading runs on them)."""
    cpu, cards = machine.one("cpu"), len(machine.cards)
    if cpu is None or not cards:
        return
    if cpu.cores is None:
        yield Finding("cores", "unknown", _("cores of {cpu} unknown").format(cpu=cpu.name), (cpu.name,))
        return
    text = _("{cores:g} cores of {cpu} for {n} GPUs, two each").format(cores=cpu.cores, cpu=cpu.name, n=cards)
    fits = cpu.cores >= CORES_PER_GPU * cards
    yield Finding(
        "cores", "fits" if fits else "does_not_fit", text, (cpu.name,), {"cores": cpu.cores, "gpus": cards}
    )


def disk(machine: Machine, site: Site) -> Iterator[Finding]:
    """The disk reads as fast as the work asks; SATA III carries 600 MB/s (sata-io.org), a PCIe 3.0 drive 3,400."""
    drives = machine.all("storage")
    if not drives:
        return
    rates = [d.part.read_mbs for d in drives]
    names = tuple(d.part.name for d in drives)
    fastest = max((r for r in rates if r is not None), default=None)
    if fastest is None:
        yield Finding(
            "disk", "unknown", _("reading rate unknown: {names}").format(names=", ".join(names)), names
        )
    elif site.disk_mbs is not None:
        text = _("reads {a:,.0f} MB/s; the work asks for {b:,.0f} MB/s").format(a=fastest, b=site.disk_mbs)
        yield Finding("disk", "fits" if fastest >= site.disk_mbs else "does_not_fit", text, names)
    elif fastest <= SATA_MBS:
        text = _("{name} reads {a:,.0f} MB/s (SATA: at most {sata:,.0f}); an NVMe drive reads {nvme:,.0f}")
        yield Finding(
            "disk", "note", text.format(name=names[0], a=fastest, sata=SATA_MBS, nvme=NVME_MBS), names
        )
    else:
        yield Finding("disk", "fits", _("reads {a:,.0f} MB/s").format(a=fastest), names)


def sold(machine: Machine, site: Site) -> Iterator[Finding]:
    """Parts no longer made are found used or as old stock: said so, refused never."""
    names = tuple(i.part.name for i in machine.items if i.part.condition == "discontinued")
    if names:
        yield Finding("sold", "note", _("no longer made: {names}").format(names=", ".join(names)), names)


Rule = Callable[[Machine, Site], Iterator[Finding]]
RULES: tuple[Rule, ...] = (
    complete, once, socket, chipset, cooler, memory, case, lanes, positions, airflow, watts, leads, transients, circuit,
    cores, disk, sold,
)  # fmt: skip
"""Every rule, in the order in which they are told."""
