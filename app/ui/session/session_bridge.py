"""Turns a session's changes into a Qt signal on the GUI thread."""

from PySide6.QtCore import QObject, Qt, Signal

from app.core.session.records import Change
from app.core.session.session import Session


class SessionBridge(QObject):
    """One per open session; widgets connect here, never to the session itself.

    Qt drops connections of deleted widgets and passes changes from other threads to this one.
    """

    changed = Signal(object)  # a `Change`, unless it is of evidence, which few rows show
    evidence_changed = Signal(object)  # A `Change` of evidence; many come while services answer.

    _received = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self._is_closed = session, False
        self._received.connect(self._tell, Qt.ConnectionType.AutoConnection)
        session.changed.connect(self._forward)

    def close(self) -> None:
        self._is_closed = True
        self.session.changed.disconnect(self._forward)

    def _forward(self, change: Change) -> None:
        self._received.emit(change)

    def _tell(self, change: Change) -> None:
        if self._is_closed:
            return  # another thread told it just before
        (self.evidence_changed if change.aspect == "evidence" else self.changed).emit(change)
