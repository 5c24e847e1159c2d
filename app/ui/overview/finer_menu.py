"""The menu that gives all selected candidates a sub-class or a value of an own field."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget, QWidgetAction

from agent.tasks.subclass import Subclass, path_of, subclasses_below
from app.core.errors import SessionError
from app.core.session.finer_values import MAX_FIELD_TEXT, FieldValue
from app.core.session.own_fields import OwnField, own_fields, value_of
from app.core.session.session import Session
from app.ui.translation.data_texts import task_text
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import escape_mnemonics
from app.ui.widgets.menu_actions import add_action


class FinerMenu(QMenu):
    subclass_chosen = Signal(str)
    """'DA/DAH'; empty to take it away."""
    field_given = Signal(str, object)
    """Name and value of a field; None to take it away."""
    refused = Signal(str)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.lines: dict[str, QLineEdit] = {}
        """Where the values of numbers and texts are typed, by field."""
        self._parts: list[QMenu] = []

    @property
    def is_useful(self) -> bool:
        return bool(self._session.subclasses or own_fields(self._session))

    def fill(self) -> None:
        self.clear()
        for part in self._parts:
            part.deleteLater()
        self._parts, self.lines = [], {}
        subclasses = self._session.subclasses
        for each in subclasses_below("", subclasses):
            self._add_subclass(self, each, subclasses)
        if subclasses:
            add_action(self, self.tr("No sub-class"), partial(self.subclass_chosen.emit, ""))
            self.addSeparator()
        for field in own_fields(self._session):
            self._add_field(field)

    def _add_subclass(self, menu: QMenu, one: Subclass, subclasses: tuple[Subclass, ...]) -> None:
        title = escape_mnemonics(f"{one.name}    {task_text(one.description)}")
        path = path_of(one.name, subclasses)
        choose = partial(self.subclass_chosen.emit, path)
        below = subclasses_below(path, subclasses)
        if not below:
            add_action(menu, title, choose)
            return
        inner = self._submenu(menu, title)
        add_action(inner, title, choose)
        inner.addSeparator()
        for each in below:
            self._add_subclass(inner, each, subclasses)

    def _add_field(self, field: OwnField) -> None:
        inner = self._submenu(self, escape_mnemonics(field.shown))
        given = partial(self.field_given.emit, field.name)
        if field.kind == "tick":
            add_action(inner, self.tr("yes"), partial(given, True))
        for choice in field.choices:
            add_action(inner, escape_mnemonics(choice), partial(given, choice))
        if field.kind in ("number", "text"):
            line = QLineEdit(inner, maxLength=MAX_FIELD_TEXT)
            line.setPlaceholderText(self.tr("value, Enter"))
            line.setAccessibleName(field.shown)
            line.returnPressed.connect(partial(self._take_typed, field))
            holder = QWidgetAction(inner)
            holder.setDefaultWidget(line)
            inner.addAction(holder)
            self.lines[field.name] = line
        add_action(inner, self.tr("none"), partial(given, None))

    def _take_typed(self, field: OwnField) -> None:
        try:
            value: FieldValue | None = value_of(field, self.lines[field.name].text())
        except SessionError as error:
            self.refused.emit(translate_message(str(error)))
            return
        self.close()
        self.field_given.emit(field.name, value)

    def _submenu(self, menu: QMenu, title: str) -> QMenu:
        inner = QMenu(title, menu)
        menu.addMenu(inner)
        self._parts.append(inner)
        return inner
