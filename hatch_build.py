"""Build hook: what a wheel and an editable install hold that is made, not kept: message catalogs, chart library."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import vl_convert
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Made(BuildHookInterface):  # type: ignore[type-arg]
    """Make the files that are not in git before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile `locale/*/LC_MESSAGES/*.po` as `make messages` does; put the script of the charts together."""
        root = Path(self.root)
        compile_catalogs = runpy.run_path(str(root / "tools" / "messages.py"))["compile_catalogs"]
        compile_catalogs(root / "src" / "rackrent" / "locale")
        library = root / "src" / "rackrent" / "report" / "templates" / "vega.js"
        library.write_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), encoding="utf-8")
