"""The menu of flags, which note something about a candidate apart from its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.widgets.labels import escape_mnemonics

STAR = "star"
FLAGS: Mapping[str, tuple[str, object]] = {
    "velocity": ("R", QT_TRANSLATE_NOOP("flags", "Redshift or velocity uncertain")),
    "noisy": ("N", QT_TRANSLATE_NOOP("flags", "Too noisy to tell")),
    "sky": ("S", QT_TRANSLATE_NOOP("flags", "Poor sky subtraction")),
    "calibration": ("B", QT_TRANSLATE_NOOP("flags", "Bad calibration, or a step between the arms")),
    "blend": ("M", QT_TRANSLATE_NOOP("flags", "More than one source in the fibre")),
    "duplicate": ("D", QT_TRANSLATE_NOOP("flags", "Duplicate of another candidate")),
    "interesting": ("I", QT_TRANSLATE_NOOP("flags", "Interesting, whatever the verdict")),
    "file": ("P", QT_TRANSLATE_NOOP("flags", "Problem with the file")),
}
"""Key letters and meanings by name; names are stored and used in filters (`flag:noisy`)."""
CUSTOM_KEY = "O"


class FlagMenu(QMenu):
    """Closes after one letter; unlike QMenu it needs no underlined letters in its texts."""

    chosen = Signal(str)
    custom_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_letter: dict[str, QAction] = {}
        self.triggered.connect(self._choose)

    def show_flags(self, flags: Iterable[str]) -> None:
        """Show the standard flags and the candidate's custom ones; `flags` are those set."""
        flags = [each for each in flags if each != STAR]
        self.clear()
        self._by_letter.clear()
        for name, (letter, text) in FLAGS.items():
            meaning = QCoreApplication.translate("flags", str(text))
            self._add(name, f"{letter}    {meaning}", letter, is_set=name in flags)
        for name in flags:
            if name not in FLAGS:
                self._add(name, escape_mnemonics(name), "", is_set=True)
        self.addSeparator()
        custom = self.tr("{key}    Custom…").replace("{key}", CUSTOM_KEY)
        self._by_letter[CUSTOM_KEY] = self.addAction(custom)

    def add_heading(self, text: str) -> None:
        """Say above the flags whose they are."""
        heading = QAction(escape_mnemonics(text), self)
        heading.setEnabled(False)
        self.insertAction(self.actions()[0], heading)
        self.insertSeparator(self.actions()[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._by_letter.get(event.text().upper())
        if action is None:
            super().keyPressEvent(event)
            return
        self.close()
        action.trigger()

    def _add(self, name: str, text: str, letter: str, *, is_set: bool) -> None:
        action = self.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_set)
        action.setData(name)
        if letter:
            self._by_letter[letter] = action

    def _choose(self, action: QAction) -> None:
        name = action.data()
        if isinstance(name, str):
            self.chosen.emit(name)
        else:
            self.custom_requested.emit()
