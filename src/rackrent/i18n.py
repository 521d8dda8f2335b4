"""Every string a person sees goes through here. English source, catalogs in `locale/`.

The language comes from `set_language`, which the command line calls with `--lang`, RACKRENT_LANG or the
locale variables of the environment. Libraries that never call it read English.
"""

from __future__ import annotations

import gettext as _gettext
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

LOCALE_DIR = Path(__file__).parent / "locale"
DOMAIN = "rackrent"

_language: ContextVar[str] = ContextVar("rackrent_language", default="en")


@lru_cache
def _translations(language: str) -> _gettext.NullTranslations:
    return _gettext.translation(DOMAIN, LOCALE_DIR, languages=[language], fallback=True)


def set_language(language: str) -> None:
    """Speak `language` ("en", "zh_CN"; "zh", "zh-Hans" and the like mean "zh_CN") from now on in this context."""
    tag = language.partition(".")[0].replace("-", "_")
    _language.set("zh_CN" if tag.lower().startswith("zh") else tag or "en")


def language() -> str:
    """Return the language in use."""
    return _language.get()


def gettext(message: str) -> str:
    """Return `message` in the language in use; the English message itself where no translation exists."""
    return _translations(_language.get()).gettext(message)


def ngettext(singular: str, plural: str, n: float) -> str:
    """Return the form of a counted message for `n` in the language in use."""
    return _translations(_language.get()).ngettext(singular, plural, int(n) if n == int(n) else 2)


def N_(message: str) -> str:  # noqa: N802 - the conventional name of the marker
    """Mark a string for extraction without translating it now (tables of labels)."""
    return message
