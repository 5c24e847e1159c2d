"""The settings in use, and their file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.ui.settings.settings import Settings
from app.ui.settings.settings_file import SettingsRead, keep_aside, read_settings, write_settings

DELAY_MS = 300


class SettingsKeeper(QObject):
    """Reads the file at once, and writes it shortly after a change; close it before the end.

    `path` None: nothing is kept, for tests and demonstrations.
    """

    changed = Signal(object)
    """The new `Settings`."""
    said = Signal(str)
    """Why they could not be written."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.settings = Settings()
        self.fault = ""
        """What was wrong with the file when it was read, and what became of it; for the user."""
        self._unknown: Mapping[str, Any] = {}
        self._has_told = False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.flush)
        if path is not None:
            self._load(path)

    def change(self, **changes: Any) -> None:
        settings = replace(self.settings, **changes)
        if settings != self.settings:
            self.settings = settings
            if self.path is not None:
                self._timer.start()
            self.changed.emit(settings)

    def flush(self) -> None:
        """Write now what has not been written yet."""
        if self.path is None:
            return
        self._timer.stop()
        try:
            write_settings(self.path, self.settings, self._unknown)
        except OSError as error:
            self._tell_once(error)

    def close(self) -> None:
        if self._timer.isActive():
            self.flush()

    def _load(self, path: Path) -> None:
        read = read_settings(path)
        self.settings, self._unknown = read.settings, read.unknown
        if read.faults:
            self.fault = self._told(read, keep_aside(path))

    def _told(self, read: SettingsRead, backup: Path | None) -> str:
        text = self.tr("Settings that cannot be used are back at their defaults ({why}). {where}")
        kept = self.tr("The old file is kept as {name}")
        lost = self.tr("The old file could not be kept")
        where = lost if backup is None else kept.replace("{name}", str(backup))
        return text.replace("{why}", "; ".join(read.faults)).replace("{where}", where)

    def _tell_once(self, error: OSError) -> None:
        if not self._has_told:
            self._has_told = True
            text = self.tr(
                "Settings last until the window closes: {path} cannot be written ({why})"
            )
            why = error.strerror or type(error).__name__
            self.said.emit(text.replace("{path}", str(self.path)).replace("{why}", why))
