"""What a machine really delivers of this work: its GPU's speed, in company with others, as fast as it is fed."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

from rackrent.catalog.fact import Fact
from rackrent.catalog.hardware import Gpu, gpu, gpu_meant
from rackrent.comparison.candidate import Candidate
from rackrent.costing.setting import Setting
from rackrent.costing.use import shape_of
from rackrent.i18n import N_
from rackrent.i18n import gettext as _
from rackrent.speed import OwnRate, Speed, relative_speed
from rackrent.speed.memory import Footprint, Network, footprint
from rackrent.speed.pipeline import Feed, Input, delivered
from rackrent.workload.model import Workload

STAGES = {
    "gpu": N_("the GPU"),
    "cpu": N_("the processor"),
    "disk": N_("the disk"),
    "network": N_("the network"),
}
BILLION = 1e9


def speed_of(candidate: Candidate, setting: Setting) -> Speed:
    """Return how much of this work a GPU of the candidate does in an hour, the reference GPU being 1."""
    w = setting.workload
    reference = setting.reference_gpu or candidate.gpu.gpu
    speed = relative_speed(
        setting.catalog, candidate.gpu.gpu, reference, w.task, w.precision, own=own_rates(setting)
    )
    return _fed(_in_company(speed, candidate, setting), candidate, setting)


def own_rates(setting: Setting) -> tuple[OwnRate, ...]:
    """Return what the person measured themselves, with canonical GPU names."""
    w = setting.workload
    if not w.benchmarks:
        return ()
    return tuple(
        OwnRate(gpu_meant(setting.catalog, b.gpu), b.task or w.task, w.precision, b.rate, b.unit, b.gpu_count, f"benchmarks[{i}]")
        for i, b in enumerate(w.benchmarks)
    )  # fmt: skip


def network_of(w: Workload) -> Network | None:
    """Return the network as `speed.memory` takes it; None where it is not described."""
    m = w.model
    if m is None:
        return None
    each = m.activation_gb_per_sample
    return Network(
        parameters=m.parameters_b * BILLION,
        method=m.method,
        precision=w.precision,
        optimiser=m.optimiser,
        layers=m.layers,
        hidden=m.hidden,
        heads=m.heads,
        kv_heads=m.kv_heads,
        sequence=m.sequence,
        vocabulary=m.vocabulary,
        batch=m.batch,
        checkpointing=m.checkpointing,
        attention_kept=not m.fused_attention,
        rank=m.lora_rank,
        activation_bytes_per_sample=None if each is None else each * BILLION,
        shards=w.gpus if m.sharded else 1,
    )


def memory_reasons(candidate: Candidate, w: Workload) -> list[str]:
    """Return why the network does not fit the candidate's GPUs, with the sum. A stated `gpu_memory_gb` counts instead."""
    network = network_of(w)
    if network is None or w.gpu_memory_gb:
        return []
    need = footprint(network)
    if candidate.memory_gb is not None and need.total_gb <= candidate.memory_gb:
        return []
    have = _("unknown") if candidate.memory_gb is None else f"{candidate.memory_gb:g} GB"
    total = f"{need.total_gb:.1f}"
    if need.activations is None:
        total = _("at least {total}").format(total=total)
    return [
        _("needs {total} GB on one GPU: {sum}; it has {have}").format(total=total, sum=_sum(need), have=have)
    ]


def _sum(need: Footprint) -> str:
    parts = (
        (need.weights, _("weights")),
        (need.gradients, _("gradients")),
        (need.optimiser, _("optimiser")),
        (need.activations, _("activations")),
        (need.cache, _("keys and values")),
    )
    return " + ".join(f"{name} {size / BILLION:.1f}" for size, name in parts if size)


def _in_company(speed: Speed, candidate: Candidate, setting: Setting) -> Speed:
    """A run on several GPUs, counted on as many reference GPUs of one machine, loses what its links lose more."""
    w = setting.workload
    if w.gpus == 1 or speed.ratio is None:
        return speed
    reference = gpu(setting.catalog, speed.reference)
    keys = [_efficiency(candidate.gpu), _efficiency(reference or candidate.gpu)]
    factors = [setting.assume(keys[0])] if keys[0] != keys[1] else []
    divisors = [setting.assume(keys[1])] if keys[0] != keys[1] else []
    shape = shape_of(w.gpus, candidate.gpus, w.jobs_at_once, multi_node=w.multi_node)
    if shape is not None and shape.machines_per_run > 1:
        factors.append(setting.assume("multi_node_efficiency"))
    if not factors:
        return speed
    ratio = speed.ratio
    for fact in factors:
        ratio *= fact.known
    for fact in divisors:
        ratio /= fact.known
    said = " ".join(
        [f"x {f.known:.2f} ({f.key})" for f in factors] + [f"/ {f.known:.2f} ({f.key})" for f in divisors]
    )
    formula = _("{before}; one run on {n} GPUs: {factors}").format(
        before=speed.formula, n=w.gpus, factors=said
    )
    return _widened(replace(speed, formula=formula), ratio, (*factors, *divisors))


def _widened(speed: Speed, ratio: float, facts: tuple[Fact, ...]) -> Speed:
    """Return `speed` at `ratio`, its interval widened by those of `facts`, independent of it."""
    assert speed.ratio is not None and speed.low is not None and speed.high is not None
    down, up = log(speed.ratio / speed.low) ** 2, log(speed.high / speed.ratio) ** 2
    for fact in facts:
        down += log(fact.known / (fact.low or fact.known)) ** 2
        up += log((fact.high or fact.known) / fact.known) ** 2
    return replace(
        speed,
        ratio=ratio,
        low=ratio / exp(down**0.5),
        high=ratio * exp(up**0.5),
        facts=(*speed.facts, *facts),
    )


def _efficiency(card: Gpu) -> str:
    """Assumption on a run on several of a card: consumer cards reach each other only through the host."""
    return "multi_gpu_efficiency" if card.segment == "consumer" else "multi_gpu_efficiency_direct"


def _fed(speed: Speed, candidate: Candidate, setting: Setting) -> Speed:
    """Hold a speed down to what the machine can feed, and the reference to what its machine could."""
    w = setting.workload
    if w.input is None or speed.ratio is None or speed.low is None or speed.high is None:
        return speed
    said = w.input
    need = Input(said.sample_mb, said.cpu_samples_per_second_per_core, said.over_network)
    disk = said.own_disk_mb_per_second if candidate.hardware is not None else said.rented_disk_mb_per_second
    busy = min(candidate.gpus, float(w.gpus * w.jobs_at_once))
    feed = Feed(busy, candidate.cores, disk, candidate.network_gbps)
    started = Feed(float(w.gpus), said.reference_cores, said.reference_disk_mb_per_second)
    base = delivered(said.samples_per_second, need, started)
    ends = [
        delivered(ratio * said.samples_per_second, need, feed)
        for ratio in (speed.ratio, speed.low, speed.high)
    ]
    likely = ends[0]
    ratio, low, high = (end.samples_per_second / base.samples_per_second for end in ends)
    text = _(
        "{before}; fed: {stage} binds at {rate:,.0f} samples/s a GPU, on the reference {base_stage} at {base:,.0f}"
    ).format(
        before=speed.formula,
        stage=_(STAGES[likely.bound]),
        rate=likely.samples_per_second,
        base_stage=_(STAGES[base.bound]),
        base=base.samples_per_second,
    )
    if likely.unknown:
        text = _("{before} (unknown here and not taken to bind: {stages})").format(
            before=text, stages=", ".join(_(STAGES[s]) for s in likely.unknown)
        )
    facts = (
        Fact.from_workload("input.samples_per_second", said.samples_per_second, "samples/s"),
        *(
            (Fact.from_workload("input.cpu_samples_per_second_per_core", need.samples_per_second_per_core, "samples/s"),)
            if need.samples_per_second_per_core is not None
            else ()
        ),
        *((Fact.from_workload("input.sample_mb", need.sample_mb, "MB"),) if need.sample_mb else ()),
    )  # fmt: skip
    return replace(speed, ratio=ratio, low=low, high=high, facts=(*speed.facts, *facts), formula=text)
