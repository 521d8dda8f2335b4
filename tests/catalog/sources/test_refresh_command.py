"""`rackrent prices refresh` against a local fake of every source."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import feeds
import pytest

from rackrent.catalog.catalog import load
from rackrent.catalog.judge import judged
from rackrent.catalog.sources.aws import INDEX
from rackrent.catalog.store import Store
from rackrent.cli import run
from rackrent.errors import CatalogError

EVERY = ("aws", "azure", "gcp", "gpuhunt", "skypilot", "ecb")


@pytest.fixture
def home(feed, tmp_path, monkeypatch):
    """A data folder, and an environment in which every source is the local fake."""
    feed.put(INDEX, feeds.aws_index("us-east-1"))
    feed.gzipped("/offers/us-east-1/index.json", feeds.aws_offer_file())
    feed.put("/azure", feeds.azure_page(feeds.azure_item(currencyCode="EUR")))
    feed.put("/gcp", {"skus": feeds.gcp_ultra()})
    feed.put("/gpuhunt/lambdalabs/version", "1")
    feed.put(
        "/gpuhunt/lambdalabs/1/catalog.zip", feeds.zipped("lambdalabs.csv", feeds.table(feeds.gpuhunt_row()))
    )
    feed.put("/sky/aws/vms.csv", feeds.table(feeds.skypilot_row()))
    feed.put("/ecb", feeds.ecb(("2026-09-01", {"USD": 1.15, "CNY": 8.0})))
    said = {
        "RACKRENT_DATA": str(tmp_path / "data"),
        "RACKRENT_LANG": "en",
        "RACKRENT_AWS_URL": feed.url,
        "RACKRENT_AWS_REGIONS": "us-east-1",
        "RACKRENT_AZURE_URL": f"{feed.url}/azure",
        "RACKRENT_GCP_URL": f"{feed.url}/gcp",
        "RACKRENT_GCP_KEY": "k",
        "RACKRENT_GPUHUNT_URL": f"{feed.url}/gpuhunt",
        "RACKRENT_GPUHUNT_PROVIDERS": "lambdalabs",
        "RACKRENT_SKYPILOT_URL": f"{feed.url}/sky",
        "RACKRENT_SKYPILOT_CLOUDS": "aws",
        "RACKRENT_ECB_URL": f"{feed.url}/ecb",
    }
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "data"


@pytest.fixture
def rackrent(capsys):
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            run(list(arguments))
        return (ended.value.code, *capsys.readouterr())

    return call


def test_every_source_brings_rows_and_again_changes_nothing(home, rackrent):
    code, out, _err = rackrent("prices", "refresh", "--json")
    told = {s["source"]: s for s in json.loads(out)["sources"]}
    assert code == 0
    assert {name: (s["failed"], s["rows"] > 0) for name, s in told.items()} == dict.fromkeys(
        EVERY, (None, True)
    )
    offers = {r["offer_id"]: r for r in judged(load()).iter_rows(named=True)}
    assert offers["cloud/lambda/gpu_1x_a10/us-east-1/on_demand"]["usd_per_hour"] == 0.75
    assert offers["cloud/azure/standard_nc24ads_a100_v4/eastus/on_demand"]["currency"] == "EUR"
    assert load().cite("aws-price-list").startswith("AWS price list")
    before = sorted(p.name for p in (home / "prices").iterdir())
    code, out, _err = rackrent("prices", "refresh", "--json")
    assert {s["new"] for s in json.loads(out)["sources"]} == {0}
    assert sorted(p.name for p in (home / "prices").iterdir()) == before


def test_a_source_that_breaks_leaves_the_rest_fresh_and_itself_marked(home, feed, rackrent):
    rackrent("prices", "refresh")
    feed.answers["/azure"] = [{"body": "<html>down</html>"}]
    feed.answers["/gpuhunt/lambdalabs/1/catalog.zip"] = [
        {"body": feeds.zipped("lambdalabs.csv", feeds.table(feeds.gpuhunt_row(price="0.80")))}
    ]
    code, out, _err = rackrent("prices", "refresh")
    assert code == 0
    assert "azure: failed:" in out
    assert "a web page instead of data" in out
    offers = {r["offer_id"]: r for r in judged(load()).iter_rows(named=True)}
    azure = offers["cloud/azure/standard_nc24ads_a100_v4/eastus/on_demand"]
    assert (azure["unanswered"], azure["amount"]) == (True, 3.673)
    fresh = offers["cloud/lambda/gpu_1x_a10/us-east-1/on_demand"]
    assert (fresh["unanswered"], fresh["amount"]) == (False, 0.8)
    _code, out, _err = rackrent("prices", "show", "azure/standard_nc24ads_a100_v4/eastus/on_demand", "--json")
    assert json.loads(out)["unanswered"] is True


def test_all_that_fail_is_a_no(home, feed, rackrent):
    feed.answers.clear()
    code, out, err = rackrent("prices", "refresh", "--source", "aws", "--source", "ecb")
    assert code == 1
    assert "Nothing is kept of it" in out
    assert "no source could be refreshed" in err


def test_offline_says_of_when_the_prices_are(home, feed, rackrent):
    code, _out, err = rackrent("prices", "refresh", "--offline")
    assert code == 1
    assert "the newest price at hand is of 2026-" in err
    assert feed.asked == []


def test_ones_own_table_needs_no_network(home, feed, rackrent, tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("who,node,card,price\nUni,n1,L4,0.5\n")
    columns = "{provider: who, instance_type: node, gpu: card, amount: price}"
    (tmp_path / "map.yaml").write_text(
        f"file: mine.csv\ncolumns: {columns}\nvalues: {{currency: USD, kind: campus, gpu_count: 1}}\n"
    )
    monkeypatch.setenv("RACKRENT_OWN_PRICES", str(tmp_path / "map.yaml"))
    assert rackrent("prices", "refresh", "--offline")[0] == 0
    code, out, _err = rackrent("prices", "search", "--gpu", "L4", "--provider", "uni", "--json")
    assert (code, json.loads(out)["count"]) == (0, 1)
    assert feed.asked == []


@pytest.mark.parametrize(("name", "said"), [("azur", "did you mean azure?"), ("own", "RACKRENT_OWN_PRICES")])
def test_a_source_nobody_knows(home, rackrent, monkeypatch, name, said):
    monkeypatch.delenv("RACKRENT_OWN_PRICES", raising=False)
    code, _out, err = rackrent("prices", "refresh", "--source", name)
    assert code == 2
    assert said in err


def test_a_refresh_killed_halfway_leaves_the_old_prices(home, feed, rackrent):
    rackrent("prices", "refresh", "--source", "aws")
    before = Store.open(home / "prices")
    release = threading.Event()
    feed.answers["/ecb"] = [{"body": "", "hang": release}]
    command = [
        sys.executable,
        "-m",
        "rackrent",
        "prices",
        "refresh",
        "--source",
        "gpuhunt",
        "--source",
        "ecb",
    ]
    refreshing = subprocess.Popen(
        command, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": "src"}, cwd=ROOT
    )
    deadline = time.monotonic() + 60
    while not any("/ecb" in path for path in feed.asked):
        assert time.monotonic() < deadline
        assert refreshing.poll() is None
        release.wait(0.05)
    refreshing.send_signal(signal.SIGKILL)
    refreshing.wait(10)
    release.set()
    after = Store.open(home / "prices")
    assert (after.name, after.state) == (before.name, before.state)
    assert rackrent("prices", "refresh", "--source", "gpuhunt")[0] == 0


def test_a_spoilt_folder_is_one_sentence(home, rackrent):
    (home / "prices").mkdir(parents=True)
    (home / "prices" / "current").write_text("nonsense")
    code, _out, err = rackrent("prices", "search", "--gpu", "L4")
    assert code == 2
    assert "Remove that folder and refresh" in err
    with pytest.raises(CatalogError):
        load()


ROOT = Path(__file__).parent.parent.parent.parent
