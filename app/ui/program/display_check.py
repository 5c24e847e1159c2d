"""Checks whether a window can be shown; Qt itself would abort the program."""

import ctypes
import os
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

X11 = "xcb"


def platform_fault() -> str:
    """Return why no window can be shown; empty: no problem found. Checks only X11."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0]
    display = os.environ.get("DISPLAY", "")
    if not sys.platform.startswith("linux") or chosen not in ("", X11) or not display:
        return ""
    if os.environ.get("WAYLAND_DISPLAY") and not chosen:
        return ""
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    plugin = plugins / "platforms" / f"libq{X11}.so"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        text = f"{error}; install this library with the system's package manager"
        return text if plugin.exists() else ""
    return "" if _answers(display) else f"the display {display} does not answer"


def _answers(display: str) -> bool:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # Qt's plugin was loaded, so it finds the library elsewhere
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    fault = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not fault
