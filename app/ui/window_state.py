"""How the window was left: its place, its panels, how spectra were looked at.

Kept as it changes, so that a crash loses none of it.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QTimer
from PySide6.QtWidgets import QMainWindow

from app.ui.settings_keeper import SettingsKeeper
from app.ui.view import Options, View

if TYPE_CHECKING:
    from app.ui.session_view import SessionView

SAVE_AFTER_MS = 1500
MAX_SIZE = 100_000
"""Pixels: a panel of a stranger's settings file."""
KEPT = ("lines", "labels", "errors", "mask", "rest_axis", "smoothing", "keep_window")
"""Options of the view; the velocity belongs to the objects of one evening."""


class WindowState(QObject):
    def __init__(self, window: QMainWindow, settings: SettingsKeeper) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._session: SessionView | None = None
        self.view = View(_options(settings.settings.view), self)
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self.view.changed.connect(self._soon)
        self._sizes = self._restore_window()

    def restore_session(self, session: SessionView) -> None:
        """Panels as wide as they were left."""
        self._session = session
        splitters = session.judging.splitters()
        for splitter, sizes in zip(splitters, self._sizes, strict=False):
            if len(sizes) == splitter.count():
                splitter.setSizes(sizes)
        for splitter in splitters:
            splitter.splitterMoved.connect(self._soon)

    def save(self) -> None:
        self._timer.stop()
        if self._session is not None and self._session.isVisible():
            self._sizes = [splitter.sizes() for splitter in self._session.judging.splitters()]
        geometry = base64.b64encode(self._window.saveGeometry().data()).decode()
        layout = json.dumps({"geometry": geometry, "sizes": self._sizes})
        options = asdict(self.view.options)
        kept = {name: options[name] for name in KEPT if options[name] != getattr(Options(), name)}
        self._settings.change(layout=layout, view=kept)

    def _soon(self) -> None:
        self._timer.start()

    def _restore_window(self) -> list[list[int]]:
        try:
            found = json.loads(self._settings.settings.layout or "{}")
            geometry = base64.b64decode(str(found.get("geometry", "")), validate=True)
        except (ValueError, AttributeError, RecursionError, binascii.Error):
            return []
        if geometry:
            self._window.restoreGeometry(QByteArray(geometry))
        return _sizes(found.get("sizes"))


def _sizes(found: Any) -> list[list[int]]:
    """What splitters can be given; nothing of it where anything is odd."""
    if not isinstance(found, list) or not all(isinstance(each, list) for each in found):
        return []
    sound = all(isinstance(n, int) and 0 <= n <= MAX_SIZE for each in found for n in each)
    return found if sound else []


def _options(kept: Any) -> Options:
    """Only of the kind each option is of: the file may be anybody's."""
    kinds = {field.name: type(getattr(Options(), field.name)) for field in fields(Options)}
    known = {
        name: value
        for name, value in dict(kept).items()
        if name in KEPT and type(value) is kinds[name]
    }
    view = View()
    view.change(**known)
    return view.options
