"""Between what the exchange keeps and what passes over the wire. Names differ where the market's words do."""

from __future__ import annotations

from dataclasses import asdict, fields
from functools import cache
from typing import Any, TypeVar

from rackrent.exchange.model import Instance, Lease, Quote
from rackrent.exchange.problems import Refused
from rackrent.exchange.search import Found, Hit
from rackrent.exchange.service.agent import Desired, Report, Status
from rackrent.protocol import agent as wire_agent
from rackrent.protocol import api
from rackrent.protocol.base import Message

M = TypeVar("M", bound=Message)


def report_of(said: wire_agent.Report) -> Report:
    """Return a report as the service takes it in."""
    values = {f.name: getattr(said, f.name) for f in fields(Report)}
    return Report(**values | {"instances": tuple(Status(**dict(status)) for status in said.instances)})


def desired_message(wanted: Desired) -> wire_agent.Desired:
    """Return what is to be on a machine, for its agent."""
    instances = tuple(wire_agent.Wanted(**asdict(instance)) for instance in wanted.instances)
    return wire_agent.Desired(seq=wanted.seq, instances=instances)


def quote_message(quote: Quote) -> api.Quote:
    """Return a quote for the one who asked for it."""
    return _same(api.Quote, quote)


def instance_message(instance: Instance) -> api.Instance:
    """Return what runs under a lease for its renter."""
    return _same(api.Instance, instance, intended_status=instance.intended, actual_status=instance.actual)


def lease_message(lease: Lease, instance: Instance) -> api.Lease:
    """Return a lease for its renter: nothing of it that is the hub's own."""
    return _same(api.Lease, lease, instance=instance_message(instance))


def offer_message(hit: Hit) -> api.Offer:
    """Return an offer that was found."""
    return _same(api.Offer, hit.offer, distance_km=hit.distance_km, latency_ms=hit.latency_ms)


def offers_message(found: Found) -> api.Offers:
    """Return what a search has found."""
    return api.Offers(offers=tuple(offer_message(hit) for hit in found.hits), total=found.total)


def problem_message(refused: Refused) -> api.Problem:
    """Return a refusal as a problem document: the kind of it in `type` and `title`, the sentence in `detail`."""
    title = refused.type.replace("-", " ").capitalize()
    return api.Problem(type=refused.type, title=title, status=refused.status, detail=str(refused)[:2_000])


def _same(kind: type[M], value: Any, **more: Any) -> M:
    """Return a message whose fields are those of a value of the same names, and `more`."""
    return kind(**{name: getattr(value, name) for name in _names(kind) if name not in more}, **more)


@cache
def _names(kind: type[Message]) -> tuple[str, ...]:
    return tuple(kind.model_fields)
