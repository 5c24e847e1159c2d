"""Jumping to an object by its name, its number or its TARGETID."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from agent.errors import WorkbenchError
from app.core.queue import find
from app.core.queue.filters import MAX_TEXT
from app.core.session.records import Candidate
from app.ui.actions.commands import Commands
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import hint
from app.ui.widgets.suggestions import Suggestions

WAIT_MS = 120
"""Behind the last letter, before it is looked for."""


class FindBox(QWidget):
    """Looks in the runner; what was typed meanwhile wins."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner, self._keymap = context.current, context.runner, context.keymap
        self._commands = context.commands
        self._found: list[Candidate] = []
        self._is_going = False
        self.edit = QLineEdit(self)
        self.edit.setMaxLength(MAX_TEXT)
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName(self.tr("Find an object"))
        self.suggestions = Suggestions(self.edit)
        self._wait = QTimer(self, singleShot=True, interval=WAIT_MS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.edit)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        context.commands.add("find", self.begin)
        self.edit.textEdited.connect(self._note)
        self.edit.returnPressed.connect(self._go)
        self._wait.timeout.connect(self._look)
        self.suggestions.chosen.connect(self._choose)

    def _show_keys(self) -> None:
        told = self.tr("Find ({key})").replace("{key}", self._keymap.label("find"))
        self.edit.setPlaceholderText(told)
        about = self.tr("Find an object by its name, its number or its TARGETID")
        self.edit.setToolTip(hint(about, self._keymap, "find"))

    def begin(self) -> None:
        uncover(self.edit, self._commands)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def _note(self, _: str) -> None:
        self._is_going = False
        self._wait.start()

    def _go(self) -> None:
        """To the first that is found, even where the list of them is not there yet."""
        self._is_going = True
        self._wait.stop()
        self._look()

    def _look(self) -> None:
        text = self.edit.text().strip()
        if not text:
            self._show(text, [])
            return
        work = partial(find, self._current.session, text)
        self._runner.run(work, partial(self._show, text), self._could_not, owner=self)

    def _show(self, text: str, found: list[Candidate]) -> None:
        if text != self.edit.text().strip():
            return
        self._found = found
        if self._is_going:
            self._is_going = False
            self._go_to_first(text)
            return
        self.suggestions.show([_name(each) for each in found])

    def _go_to_first(self, text: str) -> None:
        if not text:
            return
        if not self._found:
            said = self.tr("Nothing in the list is called {name}").replace("{name}", text)
            self._current.said.emit(said)
            return
        self._leave(self._found[0])

    def _choose(self, name: str) -> None:
        found = next((each for each in self._found if _name(each) == name), None)
        if found is not None:
            self._leave(found)

    def _leave(self, candidate: Candidate) -> None:
        self._wait.stop()
        self.suggestions.hide()
        self.edit.clear()
        self.edit.clearFocus()
        self._current.go_to(candidate.id)

    def _could_not(self, error: WorkbenchError) -> None:
        self._current.tell(error)


def uncover(field: QWidget, commands: Commands) -> None:
    """What somebody asks for by its key is shown, with the panels around it."""
    if not field.isVisible():
        commands.run("panels")


def _name(candidate: Candidate) -> str:
    number = f"#{candidate.id}"
    return f"{candidate.object_id}  {number}" if candidate.object_id else number
