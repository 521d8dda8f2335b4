"""Build hook: what a wheel and an editable install hold that is made, not kept: message catalogs, chart library, sizes."""

from __future__ import annotations

import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

import vl_convert
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Made(BuildHookInterface):  # type: ignore[type-arg]
    """Make the files that are not in git before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile `locale/*/LC_MESSAGES/*.po` as `make messages` does; put the script of the charts together.

        A wheel also gets the size of every file of the catalog, by which one that was cut off is noticed.
        """
        root = Path(self.root)
        compile_catalogs = runpy.run_path(str(root / "tools" / "messages.py"))["compile_catalogs"]
        compile_catalogs(root / "src" / "rackrent" / "locale")
        library = root / "src" / "rackrent" / "report" / "templates" / "vega.js"
        library.write_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), encoding="utf-8")
        if self.target_name == "wheel" and version == "standard":
            files = sorted((root / "src" / "rackrent" / "catalog" / "data").glob("*.csv"))
            sizes = Path(tempfile.mkdtemp()) / "sizes.json"
            sizes.write_text(json.dumps({file.name: file.stat().st_size for file in files}), encoding="utf-8")
            build_data["force_include"][str(sizes)] = "rackrent/catalog/data/sizes.json"
