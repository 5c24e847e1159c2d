"""The page shown when another program has the session open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app.core.database.locations import shown_location
from app.core.errors import SessionHeldError
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import column, narrow, one_line, row, wrapped_label
from app.ui.widgets.page_parts import Logo

WIDTH = 560


class LockedPage(QWidget):
    read_only_requested = Signal(object)
    """Path or URL of the session."""
    retry_requested = Signal(object)
    closed = Signal()

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._location: Path | str = ""
        self.title = narrow(wrapped_label("", "title"))
        self.holder = narrow(wrapped_label("", ""))
        about = narrow(wrapped_label("", "dim"))
        text = self.tr(
            "Only one program can write to a session at a time, so that no verdict "
            "is lost. Close the session there, or open it here read-only."
        )
        about.setText(text)
        self.read_only_button = self._button(self.tr("Open read-only"), self._open_read_only)
        self.read_only_button.setProperty("role", "primary")
        self.retry_button = self._button(self.tr("Try again"), self._retry)
        self.other_button = self._button(self.tr("Choose another session"), self.closed.emit)
        card = QFrame()
        card.setProperty("role", "card")
        card.setFixedWidth(WIDTH)
        inner = column(Logo(44), spacing=12, margins=(24, 24, 24, 20), parent=card)
        inner.addSpacing(4)
        for part in (self.title, self.holder, about):
            inner.addWidget(part)
        inner.addSpacing(8)
        inner.addLayout(row(self.read_only_button, self.retry_button, 1, self.other_button))
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
