"""Real files that are read where they lie: RACKRENT_SHARED, or a folder `shared` beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def shared(name: str) -> Path:
    """Return a shared file; skip the test where it is not there."""
    path = Path(os.environ.get("RACKRENT_SHARED", ROOT.parent / "shared")) / name
    if not path.exists():
        pytest.skip(f"{name} is not here (set RACKRENT_SHARED to its folder)")
    return path
