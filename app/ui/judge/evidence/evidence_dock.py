"""The content of the evidence dock, made when it is first seen, as most lists do without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDockWidget, QWidget

from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column

if TYPE_CHECKING:
    from app.ui.judge.evidence.evidence_panel import EvidencePanel


class EvidencePlace(QWidget):
    """Holds the panel. Call `stop` before the session is closed."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._context = context
        self.panel: EvidencePanel | None = None
        self._is_on_top = self._is_stopped = False
        self._inside = column(parent=self)
        self._making = QTimer(self, singleShot=True, interval=0)
        self._making.timeout.connect(self.make)

    def is_seen(self) -> bool:
        """Whether it is on screen and not behind another tab."""
        return self._is_on_top and self.isVisible()

    def note_visibility(self, is_on_top: bool) -> None:
        """The dock has come to the front of its tabs, or gone."""
        self._is_on_top = is_on_top
        if is_on_top and self.panel is None and not self._is_stopped:
            self._making.start()
        elif self.panel is not None:
            self.panel.note_visibility()

    def make(self) -> None:
        """Make the panel unless it is there, or nobody sees it any more."""
        from app.ui.judge.evidence.evidence_panel import EvidencePanel

        dock, can_be_made = self.parentWidget(), self.panel is None and not self._is_stopped
        if can_be_made and isinstance(dock, QDockWidget) and self.is_seen():
            self.panel = EvidencePanel(self._context, dock, self.is_seen, self)
            self._inside.addWidget(self.panel)

    def stop(self) -> None:
        self._is_stopped = True
        self._making.stop()
        if self.panel is not None:
            self.panel.stop()
