"""rackrent: own deep-learning compute, rent it, or lend it out? Arithmetic that anyone can check.

`build`, `compare`, `load_catalog`, `plan`, `costing`, `planning` and `usage` are loaded when they are first asked
for: `import rackrent` itself is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rackrent import costing, planning, usage
    from rackrent.app.build import build
    from rackrent.app.compare import compare
    from rackrent.app.plan import plan
    from rackrent.catalog.catalog import load as load_catalog

__version__ = "0.1.0"

__all__ = ["__version__", "build", "compare", "costing", "load_catalog", "plan", "planning", "usage"]

_FUNCTIONS = {
    "build": ("rackrent.app.build", "build"),
    "compare": ("rackrent.app.compare", "compare"),
    "load_catalog": ("rackrent.catalog.catalog", "load"),
    "plan": ("rackrent.app.plan", "plan"),
}


def __getattr__(name: str) -> Any:
    if name in {"costing", "planning", "usage"}:
        return import_module(f"rackrent.{name}")
    if name not in _FUNCTIONS:
        raise AttributeError(f"module 'rackrent' has no attribute {name!r}")
    module, function = _FUNCTIONS[name]
    found = globals()[name] = getattr(import_module(module), function)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
