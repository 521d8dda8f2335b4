"""The program that runs: what it takes of a GPU's memory, how it is fed, and what you measured of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from rackrent.i18n import gettext as _
from rackrent.workload.base import Model


class Network(Model):
    """A network and how it is trained or served: cards it does not fit are out, with the sum."""

    parameters_b: float = Field(gt=0, le=100_000, description="parameters, billions (0.025 for a ResNet-50)")
    method: Literal["full", "lora", "qlora", "inference"] = Field(
        "full",
        description="all weights trained, thin matrices beside frozen ones, the same over 4-bit weights, or served",
    )
    optimiser: Literal["adam", "adam8bit", "sgd"] = Field(
        "adam", description="its states take 8, 2 or 4 bytes a trained parameter"
    )
    layers: int | None = Field(None, ge=1, le=10_000, description="layers of a transformer")
    hidden: int | None = Field(None, ge=1, le=1_000_000, description="width of its layers")
    heads: int | None = Field(None, ge=1, le=10_000, description="attention heads")
    kv_heads: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="heads of keys and values, where several share them; none: as many as heads",
    )
    sequence: int | None = Field(None, ge=1, le=100_000_000, description="tokens in a sample")
    vocabulary: int | None = Field(
        None, ge=1, le=10_000_000, description="size of its vocabulary; none: its output is not counted"
    )
    batch: int = Field(1, ge=1, le=1_000_000, description="samples on one GPU at once")
    checkpointing: bool = Field(
        False, description="whether activations are computed again (gradient checkpointing)"
    )
    fused_attention: bool = Field(
        True, description="whether the attention matrix is never stored (FlashAttention and the like)"
    )
    lora_rank: int = Field(
        16, ge=1, le=10_000, description="rank of the thin matrices of LoRA, on all matrices of a layer"
    )
    activation_gb_per_sample: float | None = Field(
        None,
        ge=0,
        le=10_000,
        description="activations of one sample where it is no transformer, or as you measured, GB",
    )
    sharded: bool = Field(
        False,
        description="whether weights, gradients and optimiser are split among `gpus` GPUs (ZeRO-3, FSDP)",
    )

    @model_validator(mode="after")
    def _adapters_need_a_shape(self) -> Network:
        if self.method in ("lora", "qlora") and (self.layers is None or self.hidden is None):
            raise ValueError(
                _("says method {method}, which needs layers and hidden to size its matrices").format(
                    method=self.method
                )
            )
        return self


class Input(Model):
    """How samples reach the GPU: a machine that cannot feed its GPU delivers what it can feed."""

    samples_per_second: float = Field(
        gt=0, le=1e9, description="samples a second that one reference GPU computes when never kept waiting"
    )
    sample_mb: float | None = Field(
        None, gt=0, le=1e6, description="read from disk (or the network) for one sample, MB"
    )
    cpu_samples_per_second_per_core: float | None = Field(
        None, gt=0, le=1e9, description="samples a second that one processor core prepares"
    )
    over_network: bool = Field(False, description="whether samples are read over the network during the run")
    own_disk_mb_per_second: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="what the disk of a machine of yours reads, MB/s; none: unknown, not taken to bind",
    )
    rented_disk_mb_per_second: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="what the volume of a rented machine reads, MB/s; none: unknown, not taken to bind",
    )
    reference_cores: float | None = Field(
        None,
        gt=0,
        le=10_000,
        description="cores of the machine your hours were counted on; none: it never waited",
    )
    reference_disk_mb_per_second: float | None = Field(
        None, gt=0, le=1e6, description="what the disk of that machine reads, MB/s; none: it never waited"
    )


class Benchmark(Model):
    """A rate of your own program on one kind of GPU. Two or more say how GPUs compare on it."""

    gpu: str = Field(description="GPU name")
    rate: float = Field(gt=0, le=1e12, description="work a second of all its GPUs, in `unit`")
    unit: str = Field(
        "samples/s", min_length=1, max_length=40, description="unit of the rate: only like units compare"
    )
    gpu_count: int = Field(1, ge=1, le=4096, description="GPUs used")
    task: (
        Literal[
            "generic",
            "cnn_training",
            "segmentation",
            "transformer_finetune",
            "transformer_pretrain",
            "diffusion",
            "inference",
        ]
        | None
    ) = Field(None, description="kind of work, where it is not the workload's")
