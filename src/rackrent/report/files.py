"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _


def write_whole(path: Path, content: bytes, *, example: str) -> None:
    """Put `content` in the place of whatever `path` holds, in one step that also a crash leaves whole.

    Whoever reads meanwhile has the old file or the new one; of two writers at once one wins. Raises BadInput where
    it cannot be written, with `example` as the name of a file where `path` is a folder.
    """
    try:
        if path.is_dir():
            raise BadInput(
                _("{path} is a folder; name a file in it, such as {file}").format(
                    path=path, file=path / example
                )
            )
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise BadInput(_("{path} is a device or the like, not a file").format(path=path))
        with NamedTemporaryFile("wb", dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            written = Path(file.name)
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                file.close()
                written.chmod(0o666 & ~_umask())
                written.replace(target)
            except BaseException:
                written.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise BadInput(
            _("{path} cannot be written ({reason})").format(path=path, reason=error.strerror)
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
