"""The page shown when another program has the session open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.database.locations import shown_location
from app.core.errors import SessionHeldError
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import narrow, one_line
from app.ui.widgets.page_parts import Logo

WIDTH = 560


class LockedPage(QWidget):
    read_only_requested = Signal(object)
    """Path or URL of the session."""
    retry_requested = Signal(object)
    closed = Signal()

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._location: Path | str = ""
        self.title = _label("title")
        self.holder = _label("")
        about = _label("dim")
        about.setText(
            self.tr(
                "Only one program can write to a session at a time, so that no verdict "
                "is lost. Close the session there, or open it here read-only."
            )
        )
        self.read_only_button = self._button(self.tr("Open read-only"), self._open_read_only)
        self.read_only_button.setProperty("role", "primary")
        self.retry_button = self._button(self.tr("Try again"), self._retry)
        self.other_button = self._button(self.tr("Choose another session"), self.closed.emit)
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

    def show_holder(self, location: Path | str, error: SessionHeldError) -> None:
        self._location = location
        name = location.name if isinstance(location, Path) else shown_location(location)
        text = self.tr("{name} is open in another program")
        self.title.setText(text.replace("{name}", one_line(name)))
        self.holder.setText(self.tr("In use by: {who}").replace("{who}", one_line(error.holder)))

    def _button(self, text: str, call: object) -> QPushButton:
        button = QPushButton(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(call)
        return button

    def _open_read_only(self) -> None:
        self.read_only_requested.emit(self._location)

    def _retry(self) -> None:
        self.retry_requested.emit(self._location)


def _label(role: str) -> QLabel:
    label = narrow(QLabel())
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
