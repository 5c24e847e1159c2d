"""Defines the session's own fields: a line for each, checked as a whole when it is saved."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.errors import SessionError
from app.core.session.own_fields import (
    KINDS,
    MAX_TITLE,
    OwnField,
    as_key,
    checked_fields,
    own_fields,
    set_own_fields,
)
from app.core.session.subclass_and_fields import MAX_FIELDS
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.translation.message_texts import translate_message
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    add_parts,
    bring_forward,
    keep_current,
    short_label,
    wrapped_label,
)
from app.ui.widgets.page_parts import ProblemLine

KEY_LETTERS = 9


class FieldLine:
    def __init__(self, dialog: FieldsDialog, field: OwnField | None) -> None:
        self.was = field
        self.title, self.choices, self.key = (QLineEdit(dialog) for _ in range(3))
        self.kind = QComboBox(dialog)
        for kind in KINDS:
            self.kind.addItem(dialog.kind_title(kind), kind)
        self.remove = QPushButton("✕", dialog)
        self.title.setMaxLength(MAX_TITLE)
        self.key.setFixedWidth(self.key.fontMetrics().horizontalAdvance("0" * KEY_LETTERS) + 12)
        if field is not None:
            self.title.setText(field.shown)
            self.kind.setCurrentIndex(KINDS.index(field.kind))
            self.choices.setText(", ".join(field.choices))
            self.key.setText(field.key)
        keep_current(self.follow_kind, self.kind.currentIndexChanged)

    @property
    def parts(self) -> tuple[QWidget, ...]:
        return self.title, self.kind, self.choices, self.key, self.remove

    def follow_kind(self, _: int = 0) -> None:
        """Only a choice has choices."""
        self.choices.setEnabled(self.kind.currentData() == "choice")

    def field(self) -> OwnField:
        """What was typed; a field that was there keeps its name, as opinions have values for it."""
        title = " ".join(self.title.text().split())
        name = "_".join(re.findall(r"[a-z0-9]+", title.lower()))[:32]
        kind, key = KINDS[self.kind.currentIndex()], as_key(self.key.text())
        given = [" ".join(each.split()) for each in self.choices.text().split(",")]
        choices = tuple(filter(None, given)) if kind == "choice" else ()
        typed = OwnField(name=name, title=title, kind=kind, choices=choices, key=key)
        return replace(typed, name=self.was.name, unit=self.was.unit) if self.was else typed


class FieldsDialog(QDialog):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._keymap = context.bridge.session, context.keymap
        self.setWindowTitle(self.tr("Own fields of this session"))
        self.lines: list[FieldLine] = []
        about = self.tr(
            "Fields are filled in beside the verdict, by a click or by their key, and are "
            "saved, undone, merged and exported with it. A key is a letter that no action "
            "has, such as J or Shift+Q, or a digit from 5 to 9. Removing a field keeps what "
            "was filled in."
        )
        self._grid = QGridLayout()
        heads = (self.tr("Title"), self.tr("Kind"), self.tr("Choices, with commas"), self.tr("Key"))
        for at, text in enumerate(heads):
            self._grid.addWidget(short_label(text, "dim"), 0, at)
        self.add_button = QPushButton(self.tr("Add a field"))
        self.add_button.clicked.connect(partial(self.add, None))
        self.problem = ProblemLine()
        buttons = QDialogButtonBox(self)
        roles = QDialogButtonBox.ButtonRole
        self.save_button = buttons.addButton(self.tr("Save"), roles.AcceptRole)
        self.cancel_button = buttons.addButton(self.tr("Cancel"), roles.RejectRole)
        buttons.accepted.connect(self.save)
        buttons.rejected.connect(self.reject)
        parts = wrapped_label(about, "dim"), self._grid, self.add_button, 1, self.problem, buttons
        add_parts(QVBoxLayout(self), *parts)
        self.resize(720, 420)

    def kind_title(self, kind: str) -> str:
        return {
            "choice": self.tr("choice"),
            "number": self.tr("number"),
            "tick": self.tr("tick"),
            "text": self.tr("text"),
        }[kind]

    def open_fields(self) -> None:
        """Show the fields as they are now, with an empty line where there are none."""
        for line in list(self.lines):
            self._drop(line)
        fields = own_fields(self._session)
        for field in fields or (None,):
            self.add(field)
        if fields:
            self.add_button.setFocus()  # not in a title, which the first key would replace
        self.problem.clear()
        self.save_button.setEnabled(not self._session.is_read_only)
        bring_forward(self)

    def add(self, field: OwnField | None) -> None:
        line = FieldLine(self, field)
        row = self._grid.rowCount()
        removing = self.tr("Remove")
        names = self.tr("Title"), self.tr("Kind"), self.tr("Choices"), self.tr("Key"), removing
        for at, (part, name) in enumerate(zip(line.parts, names, strict=True)):
            self._grid.addWidget(part, row, at)
            part.setAccessibleName(name)
        line.remove.clicked.connect(partial(self._drop, line))
        self.lines.append(line)
        self.add_button.setEnabled(len(self.lines) < MAX_FIELDS)
        line.title.setFocus()

    def save(self) -> None:
        """Define what is in the lines; empty ones are left out."""
        lines = [each for each in self.lines if each.title.text().strip()]
        try:
            fields = checked_fields([each.field() for each in lines])
            for each in fields:
                if each.key and (holder := self._keymap.action(each.key)) is not None:
                    text = self.tr("{key} is already used for “{action}”: choose another key")
                    text = text.replace("{key}", each.key)
                    raise SessionError(text.replace("{action}", ACTIONS[holder].title))
            set_own_fields(self._session, fields)
        except WorkbenchError as error:
            self.problem.show_problem(translate_message(str(error)))
            return
        self.accept()

    def _drop(self, line: FieldLine) -> None:
        self.lines.remove(line)
        for part in line.parts:
            self._grid.removeWidget(part)
            part.hide()
            part.deleteLater()
        self.add_button.setEnabled(True)
