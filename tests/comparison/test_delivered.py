"""What a machine delivers: memory fit, company, and feeding, through the public comparison."""

import pytest

import rackrent

LLM = {
    "as_of": "2026-11-30",
    "demand": {"gpu_hours_per_month": 200, "reference_gpu": "A100 SXM 80GB"},
    "task": "transformer_finetune",
    "precision": "bf16",
}
SEVEN_B = {
    "parameters_b": 6.74, "layers": 32, "hidden": 4096, "heads": 32, "sequence": 2048, "checkpointing": True,
}  # fmt: skip

THIRTEEN_B = SEVEN_B | {"parameters_b": 13.0, "layers": 40, "hidden": 5120, "heads": 40}


def options(**more):
    compared = rackrent.compare(LLM | more)
    return [o for o in compared.options if o.kind in ("own_build", "cloud") and o.gpu_count]


def smallest_that_fits(**more):
    from rackrent.catalog.catalog import load

    memory = dict(load().all_rows("gpus").select("gpu", "memory_gb").iter_rows())
    return min(memory[o.gpu] for o in options(**more) if o.feasible)


@pytest.mark.brief("A6")
def test_cards_that_the_network_does_not_fit_are_out_and_the_sum_is_shown():
    out = next(o for o in options(model=SEVEN_B) if o.gpu == "RTX 3090" and not o.feasible)
    text = " ".join(out.reasons)
    assert "weights 13.5 + gradients 13.5 + optimiser 80.9 + activations" in text
    assert "it has 24 GB" in text


@pytest.mark.brief("A6")
def test_training_less_of_it_fits_on_less():
    full, lora, qlora = (
        smallest_that_fits(model=THIRTEEN_B | {"method": method}) for method in ("full", "lora", "qlora")
    )
    assert full > 112
    assert 24 < lora <= 48
    assert qlora <= 16


def test_sharding_splits_it_among_the_gpus_of_a_run():
    sharded = smallest_that_fits(model=SEVEN_B | {"sharded": True}, gpus=8, multi_node=True)
    assert sharded <= 24


def test_a_stated_memory_counts_in_place_of_the_sum():
    assert smallest_that_fits(model=SEVEN_B, gpu_memory_gb=24) == 24


A6 = {
    "as_of": "2018-09-15",
    "demand": {"gpu_hours_per_month": 146, "reference_gpu": "GTX 1080 Ti"},
    "task": "cnn_training",
}


def ratio_of_p3(cores_rate=None, **more):
    given = {} if cores_rate is None else {
        "input": {
            "samples_per_second": 100, "cpu_samples_per_second_per_core": cores_rate, "reference_cores": 12,
        } | more
    }  # fmt: skip
    compared = rackrent.compare(A6 | given)
    return next(o.speed for o in compared.options if o.name == "p3.2xlarge" and o.speed).ratio


@pytest.mark.brief("A6")
def test_only_the_loaders_rate_takes_a_v100_from_three_times_a_1080_ti_to_below_one():
    unbound = ratio_of_p3()
    falling = [ratio_of_p3(rate) for rate in (1000, 50, 30, 20, 10)]
    assert falling[0] == pytest.approx(unbound)
    assert falling == sorted(falling, reverse=True)
    assert unbound > 2.5
    assert falling[3] == pytest.approx(4 * 20 / 100)
    assert falling[4] < 1


@pytest.mark.brief("A6")
def test_a_slow_cloud_volume_holds_a_v100_back_and_says_so():
    given = {"samples_per_second": 100, "sample_mb": 2.0, "rented_disk_mb_per_second": 160}
    compared = rackrent.compare(A6 | {"input": given})
    speed = next(o.speed for o in compared.options if o.name == "p3.2xlarge" and o.speed)
    assert speed.ratio == pytest.approx(0.8)
    assert "the disk binds at 80 samples/s" in speed.formula
    build = next(o.speed for o in compared.options if o.kind == "own_build" and o.gpu == "GTX 1080 Ti")
    assert build.ratio == 1
    assert "not taken to bind: the disk" in build.formula


def test_your_own_benchmark_decides():
    rates = [
        {"gpu": "1080 Ti", "rate": 100},
        {"gpu": "V100 SXM2 16GB", "rate": 86},
    ]
    compared = rackrent.compare(A6 | {"benchmarks": rates})
    speed = next(o.speed for o in compared.options if o.name == "p3.2xlarge" and o.speed)
    assert speed.ratio == pytest.approx(0.86, rel=0.1)


def test_a_run_that_spreads_over_machines_does_less_per_gpu():
    together, spread = (
        next(
            o.speed
            for o in options(gpus=n, multi_node=True)
            if o.gpu == "A100 SXM 80GB" and o.speed and o.gpu_count == 8
        )
        for n in (8, 16)
    )
    assert together.ratio == 1
    assert spread.ratio == pytest.approx(0.84)
    assert spread.low < 0.75
    assert "multi_node_efficiency" in spread.formula


def test_consumer_cards_in_company_do_less_than_their_number():
    alone, four = (
        next(o.speed for o in options(gpus=n, multi_node=True) if o.gpu == "RTX 4090" and o.speed)
        for n in (1, 2)
    )
    assert four.ratio < 0.95 * alone.ratio
    assert four.high / four.low > alone.high / alone.low
