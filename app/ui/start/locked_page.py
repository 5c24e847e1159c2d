"""Another program has the session open: who, and what can be done about it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.errors import SessionHeldError
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.logo import Logo

WIDTH = 560


class LockedPage(QWidget):
    read_only_wanted = Signal(object)
    """Its place."""
    retried = Signal(object)
    left = Signal()

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place: Path | str = ""
        self.title = _plain("title")
        self.holder = _plain("")
        about = _plain("dim")
        about.setText(
            self.tr(
                "Only one program writes to a session at a time, so that no verdict is lost. Close "
                "it there, or look at it here without changing it."
            )
        )
        self.read_only_button = self._button(self.tr("Open to look at"), self._look)
        self.read_only_button.setProperty("role", "primary")
        self.retry_button = self._button(self.tr("Try again"), self._retry)
        self.other_button = self._button(self.tr("Choose another"), self.left.emit)
        card = QFrame()
        card.setProperty("role", "card")
        card.setFixedWidth(WIDTH)
        column = QVBoxLayout(card)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(Logo(44))
        column.addSpacing(4)
        for part in (self.title, self.holder, about):
            column.addWidget(part)
        column.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.read_only_button)
        row.addWidget(self.retry_button)
        row.addStretch(1)
        row.addWidget(self.other_button)
        column.addLayout(row)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addWidget(card, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def show_holder(self, place: Path | str, error: SessionHeldError) -> None:
        self._place = place
        name = place.name if isinstance(place, Path) else place
        text = self.tr("{name} is open in another program")
        self.title.setText(text.replace("{name}", name))
        self.holder.setText(self.tr("Held by: {who}").replace("{who}", error.holder))

    def _button(self, words: str, call: object) -> QPushButton:
        button = QPushButton(words)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(call)
        return button

    def _look(self) -> None:
        self.read_only_wanted.emit(self._place)

    def _retry(self) -> None:
        self.retried.emit(self._place)


def _plain(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
