"""A search box that goes to an object by name, number or TARGETID."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.queue import find
from app.core.queue.filters import MAX_TEXT
from app.core.session.records import Candidate
from app.ui.actions.commands import Commands
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import row
from app.ui.widgets.painted_button import hint
from app.ui.widgets.suggestions import Suggestions

SEARCH_DELAY_MS = 120
"""Delay after the last key before the search starts."""


class FindBox(QWidget):
    """Searches in the background; results for an older text are dropped."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner, self._keymap = context.current, context.runner, context.keymap
        self._commands = context.commands
        self._found: list[Candidate] = []
        self._goes_to_first = False
        self.edit = QLineEdit(self, maxLength=MAX_TEXT, clearButtonEnabled=True)
        self.edit.setAccessibleName(self.tr("Find an object"))
        self.suggestions = Suggestions(self.edit)
        self._delay = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        row(self.edit, parent=self)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        context.commands.add("find", self.start_editing)
        self.edit.textEdited.connect(self._text_edited)
        self.edit.returnPressed.connect(self._go_to_first)
        self._delay.timeout.connect(self._search)
        self.suggestions.chosen.connect(self._choose)

    def _show_keys(self) -> None:
        placeholder = self.tr("Find ({key})").replace("{key}", self._keymap.label("find"))
        self.edit.setPlaceholderText(placeholder)
        about = self.tr("Find an object by its name, its number or its TARGETID")
        self.edit.setToolTip(hint(about, self._keymap, "find"))

    def start_editing(self) -> None:
        ensure_visible(self.edit, self._commands)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def _text_edited(self, _: str) -> None:
        self._goes_to_first = False
        self._delay.start()

    def _go_to_first(self) -> None:
        """Go to the first match as soon as it is found."""
        self._goes_to_first = True
        self._delay.stop()
        self._search()

    def _search(self) -> None:
        text = self.edit.text().strip()
        if not text:
            self._show(text, [])
            return
        work = partial(find, self._current.session, text)
        self._runner.run(work, partial(self._show, text), self._current.report_error, owner=self)

    def _show(self, text: str, found: list[Candidate]) -> None:
        if text != self.edit.text().strip():
            return
        self._found = found
        if self._goes_to_first:
            self._goes_to_first = False
            if found:
                self._go_to(found[0])
            elif text:
                message = self.tr("No object in the list matches {name}")
                self._current.message.emit(message.replace("{name}", text))
            return
        self.suggestions.show([_name(each) for each in found])

    def _choose(self, name: str) -> None:
        found = next((each for each in self._found if _name(each) == name), None)
        if found is not None:
            self._go_to(found)

    def _go_to(self, candidate: Candidate) -> None:
        self._delay.stop()
        self.suggestions.hide()
        self.edit.clear()
        self.edit.clearFocus()
        self._current.go_to(candidate.id)


def ensure_visible(field: QWidget, commands: Commands) -> None:
    """Show the queue if a field in it is asked for by its key."""
    if not field.isVisible():
        commands.run("queue")


def _name(candidate: Candidate) -> str:
    number = f"#{candidate.id}"
    return f"{candidate.object_id}  {number}" if candidate.object_id else number
