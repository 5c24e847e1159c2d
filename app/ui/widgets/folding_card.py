"""A card of the left column that folds away when its heading is clicked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from app.ui.widgets.labels import column, row, short_label

OPEN, SHUT = "▾", "▸"


class FoldingCard(QFrame):
    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.is_folded = False
        self._title = title
        self.heading = _Heading(self)
        self.note = short_label("", "dim", self)
        self.body = QWidget(self)
        self.inside = column(parent=self.body)
        self.head = row(self.heading, (self.note, 0, Qt.AlignmentFlag.AlignRight))
        """Row of the heading and the note; a card may insert more widgets between them."""
        column(self.head, (self.body, 1), spacing=4, margins=(12, 8, 12, 8), parent=self)
        self.heading.clicked.connect(self.flip)
        self._show_heading()

    def flip(self) -> None:
        self.fold(not self.is_folded)

    def fold(self, is_folded: bool) -> None:
        self.is_folded = is_folded
        self.body.setVisible(not is_folded)
        policy, policies = self.sizePolicy(), QSizePolicy.Policy
        policy.setVerticalPolicy(policies.Maximum if is_folded else policies.Preferred)
        self.setSizePolicy(policy)
        self._show_heading()

    def _show_heading(self) -> None:
        self.heading.setText(f"{SHUT if self.is_folded else OPEN} {self._title}")
        self.heading.setAccessibleName(self._title)


class _Heading(QLabel):
    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "title")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
