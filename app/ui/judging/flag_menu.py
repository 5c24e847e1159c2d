"""Flags: what is notable of an object apart from its verdict. `G`, then a letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

STAR = "star"
FLAGS: Mapping[str, tuple[str, object]] = {
    "velocity": ("R", QT_TRANSLATE_NOOP("flags", "Redshift or velocity is doubtful")),
    "noisy": ("N", QT_TRANSLATE_NOOP("flags", "Too noisy to tell")),
    "sky": ("S", QT_TRANSLATE_NOOP("flags", "Sky left over, or too much taken off")),
    "calibration": ("B", QT_TRANSLATE_NOOP("flags", "Bad calibration, or a step where arms join")),
    "blend": ("M", QT_TRANSLATE_NOOP("flags", "More than one source in the fibre")),
    "duplicate": ("D", QT_TRANSLATE_NOOP("flags", "Duplicate of another candidate")),
    "interesting": ("I", QT_TRANSLATE_NOOP("flags", "Interesting, whatever the verdict")),
    "file": ("P", QT_TRANSLATE_NOOP("flags", "Problem with the file")),
}
"""The names that are kept, and filters know: `flag:noisy`. Their letters, and what they mean."""
OWN_KEY = "O"


class FlagMenu(QMenu):
    """Closes after one letter. A menu of its own so that letters need no underlined letter."""

    chosen = Signal(str)
    own_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_letter: dict[str, QAction] = {}
        self.triggered.connect(self._choose)

    def show_flags(self, held: Iterable[str]) -> None:
        """The standard ones and those this object has besides."""
        held = [each for each in held if each != STAR]
        self.clear()
        self._by_letter.clear()
        for name, (letter, text) in FLAGS.items():
            said = QCoreApplication.translate("flags", str(text))
            self._add(name, f"{letter}    {said}", letter, is_held=name in held)
        for name in held:
            if name not in FLAGS:
                self._add(name, name.replace("&", "&&"), "", is_held=True)
        self.addSeparator()
        own = self.tr("{key}    Your own…").replace("{key}", OWN_KEY)
        self._by_letter[OWN_KEY] = self.addAction(own)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._by_letter.get(event.text().upper())
        if action is None:
            super().keyPressEvent(event)
            return
        self.close()
        action.trigger()

    def _add(self, name: str, said: str, letter: str, *, is_held: bool) -> None:
        action = self.addAction(said)
        action.setCheckable(True)
        action.setChecked(is_held)
        action.setData(name)
        if letter:
            self._by_letter[letter] = action

    def _choose(self, action: QAction) -> None:
        name = action.data()
        if isinstance(name, str):
            self.chosen.emit(name)
        else:
            self.own_wanted.emit()
