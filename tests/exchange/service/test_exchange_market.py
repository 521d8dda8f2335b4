"""What the whole market offers."""

from __future__ import annotations

from exchange_world import World

from rackrent.exchange.rules.offers import Lack
from rackrent.exchange.service.market import listings
from rackrent.protocol.words import Rental


def test_what_is_listed_is_what_can_be_quoted(world: World) -> None:
    world.machine(gpus=4)
    world.machine("m2")
    world.project()
    world.running(gpus=2)
    world.running(machine="m2")
    found = world.hub.do(listings)
    on_demand = [o.num_gpus for o in found["m1"].offers if o.rental is Rental.ON_DEMAND]
    assert on_demand == [1, 2]
    assert found["m2"].why_not is Lack.TAKEN
    for offer in found["m1"].offers:
        bid = offer.price_per_gpu_micro_usd if offer.rental is Rental.INTERRUPTIBLE else None
        said = world.quote(rental=offer.rental, gpus=offer.num_gpus, disk_gb=offer.disk_space, bid=bid)
        assert said.rate_micro_usd == offer.price_micro_usd
        assert (said.cpu_cores, said.ram_gb) == (offer.cpu_cores, offer.cpu_ram)


def test_a_machine_that_falls_silent_leaves_the_list(world: World) -> None:
    world.machine()
    world.wait(120_000, "m1")
    assert world.hub.do(listings)["m1"].why_not is Lack.UNREACHABLE
