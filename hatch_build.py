"""Build hook: compile the message catalogs, so that a wheel and an editable install both speak every language."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MessageCatalogs(BuildHookInterface):  # type: ignore[type-arg]
    """Compile `locale/*/LC_MESSAGES/*.po` before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the same compiler that `make messages` runs."""
        root = Path(self.root)
        compile_catalogs = runpy.run_path(str(root / "tools" / "messages.py"))["compile_catalogs"]
        compile_catalogs(root / "src" / "rackrent" / "locale")
