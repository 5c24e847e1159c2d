"""The menu bar: every action by group, with its current keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from app.ui.actions.actions import (
    ACTIONS,
    AGENT,
    FILES,
    JUDGING,
    LOOKING,
    MARKING,
    MOVING,
    WINDOW,
    WORDS,
)
from app.ui.actions.commands import Commands

TITLES = {
    FILES: QT_TRANSLATE_NOOP("menus", "File"),
    JUDGING: QT_TRANSLATE_NOOP("menus", "Judge"),
    MOVING: QT_TRANSLATE_NOOP("menus", "Go"),
    LOOKING: QT_TRANSLATE_NOOP("menus", "View"),
    MARKING: QT_TRANSLATE_NOOP("menus", "Marks"),
    WORDS: QT_TRANSLATE_NOOP("menus", "Words"),
    AGENT: QT_TRANSLATE_NOOP("menus", "Agent"),
    WINDOW: QT_TRANSLATE_NOOP("menus", "Window"),
}
"""Menu titles by group of actions."""

LabelOf = Callable[[str], str]
Allows = Callable[[str], bool]


class Menus:
    """Fills the menus; `allows` tells which actions are available now.

    Keys appear only in the text of the entries, because the key filter handles them.
    """

    def __init__(
        self, bar: QMenuBar, commands: Commands, label_of: LabelOf, allows: Allows
    ) -> None:
        self._commands = commands
        self._label_of = label_of
        self._allows = allows
        self._entries: list[QAction] = []
        for group, title in TITLES.items():
            menu = QMenu(QCoreApplication.translate("menus", str(title)), bar)
            bar.addMenu(menu)
            for action in ACTIONS.values():
                if action.group == group and not action.name.startswith("window_"):
                    entry = QAction(menu)
                    entry.setData(action.name)
                    menu.addAction(entry)
                    self._entries.append(entry)
            menu.aboutToShow.connect(self._fill)
            menu.triggered.connect(self._run)

    def _fill(self) -> None:
        for entry in self._entries:
            name = entry.data()
            key, title = self._label_of(name), ACTIONS[name].title
            entry.setText(f"{title}\t{key}" if key else title)
            entry.setEnabled(self._commands.can(name) and self._allows(name))

    def _run(self, entry: QAction) -> None:
        self._commands.run(entry.data())
