"""Files appear whole or not at all, and nothing that is no file is replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rackrent.errors import BadInput
from rackrent.report.files import write_whole


def test_a_pipe_or_device_is_left_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BadInput, match="a device or the like, not a file"):
        write_whole(pipe, b"x", example="a.html")
    assert pipe.is_fifo()


def test_a_name_that_no_file_can_have_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        write_whole(tmp_path / ("x" * 300), b"x", example="a.html")
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    write_whole(path, b"one", example="a.html")
    write_whole(path, b"two", example="a.html")
    assert path.read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
