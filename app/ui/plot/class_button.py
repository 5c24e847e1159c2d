"""The class of the session, above the plot, with a menu of what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from agent.tasks.look import has_class
from app.ui.actions.actions import ACTIONS
from app.ui.session_context import SessionContext
from app.ui.translation.data_texts import task_text
from app.ui.widgets.labels import escape_mnemonics, one_line

MAX_TEXT = 100


class ClassButton(QPushButton):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._commands = context.commands
        task = context.bridge.session.task
        self.setProperty("role", "class")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        menu = QMenu(self)
        if has_class(task):
            self.setText(task.id)
            self.setToolTip(task_text(task.title))
            self.setAccessibleName(self.tr("Class: {name}").replace("{name}", task_text(task.name)))
            _say(menu, task_text(task.question))
            self._add(menu, "show_guideline")
            menu.addSeparator()
            self._add(menu, "other_class", self.tr("Judge this list for another class"))
            _say(menu, self.tr("This session keeps its class: its verdicts are about it"))
        else:
            self.setText(self.tr("No class"))
            self.setAccessibleName(self.text())
            _say(menu, self.tr("Nothing is judged here"))
            self._add(menu, "other_class", self.tr("Choose a class to judge"))
        menu.triggered.connect(self._run)
        self.setMenu(menu)

    def _add(self, menu: QMenu, name: str, text: str = "") -> None:
        menu.addAction(text or ACTIONS[name].title).setData(name)

    def _run(self, entry: QAction) -> None:
        self._commands.run(entry.data())


def _say(menu: QMenu, text: str) -> None:
    """A line to read only."""
    menu.addAction(escape_mnemonics(one_line(text, MAX_TEXT))).setEnabled(False)
