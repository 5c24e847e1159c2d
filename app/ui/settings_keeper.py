"""The settings in use, and their file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.ui.settings import Settings


class SettingsKeeper(QObject):
    """`path` None: nothing is kept, for tests and demonstrations."""

    changed = Signal(object)
    """The new `Settings`."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.settings = Settings()

    def change(self, **changes: Any) -> None:
        settings = replace(self.settings, **changes)
        if settings != self.settings:
            self.settings = settings
            self.changed.emit(settings)
