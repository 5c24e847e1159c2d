"""The workbench in a script or a notebook: `open_session` opens a session, `find` a survey."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.finding_api import Survey as Survey
    from app.finding_api import find as find
    from app.session_api import OpenSession as OpenSession
    from app.session_api import Velocity as Velocity
    from app.session_api import open_session as open_session

FINDING = ("Survey", "find")
__all__ = ["OpenSession", "Survey", "Velocity", "find", "open_session"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "app.finding_api" if name in FINDING else "app.session_api"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
