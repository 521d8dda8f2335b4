"""Plain CSV, GPU metrics, SkyPilot, dstack, and our own Parquet."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from shared_files import shared

from rackrent import usage
from rackrent.errors import BadInput
from rackrent.usage.load import load
from rackrent.usage.store import write
from rackrent.usage.summary import summarise


def text(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("name", "column", "hours"), [("earth_all", "earth_all", 744), ("vcJLV", "vcJLV", 744)]
)
def test_a_real_table_by_the_hour_needs_only_its_column_named(name: str, column: str, hours: int) -> None:
    path = shared("data/helios_earth_2020-05_hourly_gpus.csv")
    found = usage.load(path, timezone="UTC", columns={"gpus_in_use": column})
    assert found.hourly.height == hours
    assert found.gpu_hours == pytest.approx(pl.read_csv(path)[name].sum())


@pytest.mark.parametrize(("region", "units", "peak"), [("1", 5_017_649, 909), ("2", 6_683_985, 1_030)])
def test_the_regions_of_a_real_table_are_pools(region: str, units: float, peak: float) -> None:
    path = shared("data/shaved_ice_regions_1_2_2021-02_2023-01.csv")
    found = usage.load(path, timezone="UTC", columns={"gpus_in_use": "units", "pool": "region"})
    pool = found.hourly.filter(pool=region)
    assert (pool.height, pool["gpus_in_use"].sum(), pool["gpus_in_use"].max()) == (17_520, units, peak)


def test_an_hour_told_twice_asks_for_the_column_that_parts_its_rows(tmp_path: Path) -> None:
    path = text(tmp_path / "h.csv", "hour,gpus_in_use\n2024-01-01 00:00,1\n2024-01-01 00:00,2\n")
    with pytest.raises(BadInput, match="hour 2024-01-01 00:00 appears more than once"):
        usage.load(path)


def test_the_hour_that_clocks_pass_twice_is_two_hours(tmp_path: Path) -> None:
    path = text(tmp_path / "h.csv", "hour,gpus_in_use\n2024-10-27 02:00,1\n2024-10-27 02:00,2\n")
    found = usage.load(path, timezone="Europe/Amsterdam")
    assert [t.hour for t in found.hourly["hour_utc"]] == [0, 1]


def test_a_share_of_a_gpu_is_that_share(tmp_path: Path) -> None:
    path = text(tmp_path / "j.csv", "started,hours,gpus,gpucores,gpu\n2024-01-01T00:00:00Z,4,1,25,Tesla T4\n")
    found = usage.load(path)
    assert (found.gpu_hours, found.jobs["gpus"][0], found.jobs["gpu"][0]) == (1, 0.25, "T4")


def test_bad_rows_of_a_csv_are_counted(tmp_path: Path) -> None:
    path = text(
        tmp_path / "j.csv",
        "started,ended,gpus\n2024-01-01,2024-01-02,1\n2024-01-02,2024-01-01,1\nx,2024-01-01,1\n2024-01-01,2024-01-02,two\n",
    )
    found = usage.load(path, timezone="UTC")
    assert (found.gpu_hours, found.rows_unreadable) == (24, 3)
    assert "3 rows have a time or a number that cannot be read, or is negative" in found.warnings[0]


ENGINE, UTIL = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"


def series(metric: str, values: list[float], **labels: str) -> dict[str, object]:
    at = [[1_704_067_200 + 900 * i, str(v)] for i, v in enumerate(values)]
    return {
        "metric": {"__name__": metric, "Hostname": "n1", "modelName": "NVIDIA A100-SXM4-80GB"} | labels,
        "values": at,
    }


def metrics(folder: Path, *all_series: dict[str, object]) -> usage.Usage:
    answer = {"status": "success", "data": {"resultType": "matrix", "result": list(all_series)}}
    return usage.load(text(folder / "m.json", json.dumps(answer)))


def test_a_gpu_that_is_watched_is_paid_and_in_use_while_it_does_anything(tmp_path: Path) -> None:
    found = metrics(tmp_path, series(UTIL, [0, 50, 100, 0], UUID="a"))
    row = found.hourly.row(0, named=True)
    assert (row["gpu_hours_paid"], row["gpus_in_use"], row["gpu_hours_used"]) == (1, 0.5, 0.375)
    assert row["gpu"] == "A100 SXM 80GB"


def test_on_mig_the_engine_counts_by_slices(tmp_path: Path) -> None:
    cut = {"UUID": "a", "GPU_I_PROFILE": "3g.40gb"}
    found = metrics(
        tmp_path,
        series(ENGINE, [1.0] * 4, GPU_I_ID="1", **cut),
        series(ENGINE, [0.0] * 4, GPU_I_ID="2", **cut),
        series(UTIL, [99] * 4, GPU_I_ID="1", **cut),
    )
    row = found.hourly.row(0, named=True)
    assert row["gpu_hours_paid"] == 1
    assert row["gpus_in_use"] == row["gpu_hours_used"] == pytest.approx(3 / 7)


def test_time_sliced_replicas_are_one_gpu_and_its_pods_hold_shares(tmp_path: Path) -> None:
    pods = [series(UTIL, [80] * 4, UUID="a", pod=p, namespace="lab") for p in ("x", "y")]
    found = metrics(tmp_path, *pods)
    assert found.hourly["gpu_hours_paid"].sum() == 1
    assert found.jobs.sort("job")["job"].to_list() == ["lab/x", "lab/y"]
    assert found.jobs["gpu_hours"].to_list() == [0.5, 0.5]


@pytest.mark.case("U27")
def test_no_name_is_left_in_the_names_of_jobs(tmp_path: Path) -> None:
    pod = {
        "data": {
            "resultType": "matrix",
            "result": [series(UTIL, [80] * 4, UUID="a", pod="x", namespace="ada")],
        }
    }
    seen = text(tmp_path / "a.json", json.dumps(pod))
    own = text(
        tmp_path / "b.csv", "job,started,hours,gpus,person\nada-7,2026-01-01,1,2,ada\n7,2026-01-01,1,2,ada\n"
    )
    found = usage.load([seen, own], pseudonymise=True)
    told = found.jobs.write_json() + found.hourly.write_json() + found.charges.write_json()
    assert "ada" not in told
    assert found.jobs["job"].n_unique() == 3
    assert "7" in found.jobs["job"].to_list(), "a number is nobody's name"


def test_scrapes_need_timestamps(tmp_path: Path) -> None:
    line = f'{UTIL}{{gpu="0",UUID="a",modelName="Tesla T4",Hostname="n1"}} 95'
    found = usage.load(text(tmp_path / "a.prom", f"# HELP x\n{line} 1704067200000\nnonsense\n"))
    assert (found.gpu_hours, found.rows_unreadable) == (1, 1)
    with pytest.raises(BadInput, match="its samples have no timestamps"):
        usage.load(text(tmp_path / "b.prom", f"# HELP x\n{line}\n"))


def test_skypilot_counts_each_interval_and_shares_the_cost_by_time(tmp_path: Path) -> None:
    report = [
        {"name": "train", "launched_at": 1_704_067_200, "duration": 7200, "num_nodes": 2, "resources": {"accelerators": {"V100": 4}},
         "cloud": "AWS", "user_name": "ada", "total_cost": 48.0, "usage_intervals": [[1_704_067_200, 1_704_070_800], [1_704_081_600, 1_704_085_200]]},
        {"name": "now", "num_nodes": 1, "accelerators": "A100:1", "usage_intervals": [[1_704_067_200, None]]},
    ]  # fmt: skip
    found = usage.load(text(tmp_path / "sky.json", json.dumps(report)))
    assert (found.gpu_hours, found.billed_usd) == (16, 48)
    assert found.jobs["gpus"].to_list() == [8, 8]
    assert "1 machine still runs" in found.warnings[0]


def test_dstack_counts_what_was_provisioned(tmp_path: Path) -> None:
    machine = {"backend": "runpod", "price": 2.0, "instance_type": {"resources": {"gpus": [{"name": "A100", "memory_mib": 81920}] * 2}}}  # fmt: skip
    job = {"job_spec": {"job_num": 0}, "job_submissions": [{"submitted_at": "2024-01-01T00:00:00+00:00", "finished_at": "2024-01-01T03:00:00+00:00", "job_provisioning_data": machine}, {"submitted_at": "2024-01-01T00:00:00Z"}]}  # fmt: skip
    run = {"id": "r", "project_name": "main", "user": "ada", "run_spec": {}, "jobs": [job]}
    found = usage.load(text(tmp_path / "d.json", json.dumps({"runs": [run]})))
    assert (found.gpu_hours, found.billed_usd, found.formats[0][1]) == (6, 6, "dstack")


def test_what_is_imported_reads_back_the_same(tmp_path: Path) -> None:
    path = text(
        tmp_path / "j.csv", "started,ended,gpus,pool\n2024-01-01,2024-01-02,2,a\n2024-01-03,2024-01-04,1,a\n"
    )
    found = usage.load(path, timezone="UTC", capacity={"a": 4})
    write(found, tmp_path / "u.parquet")
    again = usage.load(tmp_path / "u.parquet")
    assert_frame_equal(again.hourly, found.hourly)
    assert_frame_equal(again.jobs, found.jobs)
    assert again.warnings == found.warnings
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []
    with pytest.raises(BadInput, match="hold the same jobs"):
        usage.load([tmp_path / "u.parquet", path], timezone="UTC")


def test_a_broken_parquet_file_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "u.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 20)
    with pytest.raises(BadInput, match="this Parquet file is broken or breaks off"):
        usage.load(path)


def test_nothing_is_half_written(tmp_path: Path) -> None:
    found = usage.load(
        text(tmp_path / "j.csv", "started,ended,gpus\n2024-01-01,2024-01-02,2\n"), timezone="UTC"
    )
    with pytest.raises(BadInput, match="cannot be written"):
        write(found, tmp_path / "nowhere" / "u.parquet")


HOURS_OF_TWO = "hour,gpus_in_use,pool\n2026-01-01 00:00:00,{a},lab\n2026-01-01 01:00:00,2,lab\n"


def test_overlapping_hours_of_two_files_count_once(tmp_path):
    for name in ("jan.csv", "again.csv"):
        (tmp_path / name).write_text(HOURS_OF_TWO.format(a=4))
    found = load([tmp_path / "jan.csv", tmp_path / "again.csv"], timezone="UTC")
    assert found.gpu_hours == 6
    assert "2 hours are in more than one file and counted once" in found.warnings


def test_files_that_differ_on_an_hour_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text(HOURS_OF_TWO.format(a=4))
    (tmp_path / "b.csv").write_text(HOURS_OF_TWO.format(a=5))
    with pytest.raises(
        BadInput, match=r"a\.csv and b\.csv differ on the hour 2026-01-01 00:00 of the same pool"
    ):
        load([tmp_path / "a.csv", tmp_path / "b.csv"], timezone="UTC")


def test_columns_named_for_what_is_no_csv_are_refused(tmp_path):
    path = tmp_path / "sacct.txt"
    path.write_text(
        "JobIDRaw|User|Account|Partition|State|Submit|Eligible|Start|End|Elapsed|AllocTRES\n"
        "1|u|a|gpu|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|01:00:00|gres/gpu=1\n"
    )
    with pytest.raises(BadInput, match=r"none of these files is one \(sacct.txt: sacct\)"):
        load(path, columns={"gpus": "User"})


def test_a_broken_gzip_file_is_not_an_empty_one(tmp_path):
    path = tmp_path / "hours.csv.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(BadInput, match="gzip file breaks off"):
        load(path)
    path.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff\xff")
    with pytest.raises(BadInput, match="gzip file breaks off"):
        load(path)


def test_a_stream_is_refused(tmp_path):
    os.mkfifo(tmp_path / "stream")
    with pytest.raises(BadInput, match="no file but a stream"):
        load(tmp_path / "stream")


def test_a_short_history_is_told_in_hours(tmp_path):
    (tmp_path / "a.csv").write_text(HOURS_OF_TWO.format(a=4))
    said = summarise(load(tmp_path / "a.csv", timezone="UTC")).warnings
    assert "2 hours of history, not a year: nothing here is scaled to one" in said
