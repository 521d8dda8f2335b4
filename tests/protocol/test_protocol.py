"""The messages: what they carry survives the wire, what they must not carry is refused, and they do not change unnoticed."""

from __future__ import annotations

import ast
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rackrent.protocol import PROTOCOL_VERSION, agent, api
from rackrent.protocol.agent import Envelope, Kind, Report, Status, bytes_to_sign
from rackrent.protocol.base import SAFE_INTEGER_MAX, Message
from rackrent.protocol.words import InstanceState, Rental

PACKAGE = Path(agent.__file__).parent
DIGESTS = Path(__file__).parent / "digests.json"
MESSAGES = sorted(
    {
        cls
        for module in (agent, api)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Message) and cls.__module__ == module.__name__
    },
    key=lambda cls: f"{cls.__module__}.{cls.__name__}",
)  # fmt: skip
NAMES = [f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}" for cls in MESSAGES]


def bare(schema: Any) -> Any:
    """A schema without what is only said to people."""
    if isinstance(schema, dict):
        return {
            k: bare(v) for k, v in schema.items() if k not in ("description", "title") or isinstance(v, dict)
        }
    return [bare(v) for v in schema] if isinstance(schema, list) else schema


def digests() -> dict[str, str]:
    return {
        name: hashlib.sha256(json.dumps(bare(cls.model_json_schema()), sort_keys=True).encode()).hexdigest()
        for name, cls in zip(NAMES, MESSAGES, strict=True)
    }


def test_a_message_that_changes_raises_the_version() -> None:
    """Where this fails: raise PROTOCOL_VERSION, and add the digests of the new version beside the old ones."""
    kept = json.loads(DIGESTS.read_text(encoding="utf-8"))
    assert list(kept) == [str(n) for n in range(1, PROTOCOL_VERSION + 1)]
    assert kept[str(PROTOCOL_VERSION)] == digests()


def test_the_protocol_imports_nothing_of_ours() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rackrent"):
                assert (node.module or "").startswith("rackrent.protocol"), path.name


ids = st.text("abcdefghij-0123456789:", min_size=1, max_size=20)
whole = st.integers(0, SAFE_INTEGER_MAX)
statuses = st.builds(
    Status, lease=ids, state=st.sampled_from(InstanceState), progress=st.none() | st.floats(0, 1)
)
reports = st.builds(
    Report, seq=whole, applied=whole, boot=ids, monotonic_ms=whole, wall_ms=whole,
    instances=st.lists(statuses, max_size=4, unique_by=lambda s: s.lease).map(tuple),
    unhealthy=st.lists(ids, max_size=3).map(tuple),
)  # fmt: skip
creates = st.builds(
    api.LeaseCreate, quote=ids, rental=st.sampled_from(Rental), ceiling_micro_usd=whole,
    key=st.text("abc123", min_size=8, max_size=20),
)  # fmt: skip
wanted = st.builds(agent.Wanted, lease=ids, run=st.booleans(), gpus=st.lists(ids, max_size=3).map(tuple))
desired = st.builds(agent.Desired, seq=whole, instances=st.lists(wanted, max_size=3).map(tuple))


@given(st.one_of(reports, creates, desired))
def test_what_is_sent_is_what_is_read(message: Message) -> None:
    assert type(message).model_validate_json(message.model_dump_json()) == message


@given(reports, whole, whole)
def test_an_envelope_carries_the_very_bytes_that_are_signed(report: Report, seq: int, sent_ms: int) -> None:
    body = report.model_dump_json().encode()
    sent = Envelope(
        version=1, kind=Kind.REPORT, machine="m", seq=seq, sent_ms=sent_ms, body=body, signature=b"\xff" * 64
    )
    got = Envelope.model_validate_json(sent.model_dump_json())
    assert got.signed == bytes_to_sign(1, Kind.REPORT, "m", seq, sent_ms, body)
    assert got.read() == report and got.signature == b"\xff" * 64


parts = st.tuples(st.integers(0, 12), st.sampled_from(Kind), st.text("m1", min_size=1, max_size=4), st.integers(0, 99),
                  st.integers(0, 99), st.binary(max_size=6))  # fmt: skip


@given(parts, parts)
def test_two_messages_never_have_the_same_bytes_to_sign(one: Any, other: Any) -> None:
    assert (bytes_to_sign(*one) == bytes_to_sign(*other)) is (one == other)


GOOD: dict[type[Message], dict[str, Any]] = {
    api.TopUp: {"amount_micro_usd": 5_000_000, "key": "0123456789"},
    api.LeaseCreate: {"quote": "q", "rental": "on_demand", "ceiling_micro_usd": 1, "key": "0123456789"},
    api.QuoteRequest: {"machine": "m", "rental": "monthly", "gpus": 1, "disk_gb": 0},
    api.Problem: {"type": "not-found", "title": "", "status": 404, "detail": ""},
    agent.Hello: {"machine": "m", "boot": "b", "versions": [1], "software": "1"},
    agent.Report: {"seq": 1, "applied": 0, "boot": "b", "monotonic_ms": 0, "wall_ms": 0},
}


@pytest.mark.parametrize("kind", GOOD, ids=lambda cls: cls.__name__)
def test_a_message_with_nothing_wrong_is_read(kind: type[Message]) -> None:
    assert kind.model_validate_json(json.dumps(GOOD[kind]))


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        (api.TopUp, {"amount_micro_usd": 0}),
        (api.TopUp, {"amount_micro_usd": -5}),
        (api.TopUp, {"amount_micro_usd": 1.5}),
        (api.TopUp, {"amount_micro_usd": "5"}),
        (api.TopUp, {"amount_micro_usd": True}),
        (api.TopUp, {"amount_micro_usd": 10**13}),
        (api.TopUp, {"key": "short"}),
        (api.TopUp, {"more": 1}),
        (api.LeaseCreate, {"rental": "spot"}),
        (api.LeaseCreate, {"rental": None}),
        (api.LeaseCreate, {"ceiling_micro_usd": None}),
        (api.LeaseCreate, {"quote": ""}),
        (api.LeaseCreate, {"quote": "q" * 65}),
        (api.QuoteRequest, {"gpus": 0}),
        (api.QuoteRequest, {"gpus": 65}),
        (api.QuoteRequest, {"disk_gb": -1}),
        (api.Problem, {"status": 200}),
        (api.Problem, {"type": "Not Found"}),
        (agent.Hello, {"versions": []}),
        (agent.Hello, {"boot": "two words"}),
        (agent.Report, {"seq": -1}),
        (agent.Report, {"instances": [{"lease": f"l{n}", "state": "running"} for n in range(1025)]}),
        (agent.Report, {"instances": [{"lease": "l", "state": "running"}] * 2}),
        (agent.Report, {"instances": [{"lease": "l", "state": "flying"}]}),
        (agent.Report, {"instances": [{"lease": "l", "state": "loading", "progress": 1.1}]}),
        (agent.Report, {"instances": [{"lease": "l", "state": "loading", "progress": float("nan")}]}),
    ],
)
def test_what_makes_no_sense_or_is_too_much_is_refused(kind: type[Message], changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate_json(json.dumps(GOOD[kind] | changed))


@pytest.mark.case("X2")
@pytest.mark.parametrize("field", ["rental", "ceiling_micro_usd", "key"])
def test_who_makes_a_lease_says_the_term_and_the_most_it_may_cost(field: str) -> None:
    said = {k: v for k, v in GOOD[api.LeaseCreate].items() if k != field}
    with pytest.raises(ValidationError, match=field):
        api.LeaseCreate.model_validate(said)


@pytest.mark.parametrize("length", [0, 63, 65])
def test_a_signature_has_64_bytes(length: int) -> None:
    with pytest.raises(ValidationError, match="signature"):
        Envelope(version=1, kind=Kind.HELLO, machine="m", seq=1, sent_ms=1, body=b"", signature=bytes(length))


@settings(max_examples=20)
@given(st.sampled_from(MESSAGES), st.binary(max_size=40))
def test_bytes_that_are_no_message_are_refused(kind: type[Message], junk: bytes) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate_json(junk)


def walk(schema: Any) -> Any:
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from walk(part)


@pytest.mark.parametrize("kind", MESSAGES, ids=NAMES)
def test_everything_that_can_grow_has_a_limit_and_money_is_whole(kind: type[Message]) -> None:
    for part in walk(kind.model_json_schema()):
        if part.get("type") == "string" and "enum" not in part and "const" not in part:
            assert "maxLength" in part or "pattern" in part, part
        if part.get("type") == "array":
            assert "maxItems" in part, part
    for name, field in kind.model_fields.items():
        if "micro_usd" in name:
            assert "float" not in str(field.annotation)
