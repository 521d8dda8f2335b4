"""The rim to the network: fetching a document whole, or saying in one sentence why not.

A document is first written to a temporary file and unpacked from there: a transfer that breaks off, a truncated gzip
or a web page in place of data is noticed before anybody reads a price from it.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import IO, Any

import httpx

from rackrent.errors import RackrentError
from rackrent.i18n import gettext as _

MB = 1_000_000
WAIT_S_MAX = 120.0
"""Longest wait before another try, seconds; a source that asks for more has failed for now."""
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
SECRET = re.compile(r"([?&]key=)[^&]+")


class SourceFailed(RackrentError):
    """A source could not be read. Its last good rows stay."""


class TooLarge(SourceFailed):
    """A source sent more than it ever should."""


class Client:
    """Fetches documents: with timeouts, tries again after a wait that doubles, and no more than it should.

    `sleep` and `now` are handed in so that nobody waits in a test.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 30.0,
        tries: int = 4,
        bytes_max: int = 2_000 * MB,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Open nothing yet."""
        self._tries, self._bytes_max, self._sleep, self._now = tries, bytes_max, sleep, now
        headers = {"User-Agent": "rackrent", "Accept-Encoding": "gzip"}
        self._http = httpx.Client(
            timeout=timeout_s, headers=headers, follow_redirects=True, transport=transport
        )

    def __enter__(self) -> Client:
        """Use the client in a `with` block."""
        return self

    def __exit__(self, *_ended: object) -> None:
        """Close the connections."""
        self._http.close()

    @contextmanager
    def document(self, url: str, params: Mapping[str, str] | None = None) -> Iterator[IO[bytes]]:
        """Open the document at `url`, unpacked, to read from its start. Raises SourceFailed.

        It may hold at most `bytes_max` bytes, packed and unpacked.
        """
        with tempfile.TemporaryFile() as held:
            packed = self._download(url, params, held)
            held.seek(0)
            if not packed:
                yield held
                return
            with tempfile.TemporaryFile() as plain:
                self._unpack(url, held, plain)
                plain.seek(0)
                yield plain

    def content(self, url: str, params: Mapping[str, str] | None = None, *, most: int = 200 * MB) -> bytes:
        """Return a document of at most `most` bytes."""
        with self.document(url, params) as held:
            data = held.read(most + 1)
        if len(data) > most:
            raise self._too_large(url, most)
        return data

    def text(self, url: str, params: Mapping[str, str] | None = None) -> str:
        """Return a text in UTF-8; a web page is not what anybody asked for."""
        data = self.content(url, params)
        refuse_web_page(url, data[:1_000])
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise SourceFailed(_("{url} is not a text in UTF-8").format(url=shown(url))) from None

    def json(self, url: str, params: Mapping[str, str] | None = None) -> Any:
        """Return what a JSON document holds."""
        text = self.text(url, params)
        try:
            return json.loads(text)
        except ValueError as error:
            raise SourceFailed(
                _("{url} is not whole JSON ({reason})").format(url=shown(url), reason=str(error)[:80])
            ) from None

    def _download(self, url: str, params: Mapping[str, str] | None, held: IO[bytes]) -> bool:
        """Write the raw body to `held`; return whether it is gzip."""
        reason, wait_s = "", 1.0
        for attempt in range(self._tries):
            if attempt:
                self._sleep(wait_s)
                wait_s *= 2
            held.seek(0)
            held.truncate()
            try:
                with self._http.stream("GET", url, params=dict(params) if params else None) as answer:
                    if answer.status_code in TRY_AGAIN:
                        reason = _("it answered {status}").format(status=answer.status_code)
                        asked = self._asked_wait(answer.headers.get("Retry-After"))
                        if asked is not None and asked > WAIT_S_MAX:
                            break
                        wait_s = max(wait_s, asked or 0.0)
                        continue
                    if answer.status_code != 200:
                        raise SourceFailed(
                            _("{url} answered {status}").format(url=shown(url), status=answer.status_code)
                        )
                    for chunk in answer.iter_raw(1 << 20):
                        held.write(chunk)
                        if held.tell() > self._bytes_max:
                            raise self._too_large(url, self._bytes_max)
                    return bool(answer.headers.get("Content-Encoding", "") == "gzip")
            except httpx.TimeoutException:
                reason = _("it did not answer in time")
            except (httpx.InvalidURL, httpx.UnsupportedProtocol):
                raise SourceFailed(
                    _("{url} is not an address of the web").format(url=repr(shown(url)))
                ) from None
            except httpx.RemoteProtocolError:
                reason = _("the transfer broke off")
            except httpx.ConnectError as error:
                reason = str(error) or type(error).__name__
                if attempt:  # nobody is there: two tries are enough
                    break
            except httpx.HTTPError as error:
                reason = str(error) or type(error).__name__
        raise SourceFailed(
            _("{url} could not be read: {reason} (tries: {n})").format(
                url=shown(url), reason=reason, n=attempt + 1
            )
        )

    def _unpack(self, url: str, held: IO[bytes], plain: IO[bytes]) -> None:
        try:
            with gzip.open(held) as stream:
                while chunk := stream.read(1 << 20):
                    plain.write(chunk)
                    if plain.tell() > self._bytes_max:
                        raise self._too_large(url, self._bytes_max)
        except (EOFError, OSError, zlib.error):
            raise SourceFailed(_("{url} is not whole: its gzip breaks off").format(url=shown(url))) from None

    def _asked_wait(self, header: str | None) -> float | None:
        """Read Retry-After: seconds, or a date."""
        if header is None:
            return None
        if header.strip().isdigit():
            return float(header)
        try:
            return max(0.0, (parsedate_to_datetime(header) - self._now()).total_seconds())
        except (TypeError, ValueError):
            return None

    def _too_large(self, url: str, most: int) -> TooLarge:
        return TooLarge(_("{url} holds more than {mb:,} MB").format(url=shown(url), mb=most // MB))


class Offline(Client):
    """A client that is not allowed to use the network."""

    @contextmanager
    def document(self, url: str, params: Mapping[str, str] | None = None) -> Iterator[IO[bytes]]:
        """Refuse."""
        raise SourceFailed(_("the network is forbidden (--offline)"))
        yield  # pragma: no cover - makes this a generator, as the base class has it


def refuse_web_page(url: str, start: bytes) -> None:
    """Raise SourceFailed where a document begins as a web page does."""
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html")):
        raise SourceFailed(_("{url} answered with a web page instead of data").format(url=shown(url)))


def shown(url: str) -> str:
    """Return an address as it may be shown: without keys.

    >>> shown("https://example.org/skus?key=abc&page=2")
    'https://example.org/skus?key=***&page=2'
    """
    return SECRET.sub(r"\1***", url)
