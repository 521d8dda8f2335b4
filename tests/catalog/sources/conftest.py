"""A local server that answers as a source does, and fails as one does."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from rackrent.catalog.catalog import DATA_DIR, Catalog
from rackrent.catalog.sources.base import Known
from rackrent.catalog.sources.http import Client

TODAY = date(2026, 11, 30)
Answer = dict[str, Any]
"""status, body (bytes, text or what becomes JSON), headers, length (said in place of the true one)."""


class Feed:
    """Answers by path: the next of a list of answers, the last of them for ever after."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        self.url = ""

    def put(self, path: str, body: Any = b"", **said: Any) -> None:
        """Answer `path` (with `?name=value` for one page of several) so, after what was put there before."""
        self.answers.setdefault(path, []).append({"body": body} | said)

    def gzipped(self, path: str, body: Any, cut: int = 0) -> None:
        """Answer with gzip that lacks its last `cut` bytes."""
        packed = gzip.compress(_bytes(body))
        self.put(path, packed[: len(packed) - cut], headers={"Content-Encoding": "gzip"})

    def answer(self, target: str) -> Answer | None:
        """Return the answer to a request."""
        self.asked.append(target)
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        for name, values in query.items():
            if found := self.answers.get(f"{path}?{name}={values[0]}"):
                return found.pop(0) if len(found) > 1 else found[0]
        found = self.answers.get(path, [])
        return (found.pop(0) if len(found) > 1 else found[0]) if found else None


def _bytes(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def _handler(feed: Feed) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = feed.answer(self.path) or {"status": 404, "body": b"none"}
            body = _bytes(answer["body"])
            if answer.get("hang"):
                answer["hang"].wait(20)
            self.send_response(answer.get("status", 200))
            for name, value in answer.get("headers", {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(answer.get("length", len(body))))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler


@pytest.fixture
def feed() -> Iterator[Feed]:
    """A server on this machine."""
    feed = Feed()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(feed))
    server.daemon_threads = True
    server.handle_error = lambda request, address: None  # a client that hangs up is part of the test
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    feed.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield feed
    server.shutdown()
    server.server_close()


@pytest.fixture
def waits() -> list[float]:
    """Seconds that the client wanted to wait."""
    return []


@pytest.fixture
def client(waits: list[float]) -> Iterator[Client]:
    """A client that never waits."""
    with Client(sleep=waits.append, now=lambda: datetime(2026, 11, 30, tzinfo=UTC), timeout_s=5) as client:
        yield client


@pytest.fixture(scope="session")
def known() -> Known:
    """What the shipped catalog knows."""
    return Known(Catalog(TODAY, DATA_DIR))


@pytest.fixture
def quiet() -> Callable[[str], None]:
    """Nobody looks."""
    return lambda text: None
