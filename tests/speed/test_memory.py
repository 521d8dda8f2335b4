"""Memory fit against published footprints."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackrent.speed.memory import (
    GB,
    Network,
    activation_bytes,
    adapter_parameters,
    cache_bytes,
    footprint,
    largest_batch,
)

GPT3 = Network(175e9, layers=96, hidden=12288, heads=96, sequence=2048)
MT_NLG = Network(530e9, layers=105, hidden=20480, heads=128, sequence=2048)
LLAMA_7B = Network(6.74e9, layers=32, hidden=4096, heads=32, sequence=512, vocabulary=32000)
LLAMA_65B = Network(65.2e9, layers=80, hidden=8192, heads=64, sequence=512, vocabulary=32000)
LLAMA2_70B = Network(70e9, "inference", layers=80, hidden=8192, heads=64, kv_heads=8, sequence=4096)
OPT_13B = Network(13e9, "inference", layers=40, hidden=5120, heads=40, sequence=2048)


@pytest.mark.parametrize(
    ("shards", "published_gb"), [(1, 120.0), (64, 1.9), (16, 7.5)], ids=["whole", "ZeRO-3 on 64", "on 16"]
)
def test_mixed_precision_adam_takes_16_bytes_a_parameter(shards, published_gb):
    """ZeRO, figure 1: 7.5 billion parameters take 120 GB, and 1.9 GB on each of 64 GPUs."""
    assert footprint(Network(7.5e9, shards=shards)).total_gb == pytest.approx(published_gb, rel=0.02)


def test_gpt2_needs_at_least_24_gb_to_train():
    """ZeRO, section 3.1: 1.5 billion parameters, 3 GB of weights, at least 24 GB in all."""
    of = footprint(Network(1.5e9))
    assert (of.weights / GB, of.total_gb) == (3.0, 24.0)


def test_gpt3_weighs_350_gb_in_half_precision():
    assert footprint(replace(GPT3, method="inference", layers=None)).total_gb == 350.0


def test_a_full_fine_tune_of_llama_7b_takes_110_to_120_gb():
    assert 105 < footprint(replace(LLAMA_7B, checkpointing=True)).total_gb < 120


@pytest.mark.parametrize(
    ("network", "scores", "saved"), [(GPT3, 80, 0.70), (MT_NLG, 64, 0.65)], ids=["GPT-3", "MT-NLG"]
)
def test_not_keeping_the_attention_matrix_saves_what_korthikanti_et_al_report(network, scores, saved):
    """Their section 5: 5as/h is 80 and 64, and selective recomputation saves 70 % and 65 %."""
    kept = activation_bytes(replace(network, attention_kept=True))
    fused = activation_bytes(network)
    assert 34 * (kept / fused) - 34 == pytest.approx(scores)
    assert 1 - fused / kept == pytest.approx(saved, abs=0.005)


def test_activations_of_gpt3_follow_the_formula_of_korthikanti_et_al():
    """Equation 1 with s=2048, b=1, h=12288, a=96 and 96 layers: s b h (34 + 80) a layer."""
    kept = activation_bytes(replace(GPT3, attention_kept=True))
    assert kept == pytest.approx(96 * 2048 * 12288 * 114)
    again = activation_bytes(replace(GPT3, attention_kept=True, checkpointing=True))
    assert again == pytest.approx(2048 * 12288 * (96 * 2 + 114))


def test_qlora_fine_tunes_65b_on_48_gb_and_lora_does_not():
    """QLoRA: 65 billion parameters on one 48 GB GPU with rank 64 on all layers; 16-bit takes over 780 GB."""
    qlora = replace(LLAMA_65B, method="qlora", rank=64, checkpointing=True)
    assert 33 < footprint(qlora).weights / GB < 36
    assert 40 < footprint(qlora).total_gb < 48
    assert footprint(replace(qlora, method="lora")).total_gb > 130
    assert footprint(replace(qlora, method="full")).total_gb > 780


def test_qlora_adapters_of_7b_are_a_small_share_of_the_weights():
    assert 0.001 < adapter_parameters(replace(LLAMA_7B, rank=16)) / LLAMA_7B.parameters < 0.01


def test_keys_and_values_of_opt_13b_take_800_kb_a_token():
    """vLLM paper, section 3: 2 x 5120 x 40 x 2 bytes a token, 1.6 GB for 2,048."""
    assert cache_bytes(replace(OPT_13B, sequence=1)) == pytest.approx(819_200)
    assert footprint(OPT_13B).cache / GB == pytest.approx(1.6, abs=0.1)


def test_grouped_heads_share_keys_and_values():
    assert cache_bytes(LLAMA2_70B) == pytest.approx(cache_bytes(replace(LLAMA2_70B, kv_heads=64)) / 8)


def test_eight_bit_states_save_six_bytes_a_parameter_and_fp8_serves_in_one():
    whole, eight = footprint(Network(1e9)), footprint(Network(1e9, optimiser="adam8bit"))
    assert whole.total - eight.total == pytest.approx(6e9)
    assert footprint(Network(70e9, "inference", "fp8")).total_gb == 70.0


def test_without_a_shape_activations_are_unknown_not_nil():
    assert footprint(Network(1e9)).activations is None
    assert footprint(Network(1e9, "inference")).activations is None
    assert largest_batch(24, Network(1e9)) is None
    given = Network(25e6, activation_bytes_per_sample=0.1 * GB, precision="fp32")
    assert largest_batch(11, given) == 106


@pytest.mark.brief("A6")
def test_memory_sets_the_batch_size():
    small, large = (largest_batch(gb, replace(LLAMA_7B, method="lora")) for gb in (16, 80))
    assert small < 2
    assert large > 20
    assert largest_batch(8, LLAMA_7B) == 0


@given(st.integers(1, 200), st.sampled_from(["full", "lora", "qlora", "inference"]))
def test_the_largest_batch_fits_and_one_more_does_not(gb, method):
    network = Network(1e9, method, layers=24, hidden=2048, heads=16, sequence=512)
    batch = largest_batch(gb, network)
    assert footprint(replace(network, batch=batch + 1)).total_gb > gb
    assert batch == 0 or footprint(replace(network, batch=batch)).total_gb <= gb
