"""Waits for one key to be pressed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.key_names import normal, press_of, spellings


class KeyCatcher(QLabel):
    """Shown only while it waits."""

    caught = Signal(str)
    """The key, as actions.py writes it."""
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "catcher")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def wait(self, prompt: str) -> None:
        self.setText(prompt)
        self.setAccessibleName(prompt)
        self.show()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Before Qt makes a move or a shortcut of it."""
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress:
                self._catch(event)
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.isVisible():
            self._give_up()

    def _catch(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._give_up()
            return
        keys = [key for key in spellings(press_of(event)) if normal(key)]
        if keys and not event.isAutoRepeat():
            self.hide()
            self.caught.emit(keys[0])

    def _give_up(self) -> None:
        self.hide()
        self.given_up.emit()
