"""The house itself: what stands around the code agrees with the code."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

import rackrent
from rackrent.catalog.catalog import load
from rackrent.workload.model import Workload

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "rackrent"
LEFT_BY_TOOLS = {
    ".git",
    ".venv",
    "__pycache__",
    "build",
    "dist",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
}


@cache
def tracked() -> list[Path]:
    """The files of the repository: what git tracks, or everything of an unpacked archive."""
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files", "-z"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0 and listing.stdout:
        files = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        files = [p for p in ROOT.rglob("*") if not LEFT_BY_TOOLS & set(p.relative_to(ROOT).parts)]
    return sorted(p for p in files if p.is_file())


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def one_line(text: str) -> str:
    return " ".join(text.split())


MACHINE = re.compile(
    r"(?<![\w.~/-])/(?:wor[k]|roo[t]|tm[p]|opt/pyp[i])\b"  # a bracket keeps this file from naming one itself
    r"|index[-_]ur[l]|find[-_]link[s]|pypi\.org/simpl[e]",
    re.IGNORECASE,
)


def test_no_file_names_a_machine_or_a_package_index() -> None:
    named = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            lines = content.decode("utf-8").splitlines()
            named += [
                f"{path.relative_to(ROOT)}:{n}" for n, line in enumerate(lines, 1) if MACHINE.search(line)
            ]
    assert named == []


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("read " + "/".join(["", "root", "x"]), True),
        ("--extra-index" + "-url x", True),
        ("https://example.org/" + "work/1", False),
        ("a and/or b", False),
    ],
)
def test_the_machine_check_tells_paths_from_addresses(line: str, named: bool) -> None:
    assert bool(MACHINE.search(line)) is named


def test_constraints_are_exact_and_hold_no_address() -> None:
    lines = text_of("constraints.txt").splitlines()
    assert "://" not in "\n".join(lines)
    assert [line for line in lines if not re.match(r"[a-z0-9-]+==[\w.]+( ; .+)?$", line)] == []


def test_constraints_cover_every_direct_dependency() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    wanted = {re.split(r"[<>=\[ ]", name)[0].lower() for name in [*project["dependencies"], *extras]}
    assert wanted <= {line.split("==")[0] for line in text_of("constraints.txt").splitlines()}


def test_the_licence_is_apache_2() -> None:
    licence = one_line(text_of("LICENSE"))
    assert licence.startswith("Apache License Version 2.0, January 2004")
    assert licence.endswith("limitations under the License.")


def test_the_changelog_tells_of_this_version() -> None:
    assert re.search(rf"^## \[?{re.escape(rackrent.__version__)}\b", text_of("CHANGELOG.md"), re.MULTILINE)


def test_the_map_names_every_package_and_module_at_the_top() -> None:
    here = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()}
    here |= {p.stem for p in PACKAGE.glob("*.py") if not p.stem.startswith("__")}
    rows = re.findall(r"^\| (`[^|]+`) \|", text_of("ARCHITECTURE.md"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == here


def test_notice_repeats_what_the_sources_ask_for() -> None:
    notice = one_line(text_of("NOTICE"))
    asked = load().all_rows("sources")["attribution"].drop_nulls().unique().to_list()
    assert [text for text in asked if one_line(text) not in notice] == []


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in (p for p in tracked() if p.suffix == ".md"):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if (
                "://" not in target
                and not target.startswith("mailto:")
                and not (page.parent / target).exists()
            ):
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_the_question_in_the_readme_is_a_workload() -> None:
    questions = re.findall(r"^```yaml\n(.+?)^```", text_of("README.md"), re.MULTILINE | re.DOTALL)
    assert [Workload.model_validate(yaml.safe_load(q)).gpus for q in questions] == [1]


@pytest.mark.parametrize("folder", ["docs", "docs/decisions"])
def test_an_index_lists_every_page(folder: str) -> None:
    index = text_of(f"{folder}/README.md")
    pages = {p.name for p in (ROOT / folder).glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def test_every_make_target_is_in_the_help() -> None:
    makefile = text_of("Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    help_text = re.findall(r'echo "make (\w[\w-]*)', makefile)
    assert set(phony[1].split()) - {"help"} == set(help_text)
