"""`compare --watch`: one line, the exit code speaks of the change, and what is remembered stays whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rackrent.app.state import default_state, question_key, read_state, state_folder, write_state
from rackrent.app.watch import Remembered
from rackrent.errors import BadInput

QUESTION = """\
name: mine
as_of: 2018-09-15
demand: {{utilisation: {use}, reference_gpu: GTX 1080 Ti}}
task: cnn_training
consider: {{kinds: [own_build, cloud], providers: [AWS]}}
assumptions: {{idle_waste: {waste}}}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A question in a folder of its own; the state of the person lies beside it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("sys.platform", "linux")
    path = tmp_path / "work" / "mine.yaml"
    path.parent.mkdir()
    ask_again(path)
    return path


def ask_again(path: Path, use: float = 0.2, waste: float = 0.15) -> None:
    path.write_text(QUESTION.format(use=use, waste=waste), encoding="utf-8")


def test_the_first_run_remembers_and_the_next_says_that_nothing_changed(
    rackrent: Callable, mine: Path
) -> None:
    first = rackrent("compare", str(mine), "--watch")
    kept = list((mine.parent.parent / "state" / "rackrent").iterdir())
    assert first.code == 0 and len(kept) == 1
    assert first.out.startswith("Remembered the verdict of 2018-09-15: own build: ")
    assert first.out.endswith(f"It is kept in {kept[0]}\n")
    assert [p.name for p in mine.parent.iterdir()] == ["mine.yaml"], "nothing is written beside the workload"
    before = kept[0].read_bytes()
    second = rackrent("compare", str(mine), "--watch")
    assert second.code == 0
    assert second.out.startswith("Verdict unchanged since 2018-09-15: own build: ")
    assert (second.out.count("\n"), second.err) == (1, "")
    assert kept[0].read_bytes() == before


def test_a_verdict_that_flips_is_one_line_exit_1_and_the_new_one_is_remembered(
    rackrent: Callable, mine: Path
) -> None:
    rackrent("compare", str(mine), "--watch")
    ask_again(mine, use=0.02)
    flipped = rackrent("compare", str(mine), "--watch")
    assert (flipped.code, flipped.out.count("\n"), flipped.err) == (1, 1, "")
    assert flipped.out.startswith("Verdict changed since 2018-09-15: from own build: ")
    assert " to cloud: AWS " in flipped.out
    assert "Changed most: work asked for, 146 to 15 GPU-hours a month. " in flipped.out
    assert rackrent("compare", str(mine), "--watch").out.startswith(
        "Verdict unchanged since 2018-09-15: cloud: AWS "
    )


def test_json_names_both_options_and_the_reason(rackrent: Callable, mine: Path, tmp_path: Path) -> None:
    state = tmp_path / "kept.json"
    said = json.loads(rackrent("compare", str(mine), "--watch", "--json", "--state", str(state)).out)
    assert (said["changed"], said["since"], said["why"], said["state"]) == (False, None, None, str(state))
    ask_again(mine, use=0.02)
    ended = rackrent("compare", str(mine), "--watch", "--json", "--state", str(state))
    told = json.loads(ended.out)
    assert (ended.code, told["changed"], told["recommended_before"]) == (1, True, said["recommended"])
    assert told["recommended"].startswith("cloud/aws/")
    assert told["why"] in told["sentence"]
    assert json.loads(state.read_text(encoding="utf-8"))["recommended"] == told["recommended"]


def test_no_answer_is_a_verdict_too(rackrent: Callable, mine: Path) -> None:
    rackrent("compare", str(mine), "--watch")
    mine.write_text(QUESTION.format(use=0.2, waste=0.15) + "deadline_days: 1\n", encoding="utf-8")
    none = rackrent("compare", str(mine), "--watch")
    assert none.code == 1
    assert " to no option at all. Changed most: own build: " in none.out
    assert "can no longer do the work" in none.out
    again = rackrent("compare", str(mine), "--watch")
    assert (again.code, again.out) == (0, "Verdict unchanged since 2018-09-15: no option can do this work.\n")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[]", b'{"version": 2}', b'"text"'])
def test_a_state_file_that_is_none_is_left_as_it_is(
    rackrent: Callable, mine: Path, tmp_path: Path, content: bytes
) -> None:
    state = tmp_path / "kept.json"
    state.write_bytes(content)
    ended = rackrent("compare", str(mine), "--watch", "--state", str(state))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert f"{state} is no verdict that --watch can read; remove it to begin anew" in ended.err
    assert state.read_bytes() == content


def test_the_verdict_of_another_question_is_not_overwritten(
    rackrent: Callable, mine: Path, tmp_path: Path
) -> None:
    state = tmp_path / "kept.json"
    rackrent("compare", str(mine), "--watch", "--state", str(state))
    before = state.read_bytes()
    ended = rackrent("compare", str(mine), "--utilisation", "0.5", "--watch", "--state", str(state))
    assert ended.code == 2
    assert "remembers another question" in ended.err
    assert state.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--state", "x.json"], "give --watch as well"),
        (["--watch", "--csv", "x.csv"], "writes no file"),
        (["--watch", "--state", "no/such/x.json"], "no/such/x.json cannot be written"),
        (["--watch", "--state", "docs"], "docs is no verdict"),
    ],
)
def test_what_does_not_go_together_is_said(
    rackrent: Callable, mine: Path, arguments: list[str], says: str
) -> None:
    ended = rackrent("compare", str(mine), *arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert says in ended.err


def test_questions_have_files_of_their_own(mine: Path, tmp_path: Path) -> None:
    keys = [
        question_key(mine, {}),
        question_key(mine, {"gpus": "2"}),
        question_key(tmp_path / "mine.yaml", {}),
    ]
    files = {default_state(key, mine) for key in keys}
    assert len(files) == 3
    assert {f.parent for f in files} == {state_folder()}
    assert question_key(Path("a.yaml"), {}) == question_key(Path("a.yaml").absolute(), {})


def test_a_platform_keeps_state_where_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    found = {}
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr("sys.platform", platform)
        found[platform] = state_folder().as_posix()
    assert found == {
        "linux": "/home/me/.local/state/rackrent",
        "darwin": "/home/me/Library/Application Support/rackrent/state",
        "win32": "/local/rackrent/state",
    }


def test_two_writers_at_once_leave_one_whole_verdict(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"

    def verdict(n: int) -> Remembered:
        return Remembered(
            question="mine", as_of="2018-09-15", recommended=None, rival=None, gpu_hours_per_month=n,
            horizon_months=36, options={}, assumptions={f"key-{i}": float(n) for i in range(500)},
        )  # fmt: skip

    write_state(path, verdict(0), make_folder=False)

    def write_and_read(n: int) -> bool:
        write_state(path, verdict(n), make_folder=False)
        found = read_state(path, "mine")
        return found is not None and set(found.assumptions.values()) == {found.gpu_hours_per_month}

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(64)))
    assert [p.name for p in tmp_path.iterdir()] == ["kept.json"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    verdict = Remembered(
        question="mine", as_of="2018-09-15", recommended=None, rival=None, gpu_hours_per_month=1,
        horizon_months=36, options={}, assumptions={},
    )  # fmt: skip
    with pytest.raises(BadInput, match="cannot be made"):
        write_state(tmp_path / "file" / "kept.json", verdict, make_folder=True)
