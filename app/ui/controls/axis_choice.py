"""A few alternatives side by side, of which one holds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import flow
from app.ui.widgets.painted_button import PaintedButton, quiet_button

HEIGHT = 24


class AxisChoice(QWidget):
    chosen = Signal(str)

    def __init__(
        self, name: str, alternatives: Mapping[str, str], current_theme: CurrentTheme
    ) -> None:
        """`alternatives` are the texts by value."""
        super().__init__()
        self.buttons: dict[str, PaintedButton] = {}
        line = flow(spacing=4, parent=self)
        for value, text in alternatives.items():
            button = quiet_button(current_theme, self, height=HEIGHT)
            button.setCheckable(True)
            button.set_label(text)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(partial(self._choose, value))
            self.buttons[value] = button
            line.addWidget(button)

    def show_choice(self, value: str) -> None:
        for name, button in self.buttons.items():
            button.setChecked(name == value)

    def _choose(self, value: str, *_: object) -> None:
        self.buttons[value].setChecked(True)  # a press on the one that holds leaves it so
        self.chosen.emit(value)
