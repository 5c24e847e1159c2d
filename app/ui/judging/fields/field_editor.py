"""The editor of one own field of the session, for the candidate on screen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from app.core.errors import SessionError
from app.core.session.finer_values import MAX_FIELD_TEXT, FieldValue
from app.core.session.own_fields import OwnField, value_of, value_text
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import row
from app.ui.widgets.painted_button import quiet_button

NUMBER_LETTERS, TEXT_LETTERS = 8, 16
"""Width of the fields that take typed values."""


class FieldEditor(QWidget):
    """A button with the field's name and key; beside it a line where the value is typed."""

    pressed = Signal(str)
    """The field whose button was clicked."""
    typed = Signal(str, object)
    """Name and value while it is typed; None where nothing is left."""
    entered = Signal(str)
    """Typing has ended."""
    refused = Signal(str)
    """Why what was typed is no value."""

    def __init__(
        self, field: OwnField, key: str, current_theme: CurrentTheme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.field = field
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        line = row(spacing=4, parent=self)
        self.edit: QLineEdit | None = None
        self._key = key
        self.button = quiet_button(current_theme, self)
        line.addWidget(self.button)
        if field.kind in ("tick", "choice"):
            self.button.setCheckable(True)
            self.button.clicked.connect(self._press)
        else:
            self.button.clicked.connect(self.start_typing)
            self.edit = self._line()
            line.addWidget(self.edit)
        self.show_value(None)

    def show_value(self, value: FieldValue | None) -> None:
        text = self.field.shown
        if self.edit is None:
            self.button.setChecked(value is not None)
            if self.field.kind == "choice" and value is not None:
                text += f": {value}"
        elif self._value() != value:
            self.edit.setText("" if value is None else value_text(value))
            self.edit.setCursorPosition(0)
        self.button.set_label(text, self._key)

    def start_typing(self) -> None:
        if self.edit is not None:
            self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.edit.selectAll()

    def _line(self) -> QLineEdit:
        edit = QLineEdit(self, maxLength=MAX_FIELD_TEXT, placeholderText=self.field.unit)
        edit.setAccessibleName(self.field.shown)
        letters = NUMBER_LETTERS if self.field.kind == "number" else TEXT_LETTERS
        edit.setFixedWidth(edit.fontMetrics().horizontalAdvance("0" * letters) + 12)
        edit.textEdited.connect(self._on_edited)
        edit.returnPressed.connect(edit.clearFocus)
        edit.editingFinished.connect(self._end)
        return edit

    def _press(self) -> None:
        self.button.setChecked(not self.button.isChecked())  # changed once it is saved
        self.pressed.emit(self.field.name)

    def _value(self) -> FieldValue | None:
        assert self.edit is not None
        try:
            return value_of(self.field, self.edit.text())
        except SessionError:
            return None

    def _on_edited(self, text: str) -> None:
        try:
            self.typed.emit(self.field.name, value_of(self.field, text))
        except SessionError:
            return  # a minus alone, perhaps: told where typing ends

    def _end(self) -> None:
        assert self.edit is not None
        try:
            value_of(self.field, self.edit.text())
        except SessionError as error:
            self.refused.emit(str(error))
        self.entered.emit(self.field.name)
