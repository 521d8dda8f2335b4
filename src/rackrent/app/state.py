"""Where a watched verdict is kept between runs: one small JSON file a question."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rackrent.app.watch import Remembered
from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.report.files import write_whole


def question_key(workload: Path | None, said: Mapping[str, Any]) -> str:
    """Return what tells a question from others: where its file lies, and what was said by flags."""
    place = str(workload.absolute()) if workload is not None else ""
    return f"{place} {json.dumps(said, sort_keys=True, default=str)}" if said else place


def default_state(key: str, workload: Path | None) -> Path:
    """Return the file in the user's folder of state that is for this question."""
    stem = workload.stem if workload is not None else "flags"
    return state_folder() / f"{stem}-{sha256(key.encode()).hexdigest()[:16]}.json"


def state_folder() -> Path:
    """Return the folder for what is remembered between runs, as the platform has it. It may not exist."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "rackrent" / "state"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "rackrent" / "state"
    return Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state") / "rackrent"


def read_state(path: Path, key: str) -> Remembered | None:
    """Return what `path` remembers of this question; None where there is no such file.

    Raises BadInput where the file is something else, or of another question.
    """
    try:
        found = Remembered.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise BadInput(
            _(
                "{path} is no verdict that --watch can read; remove it to begin anew, or name another --state"
            ).format(path=path)
        ) from None
    if found.question != key:
        raise BadInput(
            _("{path} remembers another question ({question}); name another --state").format(
                path=path, question=found.question
            )
        )
    return found


def write_state(path: Path, verdict: Remembered, *, make_folder: bool) -> None:
    """Remember `verdict` in `path`: the whole file or the one before. Raises BadInput where it cannot be written."""
    if make_folder:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                _("{path} cannot be made ({reason}); name a file with --state").format(
                    path=path.parent, reason=error.strerror
                )
            ) from None
    write_whole(path, (verdict.model_dump_json(indent=1) + "\n").encode(), example="verdict.json")
