"""The row of a session's own fields above the verdicts; empty sessions have none."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QWidget

from app.core.errors import SessionError
from app.core.session.own_fields import OwnField, own_fields, value_of, value_text
from app.core.session.records import Candidate, Change, Opinion
from app.core.session.subclass_and_fields import MAX_FIELD_TEXT, FieldValue
from app.ui.base.actions.key_names import label
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.verdict.key_strip import KeyChoice, KeyStrip
from app.ui.session.candidate.current import with_field
from app.ui.session.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import clear_layout, keep_current, row
from app.ui.widgets.painted_button import quiet_button

NONE_KEY = "0"
NUMBER_LETTERS, TEXT_LETTERS = 8, 16  # width of the fields that take typed values


class FieldsRow(QFrame):
    """Values go to the candidate on screen; what is being typed is kept with each letter."""

    def __init__(self, context: SessionContext, strip: KeyStrip, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._context, self._current, self._strip = context, context.current, strip
        self.fields: tuple[OwnField, ...] = ()
        self.editors: dict[str, FieldEditor] = {}
        self._flow = FlowLayout(self, spacing=12)
        self._flow.setContentsMargins(8, 3, 8, 3)
        self._current.opinion_changed.connect(self._show)
        self._current.candidate_changed.connect(self._show_candidate)
        context.bridge.changed.connect(self._on_session_changed)
        keep_current(self._make, context.keymap.changed)

    # The keys, see ExtraKeys

    def wants(self, keys: Sequence[str]) -> bool:
        return self.isVisible() and self._field_of(keys) is not None

    def take(self, keys: Sequence[str]) -> None:
        if (field := self._field_of(keys)) is not None:
            self.press(field.name)

    def _field_of(self, keys: Sequence[str]) -> OwnField | None:
        found = (each for each in self.fields if each.key and each.key in keys)
        return next((each for each in found if self._is_free(each.key)), None)

    def _is_free(self, key: str) -> bool:
        return self._context.keymap.action(key) is None

    def press(self, name: str) -> None:
        """Tick, offer the choices, or go to the line."""
        candidate = self._current.candidate
        if candidate is None or self._current.session.is_read_only:
            return
        field = self.editors[name].field
        value = dict(self._current.opinion.fields).get(name)
        if field.kind == "tick":
            self._set(name, None if value else True, save=True)
        elif field.kind == "choice":
            self._offer(field, candidate)
        else:
            self.editors[name].start_typing()

    def _offer(self, field: OwnField, about: Candidate) -> None:
        keys = [KeyChoice(key=str(at), name=each) for at, each in enumerate(field.choices, 1)]
        none = KeyChoice(key=NONE_KEY, name=self.tr("none"))
        choose = partial(self._choose, field, about.id)
        title = f"{about.name} · {field.shown} ?"
        self._strip.offer(title, [*keys, none], choose, None, owner=self)

    def _choose(self, field: OwnField, candidate_id: int, chosen: KeyChoice) -> None:
        """Only for the candidate for which it was asked."""
        if self._current.candidate_id == candidate_id:
            self._set(field.name, None if chosen.key == NONE_KEY else chosen.name, save=True)

    def _set(self, name: str, value: FieldValue | None, *, save: bool = False) -> None:
        self._current.change(with_field(name, value)(self._current.opinion), save=save)

    def _on_entered(self, _: str) -> None:
        current = self._current
        if current.opinion.fields != current.saved_opinion.fields:
            current.change(current.opinion, save=True)
        self._show(current.opinion)

    def _on_session_changed(self, change: Change) -> None:
        if not change.candidate_ids and own_fields(self._current.session) != self.fields:
            self._make()

    def _make(self) -> None:
        """Make the editors; a session without fields of its own has no row."""
        clear_layout(self._flow)
        self.fields, self.editors = own_fields(self._current.session), {}
        for field in self.fields:
            key = label(field.key) if field.key and self._is_free(field.key) else ""
            editor = FieldEditor(field, key, self._context.current_theme, self)
            editor.pressed.connect(self.press)
            editor.typed.connect(self._set)
            editor.entered.connect(self._on_entered)
            editor.refused.connect(lambda why: self._current.message.emit(translate_message(why)))
            self.editors[field.name] = editor
            self._flow.addWidget(editor)
            editor.show()
        self.setVisible(bool(self.fields))
        self._show_candidate()

    def _show_candidate(self, _: object = None) -> None:
        if self._strip.owner is self:
            self._strip.close_strip()  # it asked about the object that was on screen
        can_write = self._current.row is not None and not self._current.session.is_read_only
        for editor in self.editors.values():
            editor.setEnabled(can_write)
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        values = dict(opinion.fields)
        for name, editor in self.editors.items():
            editor.show_value(values.get(name))


class ExtraKeys:
    """Keys that mean something only here: those of the strip, and of the own fields.

    The strip comes first, as it is only there for a moment.
    """

    def __init__(self, strip: KeyStrip, fields: FieldsRow) -> None:
        self._strip, self._fields = strip, fields

    def wants(self, keys: Sequence[str]) -> bool:
        return self._strip.wants(keys) or self._fields.wants(keys)

    def take(self, keys: Sequence[str]) -> None:
        if self._strip.wants(keys):
            self._strip.take(keys)
        else:
            self._strip.leave("")
            self._fields.take(keys)

    def leave(self, name: str) -> None:
        self._strip.leave(name)


class FieldEditor(QWidget):
    """A button with the field's name and key; beside it a line where the value is typed."""

    pressed = Signal(str)  # the field whose button was clicked
    typed = Signal(str, object)  # name and value while it is typed; None where nothing is left
    entered = Signal(str)  # typing has ended
    refused = Signal(str)  # why what was typed is no value

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
        elif self._value(self.edit.text()) != value:
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

    def _value(self, text: str) -> FieldValue | None:
        try:
            return value_of(self.field, text)
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
