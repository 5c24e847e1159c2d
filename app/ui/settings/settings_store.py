"""Holds the current settings and writes them to their file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.ui.settings.settings import Settings
from app.ui.settings.settings_file import SettingsRead, back_up, read_settings, write_settings

DELAY_MS = 300


class SettingsStore(QObject):
    """Reads the file on construction and writes it shortly after a change; call `close` at the end.

    With `path` None nothing is saved, for tests and demonstrations.
    """

    changed = Signal(object)
    """The new `Settings`."""
    write_failed = Signal(str)
    """The reason, for the user."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path
        self.settings = Settings()
        self.fault = ""
        """What was wrong with the file when it was read, for the user; or ""."""
        self._unknown: Mapping[str, Any] = {}
        self._has_warned = False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.flush)
        if path is not None:
            read = read_settings(path)
            self.settings, self._unknown = read.settings, read.unknown
            if read.faults:
                self.fault = self._fault_text(read, back_up(path))

    def change(self, **changes: Any) -> None:
        settings = replace(self.settings, **changes)
        if settings != self.settings:
            self.settings = settings
            if self.path is not None:
                self._timer.start()
            self.changed.emit(settings)

    def flush(self) -> None:
        if self.path is None:
            return
        self._timer.stop()
        try:
            write_settings(self.path, self.settings, self._unknown)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                text = self.tr(
                    "Settings cannot be saved and are lost when the window closes: {path} "
                    "cannot be written ({why})"
                )
                why = error.strerror or type(error).__name__
                self.write_failed.emit(text.replace("{path}", str(self.path)).replace("{why}", why))

    def close(self) -> None:
        if self._timer.isActive():
            self.flush()

    def _fault_text(self, read: SettingsRead, backup: Path | None) -> str:
        text = self.tr("Invalid settings were reset to their defaults ({why}). {where}")
        kept = self.tr("The old file was saved as {name}")
        lost = self.tr("The old file could not be saved")
        where = lost if backup is None else kept.replace("{name}", str(backup))
        return text.replace("{why}", "; ".join(read.faults)).replace("{where}", where)
