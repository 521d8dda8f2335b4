"""What was refreshed is kept whole, says when each price held, and is joined over what was shipped."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_market import market, offer

from rackrent.catalog.catalog import Catalog
from rackrent.catalog.judge import judged
from rackrent.catalog.sources.base import table_of
from rackrent.catalog.store import Store, cut, data_dir, merged
from rackrent.errors import BadInput, CatalogError

MAY, JUNE, JULY = date(2026, 5, 1), date(2026, 6, 1), date(2026, 7, 1)
NONE = table_of("offers", ())
SAID = {"name": "s", "citation": "c", "good": None, "failed": {}}
"""What is known of one source."""


def told(day: date, *rows: dict) -> pl.DataFrame:
    return table_of("offers", [row | {"observed_on": day, "valid_from": day} for row in rows])


def history(rows: pl.DataFrame) -> list[tuple]:
    return rows.sort("instance_type", "valid_from").select(
        "instance_type", "amount", "valid_from", "valid_to", "observed_on"
    ).rows()  # fmt: skip


def test_the_same_again_is_not_repeated():
    may = merged(NONE, told(MAY, offer(), offer(instance_type="a2")), "test", MAY)
    assert merged(may, told(MAY, offer(), offer(instance_type="a2")), "test", MAY).equals(may)
    june = merged(may, told(JUNE, offer(), offer(instance_type="a2")), "test", JUNE)
    assert history(june) == [("a1", 1.0, MAY, None, JUNE), ("a2", 1.0, MAY, None, JUNE)]


def test_a_new_price_ends_the_old_one_and_nothing_is_forgotten():
    rows = merged(NONE, told(MAY, offer()), "test", MAY)
    rows = merged(rows, told(JUNE, offer(amount=2.0)), "test", JUNE)
    rows = merged(rows, told(JULY), "test", JULY)
    assert history(rows) == [("a1", 1.0, MAY, JUNE, MAY), ("a1", 2.0, JUNE, JULY, JUNE)]


@pytest.mark.case("P11")
def test_a_silent_provider_keeps_its_rows():
    rows = merged(NONE, told(MAY, offer(), offer(provider="Beta")), "test", MAY)
    rows = merged(rows, told(JUNE, offer()), "test", JUNE, silent=frozenset({"Beta"}))
    assert rows.filter(pl.col("valid_to").is_null()).sort("provider")["observed_on"].to_list() == [JUNE, MAY]


def test_another_source_is_left_alone():
    rows = merged(NONE, told(MAY, offer(source="other")), "other", MAY)
    assert history(merged(rows, told(JUNE), "test", JUNE)) == history(rows)


@pytest.mark.case("P19")
def test_two_prices_for_one_thing_are_both_kept(tmp_path):
    rows = merged(NONE, told(MAY, offer(amount=0.178), offer(amount=0.086), offer(amount=0.086)), "test", MAY)
    assert rows.height == 3
    assert (
        merged(
            rows, told(JUNE, offer(amount=0.086), offer(amount=0.178), offer(amount=0.086)), "test", JUNE
        ).height
        == 3
    )


days = st.lists(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1.0, 2.0, None])), max_size=5), max_size=6
)


@settings(max_examples=80, deadline=None)
@given(days)
def test_history_says_of_every_day_what_the_source_said_then(said):
    rows, dates = NONE, [date(2026, 1, n + 1) for n in range(len(said))]
    fetched = [
        told(d, *(offer(instance_type=t, amount=a) for t, a in day))
        for d, day in zip(dates, said, strict=True)
    ]
    for day, now in zip(dates, fetched, strict=True):
        rows = merged(rows, now, "test", day)
        assert merged(rows, now, "test", day).equals(rows)
    for day, now in zip(dates, fetched, strict=True):
        held = rows.filter(
            (pl.col("valid_from") <= day) & (pl.col("valid_to").is_null() | (pl.col("valid_to") > day))
        )
        key = ["instance_type", "amount"]
        assert held.select(key).sort(key).rows() == now.select(key).sort(key).rows()


def test_shipped_rows_end_where_refreshed_ones_begin():
    shipped = told(MAY, offer(), offer(instance_type="other"), offer(instance_type="later"))
    shipped = shipped.with_columns(
        observed_on=pl.when(pl.col("instance_type") == "later").then(pl.lit(JULY)).otherwise("observed_on")
    )
    refreshed = told(JUNE, offer(amount=2.0), offer(instance_type="later", amount=2.0))
    assert [row[:4] for row in history(cut(shipped, refreshed))] == [
        ("a1", 1.0, MAY, JUNE), ("later", 1.0, MAY, None), ("other", 1.0, MAY, None)
    ]  # fmt: skip


def test_the_catalog_shows_refreshed_prices_and_does_not_bring_back_what_is_gone(tmp_path):
    catalog = market(tmp_path, offer(valid_from=MAY, observed_on=MAY))
    store = Store.open(tmp_path / "prices")
    rows = merged(NONE, told(JUNE, offer(amount=2.0)), "test", JUNE)
    fx = table_of("fx", ())
    store = store.write({"offers": rows, "fx": fx}, {})

    def price(day: date, of: Store) -> list[float]:
        return judged(Catalog(day, catalog.directory, store=of))["usd_per_hour"].to_list()

    assert (price(MAY, store), price(JUNE, store)) == ([1.0], [2.0])
    store = store.write({"offers": merged(rows, told(JULY), "test", JULY), "fx": fx}, {})
    assert (price(MAY, store), price(JUNE, store), price(JULY, store)) == ([1.0], [2.0], [])


def test_what_is_the_same_is_not_written(tmp_path):
    tables = {"offers": told(MAY, offer()), "fx": table_of("fx", ())}
    first = Store.open(tmp_path).write(tables, {"s": SAID | {"name": "1"}})
    assert first.name == "gen-000001"
    assert Store.open(tmp_path).write(tables, {"s": SAID | {"name": "1"}}).name == "gen-000001"
    assert Store.open(tmp_path).write(tables, {"s": SAID | {"name": "2"}}).name == "gen-000002"
    Store.open(tmp_path).write(tables, {"s": SAID | {"name": "3"}})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["current", "gen-000002", "gen-000003"]


KILLED = """
import os, signal, sys
from pathlib import Path
from rackrent.catalog.sources.base import table_of
from rackrent.catalog import store
def die(*_arguments, **_named): os.kill(os.getpid(), signal.SIGKILL)
at = sys.argv[2]
if at == "parquet": store.pl.DataFrame.write_parquet = die
elif at == "disk": store._to_disk = die
elif at == "rename": Path.rename = die
elif at == "pointer": os.replace = die
elif at == "cleaning": store.Store._drop_old = die
store.Store.open(Path(sys.argv[1])).write({"offers": table_of("offers", ()), "fx": table_of("fx", ())}, {"new": %r})
"""


@pytest.mark.parametrize("at", ["parquet", "disk", "rename", "pointer", "cleaning"])
def test_a_killed_refresh_leaves_a_whole_catalog(tmp_path, at):
    old = Store.open(tmp_path).write({"offers": told(MAY, offer()), "fx": table_of("fx", ())}, {"old": SAID})
    killed = subprocess.run(
        [sys.executable, "-c", KILLED % SAID, str(tmp_path), at], check=False, capture_output=True
    )
    assert killed.returncode == -9, killed.stderr
    now = Store.open(tmp_path)
    if at == "cleaning":
        assert (now.state, now.rows("offers").height) == ({"new": SAID}, 0)
    else:
        assert (now.name, now.state, now.rows("offers").height) == (old.name, {"old": SAID}, 1)
    after = now.write({"offers": told(JUNE, offer()), "fx": table_of("fx", ())}, {"after": SAID})
    assert Store.open(tmp_path).state == {"after": SAID}
    assert not list(tmp_path.glob("*.draft"))
    assert after.rows("offers").height == 1


def test_two_refreshes_at_once(tmp_path):
    with (
        Store.open(tmp_path).locked(),
        pytest.raises(BadInput, match="another refresh"),
        Store.open(tmp_path).locked(),
    ):
        pass


BAD_STATES = (
    "[]",
    '{"s": 3}',
    '{"s": {"good": null}}',
    '{"s": {"citation": 3, "good": null, "failed": {}}}',
    '{"s": {"citation": "c", "good": "yesterday", "failed": {}}}',
    '{"s": {"citation": "c", "good": null, "failed": {"": {"on": "2026-13-01", "reason": "x"}}}}',
    '{"s": {"citation": "c", "good": null, "failed": {"": {}}}}',
)


@pytest.mark.parametrize("text", BAD_STATES)
def test_a_state_that_is_none_is_said_in_a_sentence(tmp_path, text):
    store = Store.open(tmp_path).write({"offers": told(MAY, offer()), "fx": table_of("fx", ())}, {})
    (tmp_path / store.name / "state.json").write_text(text)
    with pytest.raises(CatalogError, match="Remove that folder and refresh"):
        Store.open(tmp_path).failures()


def test_a_column_that_came_later_is_unknown_in_what_was_kept_before(tmp_path):
    store = Store.open(tmp_path).write({"offers": told(MAY, offer()), "fx": table_of("fx", ())}, {})
    file = tmp_path / store.name / "offers.parquet"
    pl.read_parquet(file).drop("network_gbps").write_parquet(file)
    rows = Store.open(tmp_path).rows("offers")
    assert (rows.columns, rows["network_gbps"].to_list()) == (NONE.columns, [None])


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(BadInput, match=r"prices cannot be written .*RACKRENT_DATA names another folder"),
        Store(tmp_path / "file" / "prices", None).locked(),
    ):
        pass


@pytest.mark.parametrize("spoil", ["pointer", "lost", "empty", "parquet", "half", "columns", "state"])
def test_a_spoilt_folder_is_said_in_a_sentence(tmp_path, spoil):
    store = Store.open(tmp_path).write({"offers": told(MAY, offer()), "fx": table_of("fx", ())}, {})
    place = tmp_path / store.name
    match spoil:
        case "pointer":
            (tmp_path / "current").write_text("../../etc")
        case "lost":
            (tmp_path / "current").write_text("gen-000009")
        case "empty":
            (tmp_path / "current").write_text("")
        case "parquet":
            (place / "offers.parquet").write_bytes(b"PAR1 no")
        case "half":
            whole = (place / "offers.parquet").read_bytes()
            (place / "offers.parquet").write_bytes(whole[: len(whole) // 2])
        case "columns":
            pl.DataFrame({"a": [1]}).write_parquet(place / "offers.parquet")
        case "state":
            (place / "state.json").write_text("{")
    with pytest.raises(CatalogError, match="Remove that folder and refresh"):
        _read_all(tmp_path)


def _read_all(folder: Path) -> None:
    store = Store.open(folder)
    store.rows("offers")
    store.failures()


def test_where_the_data_is_kept():
    assert data_dir({"RACKRENT_DATA": "mine", "XDG_DATA_HOME": "x"}) == Path("mine")
    assert data_dir({"XDG_DATA_HOME": "x"}) == Path("x/rackrent")
    assert data_dir({}) == Path.home() / ".local/share/rackrent"
