"""What the exchange keeps, as it passes over the wire."""

from __future__ import annotations

import pytest
from exchange_world import HOUR, World

from rackrent.exchange import problems, wire
from rackrent.exchange.search import OfferBook, OfferSearch
from rackrent.exchange.service import agent as service
from rackrent.exchange.service.market import listings
from rackrent.protocol import agent, api
from rackrent.protocol.words import InstanceState, Reason, Rental


def across(message):
    """The message as the other side reads it."""
    read = type(message).model_validate_json(message.model_dump_json())
    assert read == message
    return read


def test_a_report_reaches_the_service_as_it_was_sent() -> None:
    sent = agent.Report(
        seq=3, applied=2, boot="b", monotonic_ms=5, wall_ms=6, unhealthy=("g1",),
        instances=(agent.Status(lease="l", state=InstanceState.LOADING, reason=Reason.HOST_REPORT, progress=0.5),),
    )  # fmt: skip
    assert wire.report_of(across(sent)) == service.Report(
        seq=3, applied=2, boot="b", monotonic_ms=5, wall_ms=6, unhealthy=("g1",),
        instances=(service.Status("l", InstanceState.LOADING, Reason.HOST_REPORT, 0.5),),
    )  # fmt: skip


def test_an_agent_that_speaks_over_the_wire_runs_a_lease(world: World) -> None:
    world.machine(gpus=2)
    world.project()
    said = across(wire.quote_message(world.quote(gpus=2, disk_gb=100)))
    assert (said.rental, said.gpus, said.rate_micro_usd) == (Rental.ON_DEMAND, 2, 2_000_000)
    lease = world.rent(gpus=2)
    wanted = across(wire.desired_message(world.hub.do(service.desired, "m1")))
    assert wanted.instances == (agent.Wanted(lease=lease.id, run=True, gpus=("m1-gpu0", "m1-gpu1")),)
    report = agent.Report(
        seq=1, applied=wanted.seq, boot="boot-1", monotonic_ms=0, wall_ms=world.now,
        instances=(agent.Status(lease=lease.id, state=InstanceState.RUNNING),),
    )  # fmt: skip
    world.hub.do(service.report, "m1", wire.report_of(across(report)))
    told = across(wire.lease_message(world.lease(lease), world.instance(lease)))
    assert (told.state, told.instance.actual_status, told.delivered_ms) == ("active", "running", world.now)
    assert not {"project", "host", "fee_remainder", "gpu_remainder"} & set(told.model_dump())


def test_what_a_search_finds_can_be_sent_whole(world: World) -> None:
    world.machine(gpus=3, inet_down_mbps=940.5)
    world.wait(HOUR)
    book = OfferBook([o for listing in world.hub.do(listings).values() for o in listing.offers])
    found = book.search(OfferSearch(filter="rental notin [monthly] near=48.85,2.35"), {"m1": 12.5})
    sent = across(wire.offers_message(found))
    assert sent.total == len(sent.offers) == 9
    assert {o.inet_down for o in sent.offers} == {940.5} and {o.inet_up for o in sent.offers} == {None}
    assert all(870 < (o.distance_km or 0) < 890 and o.latency_ms == 12.5 for o in sent.offers)


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(problems).values()
        if isinstance(kind, type) and issubclass(kind, problems.Refused)
    ],
)
def test_every_refusal_is_a_problem_document(kind: type[problems.Refused]) -> None:
    said = across(wire.problem_message(kind("There is no lease x.")))
    assert (said.type, said.status, said.detail) == (kind.type, kind.status, "There is no lease x.")
    assert isinstance(said, api.Problem) and said.title
