"""The folder of crash reports, shown by the system: for whoever wants to send one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices


def open_folder(folder: Path, say: Callable[[str], object]) -> None:
    """Where nothing can show it, `say` gets its path."""
    with suppress(OSError):  # a folder that was never needed is not there yet
        folder.mkdir(parents=True, exist_ok=True)
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        told = QCoreApplication.translate("crash", "The reports are in {folder}")
        say(told.replace("{folder}", str(folder)))
