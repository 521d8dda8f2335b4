"""Errors a person can act on: one sentence that says what, where, and what would be right."""

from __future__ import annotations


class RackrentError(Exception):
    """Base of every error this package raises on purpose. `str(error)` is one clear sentence."""

    exit_code = 2


class BadInput(RackrentError):
    """What a person handed us is wrong (exit code 2). Nothing has been written."""


class CatalogError(RackrentError):
    """The catalog cannot be read or breaks its own schema (exit code 2)."""


class NothingFeasible(RackrentError):
    """The question is well put and the answer is "no option can do this" (exit code 1)."""

    exit_code = 1


def nearest(name: str, known: list[str] | set[str] | tuple[str, ...], *, count: int = 1) -> list[str]:
    """Return the names in `known` that look most like `name`, best first; empty if none is close."""
    from difflib import get_close_matches

    folded = {k.casefold(): k for k in known}
    return [folded[k] for k in get_close_matches(name.casefold(), list(folded), n=count, cutoff=0.5)]
