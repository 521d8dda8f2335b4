"""The machine to build, as Python and the command line ask for it."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

import rackrent
from rackrent.app.build import check_parts
from rackrent.building.history import drop
from rackrent.catalog.catalog import load
from rackrent.cli import run
from rackrent.errors import BadInput
from rackrent.i18n import set_language


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        run(["build", *arguments])
    set_language("en")
    assert isinstance(ended.value.code, int)
    return (ended.value.code, *capsys.readouterr())


TODAY = load(as_of=date(2026, 11, 30))


@pytest.mark.case("B7")
@pytest.mark.brief("A12")
def test_the_build_of_2018_says_how_it_differs_from_the_published_list():
    found = rackrent.build({"gpus": 1, "grow_to": 4, "budget": 3000, "date": "2018-09"})
    assert found.proven and found.total_usd is not None and found.total_usd <= 3000
    assert [s.fits for s in found.check.path] == [True, True, True]
    list_2018 = found.rivals[0]
    assert (list_2018.kind, list_2018.price.value) == ("own_build", 2989)
    assert any("Video Card" in d and "RTX 2080 Ti" in d and "GTX 1080 Ti" in d for d in list_2018.differs)
    assert any("Memory: 2 x G.Skill Aegis 32GB (2x16) DDR4-3000 ($432)" in d for d in list_2018.differs)
    assert found.rate > list_2018.rate
    assert "some prices were seen later, up to 2019-05, and stand for the day's" in found.notes


@pytest.mark.case("B8")
def test_too_small_a_budget_shows_the_cheapest_machine_with_its_price(capsys: pytest.CaptureFixture[str]):
    code, out, err = command(capsys, "--budget", "300", "--date", "2026-11-30")
    assert code == 1
    assert "no machine for $300" in err and "costs $" in err
    assert "Power Supply" in out


@pytest.mark.case("B9")
@pytest.mark.brief("A9")
def test_a_drop_in_ones_own_prices_is_reported(tmp_path: Path):
    start = date(2018, 3, 1)
    days = [(start + timedelta(n), 800.0) for n in range((date(2018, 8, 30) - start).days + 1)]
    move = drop("1920X", (*days, (date(2018, 8, 31), 400.0)), date(2018, 9, 30))
    assert move is not None and move.dropped and move.share == 0.5
    rows = [f"Threadripper 1920X,{usd},{day}" for day, usd in (*days, (date(2018, 8, 31), 400.0))]
    file = tmp_path / "prices.csv"
    file.write_text("name,price,date\n" + "\n".join(rows))
    found = rackrent.build({"budget": 3000, "grow_to": 4, "date": "2018-09", "prices": str(file)})
    said = next(n for n in found.notes if "1920X" in n)
    assert "50% under the median of the 180 days before" in said and "rests on 180 of your prices" in said


def test_a_steady_price_is_no_drop():
    history = tuple((date(2018, 3, 1) + timedelta(n), 800.0) for n in range(100))
    move = drop("1920X", history, date(2018, 9, 30))
    assert move is not None and not move.dropped
    assert drop("1920X", history[:3], date(2018, 9, 30)) is None


@pytest.mark.brief("A8")
def test_prebuilt_machines_of_as_many_gpus_stand_beside_it():
    found = rackrent.build({"gpus": 1, "budget": 3000, "date": "2018-09"})
    prebuilt = [r for r in found.rivals if r.kind == "own_prebuilt"]
    assert prebuilt and prebuilt[0].price.value == 5000
    assert found.total_usd < 0.6 * prebuilt[0].price.value
    assert (found.assembly_hours.low, found.assembly_hours.value) == (1, 6)


def test_a_build_of_parts_without_a_price_costs_at_least():
    found = rackrent.build({"gpus": 4, "gpu": "RTX 5000 Ada", "objective": "cheapest"}, TODAY)
    assert found.machine is not None and found.machine.unpriced
    assert found.total_usd is None and found.total_after_tax_usd is None
    assert found.to_dict()["at_least_usd"] > 0
    assert "at least" in found.to_text()


def test_unknown_work_is_unknown_and_never_none_at_all(capsys: pytest.CaptureFixture[str]):
    asked = (
        "--gpus",
        "4",
        "--gpu",
        "RTX PRO 6000 Blackwell Max-Q",
        "--objective",
        "cheapest",
        "--date",
        "2026-11-30",
    )
    code, out, _err = command(capsys, *asked)
    assert code == 0 and "one GPU now, 4 later" in out
    assert "work unknown" in " ".join(out.split()) and "work 0" not in " ".join(out.split())
    built = json.loads(command(capsys, *asked, "--json")[1])
    assert built["work"]["rate"] is None and [v["rate"] for v in built["variants"]] == [None]


def test_what_it_writes_can_be_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for flag, name in (("--csv", "parts.csv"), ("--text", "parts.txt")):
        file = tmp_path / name
        code, out, _err = command(capsys, "--gpus", "2", "--date", "2026-11-30", flag, str(file), "--json")
        built = json.loads(out)
        assert code == 0 and built["feasible"] and built["proven"]
        code, out, _err = command(capsys, "check", str(file), "--date", "2026-11-30", "--json")
        checked = json.loads(out)
        assert code == 0 and checked["total_usd"] == pytest.approx(built["total_usd"])
        assert [m["name"] for m in checked["matches"]] == [p["name"] for p in built["parts"]]


@pytest.mark.brief("A10")
def test_a_list_that_does_not_fit_ends_with_1_and_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "parts.txt"
    file.write_text("CPU: i7 8700K\nMotherboard: Z370 Taichi\nGPU: 4 x GTX 1080 Ti FE\n")
    code, out, err = command(capsys, "check", str(file), "--date", "2018-09")
    assert code == 1 and "need 32 lanes" in err and "Taken for" in out


def test_the_page_stands_alone_and_draws_the_slots(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "build.html"
    assert command(capsys, "--gpus", "4", "--date", "2026-11-30", "--html", str(file))[0] == 0
    page = file.read_text()
    assert page.count("<svg") == 1 and page.count("x16 processor") == 4
    assert "x8 processor" not in page  # slots under a card
    assert "prefers-color-scheme:dark" in page and page.count("no longer made") > 2
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").split("<table>")[0]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"gpus": 3, "grow_to": 2}, "grow_to is 2, fewer than gpus"),
        ({"gpu": "RTX 9999"}, "RTX 9999"),
        (
            {"date": "2012-01"},
            "there are no prices of parts for 2012-01-31; there are for: 2018-09-01 to 2019-10-01; from 2025-07-23 on",
        ),
        ({"date": "2021-06-01"}, "there are no prices of parts for 2021-06-01"),
        ({"gpu": "RX 7900 XTX"}, "gpu and cuda contradict each other: RX 7900 XTX does not run CUDA"),
        ({"without": [""]}, "one is empty"),
        ({"gpu": "RTX 5090", "without": ["5090"]}, "gpu asks for RTX 5090, which without leaves out"),
        ({"gpus": 5, "small": 3}, "small and 5 GPUs contradict each other"),
        ({"gpus": 0}, "gpus is 0; it must be at least 1"),
        ({"budget": float("nan")}, "budget must be a finite number"),
        ({"gpus": 10**9}, "at most 7"),
        ({"budget": -5}, "budget is -5"),
        ({"bugdet": 5}, "did you mean budget?"),
        ({"objective": "cheap"}, "did you mean cheapest?"),
        ({"prices": "nowhere.csv"}, "nowhere.csv cannot be read"),
    ],
)
def test_bad_requirements_are_one_sentence(wanted: dict[str, object], said: str):
    with pytest.raises(BadInput) as error:
        rackrent.build(wanted, TODAY)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("part,usd\nx,1\n", "columns name, price and date"),
        ("name,price\nRTX 4090,0\n", "line 2 of the prices"),
        ("name,price,date\nRTX 4090,1600,soon\n", "line 2 of the prices"),
        ("name,price,currency\nRTX 4090,1600,EUR\n", "line 2 of the prices: they are in USD, not 'EUR'"),
        ("name,price\nVoodoo 2 banshee,90\n", "there is no part 'Voodoo 2 banshee'"),
    ],
)
def test_bad_prices_are_one_sentence(text: str, said: str, tmp_path: Path):
    file = tmp_path / "prices.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=re.escape(said)):
        rackrent.build({"prices": str(file)}, TODAY)


def test_ones_own_price_takes_the_place_of_the_catalogs(tmp_path: Path):
    file = tmp_path / "prices.csv"
    file.write_text("name,price,date\nRTX 5090 Founders,1500,2026-11-01\n")
    found = rackrent.build({"prices": str(file), "gpu": "RTX 5090"}, TODAY)
    card = found.lines()[0]
    assert (card["usd"], card["source"], card["observed_on"]) == (1500, "your prices", "2026-11-01")


def test_a_requirement_nothing_meets_is_named():
    found = rackrent.build({"ram": 5000, "date": "2026-11-30"})
    assert not found.feasible and "5000 GB of memory" in found.reason
    assert found.nearest is not None


@pytest.mark.case("B8")
@pytest.mark.parametrize(
    ("wanted", "reason", "nearest"),
    [
        ({"gpu": "H100 PCIe 80GB"}, "H100 PCIe 80GB has no fan of its own", None),
        ({"gpu": "H100 SXM 80GB"}, "no card with H100 SXM 80GB is among the parts we know", None),
        ({"gpu": "RTX 4090", "gpus": 4}, "none make a machine for 4 x RTX 4090", 2),
        (
            {"gpu": "RTX PRO 6000 Blackwell Max-Q"},
            "how fast RTX PRO 6000 Blackwell Max-Q is on this work is unknown",
            1,
        ),
        ({"gpu_memory": 200}, "no card with 200 GB makes such a machine", None),
        ({"grow_to": 7, "gpu": "RTX 5090"}, "no machine grows to 7 GPUs", 1),
    ],
)
def test_where_nothing_can_be_built_it_says_why_and_what_comes_nearest(wanted, reason, nearest):
    found = rackrent.build(wanted, TODAY)
    assert not found.feasible and reason in found.reason and "$" in found.reason
    cards = found.nearest.cards
    if nearest is not None:
        assert (cards[0].gpu, len(cards)) == (found.requirements.gpu, nearest)


def test_the_work_is_told_by_task(capsys: pytest.CaptureFixture[str]):
    found = rackrent.build({"task": "training", "gpus": 2, "gpu": "RTX 5080"}, TODAY)
    work = found.to_dict()["work"]
    assert set(work["by_task"]) == {"generic", "training", "inference"}
    assert work["rate"] == pytest.approx(work["by_task"]["training"])
    one = rackrent.build({"task": "training", "gpu": "RTX 5080"}, TODAY)
    assert work["rate"] == pytest.approx(2 * one.rate)


def test_wishes_that_a_part_does_not_meet_are_said():
    found = rackrent.build({"ecc": 1, "quiet": 1, "brand": ["Nobody"]}, TODAY)
    assert any(n.startswith("wish ecc not met by: ") for n in found.notes)
    assert "wish brand: no part of Nobody is in it" in found.notes
    plain = rackrent.build({}, TODAY)
    assert not any(n.startswith("wish") for n in plain.notes)


@pytest.mark.brief("A8")
def test_what_building_saves_against_a_prebuilt_machine_of_the_same_gpu_is_said(
    capsys: pytest.CaptureFixture[str],
):
    code, out, _err = command(
        capsys, "--gpu", "GTX 1080 Ti", "--grow-to", "4", "--budget", "3000", "--date", "2018-09"
    )
    assert code == 0
    said = re.search(r"DevBox .*building it saves (\d+)%", " ".join(out.split()))
    assert said is not None and 40 <= int(said[1]) <= 60


def test_a_list_from_a_day_without_parts_says_so_and_not_that_a_part_is_unknown(tmp_path: Path):
    with pytest.raises(BadInput, match="there are no prices of parts for 2021-01-31"):
        check_parts("GPU: RTX 4090\n", date="2021-01")


def test_files_that_a_spreadsheet_saved_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    prices, parts = tmp_path / "prices.csv", tmp_path / "parts.csv"
    prices.write_text("name,price,date\nRTX 5090 Founders,1500,2026-11-01\n", encoding="utf-8-sig")
    found = rackrent.build({"prices": str(prices), "gpu": "RTX 5090"}, TODAY)
    assert found.lines()[0]["usd"] == 1500
    parts.write_text("type,name\ncpu,Ryzen 5 5600\n", encoding="utf-8-sig")
    code, out, _err = command(capsys, "check", str(parts), "--date", "2026-11-30")
    assert code == 0 and "AMD Ryzen 5 5600" in out


def test_no_file_is_written_over_another_that_was_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "prices.csv"
    file.write_text("name,price\nRTX 5090 Founders,1500\n")
    before = file.read_text()
    for more in (("--prices", str(file)), ("--text", str(file))):
        code, _out, err = command(capsys, "--csv", str(file), *more, "--date", "2026-11-30")
        assert code == 2 and "must be different files" in err and file.read_text() == before
    assert command(capsys, "--html", str(tmp_path), "--date", "2026-11-30")[0] == 2
    assert list(tmp_path.iterdir()) == [file]


def test_starting_small_is_a_build_of_its_own_though_its_parts_are_the_same():
    found = rackrent.build({"gpus": 2, "gpu": "RTX 5080", "objective": "cheapest"}, TODAY)
    small = next(v for v in found.variants if v.name == "one GPU now, 2 later")
    assert len(small.machine.cards) == 1
    assert {i.part.name for i in small.machine.items} == {i.part.name for i in found.machine.items}


def test_growing_says_what_is_then_to_mind(capsys: pytest.CaptureFixture[str]):
    said = " ".join(command(capsys, "--grow-to", "4", "--budget", "3000", "--date", "2018-09")[1].split())
    assert "4 GPUs: add 3 x Asus RTX 2080 Ti Turbo; the supply then needs 1,575 W" in said
    assert "4 GPUs, to mind: 64 GB of memory is under twice the 44 GB of the GPUs" in said
