"""`spec-o3 [SESSION | LIST | SPECTRUM]`: open the window."""

import builtins
import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from agent.errors import WorkbenchError

NO_DISPLAY = (
    "there is no display for the window. In the terminal, try `spec-o3 demo` or `spec-o3 --help`"
)
INVISIBLE_PLATFORMS = ("offscreen", "minimal", "vnc")  # Qt platforms without a visible window


def has_display() -> bool:
    """Whether a window would be visible."""
    if os.environ.get("QT_QPA_PLATFORM", "").split(":")[0] in INVISIBLE_PLATFORMS:
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def is_for_window(arguments: list[str]) -> bool:
    """Whether the arguments open the window (a file, URL or nothing) rather than a command."""
    if not arguments:
        return True
    argument = arguments[0]
    if len(arguments) > 1 or argument.startswith("-"):
        return False
    return "://" in argument or argument.endswith(".speco3") or _exists(argument)


def open_window(
    argument: str = "", *, sample: str = "", room: Callable[[Any], object] | None = None
) -> int:
    """Open the window, or only the room that `room` opens for it, and wait until it is closed.

    `sample` is the folder in resources of the sample to begin with.

    Qt is imported only here.
    """
    require_display()
    try:
        program = import_program()
        fault: str = import_module("app.ui.program.display_check").platform_fault()
    except ImportError as error:  # a library of the system that Qt needs
        raise WorkbenchError(
            f"the window cannot be shown: {error}. {_missing_library_hint()}"
        ) from error
    if fault:
        raise WorkbenchError(f"the window cannot be shown: {fault}")
    status: int = program.start(argument, sample=sample, room=room)
    return status


def require_display() -> None:
    """Raise a WorkbenchError where no window could be shown."""
    if not (has_display() or os.environ.get("QT_QPA_PLATFORM")):
        raise WorkbenchError(NO_DISPLAY)


def import_program() -> ModuleType:
    """Import the window as fast as it can be."""
    # Importing makes many objects and no garbage: looking for some is a tenth of the time to start.
    gc.disable()
    usual_import = builtins.__import__
    try:
        import_module("PySide6.QtCore")
        # PySide6 puts an import of its own in this place, which reads the source of every module
        # for the sake of `from __feature__ import ...`, which we do not use.
        builtins.__import__ = usual_import
        return import_module("app.ui.program.application")
    finally:
        gc.freeze()
        gc.enable()


def _missing_library_hint() -> str:
    if getattr(sys, "frozen", False):
        return (
            "A system library is missing: on Debian and Ubuntu install libegl1, libgl1, "
            "libfontconfig1 and libx11-xcb1"
        )
    return "`sh packaging/system_libraries.sh` lists the missing system packages"


def _exists(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # too long a name, or an unknown home folder
        return False
