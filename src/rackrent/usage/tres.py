"""How many GPUs a job held, as Slurm and Kubernetes write it."""

from __future__ import annotations

import polars as pl

from rackrent.catalog.names import canonical_gpu


def gpus_of_tres(tres: pl.Expr) -> pl.Expr:
    """Return the GPUs in an AllocTRES: `gres/gpu` is the total, typed entries are its breakdown; null if neither.

    >>> pl.select(gpus_of_tres(pl.lit("cpu=8,gres/gpu:v100=1,gres/gpu=1"))).item()
    1.0
    >>> pl.select(gpus_of_tres(pl.lit("cpu=8,gres/gpu:v100=2,gres/gpu:a100=1"))).item()
    3.0
    """
    total = tres.str.extract(r"(?:^|,)gres/gpu=(\d+)").cast(pl.Float64)
    typed = tres.str.extract_all(r"(?:^|,)gres/gpu:[^=,]+=\d+")
    count = typed.list.eval(pl.element().str.extract(r"=(\d+)$").cast(pl.Float64)).list.sum()
    return pl.coalesce(total, pl.when(typed.list.len() > 0).then(count))


def gpu_type_of_tres(tres: pl.Expr) -> pl.Expr:
    """Return the type of the first typed entry; null where there is none or several differ."""
    types = tres.str.extract_all(r"gres/gpu:[^=,]+").list.unique()
    return pl.when(types.list.len() == 1).then(types.list.first().str.replace("gres/gpu:", "", literal=True))


def named(gpu: pl.Series) -> pl.Series:
    """Return the canonical names of GPUs; a name that the catalog's rules do not know stays as it was written."""
    words = {word: canonical_gpu(word) or word for word in gpu.unique().drop_nulls().to_list()}
    return gpu.replace_strict(words, return_dtype=pl.String, default=None)


def shared_gpus(gpus: float, gpucores_percent: float | None) -> float:
    """Return the GPUs of a share in Kubernetes (HAMi): `gpu: 1, gpucores: 25` is a quarter of one GPU.

    >>> shared_gpus(1, 25), shared_gpus(2, None)
    (0.25, 2)
    """
    return gpus if not gpucores_percent else gpus * gpucores_percent / 100
