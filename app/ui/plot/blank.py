"""In the plot's place where there is no spectrum: why, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.theme.theme import Theme

PATIENCE_MS = 150
"""A spectrum that comes sooner is not announced."""
SIDE_PX = 48


class EmptyPlotMessage(QWidget):
    retry_wanted = Signal()
    next_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.use(theme)
        self.title, self.reason = QLabel(), QLabel()
        self.title.setProperty("role", "title")
        self.reason.setProperty("role", "dim")
        for label in (self.title, self.reason):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
        self.reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.reason.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.retry = QPushButton(self.tr("Retry"))
        self.go_on = QPushButton()
        self.show_key("")
        for button in (self.retry, self.go_on):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.retry.clicked.connect(self.retry_wanted)
        self.go_on.clicked.connect(self.next_wanted)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch()
        buttons.addWidget(self.retry)
        buttons.addWidget(self.go_on)
        buttons.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE_PX, 16, SIDE_PX, 16)
        layout.setSpacing(12)
        layout.addStretch()
        layout.addWidget(self.title)
        layout.addWidget(self.reason)
        layout.addLayout(buttons)
        layout.addStretch()
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(PATIENCE_MS)
        self._waiting.timeout.connect(self._say_it_is_read)
        self.hide()

    def use(self, theme: Theme) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Window, QColor(theme.plot))
        self.setPalette(colours)

    def show_key(self, key: str) -> None:
        """Of the next object, as it is now; empty: none has it."""
        words = self.tr("Next object")
        self.go_on.setText(f"{words} ({key})" if key else words)

    def show_nothing(self) -> None:
        """There is no object."""
        self._show(
            self.tr("Nothing to show"),
            self.tr("This list is empty, or the filter leaves nothing of it."),
        )

    def show_reading(self) -> None:
        """After a while: most are there at once."""
        self.hide()
        self._waiting.start()

    def show_fault(self, reason: str) -> None:
        self._show(self.tr("This spectrum cannot be read"), reason, is_fault=True)

    def clear(self) -> None:
        self._waiting.stop()
        if not self.isHidden():
            self.hide()

    def _say_it_is_read(self) -> None:
        self._show(self.tr("Reading the spectrum…"), "")

    def _show(self, title: str, reason: str, *, is_fault: bool = False) -> None:
        self._waiting.stop()
        self.title.setText(title)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.retry.setVisible(is_fault)
        self.go_on.setVisible(is_fault)
        self.show()
        self.raise_()
