"""A session's changes as a Qt signal, on the thread of the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.core.session.records import Change
from app.core.session.session import Session


class SessionBridge(QObject):
    """One for each open session. Widgets listen here, never to the session itself: Qt drops the
    connections of what is deleted, and brings what other threads tell to this one."""

    changed = Signal(object)
    """A `Change`."""

    _told = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._told.connect(self.changed, Qt.ConnectionType.AutoConnection)
        session.changed.connect(self._forward)

    def close(self) -> None:
        self.session.changed.disconnect(self._forward)

    def _forward(self, change: Change) -> None:
        self._told.emit(change)
