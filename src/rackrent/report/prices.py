"""Offers and GPUs of the catalog, for JSON and for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, TextIO

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.hardware import Gpu, System
from rackrent.catalog.providers import Provider, provider
from rackrent.catalog.schema import GPUS, OFFERS, PROVENANCE, Table
from rackrent.comparison.rented import reason_not_ranked
from rackrent.comparison.result import fact_dict
from rackrent.comparison.verdict import KIND_NAMES, TERM_NAMES
from rackrent.i18n import N_, ngettext
from rackrent.i18n import gettext as _
from rackrent.money import format_usd
from rackrent.report.console import ROOMY, facts_grid, page, table
from rackrent.report.labels import PAYMENTS, figure
from rackrent.units import as_fraction

Row = Mapping[str, Any]
ROWS_SHOWN = 30
"""Offers listed on a screen where no --limit says otherwise."""
SELLER_RULES = ("billing_s", "minimum_s", "stopped", "stopped_disk_factor")
"""What is shown of the provider of an offer."""
STOPPED = {
    "disk": N_("only its disk is billed"),
    "full": N_("billed in full"),
    "nothing": N_("nothing is billed, and its data is gone"),
    "cannot_stop": N_("it cannot be stopped, only ended"),
}
NONE_IF_NULL = ("payment", "incomplete")
"""Columns of an offer in which null says "none", not "unknown"."""
PROVENANCE_NAMES = frozenset(c.name for c in PROVENANCE)


@dataclass(frozen=True)
class Found:
    """What a search found: judged offers, best first, and how many more a wider one would show."""

    catalog: Catalog
    offers: Sequence[Row]
    floors: int
    doubtful: int

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices search --json` prints."""
        return {
            "as_of": self.catalog.as_of.isoformat(),
            "count": len(self.offers),
            "floors_left_out": self.floors,
            "doubtful_left_out": self.doubtful,
            "offers": [offer_dict(self.catalog, row) for row in self.offers],
        }

    def left_out(self) -> str:
        """Return how many offers a wider search would show; "" if none."""
        said = []
        if self.floors:
            said.append(
                ngettext("{n} lowest ask (--include-floors)", "{n} lowest asks (--include-floors)", self.floors)
                .format(n=f"{self.floors:,}")
            )  # fmt: skip
        if self.doubtful:
            said.append(
                _("{n} doubtful, outdated or without a price (--include-doubtful)").format(
                    n=f"{self.doubtful:,}"
                )
            )
        return _("Left out: {what}.").format(what=", ".join(said)) if said else ""


@dataclass(frozen=True)
class GpuCard:
    """One GPU: what is known of it, the cheapest offer on each term, the lowest ask of a market (not a price), the
    machines that hold it, its benchmarks."""

    catalog: Catalog
    gpu: Gpu
    cheapest: Sequence[Row]
    floor: Row | None
    systems: Sequence[System]
    benchmarks: int

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices show GPU --json` prints."""
        return {
            "as_of": self.catalog.as_of.isoformat(),
            "gpu": _plain(asdict(self.gpu)),
            "citation": self.catalog.cite(self.gpu.source),
            "cheapest": [offer_dict(self.catalog, row) for row in self.cheapest],
            "floor": offer_dict(self.catalog, self.floor) if self.floor else None,
            "systems": [
                {"system": s.id, "kind": s.kind, "product": s.product, "gpu_count": s.gpu_count, "price": fact_dict(s.price)}
                for s in self.systems
            ],
            "benchmark_rows": self.benchmarks,
        }  # fmt: skip


@dataclass(frozen=True)
class OfferCard:
    """One offer, whole."""

    catalog: Catalog
    offer: Row

    @property
    def seller(self) -> Provider | None:
        """Rules of its provider; None where the catalog knows none."""
        return provider(self.catalog, self.offer["provider"])

    def to_dict(self) -> dict[str, Any]:
        """Return what `prices show OFFER_ID --json` prints."""
        rules = {name: getattr(self.seller, name, None) for name in SELLER_RULES}
        return offer_dict(self.catalog, self.offer) | {"seller": rules}

    def standing(self) -> str:
        """Return whether the offer is ranked, and why not."""
        if self.offer["rankable"]:
            return _("ranked among the options")
        return _("not ranked: {reason}").format(reason=reason_not_ranked(dict(self.offer)))


def offer_dict(catalog: Catalog, row: Row) -> dict[str, Any]:
    """Return a judged offer as JSON values, with the citation of its source."""
    return _plain(row) | {"citation": catalog.cite(row["source"])}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v.isoformat() if isinstance(v, date) else v for k, v in row.items()}


def print_found(
    found: Found, *, most: int = ROWS_SHOWN, out: TextIO | None = None, width: int | None = None
) -> None:
    """Print at most `most` offers to `out` (standard output)."""
    with page(out, width) as screen:
        roomy = screen.width >= ROOMY
        columns = [
            (_("GPU"), "left"),
            (_("Per GPU-\nhour"), "right"),
            (_("Machine,\nhour"), "right"),
            (_("Term"), "left"),
            (_("Offer"), "left"),
            (_("Seen"), "left"),
            *([(_("Source"), "left")] if roomy else []),
            (_("Marks"), "left"),
        ]
        listed = table(screen, *columns)
        for row in found.offers[:most]:
            listed.add_row(
                _gpus(row),
                format_usd(row["usd_per_gpu_hour"]),
                format_usd(row["usd_per_hour"]),
                _term(row),
                f"{row['provider']} {row['instance_type']}, {row['region']}",
                row["observed_on"].isoformat(),
                *([row["source"]] if roomy else []),
                marks(row),
            )
        screen.print(listed)
        screen.print()
        more = len(found.offers) - most
        if more > 0:
            screen.print(_("And {n} more: narrow the search, or give a --limit.").format(n=f"{more:,}"))
        if said := found.left_out():
            screen.print(said)
        screen.print(_("Whole rows with their sources: rackrent prices show OFFER_ID, or --json."))


def print_gpu(card: GpuCard, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print a GPU to `out` (standard output)."""
    with page(out, width) as screen:
        screen.print(card.gpu.gpu, style="bold")
        row: Row = asdict(card.gpu)
        screen.print(facts_grid(_fields(row, GPUS, skip=("gpu",))))
        screen.print(facts_grid(_provenance(card.catalog, row)))
        screen.print()
        if card.cheapest:
            listed = table(
                screen, (_("Cheapest"), "left"), (_("Per GPU-hour"), "right"), (_("Offer"), "left"), (_("Seen"), "left")
            )  # fmt: skip
            for row in card.cheapest:
                listed.add_row(
                    _term(row), format_usd(row["usd_per_gpu_hour"]), row["offer_id"], row["observed_on"].isoformat()
                )  # fmt: skip
            screen.print(listed)
        else:
            screen.print(_("No offer of it is ranked on this day."))
        if card.floor is not None:
            ask = _("Lowest ask seen, not a price: {usd} per GPU-hour ({id}).")
            usd = format_usd(card.floor["usd_per_gpu_hour"])
            screen.print(ask.format(usd=usd, id=card.floor["offer_id"]), soft_wrap=True)
        screen.print()
        if card.systems:
            bought = table(
                screen, (_("Machine to buy"), "left"), (_("GPUs"), "right"), (_("Price"), "right"), (_("Seen"), "left")
            )  # fmt: skip
            for system in card.systems:
                name = f"{_(KIND_NAMES[system.kind])}: {system.product}"
                seen = system.price.observed_on.isoformat() if system.price.observed_on else ""
                bought.add_row(name, str(system.gpu_count), format_usd(system.price.value), seen)
            screen.print(bought)
        else:
            screen.print(_("No machine with it is for sale on this day."))
        screen.print()
        measured = ngettext(
            "Measured in {n} benchmark row.", "Measured in {n} benchmark rows.", card.benchmarks
        )
        screen.print(measured.format(n=card.benchmarks))


def print_offer(card: OfferCard, *, out: TextIO | None = None, width: int | None = None) -> None:
    """Print an offer to `out` (standard output)."""
    row = card.offer
    with page(out, width) as screen:
        screen.print(row["offer_id"], style="bold", soft_wrap=True)
        rows: list[tuple[str, ...]] = [
            (_("standing"), card.standing()),
            (_("machine, an hour"), format_usd(row["usd_per_hour"])),
            (_("one GPU, an hour"), format_usd(row["usd_per_gpu_hour"])),
            (_("at the start"), format_usd(row["upfront_usd"])),
            *_fields(row, OFFERS, skip=tuple(name for name in NONE_IF_NULL if row[name] is None)),
        ]
        rows += _rules(card.seller)
        if row["conflict_usd_per_hour"] is not None:
            rows.append((_("the same source also says"), format_usd(row["conflict_usd_per_hour"])))
        screen.print(facts_grid(rows))
        screen.print(facts_grid(_provenance(card.catalog, row)))


def _rules(seller: Provider | None) -> list[tuple[str, ...]]:
    """What the provider of an offer bills by, and while a machine is stopped."""
    unknown = _("unknown")
    billing = None if seller is None else seller.billing_s
    least = None if seller is None else seller.minimum_s
    stopped = None if seller is None else seller.stopped
    kept = unknown if stopped is None else _(STOPPED[stopped])
    if seller is not None and stopped == "disk" and seller.stopped_disk_factor is not None:
        kept += _(", at {factor:g} times its rate while running").format(factor=seller.stopped_disk_factor)
    return [
        (_("time is billed by"), unknown if billing is None else _("{s:,g} s").format(s=billing)),
        (_("a start pays at least"), unknown if least is None else _("{s:,g} s").format(s=least)),
        (_("while stopped"), kept),
    ]


def marks(row: Row) -> str:
    """Return what a reader should know of an offer before believing it: floor, doubtful, old."""
    said = []
    if row["floor"]:
        said.append(_("floor"))
    if row["doubt"]:
        said.append(_("doubtful"))
    if row["stale"]:
        said.append(_("old"))
    if row["unanswered"]:
        said.append(_("unconfirmed"))
    return ", ".join(said)


def _gpus(row: Row) -> str:
    count = row["gpu_count"]
    if count is None:
        return _("? x {gpu}").format(gpu=row["gpu"])
    return f"{row['gpu']}" if count == 1 else f"{as_fraction(count)} x {row['gpu']}"


def _term(row: Row) -> str:
    payment, months = row["payment"], row["minimum_months"]
    term = _(TERM_NAMES[row["term"]])
    how = _(PAYMENTS[payment]) if payment in PAYMENTS else ""
    if row["term"] == "monthly" and months is not None and months > 1:
        how = _("at least {months} months").format(months=f"{months:g}")
    return _("{term}, {payment}").format(term=term, payment=how) if how else term


def _fields(row: Row, schema: Table, skip: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """Return every field of a row by its name, with its meaning; unknown ones are said to be unknown."""
    out = []
    for column in schema.columns:
        if column.name in PROVENANCE_NAMES or column.name in skip:
            continue
        value = row[column.name]
        text = _("unknown") if value is None else figure(value) if isinstance(value, float) else str(value)
        out.append((column.name, text, _(column.meaning)))
    return out


def _provenance(catalog: Catalog, row: Row) -> list[tuple[str, str]]:
    rows = [
        (_("source"), catalog.cite(row["source"])),
        (_("seen"), row["observed_on"].isoformat()),
        (_("confidence"), row["confidence"]),
    ]
    return [*rows, (_("note"), row["note"])] if row["note"] else rows
