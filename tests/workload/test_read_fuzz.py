"""Whatever is thrown at the reader, it answers with a workload or with one sentence."""

from __future__ import annotations

import math
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rackrent.errors import BadInput
from rackrent.workload.complaint import choices
from rackrent.workload.model import (
    Campus,
    Consider,
    Credit,
    Data,
    Demand,
    Funding,
    HaveMachine,
    Location,
    Own,
    OwnMachine,
    People,
    Quote,
    Range,
    Requirements,
    Tax,
    Workload,
)
from rackrent.workload.read import _decode, parse_workload, workload_from

MODELS = (
    Workload, Demand, Data, Location, Requirements, People, OwnMachine, HaveMachine, Campus, Credit, Quote, Funding,
    Tax, Own, Consider, Range,
)  # fmt: skip
FIELDS = sorted({name for model in MODELS for name in model.model_fields})
WORDS = sorted({c for model in MODELS for f in model.model_fields.values() for c in choices(f.annotation)})


def answers(read: Any) -> None:
    try:
        workload = read()
    except BadInput as error:
        said = str(error)
        assert said.isprintable()
        assert 10 < len(said) < 1_000
        assert "pydantic" not in said.lower()
        assert "Input should" not in said
    else:
        assert isinstance(workload, Workload)
        assert all(math.isfinite(v) for v in workload.model_dump().values() if isinstance(v, float))


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.dates(), st.datetimes(), st.text(max_size=20), st.binary(max_size=3),
    st.sampled_from(WORDS), st.sampled_from(["USA", "US", "DEU", "2018-09-15", "2018-99-99", "1e400", "nan", "GeForce RTX 3090"]),
)  # fmt: skip
keys = st.one_of(st.sampled_from(FIELDS), st.text(max_size=8))
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)),
    max_leaves=25,
)


@st.composite
def near_workloads(draw: st.DrawFn) -> dict[str, Any]:
    """A mapping with the sections of a workload, whose fields are mostly right."""

    def fields_of(model: Any, depth: int) -> dict[str, Any]:
        names = draw(st.lists(st.sampled_from(sorted(model.model_fields)), max_size=5, unique=True))
        out = {name: value(name, model.model_fields[name].annotation, depth) for name in names}
        if draw(st.integers(0, 9)) == 0:
            out[draw(keys)] = draw(leaves)
        return out

    def value(name: str, annotation: Any, depth: int) -> Any:
        inner = [m for m in MODELS if m.__name__ in str(annotation)]
        if inner and depth < 3:
            nested = fields_of(inner[0], depth + 1)
            return [nested] if "list[" in str(annotation) else nested
        number = st.one_of(st.floats(0, 2), st.integers(0, 5000), st.sampled_from([0.05, 1, 12, 36]))
        word = st.sampled_from(choices(annotation) or ("USA", "2026-11-30"))
        return draw(
            st.one_of(leaves, word, st.lists(word, max_size=2))
            if "str" in str(annotation)
            else st.one_of(number, leaves, word)
        )

    out = fields_of(Workload, 0)
    if draw(st.booleans()):
        out["demand"] = {"utilisation": draw(st.floats(0.01, 1))}
    return out


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(raw: bytes) -> None:
    answers(lambda: parse_workload(_decode(raw, "w.yaml"), "w.yaml"))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.text("ab:-,[]{}&*!|>'\"%@`#?\\ \n\t~<=0.1x", max_size=80)))
def test_any_text(text: str) -> None:
    answers(lambda: parse_workload(text, "w.yaml"))


@settings(max_examples=200, deadline=None)
@given(trees)
def test_any_structure(tree: Any) -> None:
    answers(lambda: workload_from(tree))
    answers(lambda: parse_workload(yaml.safe_dump(tree, allow_unicode=True), "w.yaml"))


@settings(max_examples=300, deadline=None)
@given(near_workloads())
def test_structures_near_the_schema(tree: dict[str, Any]) -> None:
    answers(lambda: workload_from(tree))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_workload_written_out_and_read_again_is_the_same(data: st.DataObject) -> None:
    tree = data.draw(near_workloads())
    try:
        workload = workload_from(tree)
    except BadInput:
        workload = workload_from({"demand": {"utilisation": 0.5}, "gpus": data.draw(st.integers(1, 64))})
    text = yaml.safe_dump(workload.model_dump(mode="json", exclude_unset=True), allow_unicode=True)
    assert parse_workload(text) == workload
