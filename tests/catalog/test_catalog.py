"""The catalog of one day: validity, facts learnt later, and files that are not what they should be."""

import json
import shutil
from datetime import date

import polars as pl
import pytest

from rackrent.catalog.catalog import DATA_DIR, Catalog, fact_of, load, read_table
from rackrent.catalog.schema import TABLES
from rackrent.errors import CatalogError

ROW = {"source": "s", "observed_on": "2022-01-01", "confidence": "high", "valid_to": None, "note": None}


def pue_catalog(folder, as_of):
    rows = [
        ROW | {"site": "a", "pue": 1.5, "valid_from": "2020-01-01", "valid_to": "2022-01-01"},
        ROW | {"site": "a", "pue": 1.4, "valid_from": "2022-01-01"},
        ROW | {"site": "b", "pue": 1.2, "valid_from": "2023-01-01"},
        ROW | {"site": "b", "pue": 1.1, "valid_from": "2024-01-01"},
        ROW | {"site": "gone", "pue": 1.9, "valid_from": "2019-01-01", "valid_to": "2020-01-01"},
    ]
    pl.DataFrame(rows, infer_schema_length=None).write_csv(folder / "pue.csv")
    return Catalog(as_of, folder)


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (date(2021, 6, 1), {"a": (1.5, False), "b": (1.2, True)}),
        (date(2022, 1, 1), {"a": (1.4, False), "b": (1.2, True)}),
        (date(2025, 1, 1), {"a": (1.4, False), "b": (1.1, False)}),
    ],
)
def test_of_one_key_the_latest_that_held_is_known_else_the_earliest_later_one(tmp_path, as_of, expected):
    rows = pue_catalog(tmp_path, as_of).known_by("pue", ("site",))
    assert {r["site"]: (r["pue"], r["known_later"]) for r in rows.iter_rows(named=True)} == expected


def test_table_shows_nothing_that_did_not_hold_on_the_day(tmp_path):
    assert pue_catalog(tmp_path, date(2021, 6, 1)).table("pue")["pue"].to_list() == [1.5]


def test_a_fact_learnt_later_says_when(tmp_path):
    row = pue_catalog(tmp_path, date(2021, 6, 1)).known_by("pue", ("site",)).row(1, named=True)
    assert "known only later: observed 2022-01" in fact_of("pue", "b", row, row["pue"], "").note


def test_rows_of_a_person_join_the_shipped_ones(tmp_path):
    shipped = pue_catalog(tmp_path, date(2025, 1, 1))
    mine = shipped.all_rows("pue").head(1).with_columns(site=pl.lit("mine"), valid_to=None)
    catalog = Catalog(shipped.as_of, tmp_path, extra={"pue": mine})
    assert "mine" in catalog.table("pue")["site"].to_list()


def test_once_makes_a_thing_once():
    made = []
    catalog = load()
    assert [catalog.once("x", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("content", "what"),
    [(None, "cannot be read"), ("site\nhome\n", "lacks the column pue"), ("\x00\xff", "pue.csv")],
)
def test_a_file_of_another_shape_is_one_sentence(tmp_path, content, what):
    path = tmp_path / "pue.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CatalogError, match=what) as caught:
        read_table(path, TABLES["pue"])
    assert "\n" not in str(caught.value)


def test_a_number_that_is_a_word_names_the_file(tmp_path):
    pue_catalog(tmp_path, date(2025, 1, 1))
    text = (tmp_path / "pue.csv").read_text().replace("1.5", "lots")
    (tmp_path / "pue.csv").write_text(text)
    with pytest.raises(CatalogError, match="wrong type"):
        read_table(tmp_path / "pue.csv", TABLES["pue"])


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(CatalogError, match="does not exist"):
        load(tmp_path / "nowhere")


def test_a_file_that_ends_early_at_the_end_of_a_line_is_noticed(tmp_path):
    """The half that is left is a whole table; only its size tells."""
    copy = tmp_path / "data"
    shutil.copytree(DATA_DIR, copy)
    sizes = {file.name: file.stat().st_size for file in copy.glob("*.csv")}
    (copy / "sizes.json").write_text(json.dumps(sizes))
    whole = Catalog(date(2026, 11, 30), copy).all_rows("fx").height
    lines = (copy / "fx.csv").read_text().splitlines(keepends=True)
    (copy / "fx.csv").write_text("".join(lines[: len(lines) // 2]))
    with pytest.raises(CatalogError, match=r"fx.csv holds .* it is cut off, or was changed"):
        Catalog(date(2026, 11, 30), copy).all_rows("fx")
    (copy / "sizes.json").unlink()
    assert Catalog(date(2026, 11, 30), copy).all_rows("fx").height < whole
