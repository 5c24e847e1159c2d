"""The message shown instead of the plot while there is no spectrum: why, and what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.theme.theme import Theme
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import MAX_REASON, one_line, row

# Most spectra are read sooner than this; a message would only flicker.
READING_DELAY_MS = 150
SIDE_PX = 48


class EmptyPlotMessage(QWidget):
    retry_requested = Signal()
    next_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.apply_theme(theme)
        self.title, self.reason = QLabel(), QLabel()
        self.title.setProperty("role", "title")
        self.reason.setProperty("role", "dim")
        for label in (self.title, self.reason):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
        self.reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.reason.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.retry_button = QPushButton(self.tr("Retry"))
        self.next_button = QPushButton()
        self.show_key("")
        for button in (self.retry_button, self.next_button):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.retry_button.clicked.connect(self.retry_requested)
        self.next_button.clicked.connect(self.next_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE_PX, 16, SIDE_PX, 16)
        layout.setSpacing(12)
        layout.addStretch()
        layout.addWidget(self.title)
        layout.addWidget(self.reason)
        layout.addLayout(row(1, self.retry_button, self.next_button, 1))
        layout.addStretch()
        self._delay = QTimer(self, singleShot=True, interval=READING_DELAY_MS)
        self._delay.timeout.connect(self._show_reading)
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Window, QColor(theme.plot))
        self.setPalette(colours)

    def show_key(self, key: str) -> None:
        """Show the key that goes to the next object; empty where the action has none."""
        label = self.tr("Next object")
        self.next_button.setText(f"{label} ({key})" if key else label)

    def show_no_object(self) -> None:
        self._show(
            self.tr("Nothing to show"),
            self.tr("The list is empty, or no candidate matches the filter."),
        )

    def show_reading(self) -> None:
        """Say that the spectrum is being read, after a short delay."""
        self.hide()
        self._delay.start()

    def show_fault(self, reason: str) -> None:
        self._show(self.tr("This spectrum cannot be read"), reason, is_fault=True)

    def clear(self) -> None:
        self._delay.stop()
        if not self.isHidden():
            self.hide()

    def _show_reading(self) -> None:
        self._show(self.tr("Reading the spectrum…"), "")

    def _show(self, title: str, reason: str, *, is_fault: bool = False) -> None:
        self._delay.stop()
        self.title.setText(title)
        self.reason.setText(one_line(translate_message(reason), MAX_REASON))
        self.reason.setVisible(bool(reason))
        self.retry_button.setVisible(is_fault)
        self.next_button.setVisible(is_fault)
        self.show()
        self.raise_()
