"""Nothing that somebody refreshed on this machine reaches a test."""

from __future__ import annotations

import os
import tempfile

os.environ["RACKRENT_DATA"] = os.path.join(tempfile.gettempdir(), "rackrent-tests-have-no-data")
