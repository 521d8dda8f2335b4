"""Real files of others, whose licences do not let this project carry them: read where they lie, in RACKRENT_SHARED or a folder `shared` beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def shared(name: str) -> Path:
    """Return a shared file; skip the test where it is not there, as in a clone without those files."""
    path = Path(os.environ.get("RACKRENT_SHARED", ROOT.parent / "shared")) / name
    if not path.exists():
        pytest.skip(f"{name} is not here (set RACKRENT_SHARED to its folder)")
    return path
