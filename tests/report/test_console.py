"""What is laid out for a screen loses nothing."""

from __future__ import annotations

import io

import pytest

from rackrent.report.console import page, points

CHINESE = "租到的 V100 完成的工作是所买 GTX 1080 Ti 的 0.86 至 3.08 倍，视任务而定；云存储（每 GB 每月 $0.10）未计入。"


@pytest.mark.parametrize("width", range(40, 100))
def test_points_keep_every_character_of_chinese(width: int) -> None:
    out = io.StringIO()
    with page(out, width) as screen:
        points(screen, (CHINESE,))
    assert "".join(out.getvalue().split()).removeprefix("-") == "".join(CHINESE.split())
