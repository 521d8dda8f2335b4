"""Memory fit: what training or serving a network takes of one GPU, from published formulae.

Per parameter (Rajbhandari et al. 2020, "ZeRO", section 3): weights and gradients at the precision of the work, and
for the optimiser a single-precision copy (in mixed precision) with its states. Activations of a transformer layer
(Korthikanti et al. 2022): `s b h (34 + 5 a s / h)` bytes at half precision, `34 s b h` where the attention matrix is
not kept, `2 s b h` where layers are computed again. LoRA (Hu et al. 2021) trains two thin matrices beside each
weight matrix; QLoRA (Dettmers et al. 2023) keeps the frozen weights in 4 bits. Keys and values while serving:
`2 l h s b` numbers (Kwon et al. 2023).

GB are 10^9 bytes. A card sold as "24 GB" holds 24 x 2^30: the 7 % more are left to the driver and to fragmentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Method = Literal["full", "lora", "qlora", "inference"]
Optimiser = Literal["adam", "adam8bit", "sgd"]

BYTES: Mapping[str, float] = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 2.0}
"""Bytes of one number while training (an FP8 recipe keeps weights and gradients in 16 bits)."""
BYTES_SERVED: Mapping[str, float] = {**BYTES, "fp8": 1.0}
MASTER_BYTES = 4.0
"""The single-precision copy of each trained weight in mixed precision."""
STATE_BYTES: Mapping[Optimiser, float] = {"adam": 8.0, "adam8bit": 2.0, "sgd": 4.0}
"""Two single-precision moments; two of 8 bits (Dettmers et al. 2021); one momentum."""
NF4_BYTES = (4 + 0.127) / 8
"""A 4-bit weight with its doubly quantised constants (QLoRA, section 3)."""
LORA_NUMBERS_PER_RANK = 18
"""Numbers LoRA adds per layer, as a multiple of rank x width: 2 for each of four attention matrices, 5 for each of
two matrices to and from a four times wider layer."""
LAYER, SCORES, LAYER_INPUT = 34.0, 5.0, 2.0
"""Bytes at half precision: of a layer without its attention matrix per s b h, of that matrix per a s s b, and of what
enters a layer per s b h."""
HALF = 2.0
LOGIT_BYTES = 4.0
GB = 1e9


@dataclass(frozen=True, slots=True)
class Network:
    """A transformer (or any network, by its parameters) and how it is trained or served.

    `parameters` counts them one by one; `layers`, `hidden`, `heads`, `sequence` and `vocabulary` are those of the
    papers, None where unknown: activations are then not counted unless `activation_bytes_per_sample` is given.
    `batch` samples are on one GPU at once. `attention_kept`: the attention matrix is stored (no fused attention).
    `shards`: GPUs among which weights, gradients and optimiser are split (ZeRO stage 3, FSDP).
    """

    parameters: float
    method: Method = "full"
    precision: str = "fp16"
    optimiser: Optimiser = "adam"
    layers: int | None = None
    hidden: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    sequence: int | None = None
    vocabulary: int | None = None
    batch: int = 1
    checkpointing: bool = False
    attention_kept: bool = False
    rank: int = 16
    activation_bytes_per_sample: float | None = None
    shards: int = 1


@dataclass(frozen=True, slots=True)
class Footprint:
    """Memory on one GPU by what takes it, in bytes. `activations` is None where the network's shape is unknown:
    the total is then "at least"."""

    weights: float
    gradients: float
    optimiser: float
    activations: float | None
    cache: float = 0.0

    @property
    def total(self) -> float:
        """Sum of what is known, bytes."""
        return self.weights + self.gradients + self.optimiser + self.cache + (self.activations or 0.0)

    @property
    def total_gb(self) -> float:
        """Sum of what is known, GB."""
        return self.total / GB


def footprint(network: Network) -> Footprint:
    """Return what `network` takes of one GPU.

    >>> footprint(Network(7.5e9)).total_gb  # ZeRO, figure 1: 16 bytes a parameter
    120.0
    >>> footprint(Network(175e9, "inference")).total_gb  # GPT-3 in half precision
    350.0
    """
    number = BYTES[network.precision]
    if network.method == "inference":
        weights = network.parameters * BYTES_SERVED[network.precision] / network.shards
        cache = cache_bytes(network)
        return Footprint(weights, 0.0, 0.0, None if cache is None else 0.0, (cache or 0.0) / network.shards)
    trained, frozen = network.parameters, 0.0
    if network.method != "full":
        trained = adapter_parameters(network) or 0.0
        frozen = network.parameters * (NF4_BYTES if network.method == "qlora" else number)
    master = MASTER_BYTES if number < MASTER_BYTES else 0.0
    return Footprint(
        weights=(frozen + trained * number) / network.shards,
        gradients=trained * number / network.shards,
        optimiser=trained * (master + STATE_BYTES[network.optimiser]) / network.shards,
        activations=activation_bytes(network),
    )


def activation_bytes(network: Network) -> float | None:
    """Return the bytes that the activations of one batch take; None where the network's shape is unknown."""
    if network.activation_bytes_per_sample is not None:
        return network.activation_bytes_per_sample * network.batch
    if network.layers is None or network.hidden is None or network.sequence is None:
        return None
    sbh = network.sequence * network.batch * network.hidden
    kept = LAYER
    if network.attention_kept:
        if network.heads is None:
            return None
        kept = LAYER + SCORES * network.heads * network.sequence / network.hidden
    layer = sbh * kept
    # Recomputed layer by layer: the inputs of all, and one layer whole while it is computed again.
    layers = network.layers * sbh * LAYER_INPUT + layer if network.checkpointing else network.layers * layer
    logits = LOGIT_BYTES * network.sequence * network.batch * (network.vocabulary or 0)
    return layers * BYTES[network.precision] / HALF + logits


def adapter_parameters(network: Network) -> float | None:
    """Return the numbers that LoRA of `rank` on all matrices of all layers trains; None where the shape is unknown."""
    if network.layers is None or network.hidden is None:
        return None
    return float(LORA_NUMBERS_PER_RANK * network.rank * network.hidden * network.layers)


def cache_bytes(network: Network) -> float | None:
    """Return the bytes of keys and values of `batch` sequences; None where the network's shape is unknown."""
    if network.layers is None or network.hidden is None or network.sequence is None:
        return None
    share = network.kv_heads / network.heads if network.kv_heads and network.heads else 1.0
    per_token = 2 * network.layers * network.hidden * share * BYTES_SERVED[network.precision]
    return per_token * network.sequence * network.batch


def largest_batch(gpu_memory_gb: float, network: Network) -> int | None:
    """Return the most samples that fit at once on one GPU: 0 if not even one; None if activations are unknown.

    >>> largest_batch(24, Network(1e9, "full", layers=24, hidden=2048, sequence=1024, checkpointing=True)) > 8
    True
    """
    none, one = (footprint(replace(network, batch=b)) for b in (0, 1))
    if one.activations is None:
        return None
    each, room = one.total - none.total, gpu_memory_gb * GB - none.total
    if room < each:
        return 0
    return int(room // each) if each > 0 else None
