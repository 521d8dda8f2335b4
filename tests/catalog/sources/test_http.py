"""The rim to the network: what goes wrong there ends in one sentence."""

from __future__ import annotations

import threading

import pytest

from rackrent.catalog.sources.http import MB, Client, Offline, SourceFailed


def test_a_document_comes_whole_packed_or_not(feed, client):
    feed.put("/a", {"x": 1})
    feed.gzipped("/b", {"x": "é" * 1000})
    assert client.json(f"{feed.url}/a") == {"x": 1}
    assert client.json(f"{feed.url}/b") == {"x": "é" * 1000}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_is_tried_again_after_a_wait_that_doubles(feed, client, waits, status):
    for _ in range(3):
        feed.put("/a", status=status)
    feed.put("/a", {"x": 1})
    assert client.json(f"{feed.url}/a") == {"x": 1}
    assert waits == [1.0, 2.0, 4.0]


def test_it_is_not_tried_for_ever(feed, client, waits):
    feed.put("/a", status=500)
    with pytest.raises(SourceFailed, match=r"it answered 500 \(tries: 4\)"):
        client.json(f"{feed.url}/a")
    assert len(feed.asked) == 4


@pytest.mark.parametrize(
    ("header", "waited"), [("7", 7.0), ("Mon, 30 Nov 2026 00:00:09 GMT", 9.0), ("soon", 1.0)]
)
def test_a_rate_limit_says_how_long_to_wait(feed, client, waits, header, waited):
    feed.put("/a", status=429, headers={"Retry-After": header})
    feed.put("/a", [])
    assert client.json(f"{feed.url}/a") == []
    assert waits == [waited]


def test_nobody_waits_an_hour(feed, client, waits):
    feed.put("/a", status=429, headers={"Retry-After": "3600"})
    with pytest.raises(SourceFailed, match=r"it answered 429 \(tries: 1\)"):
        client.json(f"{feed.url}/a")
    assert waits == []


def test_what_is_not_there_is_not_asked_for_twice(feed, client, waits):
    with pytest.raises(SourceFailed, match="answered 404"):
        client.json(f"{feed.url}/none")
    assert len(feed.asked) == 1


def test_a_source_that_hangs_is_given_up(feed, waits):
    release = threading.Event()
    feed.put("/a", {}, hang=release)
    hasty = Client(timeout_s=0.05, tries=2, sleep=waits.append)
    with hasty as client, pytest.raises(SourceFailed, match="did not answer in time"):
        client.json(f"{feed.url}/a")
    release.set()
    assert waits == [1.0]


def test_a_transfer_that_breaks_off_is_not_believed(feed, client):
    feed.put("/a", '{"x": 1', length=400)
    feed.put("/a", {"x": 1})
    assert client.json(f"{feed.url}/a") == {"x": 1}


def test_gzip_that_breaks_off_is_not_believed(feed, client):
    feed.gzipped("/a", {"x": list(range(5000))}, cut=20)
    with pytest.raises(SourceFailed, match="its gzip breaks off"):
        client.json(f"{feed.url}/a")


@pytest.mark.parametrize("page", ["<!DOCTYPE html><html>Sign in</html>", "\n <html>Moved</html>"])
def test_a_web_page_is_not_data(feed, client, page):
    feed.put("/a", page)
    with pytest.raises(SourceFailed, match="a web page instead of data"):
        client.json(f"{feed.url}/a")


@pytest.mark.parametrize("body", ['{"x": ', "", "nothing", b"\xff\xfe\xfa"])
def test_half_a_document_is_none(feed, client, body):
    feed.put("/a", body)
    with pytest.raises(SourceFailed, match=r"not whole JSON|not a text in UTF-8"):
        client.json(f"{feed.url}/a")


def test_a_flood_is_stopped_packed_or_not(feed, waits):
    feed.put("/a", b"1" * (3 * MB))
    feed.gzipped("/b", b"1" * (3 * MB))
    with Client(bytes_max=2 * MB, sleep=waits.append) as client:
        for path in ("/a", "/b"):
            with pytest.raises(SourceFailed, match="more than 2 MB"):
                client.content(feed.url + path)


def test_no_server_at_all(client, waits):
    with pytest.raises(SourceFailed, match=r"could not be read: .+ \(tries: 2\)"):
        client.json("http://127.0.0.1:9/none?key=secret")
    assert waits == [1.0]


def test_a_key_is_not_shown(feed, client):
    with pytest.raises(SourceFailed) as failed:
        client.json(f"{feed.url}/none?key=secret")
    assert "secret" not in str(failed.value)


def test_offline_asks_nobody(feed):
    with Offline() as client, pytest.raises(SourceFailed, match="--offline"):
        client.json(f"{feed.url}/a")
    assert feed.asked == []
