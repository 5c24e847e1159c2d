"""Buttons for the person's confidence, from 4 (sure) to 0 (none)."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from app.core.session.records import MAX_CONFIDENCE
from app.ui.judging.verdict_text import confidence_meaning
from app.ui.keys.keymap import Keymap
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import row, short_label
from app.ui.widgets.painted_button import hint, quiet_button

HEIGHT = 28


class ConfidenceRow(QWidget):
    chosen = Signal(object)
    """The confidence, or None if the chosen button was pressed again."""

    def __init__(
        self, current_theme: CurrentTheme, keymap: Keymap, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._value: int | None = None
        self._keymap = keymap
        self._caption = short_label(self.tr("Confidence"), "dim")
        self.buttons = {
            value: quiet_button(current_theme, self, height=HEIGHT)
            for value in range(MAX_CONFIDENCE, -1, -1)
        }
        group = QButtonGroup(self, exclusive=False)
        group.idClicked.connect(self._press)
        line = row(self._caption, spacing=3, parent=self)
        for value, button in self.buttons.items():
            button.setCheckable(True)
            group.addButton(button, value)
            line.addWidget(button)
        keymap.changed.connect(self._show_keys)
        self._show_keys()
        self.show_value(None)

    def show_value(self, value: int | None) -> None:
        self._value = value
        for each, button in self.buttons.items():
            button.setChecked(each == value)
        meaning = self.tr("not given") if value is None else confidence_meaning(value)
        self._caption.setToolTip(self.tr("Confidence: {meaning}").replace("{meaning}", meaning))

    def _show_keys(self) -> None:
        for value, button in self.buttons.items():
            text = self.tr("Confidence {value}: {meaning}").replace("{value}", str(value))
            text = text.replace("{meaning}", confidence_meaning(value))
            button.set_label(str(value), hint=hint(text, self._keymap, f"confidence_{value}"))
            button.setAccessibleName(text)

    def _press(self, value: int) -> None:
        self.buttons[value].setChecked(value == self._value)  # changed once it is saved
        self.chosen.emit(None if value == self._value else value)
