"""What holds for every test: no prices that somebody refreshed on this machine, and no clock."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

os.environ["RACKRENT_DATA"] = os.path.join(tempfile.gettempdir(), "rackrent-tests-have-no-data")

# How fast a machine is, and what else runs on it, decides no test.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
