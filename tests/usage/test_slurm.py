"""Slurm accounting, by the cases of `usage.md`: each in a small dump of our own, and in a real one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared_files import shared

from rackrent import usage
from rackrent.errors import BadInput
from rackrent.usage.waits import with_wait

HEAD = "JobIDRaw|JobID|User|Account|Partition|State|Submit|Eligible|Start|End|Timelimit|Elapsed|ReqTRES|AllocTRES"


def job(id: str = "1", *, raw: str | None = None, start: str = "2024-04-01T10:00:00", end: str = "2024-04-01T12:00:00", elapsed: str = "02:00:00", tres: str = "cpu=8,gres/gpu:v100=1,gres/gpu=1", state: str = "COMPLETED", pool: str = "gpulong", requested: str = "gres/gpu=1", limit: str = "1-00:00:00", submit: str = "2024-04-01T08:00:00") -> str:  # fmt: skip
    return f"{raw or id}|{id}|ada|lab|{pool}|{state}|{submit}|{submit}|{start}|{end}|{limit}|{elapsed}|{requested}|{tres}"


def load(folder: Path, *rows: str, **said: object) -> usage.Usage:
    path = folder / "sacct.txt"
    path.write_text("\n".join((HEAD, *rows)) + "\n")
    return usage.load(path, timezone=said.pop("timezone", "UTC"), **said)  # type: ignore[arg-type]


@pytest.mark.case("U1")
@pytest.mark.parametrize(
    ("tres", "gpus", "gpu"),
    [
        ("gres/gpu:v100=1,gres/gpu=1", 1, "V100"),
        ("gres/gpu:v100=2,gres/gpu:a100=1", 3, None),
        ("gres/gpu=4", 4, None),
    ],
)
def test_the_total_counts_and_typed_entries_are_its_breakdown(
    tmp_path: Path, tres: str, gpus: float, gpu: str | None
) -> None:
    found = load(tmp_path, job(tres=f"cpu=8,{tres},mem=1G"))
    assert found.jobs["gpus"].to_list() == [gpus]
    assert found.jobs["gpu"].to_list() == [gpu]
    assert found.gpu_hours == pytest.approx(2 * gpus)


@pytest.mark.case("U2")
def test_steps_are_of_a_job_already_counted(tmp_path: Path) -> None:
    found = load(tmp_path, job(), job("1.batch"), job("1.extern"), job("1.0"))
    assert found.gpu_hours == pytest.approx(2)
    assert found.jobs.height == 1


@pytest.mark.case("U2")
def test_a_real_dump_holds_what_it_holds() -> None:
    found = usage.load(shared("data/sacct_groningen.txt"), timezone="Europe/Amsterdam")
    assert set(found.jobs["gpu"]) == {"V100", "A100", None}
    assert round(found.gpu_hours, 4) == 42.1947
    hours = {g: round(float(found.jobs.filter(gpu=g)["gpu_hours"].sum()), 4) for g in ("V100", "A100")}
    assert hours == {"V100": 42.1936, "A100": 0.0011}
    assert found.jobs["gpus"].drop_nulls().len() == 5


@pytest.mark.case("U3")
def test_what_was_allocated_counts_and_never_times_nodes(tmp_path: Path) -> None:
    found = load(tmp_path, job(requested="gres/gpu=2,node=1", tres="gres/gpu=8,node=2"))
    assert found.jobs["gpus"].to_list() == [8]


@pytest.mark.case("U4")
def test_a_job_cancelled_before_its_start_used_nothing(tmp_path: Path) -> None:
    row = job(state="CANCELLED by 10290820", start="None", elapsed="00:00:00", tres="")
    found = load(tmp_path, row)
    assert found.gpu_hours == 0
    assert found.rows_unreadable == 0 and found.warnings == ()


@pytest.mark.case("U5")
def test_a_running_job_is_cut_at_the_dump(tmp_path: Path) -> None:
    found = load(tmp_path, job(state="RUNNING", end="Unknown", elapsed="06:34:03"))
    assert found.gpu_hours == pytest.approx(6 + 34 / 60 + 3 / 3600)


@pytest.mark.case("U6")
def test_each_attempt_of_a_requeued_job_counts_and_overlapping_dumps_count_once(tmp_path: Path) -> None:
    first, second = job(state="NODE_FAIL"), job(start="2024-04-02T10:00:00", end="2024-04-02T12:00:00")
    (tmp_path / "b.txt").write_text("\n".join((HEAD, second)) + "\n")
    (tmp_path / "a.txt").write_text("\n".join((HEAD, first, second)) + "\n")
    found = usage.load([tmp_path / "a.txt", tmp_path / "b.txt"], timezone="UTC")
    assert found.gpu_hours == pytest.approx(4)
    assert found.warnings == ("1 job is in more than one dump and counted once",)


@pytest.mark.case("U7")
@pytest.mark.parametrize("limit", ["UNLIMITED", "Partition_Limit", "NOT_SET"])
def test_a_time_limit_is_never_usage(tmp_path: Path, limit: str) -> None:
    assert load(tmp_path, job(limit=limit)).gpu_hours == pytest.approx(2)


@pytest.mark.case("U8")
@pytest.mark.parametrize(("elapsed", "hours"), [("1-02:00:00", 26.0), ("02:00:00", 2.0), ("30:00.000", 0.5)])
def test_every_form_of_elapsed_is_read(tmp_path: Path, elapsed: str, hours: float) -> None:
    assert load(tmp_path, job(elapsed=elapsed)).gpu_hours == pytest.approx(hours)


def in_json(new: bool) -> dict[str, object]:
    def number(value: int) -> object:
        return {"set": True, "infinite": False, "number": value} if new else value

    tres = [
        {"type": "cpu", "name": None, "id": 1, "count": 8},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 2},
    ]
    time = {"submission": 1711900000, "eligible": 1711900000, "start": 1711963200, "end": 0, "elapsed": 20615, "limit": number(2880) if new else 1440}  # fmt: skip
    state = {"current": ["NODE_FAIL"] if new else "NODE_FAIL", "reason": "None"}
    return {"jobs": [{"job_id": 7, "user": "ada", "account": "lab", "partition": "gpu", "state": state, "time": time, "tres": {"allocated": tres, "requested": []}}]}  # fmt: skip


@pytest.mark.case("U9")
@pytest.mark.parametrize("new", [False, True], ids=["21.08", "23"])
def test_json_of_both_ages_is_read_and_an_end_of_0_counts_the_elapsed(tmp_path: Path, new: bool) -> None:
    path = tmp_path / "sacct.json"
    path.write_text(json.dumps(in_json(new)))
    found = usage.load(path)
    assert found.formats == (("sacct.json", "sacct-json"),)
    assert found.gpu_hours == pytest.approx(2 * 20615 / 3600)
    assert found.warnings == ()


@pytest.mark.case("U10")
def test_a_window_clips_the_jobs_that_overlap_it(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    row = job(
        submit="2024-03-31T10:00:00",
        start="2024-03-31T20:00:00",
        end="2024-04-01T04:00:00",
        elapsed="08:00:00",
    )
    months = [(datetime(2024, m, 1, tzinfo=UTC), datetime(2024, m + 1, 1, tzinfo=UTC)) for m in (3, 4)]
    assert [load(tmp_path, row, window=w).gpu_hours for w in months] == pytest.approx([4, 4])
    waits = [with_wait(load(tmp_path, row, window=w).jobs)["wait_hours"].item() for w in months]
    assert waits[0] is not None and waits[1] is None, "a job waited for its start, not for the window's"
    april = datetime(2024, 4, 1, tzinfo=UTC)
    open_ended = [
        load(tmp_path, row, window=w).gpu_hours for w in ((None, april), (april, None), (None, None))
    ]
    assert open_ended == pytest.approx([4, 4, 8])


@pytest.mark.case("U11")
def test_local_times_need_a_zone_and_days_have_23_and_25_hours(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("started,ended,gpus\n2024-03-31,2024-04-01,1\n2024-10-27,2024-10-28,1\n")
    said = usage.load(path)
    assert said.warnings == ("times without an offset are taken as UTC; say --timezone if they are local",)
    assert said.jobs["gpu_hours"].to_list() == [24, 24]
    local = usage.load(path, timezone="Europe/Amsterdam")
    assert local.warnings == ()
    assert local.jobs["gpu_hours"].to_list() == [23, 25]


@pytest.mark.case("U11")
def test_the_end_says_in_which_pass_of_the_doubled_hour_a_job_began(tmp_path: Path) -> None:
    row = job(start="2024-10-27T02:30:00", end="2024-10-27T03:30:00", elapsed="01:00:00")
    found = load(tmp_path, row, timezone="Europe/Amsterdam")
    assert found.jobs["started"][0].isoformat() == "2024-10-27T01:30:00+00:00"


@pytest.mark.case("U12")
def test_a_gpu_pool_that_does_not_account_gpus_is_unknown_not_zero(tmp_path: Path) -> None:
    found = load(tmp_path, job(tres="cpu=8,mem=1G"), job("2"), job("3", tres="cpu=8", pool="regular"))
    assert found.jobs["gpus"].to_list() == [None, 1]
    assert found.gpu_hours == pytest.approx(2)
    assert "1 job (2.0 h) ran in a GPU pool without saying how many GPUs it held" in found.warnings[0]


@pytest.mark.case("U13")
def test_a_pending_range_of_an_array_uses_nothing_and_a_task_is_one_job(tmp_path: Path) -> None:
    waiting = job("4103947_[1-3]", raw="4103947", state="PENDING", start="Unknown", end="Unknown", elapsed="00:00:00", tres="")  # fmt: skip
    found = load(tmp_path, waiting, job("7216821_144", raw="7216900"))
    assert found.jobs["job"].to_list() == ["7216900"]
    assert found.rows_unreadable == 0


@pytest.mark.case("U24")
def test_wait_runs_from_eligible_to_start_and_a_full_pool_with_a_long_wait_is_censored(
    tmp_path: Path,
) -> None:
    from rackrent.usage.summary import summarise

    row = job(start="2024-04-02T00:00:00", end="x", elapsed="23:02:24", submit="2024-03-31T17:00:00")
    found = summarise(load(tmp_path, row))
    assert found.waits.row(0, named=True)["median_wait_hours"] == 31
    assert "gpulong: 96 % busy, median wait 31 h: demand is censored" in found.warnings[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("JobID|State|Start|Elapsed\n1|COMPLETED|2024-04-01T00:00:00|01:00:00\n", "column AllocTRES is missing"),
        ("JobID,State,Start,Elapsed,AllocTRES\n1,a,b,c,d\n", "not parted by '|'; ask for it with -P"),
        ("       JobID    JobName  Partition\n------------ ---------- ----------\n", "sacct's table for people"),
        ("", "this file is empty"),
        ('{"jobs": [{"job_id": 1', "not the whole output of sacct --json"),
        ("PK\x03\x04abc", "ZIP archive"),
        ("PK\x03\x04xl/workbook.xml", "Excel workbook"),
        ("a;b;c\n1;2;3\n", "its columns are parted by ';'"),
        ("a,b,c\n1,2,3\n", "a plain CSV needs the columns started, gpus"),
        ('{"x": 1}', "none of the usage formats"),
    ],
)  # fmt: skip
def test_what_is_no_dump_is_refused_in_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "file.txt"
    path.write_text(content)
    with pytest.raises(BadInput) as caught:
        usage.load(path)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_line_that_breaks_off_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    found = load(tmp_path, job("1"), "2|2|ada|lab|gpu")
    assert found.gpu_hours == pytest.approx(2)
    assert found.rows_unreadable == 1
    assert found.warnings == (
        "sacct.txt: 1 line has another number of fields than the header and is left out (line 3)",
    )


def test_a_negative_elapsed_and_an_unreadable_start_are_counted(tmp_path: Path) -> None:
    found = load(tmp_path, job("1"), job("2", elapsed="-01:00:00"), job("3", start="yesterday"))
    assert found.gpu_hours == pytest.approx(2)
    assert found.rows_unreadable == 2
    assert "negative elapsed" in found.warnings[0] and "cannot be read" in found.warnings[1]


def test_a_mislabelled_file_names_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("BilledCost,ChargePeriodStart\n1,2\n")
    with pytest.raises(BadInput, match="column JobID, State, Start, Elapsed, AllocTRES is missing"):
        usage.load(path, format="sacct")


@pytest.mark.parametrize(("zone", "close"), [("Europe/Berln", "Europe/Berlin")])
def test_an_unknown_time_zone_names_the_nearest(tmp_path: Path, zone: str, close: str) -> None:
    with pytest.raises(BadInput, match=close):
        load(tmp_path, job(), timezone=zone)


@pytest.mark.case("U27")
def test_pseudonyms_are_stable_and_no_name_is_left(tmp_path: Path) -> None:
    one, two = (load(tmp_path, job(), pseudonymise=True) for _ in range(2))
    assert one.jobs["person"].to_list() == two.jobs["person"].to_list() != ["ada"]
    assert "ada" not in one.jobs.write_json() and "lab" not in one.jobs.write_json()
