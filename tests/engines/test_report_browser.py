"""The report in a real browser: `pytest tests/engines` (needs the extra `engines` and Chromium on the PATH)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rackrent.app.compare import compare
from rackrent.report.html import write_html

pytestmark = pytest.mark.engines

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("google-chrome")
    assert found is not None, "install Chromium (apt install chromium) to run this test"
    with sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(compare(EXAMPLES / "lab-grant.yaml"), path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_runs_and_asks_the_network_for_nothing(
    browser: Any, report: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab, said, asked = context.new_page(), [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(report.as_uri())
    tab.wait_for_function(
        "document.querySelectorAll('.live svg').length === document.querySelectorAll('figure').length"
    )
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate(
        "[...document.querySelectorAll('.live svg')].every(s => s.getBoundingClientRect().width <= innerWidth)"
    )
    assert said == []
    assert asked == [report.as_uri()]
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (scheme == "light")
    context.close()


def test_without_scripts_the_drawings_are_there(browser: Any, report: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 900}, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report.as_uri())
    assert tab.locator(".still svg").count() == tab.locator("figure").count() > 0
    assert tab.locator(".still svg").first.is_visible()
    context.close()


def test_on_paper_the_summary_is_two_pages_and_drawings_are_whole(browser: Any, report: Path) -> None:
    context = browser.new_context(
        viewport={"width": 718, "height": 1000}
    )  # what A4 leaves within its margins
    tab = context.new_page()
    tab.goto(report.as_uri())
    tab.wait_for_selector(".live svg")
    tab.emulate_media(media="print")
    page_px = (297 - 26) / 25.4 * 96
    top, money, end = tab.evaluate(
        "[document.body, document.querySelector('#money'), document.querySelector('.summary')]"
        ".map((e, i) => e.getBoundingClientRect()[i === 2 ? 'bottom' : 'top'])"
    )
    assert money - top <= page_px
    assert end - money <= page_px
    assert tab.locator(".live:visible").count() == 0
    assert tab.locator(".still svg:visible").count() == tab.locator("figure").count()
    context.close()
