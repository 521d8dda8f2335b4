"""The HTML report: whole, self-contained, escaped, the same bytes each time, and it says what the comparison says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rackrent.app.compare import compare
from rackrent.comparison.result import Comparison
from rackrent.errors import BadInput
from rackrent.i18n import set_language
from rackrent.report.charts_figure import shown_options
from rackrent.report.html import render_html, safe_in_script, write_html

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}
HOSTILE = "<script>alert('x')</script>\"'&<img src=x onerror=alert(1)>"


class Parsed(HTMLParser):
    """A page taken apart: its elements with their attributes, its text, its scripts; unbalanced tags are errors."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.words: list[str] = []
        self.errors: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.errors += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.errors.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if "script" in self._open:
            attrs, text = self.scripts.pop()
            self.scripts.append((attrs, text + data))
        elif "style" not in self._open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


def question(**changes: Any) -> dict[str, Any]:
    base = {
        "name": "small",
        "as_of": "2018-09-15",
        "demand": {"utilisation": 0.2, "reference_gpu": "GTX 1080 Ti"},
        "task": "cnn_training",
        "precision": "fp32",
        "gpu_memory_gb": 11,
    }
    return base | changes


@pytest.fixture(scope="module")
def first() -> Comparison:
    return compare(EXAMPLES / "first-machine.yaml")


@pytest.fixture(scope="module")
def grant() -> Comparison:
    return compare(EXAMPLES / "lab-grant.yaml")


@pytest.fixture(scope="module")
def page(first: Comparison) -> str:
    return render_html(first)


@pytest.fixture
def chinese() -> Iterator[None]:
    set_language("zh_CN")
    yield
    set_language("en")


def test_the_page_is_well_formed(page: str, grant: Comparison) -> None:
    assert Parsed(page).errors == []
    assert Parsed(render_html(grant, interactive=False)).errors == []


def test_it_loads_nothing(page: str) -> None:
    parsed = Parsed(page)
    loading = ("src", "srcset", "data", "action", "poster", "background", "xlink:href")
    assert [(tag, a) for tag, a in parsed.elements if any(name in a for name in loading)] == []
    assert parsed.all("link") + parsed.all("iframe") + parsed.all("object") == []
    assert {a["href"][:1] for a in parsed.all("a") if a.get("href")} == {"#"}
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    assert "url(" not in style and "@import" not in style


def test_every_reference_leads_somewhere_and_no_id_stands_twice(page: str) -> None:
    parsed = Parsed(page)
    ids = [a["id"] for _, a in parsed.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in parsed.all("a") if a["href"]} <= set(ids)
    clips = set(re.findall(r"url\(#([^)]+)\)", page.partition('<script type="application/json"')[0]))
    assert clips <= set(ids)


def test_the_policy_lets_only_its_own_scripts_run(page: str) -> None:
    parsed = Parsed(page)
    policy = next(
        a["content"] for a in parsed.all("meta") if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    running = [text for attrs, text in parsed.scripts if attrs.get("type") != "application/json"]
    hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in running}
    assert len(running) == 2
    assert set(parts["script-src"].split()) == hashes
    assert [name for _, attrs in parsed.elements for name in attrs if name.startswith("on")] == []


def test_without_interaction_there_is_no_script_and_no_leave_to_run_one(first: Comparison) -> None:
    still = render_html(first, interactive=False)
    assert "<script" not in still and "script-src" not in still
    assert len(still) < 400_000


def test_it_says_what_the_comparison_says(page: str, first: Comparison) -> None:
    text, told = Parsed(page).text, first.to_dict()
    assert told["verdict"] in text
    assert all(sentence in text for sentence in told["turns_on"])
    assert all(warning in text for warning in told["warnings"])
    for option in first.headline:
        assert option.id in text
        assert f"${option.npv_usd:,.0f}" in text


def test_every_line_and_the_source_of_every_figure_are_in_the_annex(page: str, first: Comparison) -> None:
    text = Parsed(page).text
    missing = [
        (option.id, what)
        for option in first.headline
        for stream in option.streams
        if stream.usd.any()
        for what in (
            stream.formula,
            *(first.setting.catalog.cite(f.source) for f in stream.facts if f.kind == "catalog"),
        )
        if " ".join(what.split()) not in text
    ]
    assert missing == []


def test_every_chart_is_drawn_explained_and_named_for_those_who_cannot_see_it(page: str) -> None:
    parsed = Parsed(page)
    charts = re.findall(r'<figure id="chart-([\w-]+)">(.*?)</figure>', page, re.DOTALL)
    assert [name for name, _ in charts] == [
        "cost-finish",
        "cumulative",
        "categories",
        "map",
        "spread",
        "tornado",
    ]
    for name, body in charts:
        assert "<svg" in body, name
        assert re.search(r'role="img" aria-label="[^"]{20,}"', body), name
        assert re.search(r"<figcaption>.{20,}</figcaption>", body, re.DOTALL), name
    specs = json.loads(next(text for attrs, text in parsed.scripts if attrs.get("id") == "charts"))
    assert list(specs) == [name for name, _ in charts]
    assert all(spec["width"] == "container" and spec["description"] for spec in specs.values())


def test_tables_are_tables_for_everyone(page: str) -> None:
    parsed = Parsed(page)
    assert len(parsed.all("table")) == len(parsed.all("caption")) > 5
    assert {a.get("scope") for a in parsed.all("th")} == {"col", "row"}
    assert all(a.get("role") == "cell" and a.get("data-label") for a in parsed.all("td"))


def test_the_summary_comes_first_and_holds_two_pages(page: str) -> None:
    order = [a["id"] for tag, a in Parsed(page).elements if tag == "section"]
    assert order[:3] == ["verdict", "options", "money"]
    assert order[-1] == "figures"
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    assert "#money { break-before: page; }" in style and ".summary { break-after: page; }" in style


def test_the_same_question_gives_the_same_bytes(page: str) -> None:
    assert render_html(compare(EXAMPLES / "first-machine.yaml")) == page


def test_what_a_person_typed_is_text_and_nothing_else() -> None:
    asked = question(
        name=HOSTILE,
        own={
            "machines": [
                {"name": HOSTILE[:80], "gpu": "GTX 1080 Ti", "gpus": 1, "price_usd": 900, "power_kw": 0.4}
            ]
        },
        funding={"name": HOSTILE},
        assumptions={"idle_waste": 0.2},
    )
    comparison = compare(asked)
    assert any(HOSTILE[:80] in o.name for o in comparison.headline)
    plain, told = render_html(compare(question())), render_html(comparison)
    parsed = Parsed(told)
    assert parsed.errors == []
    assert HOSTILE in parsed.text
    assert len(parsed.scripts) == len(Parsed(plain).scripts)
    assert parsed.all("img") == []
    specs = next(text for attrs, text in parsed.scripts if attrs.get("id") == "charts")
    assert "<" not in specs and HOSTILE[:20] in json.dumps(json.loads(specs), ensure_ascii=False)


def test_a_question_without_an_answer_says_why() -> None:
    comparison = compare(question(gpu_memory_gb=900))
    assert comparison.recommended is None
    parsed = Parsed(render_html(comparison))
    assert parsed.errors == []
    assert comparison.verdict.text in parsed.text
    assert "GPU memory" in parsed.text


def test_whose_money_it_is_stands_beside_the_bars(grant: Comparison) -> None:
    from rackrent.report.charts import figure

    drawn = figure(grant, "categories")
    assert drawn is not None
    bars = {row["bar"] for row in drawn.spec["layer"][0]["data"]["values"]}
    assert any(bar.endswith("the grant") for bar in bars) and any("institution" in bar for bar in bars)
    on_budget = grant.recommended_on_budget
    assert on_budget is not None and on_budget.id in {s.option.id for s in shown_options(grant)}


@pytest.mark.usefixtures("chinese")
def test_it_says_which_language_it_is_in(first: Comparison) -> None:
    told = render_html(first, interactive=False)
    assert told.startswith('<!DOCTYPE html>\n<html lang="zh-CN">')


def test_the_file_is_whole_or_not_there(tmp_path: Path, first: Comparison) -> None:
    target = tmp_path / "report.html"
    write_html(first, target, interactive=False)
    assert target.read_text(encoding="utf-8") == render_html(first, interactive=False)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(BadInput, match="is a folder"):
        write_html(first, tmp_path, interactive=False)
    with pytest.raises(BadInput, match="cannot be written"):
        write_html(first, tmp_path / "no" / "report.html", interactive=False)


def test_nothing_in_a_script_ends_it() -> None:
    assert (
        safe_in_script("'</script>' + '<!--' + '<script>'") == r"'\x3c/script>' + '\x3c!--' + '\x3cscript>'"
    )


def test_a_comparison_on_the_terminal_loads_no_chart_library() -> None:
    program = (
        "import sys; from rackrent.app.compare import compare; from rackrent.report.terminal import print_comparison; "
        "print_comparison(compare({'demand': {'utilisation': 0.2}, 'as_of': '2018-09-15'})); "
        "print(sorted({'altair', 'vl_convert', 'jinja2', 'weasyprint'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
