"""The workbench; `open_session` opens a session in a script or a notebook."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.session_api import OpenSession as OpenSession
    from app.session_api import Velocity as Velocity
    from app.session_api import open_session as open_session

__all__ = ["OpenSession", "Velocity", "open_session"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("app.session_api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
