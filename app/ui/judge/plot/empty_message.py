"""The message shown instead of the plot while there is no spectrum: why, and what to do."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.base.theme.theme import Theme
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import MAX_REASON, column, one_line, row, show_or_hide, wrapped_label

# Most spectra are read sooner than this; a message would only flicker.
READING_DELAY_MS = 150
SIDE_PX = 48


class EmptyPlotMessage(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.apply_theme(theme)
        self.title = wrapped_label("", "title")
        self.reason, self.sends = wrapped_label("", "dim"), wrapped_label("", "dim")
        for label in (self.title, self.reason, self.sends):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.reason.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.retry_button = QPushButton(self.tr("Retry"))
        self.next_button = QPushButton()
        self.fetch_button = QPushButton()
        self._can_fetch = False
        self.show_key("")
        for button in (self.fetch_button, self.retry_button, self.next_button):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = row(1, self.fetch_button, self.retry_button, self.next_button, 1)
        parts = (0, self.title, self.reason, buttons, self.sends, 0)
        column(*parts, spacing=12, margins=(SIDE_PX, 16, SIDE_PX, 16), parent=self)
        self._delay = QTimer(self, singleShot=True, interval=READING_DELAY_MS)
        self._delay.timeout.connect(partial(self._show, self.tr("Reading the spectrum…"), ""))
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
        reason = self.tr("The list is empty, or no candidate matches the filter.")
        self._show(self.tr("Nothing to show"), reason)

    def show_reading(self) -> None:
        """Say that the spectrum is being read, after a short delay."""
        self.hide()
        self._delay.start()

    def show_fault(self, reason: str) -> None:
        self._show(self.tr("This spectrum cannot be read"), reason, is_fault=True)

    def offer_fetch(self, archive: str, sends: str) -> None:
        """Offer to fetch the missing file from an archive; an empty name: nothing is offered."""
        self._can_fetch = bool(archive)
        self.fetch_button.setText(self.tr("Fetch it from {archive}").replace("{archive}", archive))
        self.sends.setText(sends)
        is_offered = self._can_fetch and self.retry_button.isVisibleTo(self)
        self.fetch_button.setVisible(is_offered)
        self.sends.setVisible(is_offered)

    def show_fetching(self, archive: str) -> None:
        text = self.tr("Fetching the spectrum from {archive}…")
        self._show(text.replace("{archive}", archive), "")

    def clear(self) -> None:
        self._delay.stop()
        if not self.isHidden():
            self.hide()

    def _show(self, title: str, reason: str, *, is_fault: bool = False) -> None:
        self._delay.stop()
        self.title.setText(title)
        show_or_hide(self.reason, one_line(translate_message(reason), MAX_REASON))
        self.retry_button.setVisible(is_fault)
        self.next_button.setVisible(is_fault)
        self.fetch_button.setVisible(is_fault and self._can_fetch)
        self.sends.setVisible(is_fault and self._can_fetch)
        self.show()
        self.raise_()
